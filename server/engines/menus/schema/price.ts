import { z } from "zod";

import { Currency, Id, Instant } from "../../../core/schema.ts";
import { MENU_LIMITS } from "./limits.ts";
import { Channel, Code, Kcal } from "./parts.ts";

const selectionFields = {
  group_id: Id,
  modifier_id: Id,
  quantity: z.int().min(0).max(1_000).default(1).meta({ description: "0 deselects a default" }),
  pre_modifier: Code.nullable().default(null).meta({ description: "Code of a pre-modifier of the group" }),
  portion: Code.nullable().default(null).meta({ description: "Code of a portion of the group" }),
};
/** Groups can be nested three levels deep, and so can selections. */
const Selection3 = z.strictObject(selectionFields);
const Selection2 = z.strictObject({
  ...selectionFields,
  selections: z.array(Selection3).max(50).default([]),
});
export const Selection = z.strictObject({
  ...selectionFields,
  selections: z.array(Selection2).max(50).default([]),
});
/** A selected modifier; the deepest level has no `selections`. */
export interface Selection extends z.output<typeof Selection3> {
  readonly selections?: readonly Selection[];
}

export const OrderLine = z.strictObject({
  item_id: Id,
  variation_id: Id.nullable().default(null),
  quantity: z.int().min(1).max(10_000).default(1),
  selections: z.array(Selection).max(MENU_LIMITS.selectionsPerLine).default([]).meta({
    description: "A group that is listed here has exactly this selection; other groups have their defaults",
  }),
});
export type OrderLine = z.output<typeof OrderLine>;
export const OrderLines = z.array(OrderLine).min(1).max(MENU_LIMITS.linesPerOrder);

export const PriceRequest = z.strictObject({
  menu_id: Id,
  at: Instant.optional().meta({ description: "Time of the sale. Default: now" }),
  channel: Channel.nullable().default(null),
  price_level: Id.nullable()
    .default(null)
    .meta({ description: "A price level that alone determines the prices" }),
  locale: z.string().max(35).optional().meta({ description: "Language of titles. Default: Accept-Language" }),
  lines: OrderLines,
});

const LineErrorCode = z.enum([
  "item_not_found",
  "item_unavailable",
  "price_missing",
  "variation_required",
  "variation_not_found",
  "group_not_found",
  "modifier_not_found",
  "modifier_unavailable",
  "pre_modifier_not_found",
  "portion_not_found",
  "min_selections",
  "max_selections",
  "min_distinct",
  "max_distinct",
  "option_max",
  "max_per_order",
  "insufficient_stock",
  "too_many_choices",
]);
type LineErrorCode = z.output<typeof LineErrorCode>;
export const LineError = z.object({
  code: LineErrorCode,
  detail: z.string(),
  id: z.string().nullable().meta({ description: "The item, group or modifier concerned" }),
});
export type LineError = z.output<typeof LineError>;

export const AllergenStatus = z.enum(["complete", "unknown"]).meta({
  description: "unknown: a part of the line has no complete declaration, so no claim of absence can be made",
});

export const PricedModifier = z.object({
  group_id: Id,
  modifier_id: Id,
  title: z.string(),
  quantity: z.int().min(1),
  pre_modifier: z.string().nullable(),
  portion: z.string().nullable(),
  unit_price: z.int().min(0).meta({ description: "Per unit, before free units" }),
  charged: z
    .int()
    .min(0)
    .meta({ description: "For all its units in one item, after free or included units" }),
  depth: z
    .int()
    .min(1)
    .max(3)
    .meta({ description: "1: of the item itself; deeper ones belong to the preceding modifier" }),
  default: z.boolean(),
});
export type PricedModifier = z.output<typeof PricedModifier>;

export const PricedLine = z.object({
  item_id: Id,
  variation_id: Id.nullable(),
  title: z.string().nullable(),
  quantity: z.int().min(1),
  base_price: z.int().min(0).nullable().meta({ description: "Of the item or variation at the price level" }),
  price_level_id: Id.nullable(),
  modifiers: z.array(PricedModifier),
  unit_price: z.int().min(0).nullable(),
  total: z.int().min(0).nullable(),
  tax_inclusive: z.boolean().nullable(),
  tax_rate_id: z.string().nullable(),
  kcal: Kcal.nullable().meta({ description: "Per unit of the item; null if unknown for a part of it" }),
  kcal_text: z.string().nullable(),
  allergens: z.array(z.string()),
  may_contain: z.array(z.string()),
  allergen_status: AllergenStatus,
  available: z.boolean(),
  errors: z.array(LineError),
});
export type PricedLine = z.output<typeof PricedLine>;

export const PriceAnswer = z.object({
  menu_id: Id,
  menu_version: z.int().min(1),
  at: Instant,
  channel: Channel.nullable(),
  currency: Currency,
  valid: z.boolean().meta({ description: "True if no line has errors" }),
  lines: z.array(PricedLine),
  total: z.int().min(0).nullable().meta({ description: "Null if a line has no price" }),
  kcal_statement: z.string().nullable(),
});
