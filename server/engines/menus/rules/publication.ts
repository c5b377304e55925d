import { defineTransitions } from "../../../core/states.ts";
import { fromInstant, toInstant } from "../../../lib/instant.ts";
import type { Menu } from "../schema.ts";

export const menuStates = defineTransitions("Menu", {
  collection: "menus.menus",
  steps: {
    publish: [["draft"], "published"],
    unpublish: [["published"], "draft"],
    archive: [["draft"], "archived"],
    restore: [["archived"], "draft"],
  },
});

/** The live state of a menu: the fields that publishing changes. */
export type LiveState = Pick<Menu, "status" | "published_version" | "published_at" | "scheduled">;

/** The version that is live at an instant; null: none. A scheduled one is live exactly from its time on. */
export function liveVersionAt(menu: LiveState, atMs: number): number | null {
  if (menu.scheduled !== null && fromInstant(menu.scheduled.at) <= atMs) return menu.scheduled.version;
  return menu.published_version;
}

/**
 * The state with a due scheduled version applied; unchanged if none is due. What is live does not
 * change by it (`liveVersionAt`): it is only recorded.
 */
export function settle<S extends LiveState>(menu: S, nowMs: number): S {
  const { scheduled } = menu;
  if (scheduled === null || fromInstant(scheduled.at) > nowMs) return menu;
  return {
    ...menu,
    status: "published",
    published_version: scheduled.version,
    published_at: scheduled.at,
    scheduled: null,
  };
}

/** Publishes a version now, or at a later time; a scheduled one is only replaced by a new schedule. */
export function publish<S extends LiveState>(
  menu: S,
  version: number,
  when: { nowMs: number; atMs: number },
): S {
  const settled = settle(menu, when.nowMs);
  if (when.atMs > when.nowMs) return { ...settled, scheduled: { version, at: toInstant(when.atMs) } };
  return { ...settled, status: "published", published_version: version, published_at: toInstant(when.nowMs) };
}

/** Unpublishes the menu; a scheduled version remains scheduled. */
export function unpublish<S extends LiveState>(menu: S, nowMs: number): S {
  return { ...settle(menu, nowMs), status: "draft", published_version: null, published_at: null };
}
