import { z } from "zod";

import { Currency, Id, Instant } from "../../../core/schema.ts";
import { Format, ImportFormat, SHAPES } from "../formats/formats.ts";
import { Loss } from "../formats/losses.ts";
import { Locale } from "../schema/parts.ts";

const options = {
  dry_run: z
    .boolean()
    .default(false)
    .meta({ description: "Returns what would happen without writing anything" }),
  locale: Locale.optional().meta({
    description: "Language of texts without one. Default: the one in the settings",
  }),
  currency: Currency.optional().meta({
    description: "Currency of prices without one. Default: the one in the settings",
  }),
  products: z
    .enum(["none", "link", "create"])
    .default("none")
    .meta({
      description:
        "For items and modifiers without a product: link sets product_id to the product of /v1/allergens with the same " +
        "external reference or the same title, if there is exactly one; create also creates unverified products for items",
    }),
  stock: z.enum(["report", "apply"]).default("report").meta({
    description: "apply: what is sold out in the document is suspended, and resumed by a later import",
  }),
};

const LocationId = z.string().min(1).max(128).optional().meta({
  description:
    "The Square location whose prices, presence and sold-out states are imported. Default: the only one in the document",
});

/**
 * A document, of which only its type is checked here: the rest is checked in the thread that reads it. The API reference shows the whole
 * schema.
 */
function documentOf(schema: z.ZodObject) {
  const document = z.looseObject({});
  document._zod.processJSONSchema = (...place) => schema._zod.processJSONSchema?.(...place);
  return document.register(z.globalRegistry, schema.meta() ?? {});
}

export const ImportRequest = z.discriminatedUnion("format", [
  z.strictObject({
    format: z.literal("square"),
    data: documentOf(SHAPES.square),
    ...options,
    location_id: LocationId,
  }),
  z.strictObject({ format: z.literal("toast"), data: documentOf(SHAPES.toast), ...options }),
  z.strictObject({ format: z.literal("deliverect"), data: documentOf(SHAPES.deliverect), ...options }),
  z.strictObject({
    format: z.literal("deliverect_menu"),
    data: documentOf(SHAPES.deliverect_menu),
    ...options,
  }),
  z.strictObject({ format: z.literal("uber"), data: documentOf(SHAPES.uber), ...options }),
  z.strictObject({ format: z.literal("otter"), data: documentOf(SHAPES.otter), ...options }),
]);

const Kind = z.enum(["menu", "category", "item", "modifier_group", "modifier", "price_level", "schedule"]);
const Outcome = z.enum(["created", "updated", "unchanged", "deferred"]);
const named = {
  kind: Kind,
  id: Id,
  external_id: z
    .string()
    .nullable()
    .meta({ description: "The object's id in the document; null for schedules, which have none" }),
};

export const ImportAnswer = z.object({
  format: ImportFormat,
  dry_run: z.boolean(),
  complete: z
    .boolean()
    .meta({ description: "False: objects were deferred. Send the same document again to continue" }),
  counts: z.object({ created: z.int(), updated: z.int(), unchanged: z.int(), deferred: z.int() }),
  rows: z.array(
    z.object({
      ...named,
      path: z.string().meta({ description: "JSON pointer into data" }),
      outcome: Outcome,
    }),
  ),
  warnings: z.array(Loss).meta({
    description: "Fields of the document that are not supported, and invalid entries that were left out",
  }),
  declarations: z
    .array(
      z.object({
        ...named,
        title: z.string(),
        contains: z.array(z.string()),
        free_from: z.array(z.string()),
        diets: z.array(z.string()),
        not_specific: z
          .array(z.string())
          .meta({ description: "Codes in contains that stand for a group of allergens" }),
      }),
    )
    .meta({
      description: "Allergens and diets in the document: claims to verify, for products of /v1/allergens",
    }),
  products: z
    .array(
      z.object({
        ...named,
        title: z.string(),
        product_id: Id.nullable().meta({
          description: "Null: nothing was found, or a dry run would create it",
        }),
        outcome: z.enum(["linked", "created", "not_found"]),
      }),
    )
    .meta({ description: "Items and modifiers that had no product, if products is link or create" }),
  stock: z
    .array(
      z.object({
        ...named,
        available: z.boolean(),
        until: Instant.nullable(),
        reason: z.string().nullable(),
      }),
    )
    .meta({ description: "Sold-out states in the document; suspended if stock is apply" }),
});

export const ExportQuery = z.object({
  format: Format,
  version: z.coerce
    .number()
    .pipe(z.int().min(1).max(999_999))
    .optional()
    .meta({ description: "A version of the menu. Default: its draft" }),
  locale: Locale.optional().meta({
    description: "Language, if the system supports only one. Default: the one in the settings",
  }),
});

export const ExportAnswer = z.object({
  format: Format,
  menu_id: Id,
  menu_version: z.int().nullable().meta({ description: "Null: the draft" }),
  document: z.record(z.string(), z.unknown()).meta({ description: "In the format of the system" }),
  warnings: z.array(Loss).meta({ description: "Fields of the menu that the system does not support" }),
});
