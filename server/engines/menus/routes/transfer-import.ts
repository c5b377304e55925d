import type { z } from "zod";

import { ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { textErrors } from "../../../core/text-errors.ts";
import { IMPORT_ROWS_MAX } from "../formats/check-draft.ts";
import type { Draft, DraftItem, DraftModifier } from "../formats/draft.ts";
import { isGroup } from "../formats/food-tags.ts";
import { systemOf } from "../formats/formats.ts";
import { lossesOf, originalPointer } from "../formats/leave-out.ts";
import { joinLosses, pointer } from "../formats/losses.ts";
import type { RefKind } from "../formats/names.ts";
import { say } from "../formats/tree-view.ts";
import { readSettings } from "../repository.ts";
import { readImport } from "../services/read-document.ts";
import { applyDraft } from "./transfer-apply.ts";
import type { Applied, Row } from "./transfer-apply.ts";
import { ImportAnswer, ImportRequest } from "./transfer-schema.ts";
import { full } from "./write.ts";

type Answer = z.output<typeof ImportAnswer>;

export const importMenus = defineRoute({
  id: "menus.transfers.import",
  cost: 10,
  method: "POST",
  path: "/import",
  summary: "Import menus of Square, Toast, Deliverect, Uber Eats or Otter",
  description:
    "data is a document in the format of the system: catalog objects of Square, a menus response of Toast (version " +
    "2), a product sync of Deliverect or a menu that it pushes to a channel (deliverect_menu), a menu configuration of Uber Eats, or menus of Otter. Its objects are " +
    "created, or updated if an earlier import created them: the system's ids are stored in external_refs. Nothing is " +
    "deleted, and fields that the system does not have do not change. warnings lists every field that is not " +
    "supported; allergens, diets and sold-out states are returned, and applied where products and stock say so. " +
    `A request accepts at most ${IMPORT_ROWS_MAX} objects (items without their variations, categories, groups, ` +
    "modifiers), a document of about 250 KB; one commit writes about 80 new objects. The rest is deferred and " +
    "complete is false: send the same request again, with another Idempotency-Key or none, until complete is true. " +
    "Split a larger menu: first some categories with their items and groups per request, then the menus, which can " +
    "refer to categories of earlier requests. (Toast nests everything inside the menu: send one menu per request.)",
  body: ImportRequest,
  data: ImportAnswer,
  errors: [full, ...textErrors],
  example: {
    body: {
      format: "uber",
      dry_run: true,
      locale: "en",
      currency: "GBP",
      data: {
        menus: [
          {
            id: "all-day",
            title: { translations: { en: "All day" } },
            service_availability: [
              { day_of_week: "monday", time_periods: [{ start_time: "08:00", end_time: "17:00" }] },
            ],
            category_ids: ["coffee"],
          },
        ],
        categories: [
          {
            id: "coffee",
            title: { translations: { en: "Coffee" } },
            entities: [{ id: "flat-white", type: "ITEM" }],
          },
        ],
        items: [
          {
            id: "flat-white",
            title: { translations: { en: "Flat white" } },
            price_info: { price: 340 },
            tax_info: { vat_rate_percentage: 20 },
            nutritional_info: { allergens: ["Milk"] },
          },
        ],
        modifier_groups: [],
      },
    },
  },
  handle: async ({ body }, ctx) => {
    const settings = await readSettings(ctx.tx);
    const locale = body.locale ?? settings.default_locale;
    const options = {
      locale,
      currency: body.currency ?? settings.currency,
      locationId: body.format === "square" ? body.location_id : undefined,
    };
    const { draft, losses, leftOut, missing } = await readImport(ctx.tx, body, options);
    const { dry_run: dryRun, products, stock } = body;
    const system = systemOf(body.format);
    const applied = await applyDraft(ctx, { draft, missing }, { system, dryRun, locale, products, stock });
    return ok({
      format: body.format,
      dry_run: body.dry_run,
      complete: applied.isComplete,
      counts: countsOf(applied.rows),
      rows: applied.rows.map((row) => toRow(row, leftOut)),
      warnings: joinLosses(lossesOf(leftOut), joinLosses(losses, applied.losses)),
      declarations: declarationsOf(draft, applied, locale),
      products: applied.links.map(({ kind, input, id, product_id, outcome }) => ({
        kind,
        id,
        external_id: input.ref,
        title: say(input.title, locale),
        product_id,
        outcome,
      })),
      stock: stockOf(draft, applied),
    });
  },
});

const KINDS = {
  menu: "menu",
  category: "category",
  item: "item",
  variation: "item",
  group: "modifier_group",
  modifier: "modifier",
  level: "price_level",
  schedule: "schedule",
} as const satisfies Record<RefKind, Answer["rows"][number]["kind"]>;

const toRow = (
  { kind, ref, path, id, outcome }: Row,
  leftOut: Parameters<typeof lossesOf>[0],
): Answer["rows"][number] => ({
  kind: KINDS[kind],
  id,
  external_id: kind === "schedule" ? null : ref,
  path: originalPointer(pointer(path), leftOut),
  outcome,
});

function countsOf(rows: readonly Row[]): Answer["counts"] {
  const count = (expected: Row["outcome"]): number =>
    rows.filter(({ outcome }) => outcome === expected).length;
  return {
    created: count("created"),
    updated: count("updated"),
    unchanged: count("unchanged"),
    deferred: count("deferred"),
  };
}

type Sold = { readonly kind: "item" | "modifier"; readonly input: DraftItem | DraftModifier };

const soldIn = (draft: Draft): Sold[] => [
  ...draft.items.map((input) => ({ kind: "item" as const, input })),
  ...draft.modifiers.map((input) => ({ kind: "modifier" as const, input })),
];

const declarationsOf = (draft: Draft, { idOf }: Applied, locale: string): Answer["declarations"] =>
  soldIn(draft).flatMap(({ kind, input: { ref, title, food } }) => {
    if (food === undefined || food.contains.length + food.freeFrom.length + food.diets.length === 0)
      return [];
    return [
      {
        kind,
        id: idOf(kind, ref),
        external_id: ref,
        title: say(title, locale),
        contains: [...food.contains],
        free_from: [...food.freeFrom],
        diets: [...food.diets],
        not_specific: food.contains.filter(isGroup),
      },
    ];
  });

const stockOf = (draft: Draft, { idOf }: Applied): Answer["stock"] =>
  soldIn(draft).flatMap(({ kind, input: { ref, stock } }) =>
    // Only what was suspended needs restoring.
    stock === undefined || stock.available
      ? []
      : [
          {
            kind,
            id: idOf(kind, ref),
            external_id: ref,
            available: stock.available,
            until: stock.until ?? null,
            reason: stock.reason ?? null,
          },
        ],
  );
