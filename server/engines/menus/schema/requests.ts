import { z } from "zod";

import { Currency, Id, TimeZone } from "../../../core/schema.ts";
import { categoryFields, menuFields } from "../schema.ts";
import { calendarFields } from "./calendar.ts";
import { itemFields, Variation } from "./item.ts";
import { MENU_LIMITS } from "./limits.ts";
import { modifierFields, modifierGroupFields } from "./modifier.ts";
import { priceLevelFields } from "./price-level.ts";
import { scheduleFields } from "./schedule.ts";

/** Writable fields of each resource. `external_refs` is only written by imports. */

const { external_refs: _menu, ...ownMenu } = menuFields;
export const MenuPatch = z
  .strictObject({
    ...ownMenu,
    status: z
      .enum(["draft", "archived"])
      .meta({ description: "archived: archives the menu; draft: restores it" }),
  })
  .partial();
export const MenuCreate = z.strictObject({
  ...ownMenu,
  description: ownMenu.description.default(null),
  channels: ownMenu.channels.default([]),
  currency: Currency.optional().meta({ description: "Default: the one in the settings" }),
  time_zone: TimeZone.optional().meta({ description: "Default: the one in the settings" }),
  schedule_ids: ownMenu.schedule_ids.default([]),
  category_ids: ownMenu.category_ids.default([]),
  price_level_id: ownMenu.price_level_id.default(null),
  valid_from: ownMenu.valid_from.default(null),
  valid_until: ownMenu.valid_until.default(null),
  audience: ownMenu.audience.default("all"),
});

const { external_refs: _category, ...ownCategory } = categoryFields;
export const CategoryPatch = z.strictObject(ownCategory).partial();
export const CategoryCreate = z.strictObject({
  ...ownCategory,
  description: ownCategory.description.default(null),
  image: ownCategory.image.default(null),
  parent_id: ownCategory.parent_id.default(null),
  menu_ids: ownCategory.menu_ids.default([]),
  item_ids: ownCategory.item_ids.default([]),
  schedule_ids: ownCategory.schedule_ids.default([]),
  sort_order: ownCategory.sort_order.default(0),
  visible: z.boolean().default(true),
  channels: ownCategory.channels.default([]),
});

const { external_refs: _item, ...ownItem } = itemFields;
export const VariationInput = Variation.omit({ external_refs: true }).extend({
  id: Id.optional().meta({ description: "Id of a variation of the item; omit it for a new variation" }),
});
const variations = z.array(VariationInput).max(MENU_LIMITS.variations);
export const ItemPatch = z.strictObject({ ...ownItem, variations }).partial();
export const ItemCreate = z.strictObject({
  ...ownItem,
  description: ownItem.description.default(null),
  sku: ownItem.sku.default(null),
  product_id: ownItem.product_id.default(null),
  price: ownItem.price.default(null),
  tax_rate_id: ownItem.tax_rate_id.default(null),
  tax_inclusive: z.boolean().default(true),
  variations: variations.default([]),
  modifier_groups: ownItem.modifier_groups.default([]),
  kcal: ownItem.kcal.default(null),
  portion_text: ownItem.portion_text.default(null),
  serves: ownItem.serves.default(null),
  tags: ownItem.tags.default([]),
  alcohol: ownItem.alcohol.default(null),
  age_restricted: ownItem.age_restricted.default(null),
  prep_time_minutes: ownItem.prep_time_minutes.default(null),
  lead_time_minutes: ownItem.lead_time_minutes.default(null),
  max_per_order: ownItem.max_per_order.default(null),
  schedule_ids: ownItem.schedule_ids.default([]),
  channels: ownItem.channels.default([]),
  images: ownItem.images.default([]),
});

const { external_refs: _group, ...ownGroup } = modifierGroupFields;
export const ModifierGroupPatch = z.strictObject(ownGroup).partial();
export const ModifierGroupCreate = z.strictObject({
  ...ownGroup,
  min: ownGroup.min.default(0),
  max: ownGroup.max.default(null),
  min_distinct: ownGroup.min_distinct.default(null),
  max_distinct: ownGroup.max_distinct.default(null),
  free_quantity: ownGroup.free_quantity.default(0),
  free_policy: ownGroup.free_policy.default("cheapest_first"),
  defaults_charged: z.boolean().default(false),
  substitution: z.boolean().default(false),
  modifier_ids: ownGroup.modifier_ids.default([]),
  display_mode: ownGroup.display_mode
    .optional()
    .meta({ description: "Default: required if min is above 0, otherwise optional" }),
  pre_modifiers: ownGroup.pre_modifiers.default([]),
  portions: ownGroup.portions.default([]),
});

const { external_refs: _modifier, ...ownModifier } = modifierFields;
export const ModifierPatch = z.strictObject(ownModifier).partial();
export const ModifierCreate = z.strictObject({
  ...ownModifier,
  price: ownModifier.price.default(0),
  sku: ownModifier.sku.default(null),
  item_id: ownModifier.item_id.default(null),
  product_id: ownModifier.product_id.default(null),
  default: z.boolean().default(false),
  max_quantity: ownModifier.max_quantity.default(1),
  nested_group_ids: ownModifier.nested_group_ids.default([]),
  removes: ownModifier.removes.default([]),
  removes_ingredient_ids: ownModifier.removes_ingredient_ids.default([]),
  kcal: ownModifier.kcal.default(null),
});

export const SchedulePatch = z.strictObject(scheduleFields).partial();
export const ScheduleCreate = z.strictObject({
  ...scheduleFields,
  valid_from: scheduleFields.valid_from.default(null),
  valid_until: scheduleFields.valid_until.default(null),
  exceptions: scheduleFields.exceptions.default([]),
  holidays: scheduleFields.holidays.default(null),
});

export const CalendarCreate = z.strictObject(calendarFields);
export const CalendarPatch = CalendarCreate.partial();

const { external_refs: _level, ...ownLevel } = priceLevelFields;
export const PriceLevelPatch = z.strictObject(ownLevel).partial();
export const PriceLevelCreate = z.strictObject({
  ...ownLevel,
  menu_id: ownLevel.menu_id.default(null),
  channel: ownLevel.channel.default(null),
  schedule_id: ownLevel.schedule_id.default(null),
  automatic: z.boolean().default(true),
  priority: ownLevel.priority.default(0),
  overrides: ownLevel.overrides.default([]),
  round_to: ownLevel.round_to.default(null),
});
