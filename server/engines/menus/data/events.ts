import type { EventType } from "../../../core/engine.ts";

const menu = {
  menu_id: "mnu_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  menu_version: 3,
  effective_at: "2026-06-01T09:00:00.000Z",
};

const connection = {
  connection_id: "con_01JD8Z5T9QK3M4N5P6R7S8T9V3",
  menu_id: menu.menu_id,
  menu_version: 3,
};

/** Events of the engine. */
export const menuEvents: readonly EventType[] = [
  { type: "menus.menu.published", summary: "A version of a menu was published.", example: menu },
  {
    type: "menus.menu.scheduled",
    summary: "A version of a menu was scheduled to be published.",
    example: menu,
  },
  { type: "menus.menu.started", summary: "A scheduled version of a menu went live.", example: menu },
  {
    type: "menus.menu.cancelled",
    summary: "The scheduled publication of a menu was cancelled.",
    example: menu,
  },
  {
    type: "menus.menu.rolled_back",
    summary: "An earlier version of a menu was made live again.",
    example: menu,
  },
  {
    type: "menus.menu.unpublished",
    summary: "A menu was unpublished.",
    example: { ...menu, menu_version: null },
  },
  {
    type: "menus.connection.online",
    summary: "A connected channel accepted a version of a menu.",
    example: { ...connection, error: null },
  },
  {
    type: "menus.connection.failed",
    summary: "A connected channel refused a version of a menu, or could not be reached.",
    example: { ...connection, error: "The channel answered 422: unknown menu" },
  },
  {
    type: "menus.stock.changed",
    summary: "The stock of an item or a modifier changed: in stock, counted or out of stock.",
    example: { id: "itm_01JD8Z5T9QK3M4N5P6R7S8T9V1", target: "item", from: "in_stock", to: "out_of_stock" },
  },
];
