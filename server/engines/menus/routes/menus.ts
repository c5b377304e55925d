import { z } from "zod";

import { conflict, conflictWhen } from "../../../lib/errors.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import { empty } from "../../../core/reply.ts";
import type { Ctx } from "../../../core/route.ts";
import { listFields, withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { markChanged, menus, priceLevels, readSettings, schedules } from "../repository.ts";
import { Menu, MenuStatus } from "../schema.ts";
import { MENU_LIMITS } from "../schema/limits.ts";
import { MenuCreate, MenuPatch } from "../schema/requests.ts";
import { linkCategories } from "./category-links.ts";
import {
  countGone,
  countNew,
  full,
  inOwnLanguage,
  newTimes,
  referenced,
  refuseReversed,
  refuseTwice,
  refuseWhileReferenced,
  requireId,
  requireIds,
} from "./write.ts";

const View = withVersion(Menu);
const manyLinks = conflictWhen(
  "too_many_links",
  `More than ${MENU_LIMITS.linksPerChange} categories would be added to or removed from it at once`,
);

export const menuResource = resource({
  id: "menus.menus",
  path: "",
  collection: menus,
  view: View,
  example: "mnu_01KDVDNA008888888888888889",
});

const listMenus = menuResource.list({
  summary: "List menus",
  query: z.object({ ...listFields, status: MenuStatus.optional() }),
  find: (query) => ({
    ...(query.status === undefined ? {} : { index: "status", value: query.status }),
    limit: query.limit,
    cursor: query.cursor,
  }),
});

const createMenu = menuResource.create({
  summary: "Create a menu",
  description:
    "A menu is a draft of categories, items, modifiers, schedules and price levels, which several menus can share. " +
    "Storefronts do not see it until it is published: publishing stores a version of everything in the menu.",
  body: MenuCreate,
  errors: [full, manyLinks],
  example: { body: { title: "Bakery and kitchen" } },
  make: async (body, ctx) => {
    const settings = await readSettings(ctx.tx);
    const value: Menu = {
      ...(await inOwnLanguage(ctx.tx, body)),
      currency: body.currency ?? settings.currency,
      time_zone: body.time_zone ?? settings.time_zone,
      id: ctx.newId("mnu"),
      ...newTimes(ctx),
      status: "draft",
      latest_version: 0,
      published_version: null,
      published_at: null,
      scheduled: null,
    };
    await countNew(ctx, menus, MENU_LIMITS.menus);
    await checkMenu(ctx, value, null);
    return value;
  },
});

const getMenu = menuResource.get({ summary: "Show a menu" });

const updateMenu = menuResource.update({
  summary: "Change the draft of a menu",
  description:
    "The published version does not change until the next one is published. Set status to archived to archive a menu " +
    "that is not published; the only change an archived menu accepts is status draft.",
  body: MenuPatch,
  errors: [
    manyLinks,
    conflictWhen("menu_archived", "The menu is archived"),
    conflictWhen("menu_published", "A menu that is live or scheduled cannot be archived"),
  ],
  example: { body: { audience: "all" } },
  change: async (before, body, ctx) => {
    const { status, ...members } = await inOwnLanguage(ctx.tx, body);
    const value = { ...mergePatch(before, members), status: nextStatus(before, status) };
    await markChanged(ctx.tx, ctx.newId);
    await checkMenu(ctx, value, before);
    return value;
  },
});

const removeMenu = menuResource.custom.remove({
  summary: "Delete a menu that was never published",
  description:
    "Its categories are removed from it, not deleted. A menu that has versions cannot be deleted; archive it instead.",
  errors: [referenced, manyLinks, conflictWhen("has_versions", "The menu has versions")],
  handle: async ({ params }, ctx) => {
    const before = await ctx.current(menus, params.id);
    if (before.value.latest_version > 0) {
      throw conflict("has_versions", "The menu has versions and cannot be deleted. Archive it instead.");
    }
    await countGone(ctx, menus);
    await refuseWhileReferenced(ctx.tx, [params.id], ["price_level", "connection"]);
    await linkCategories(ctx, params.id, { before: before.value.category_ids, after: [] });
    ctx.tx.remove(menus, before);
    return empty();
  },
});

/** The status after a change: only draft and archived can be set, the others result from publishing. */
function nextStatus(menu: Menu, status: "draft" | "archived" | undefined): Menu["status"] {
  if (status === "archived" && (menu.published_version !== null || menu.scheduled !== null)) {
    throw conflict(
      "menu_published",
      "The menu is live or scheduled and cannot be archived. Unpublish it, or cancel the scheduled publication, first.",
    );
  }
  if (menu.status === "archived" && status === undefined) {
    throw conflict("menu_archived", "The menu is archived. Set its status to draft first.");
  }
  return status === undefined || (status === "draft" && menu.status === "published") ? menu.status : status;
}

async function checkMenu(ctx: Ctx, menu: Menu, before: Menu | null): Promise<void> {
  const { tx } = ctx;
  refuseReversed(menu.valid_from, menu.valid_until);
  refuseTwice("category_ids", menu.category_ids);
  await requireIds(tx, schedules, {
    member: "schedule_ids",
    ids: menu.schedule_ids,
    before: before?.schedule_ids,
  });
  await requireId(tx, priceLevels, {
    member: "price_level_id",
    id: menu.price_level_id,
    before: before?.price_level_id,
  });
  await linkCategories(ctx, menu.id, { before: before?.category_ids ?? [], after: menu.category_ids });
}

export const menuRoutes = [listMenus, createMenu, getMenu, updateMenu, removeMenu];
