import { z } from "zod";

import { Currency, Id, Instant, LocalDate, resourceFields, TimeZone } from "../../core/schema.ts";
import { MENU_LIMITS } from "./schema/limits.ts";
import { Channels, Description, ExternalRefs, Image, ScheduleIds, Title } from "./schema/parts.ts";

/** The fields of the menu itself in a version. */
export const menuFields = {
  title: Title,
  description: Description.nullable(),
  channels: Channels,
  currency: Currency,
  time_zone: TimeZone,
  schedule_ids: ScheduleIds,
  category_ids: z
    .array(Id)
    .max(MENU_LIMITS.categoriesPerList)
    .meta({ description: "Top-level categories, in order; the counterpart of their menu_ids" }),
  price_level_id: Id.nullable().meta({ description: "A price level that always applies" }),
  valid_from: LocalDate.nullable().meta({ description: "First day" }),
  valid_until: LocalDate.nullable().meta({ description: "Last day" }),
  audience: z.enum(["all", "children"]),
  external_refs: ExternalRefs,
};
export const MenuStatus = z.enum(["draft", "published", "archived"]);
const Scheduled = z.object({ version: z.int().min(1), at: Instant });
export const Menu = z.object({
  ...resourceFields,
  ...menuFields,
  status: MenuStatus,
  latest_version: z.int().min(0).meta({ description: "Number of the latest version; 0: none yet" }),
  published_version: z.int().min(1).nullable(),
  published_at: Instant.nullable().meta({ description: "Time since when published_version is live" }),
  scheduled: Scheduled.nullable().meta({ description: "The scheduled version and its time" }),
});
export type Menu = z.output<typeof Menu>;

export const categoryFields = {
  title: Title,
  description: Description.nullable(),
  image: Image.nullable(),
  parent_id: Id.nullable(),
  menu_ids: z
    .array(Id)
    .max(MENU_LIMITS.menusPerCategory)
    .meta({ description: "Menus that show it at their top level; empty if it has a parent" }),
  item_ids: z.array(Id).max(MENU_LIMITS.itemsPerCategory).meta({ description: "In display order" }),
  schedule_ids: ScheduleIds,
  sort_order: z
    .int()
    .min(0)
    .max(999_999)
    .meta({ description: "Order among the children of the same parent" }),
  visible: z.boolean(),
  channels: Channels,
  external_refs: ExternalRefs,
};
export const Category = z.object({ ...resourceFields, ...categoryFields });
export type Category = z.output<typeof Category>;
