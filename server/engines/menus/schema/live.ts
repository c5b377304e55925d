import { z } from "zod";

import { Currency, Id, Instant } from "../../../core/schema.ts";
import { Category } from "../schema.ts";
import { Channel, Code, Kcal } from "./parts.ts";
import { AllergenStatus } from "./price.ts";

/** A category in the list for storefronts: texts in one language. */
export const CategoryEntry = Category.omit({ title: true, description: true }).extend({
  title: z.string(),
  description: z.string().nullable(),
  item_count: z.int().min(0),
  items: z
    .array(z.object({ id: Id, title: z.string(), price: z.int().min(0).nullable() }))
    .optional()
    .meta({ description: "With include=items" }),
  version: z.int().min(1),
});

const Reason = z.enum([
  "menu_schedule",
  "category_schedule",
  "item_schedule",
  "channel",
  "out_of_stock",
  "suspended",
  "required_group_unsatisfiable",
  "allergens_unverified",
]);
const availabilityFields = {
  available: z.boolean(),
  reason: Reason.nullable().meta({ description: "The first reason why it is not available" }),
  next_change_at: Instant.nullable().meta({
    description: "When availability changes; null: not within 14 days",
  }),
};
const allergenFields = {
  allergens: z.array(z.string()),
  may_contain: z.array(z.string()),
  allergen_status: AllergenStatus,
};

export const LiveItem = z.object({
  id: Id,
  title: z.string(),
  description: z.string().nullable(),
  sku: z.string().nullable(),
  product_id: Id.nullable(),
  price: z.int().min(0).nullable(),
  price_level_id: Id.nullable(),
  variations: z.array(
    z.object({
      id: Id,
      title: z.string(),
      price: z.int().min(0),
      kcal: Kcal.nullable(),
      kcal_text: z.string().nullable(),
      portion_text: z.string().nullable(),
    }),
  ),
  modifier_groups: z.array(
    z.object({ group_id: Id, min: z.int(), max: z.int().nullable(), modifier_ids: z.array(Id) }),
  ),
  kcal: Kcal.nullable().meta({ description: "With its default modifiers" }),
  kcal_text: z.string().nullable(),
  portion_text: z.string().nullable(),
  serves: z.int().nullable(),
  tags: z.array(Code),
  alcohol: z.object({ abv: z.number().nullable() }).nullable(),
  age_restricted: z.int().nullable(),
  max_per_order: z.int().nullable(),
  images: z.array(z.object({ url: z.string(), alt: z.string().nullable() })),
  ...allergenFields,
  ...availabilityFields,
  quantity_left: z.int().min(0).nullable().meta({ description: "Null: not counted" }),
});
export type LiveItem = z.output<typeof LiveItem>;

export const LiveCategory = z.object({
  id: Id,
  title: z.string(),
  description: z.string().nullable(),
  image: z.object({ url: z.string(), alt: z.string().nullable() }).nullable(),
  items: z.array(LiveItem),
  get categories(): z.ZodArray<typeof LiveCategory> {
    return z.array(LiveCategory);
  },
});
export type LiveCategory = z.output<typeof LiveCategory>;

export const LiveGroup = z.object({
  id: Id,
  title: z.string(),
  min: z.int(),
  max: z.int().nullable(),
  min_distinct: z.int().nullable(),
  max_distinct: z.int().nullable(),
  free_quantity: z.int(),
  display_mode: z.enum(["required", "forced", "optional"]),
  pre_modifiers: z.array(z.object({ code: Code, title: z.string(), position: z.enum(["prefix", "suffix"]) })),
  portions: z.array(z.object({ code: Code, title: z.string(), scale: z.number() })),
  modifiers: z.array(
    z.object({
      id: Id,
      title: z.string(),
      price: z.int().min(0),
      default: z.boolean(),
      max_quantity: z.int(),
      nested_group_ids: z.array(Id),
      removes: z.array(Code),
      kcal: Kcal.nullable(),
      kcal_text: z.string().nullable(),
      available: z.boolean(),
    }),
  ),
});
export type LiveGroup = z.output<typeof LiveGroup>;

export const LiveMenu = z.object({
  menu_id: Id,
  menu_version: z.int().min(1),
  title: z.string(),
  description: z.string().nullable(),
  currency: Currency,
  time_zone: z.string(),
  at: Instant,
  local: z.string().meta({ description: "The same in the menu's local time, YYYY-MM-DDTHH:MM" }),
  channel: Channel.nullable(),
  available: z.boolean(),
  reason: z.enum(["menu_schedule", "channel"]).nullable(),
  next_change_at: Instant.nullable(),
  statement: z
    .string()
    .nullable()
    .meta({ description: "Statement of daily energy needs, where the law requires it" }),
  categories: z.array(LiveCategory),
  modifier_groups: z
    .array(LiveGroup)
    .meta({ description: "Groups that the items refer to, including nested ones" }),
});
export type LiveMenu = z.output<typeof LiveMenu>;
