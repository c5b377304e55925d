import { z } from "zod";

import { Id, Minor, resourceFields } from "../../../core/schema.ts";
import { MENU_LIMITS } from "./limits.ts";
import { Channels, Code, Description, ExternalRefs, Image, Kcal, ScheduleIds, Sku, Title } from "./parts.ts";

const Minutes = z.int().min(0).max(43_200);

export const Variation = z.strictObject({
  id: Id,
  title: Title,
  price: Minor,
  sku: Sku.nullable().default(null),
  kcal: Kcal.nullable().default(null),
  portion_text: Title.nullable().default(null),
  external_refs: ExternalRefs,
});
export type Variation = z.output<typeof Variation>;

/** A modifier group on an item; omitted fields are as in the group. */
export const GroupUse = z.strictObject({
  group_id: Id,
  min: z.int().min(0).max(1_000).optional(),
  max: z.int().min(1).max(1_000).nullable().optional(),
  hidden_modifier_ids: z.array(Id).max(MENU_LIMITS.modifiersPerGroup).default([]),
});
export type GroupUse = z.output<typeof GroupUse>;

export const itemFields = {
  title: Title,
  description: Description.nullable(),
  sku: Sku.nullable(),
  product_id: Id.nullable().meta({ description: "The corresponding product of /v1/allergens" }),
  price: Minor.nullable().meta({ description: "Null only if every sale is of a variation" }),
  tax_rate_id: z.string().min(1).max(64).nullable(),
  tax_inclusive: z.boolean(),
  variations: z.array(Variation).max(MENU_LIMITS.variations),
  modifier_groups: z
    .array(GroupUse)
    .max(MENU_LIMITS.groupsPerItem)
    .meta({ description: "In the order in which they are presented" }),
  kcal: Kcal.nullable(),
  portion_text: Title.nullable().meta({ description: "For example, 350 g" }),
  serves: z.int().min(1).max(1_000).nullable(),
  tags: z.array(Code).max(20),
  alcohol: z
    .strictObject({ abv: z.number().min(0).max(100).nullable().default(null) })
    .nullable()
    .meta({ description: "Null: not alcoholic; abv in percent by volume" }),
  age_restricted: z.int().min(1).max(99).nullable().meta({ description: "Minimum age of the buyer" }),
  prep_time_minutes: Minutes.nullable(),
  lead_time_minutes: Minutes.nullable(),
  max_per_order: z.int().min(1).max(10_000).nullable(),
  schedule_ids: ScheduleIds,
  channels: Channels,
  images: z.array(Image).max(MENU_LIMITS.images),
  external_refs: ExternalRefs,
};
export const Item = z.object({ ...resourceFields, ...itemFields });
export type Item = z.output<typeof Item>;
