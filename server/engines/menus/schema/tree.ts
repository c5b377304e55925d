import { z } from "zod";

import { Id } from "../../../core/schema.ts";
import { categoryFields, menuFields } from "../schema.ts";
import { itemFields } from "./item.ts";
import { modifierFields, modifierGroupFields } from "./modifier.ts";
import { priceLevelFields } from "./price-level.ts";
import { ScheduleException, scheduleFields } from "./schedule.ts";

/** Holidays are included in the exceptions. */
const { holidays: _holidays, ...treeSchedule } = scheduleFields;

/**
 * Everything that a menu shows, by reference: the content of a version, and of imports and exports. Lists are ordered
 * by id.
 */
export const MenuTree = z.object({
  menu: z.object({ id: Id, ...menuFields }),
  categories: z.array(z.object({ id: Id, ...categoryFields })),
  items: z.array(z.object({ id: Id, ...itemFields })),
  modifier_groups: z.array(z.object({ id: Id, ...modifierGroupFields })),
  modifiers: z.array(z.object({ id: Id, ...modifierFields })),
  schedules: z.array(z.object({ id: Id, ...treeSchedule, exceptions: z.array(ScheduleException) })),
  price_levels: z.array(z.object({ id: Id, ...priceLevelFields })),
});
export type MenuTree = z.output<typeof MenuTree>;
export type TreeMenu = MenuTree["menu"];
export type TreeCategory = MenuTree["categories"][number];
export type TreeItem = MenuTree["items"][number];
export type TreeGroup = MenuTree["modifier_groups"][number];
export type TreeModifier = MenuTree["modifiers"][number];
export type TreeSchedule = MenuTree["schedules"][number];
export type TreePriceLevel = MenuTree["price_levels"][number];
