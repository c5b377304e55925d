import type { EventType } from "../../../core/engine.ts";

const menu = {
  menu_id: "mnu_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  menu_version: 3,
  effective_at: "2026-06-01T09:00:00.000Z",
};

/** What the engine tells of. */
export const menuEvents: readonly EventType[] = [
  { type: "menus.menu.published", summary: "A version of a menu is what readers see.", example: menu },
  { type: "menus.menu.scheduled", summary: "A version of a menu will be what readers see.", example: menu },
  { type: "menus.menu.started", summary: "A scheduled version of a menu took effect.", example: menu },
  {
    type: "menus.menu.cancelled",
    summary: "A scheduled version of a menu will not take effect.",
    example: menu,
  },
  {
    type: "menus.menu.rolled_back",
    summary: "An earlier version of a menu is what readers see again.",
    example: menu,
  },
  {
    type: "menus.menu.unpublished",
    summary: "A menu is not shown any more.",
    example: { ...menu, menu_version: null },
  },
  {
    type: "menus.stock.changed",
    summary: "An item or a modifier is in stock, counted or out of stock from now on.",
    example: { id: "itm_01JD8Z5T9QK3M4N5P6R7S8T9V1", target: "item", from: "in_stock", to: "out_of_stock" },
  },
];
