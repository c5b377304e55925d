import { fromInstant, toInstant } from "../../../lib/instant.ts";
import type { Menu } from "../schema.ts";

/** What is live of a menu: the members of the menu that publishing changes. */
export type LiveState = Pick<Menu, "status" | "published_version" | "published_at" | "scheduled">;

/** The version that is live at an instant; null: none. One that is scheduled is live from its instant on, to the millisecond. */
export function liveVersionAt(menu: LiveState, atMs: number): number | null {
  if (menu.scheduled !== null && fromInstant(menu.scheduled.at) <= atMs) return menu.scheduled.version;
  return menu.published_version;
}

/**
 * The state with a scheduled version that is due written into it; the same state when none is. What is live does not
 * change by it (`liveVersionAt`): it only says so.
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

/** Makes a version live now, or at a later instant; what was scheduled before gives way to a new schedule only. */
export function publish<S extends LiveState>(
  menu: S,
  version: number,
  when: { nowMs: number; atMs: number },
): S {
  const settled = settle(menu, when.nowMs);
  if (when.atMs > when.nowMs) return { ...settled, scheduled: { version, at: toInstant(when.atMs) } };
  return { ...settled, status: "published", published_version: version, published_at: toInstant(when.nowMs) };
}

/** Takes the menu down; what is scheduled stays so. */
export function unpublish<S extends LiveState>(menu: S, nowMs: number): S {
  return { ...settle(menu, nowMs), status: "draft", published_version: null, published_at: null };
}
