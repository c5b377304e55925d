import { z } from "zod";

import { fromInstant } from "../../../lib/instant.ts";
import { pageOf } from "../../../core/computed-page.ts";
import { mapPage } from "../../../core/map-page.ts";
import type { Paged } from "../../../core/computed-page.ts";
import { invalidParameter } from "../../../lib/errors.ts";
import { empty, values } from "../../../core/reply.ts";
import { Id, Instant, listFields, withVersion } from "../../../core/schema.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { giveWay } from "../../../lib/slices.ts";
import { resource } from "../../../core/resource.ts";
import { calendars, categories, items, menus, readAll, schedules } from "../repository.ts";
import { withHolidays } from "../rules/holidays.ts";
import { openIntervals } from "../rules/open-times.ts";
import { pickOptional, pickText } from "../rules/pick-text.ts";
import type { Reader } from "../rules/pick-text.ts";
import { Category } from "../schema.ts";
import { CategoryEntry } from "../schema/live.ts";
import { Channel } from "../schema/parts.ts";
import { CategoryCreate, CategoryPatch } from "../schema/requests.ts";
import { bulkCategories, changeCategory, createCategory, removeCategory } from "./category-writes.ts";
import { readerOf } from "./reader.ts";
import { full, referenced } from "./write.ts";

const View = withVersion(Category);
/** Items per category in a list with `include=items`, and the maximum page size with it. */
const INCLUDED_ITEMS = 100;
const INCLUDED_PAGE = 10;

const Query = z.object({
  ...listFields,
  menu_id: Id.optional().meta({ description: "Top-level categories of a menu" }),
  parent_id: Id.optional().meta({ description: "Children of a category; none: categories without a parent" }),
  visible: z.enum(["true", "false"]).optional(),
  channel: Channel.optional().meta({
    description: "Categories that are offered in the channel; can be combined with menu_id",
  }),
  at: Instant.optional().meta({
    description: "With menu_id: categories whose own hours are open at this time, in the menu's local time",
  }),
  locale: z.string().max(35).optional().meta({ description: "Language of texts. Default: Accept-Language" }),
  include: z
    .enum(["items"])
    .optional()
    .meta({
      description: `items: includes the first ${INCLUDED_ITEMS} items of each category; limit is then at most ${INCLUDED_PAGE}`,
    }),
});
type Query = z.output<typeof Query>;

const categoryResource = resource({
  id: "menus.categories",
  collection: categories,
  view: View,
  example: "cat_01KDVDNA00888888888888888K",
});

const listCategories = categoryResource.custom.list({
  summary: "List menu categories",
  description:
    "Ordered by sort_order under menu_id or parent_id, otherwise newest first. Specify at most one of menu_id, " +
    "parent_id, visible and channel; channel and at can be combined with menu_id. This list shows the draft; the " +
    "live menu shows what customers can order at a given time.",
  query: Query,
  data: z.array(CategoryEntry),
  handle: async ({ query }, ctx) => {
    const { cursor, limit, menu_id: menuId } = query;
    const place = indexOf(query);
    const isNarrowed = query.at !== undefined || query.channel !== undefined;
    const reader = await readerOf(ctx, query.locale);
    const show = async (stored: Stored<Category>) => ({
      ...toEntry(stored, reader),
      ...(query.include === "items" ? { items: await shortItems(ctx.tx, stored.value, reader) } : {}),
    });
    if (menuId === undefined || !isNarrowed) {
      const page = await mapPage(ctx.tx, categories, { ...place, limit, cursor }, show);
      return values(page.items, page);
    }
    const page = await offered(ctx.tx, menuId, query);
    const entries = [];
    for (const stored of page.items) entries.push(await show(stored));
    return values(entries, { limit: page.limit, next: page.next });
  },
});

const create = categoryResource.create({
  summary: "Create a category",
  description:
    "A top-level category lists the menus that show it and is appended to each of them; a category with a parent " +
    "lists none. Categories can be nested three levels deep.",
  body: CategoryCreate,
  errors: [full],
  example: {
    body: {
      title: { en: "Breads", cy: "Bara" },
      menu_ids: ["mnu_01KDVDNA008888888888888889"],
      sort_order: 1,
    },
  },
  make: (body, ctx) => createCategory(body, ctx, []),
});

const getCategory = categoryResource.get({ summary: "Show a category" });

const update = categoryResource.update({
  summary: "Change a category",
  description: "Published versions of menus do not change.",
  body: CategoryPatch,
  errors: [full],
  example: { body: { sort_order: 2 } },
  change: (before, body, ctx) => changeCategory(before, body, { ...ctx, earlier: [] }),
});

const remove = categoryResource.custom.remove({
  summary: "Delete a category",
  description: "Its items are not deleted. Remove it from its menus, and its children from it, first.",
  errors: [referenced],
  handle: async ({ params }, ctx) => {
    await removeCategory(ctx, await ctx.current(categories, params.id), []);
    return empty();
  },
});

/** The index for a query; 422 for two filters at once, since no index covers both. */
function indexOf(query: Query): { index?: string; value?: string } {
  const { at, channel, menu_id: menuId, parent_id: parentId, visible } = query;
  const filters = [menuId ?? channel, parentId, visible].filter((filter) => filter !== undefined);
  if (filters.length > 1) {
    throw invalidParameter("menu_id", "Specify only one of menu_id, parent_id, visible and channel.");
  }
  if (at !== undefined && menuId === undefined) {
    throw invalidParameter("at", "Requires menu_id: opening hours are in a menu's local time.");
  }
  if (query.include === "items" && query.limit > INCLUDED_PAGE) {
    throw invalidParameter("limit", `\`limit\` must be at most ${INCLUDED_PAGE} with include=items.`);
  }
  if (menuId !== undefined) return { index: "menu", value: menuId };
  if (parentId !== undefined) return { index: "parent", value: parentId };
  if (channel !== undefined) return { index: "channel", value: channel };
  return visible === undefined ? {} : { index: "visible", value: visible };
}

/** Categories of one menu, which are few, that are offered in a channel and open at an instant. */
async function offered(
  tx: Tx,
  menuId: string,
  { at, channel, cursor, limit }: Query,
): Promise<Paged<Stored<Category>>> {
  const menu = await tx.get(menus, menuId);
  const all = menu === null ? [] : await tx.peekAll(categories, { index: "menu", value: menuId });
  const inChannel = all.filter(
    ({ value: { channels } }) => channel === undefined || channels.length === 0 || channels.includes(channel),
  );
  const open = at === undefined ? null : await openAt(tx, inChannel, menu?.value.time_zone ?? "UTC", at);
  const matches = inChannel.filter(
    ({ value: { schedule_ids: ids } }) => open === null || ids.length === 0 || ids.some((id) => open.has(id)),
  );
  const keyOf = ({ id, value }: Stored<Category>): string =>
    `${String(value.sort_order).padStart(6, "0")} ${id}`;
  return pageOf(matches, keyOf, { part: tx.part, list: `menus.categories ${menuId}` }, { limit, cursor });
}

/** The schedules of some categories that are open at an instant. */
async function openAt(
  tx: Tx,
  among: readonly Stored<Category>[],
  timeZone: string,
  at: string,
): Promise<ReadonlySet<string>> {
  const wanted = new Set(among.flatMap(({ value }) => value.schedule_ids));
  const calendarDocs = (await tx.peekAll(calendars)).map(({ value }) => value);
  const nowMs = fromInstant(at);
  const span = { fromMs: nowMs, untilMs: nowMs + 1 };
  // One in memory at a time: each has up to 400 days with hours of their own.
  const open = await readAll(tx, schedules, ({ value }) => {
    const isOpen = (): boolean => openIntervals(withHolidays(value, calendarDocs), timeZone, span).length > 0;
    return wanted.has(value.id) && isOpen() ? [value.id] : [];
  });
  return new Set(open);
}

function toEntry({ value, version }: Stored<Category>, reader: Reader) {
  return {
    ...value,
    title: pickText(value.title, reader),
    description: pickOptional(value.description, reader),
    item_count: value.item_ids.length,
    version,
  };
}

/** One item after another: a page has a thousand, each up to the size of a document. */
async function shortItems(tx: Tx, category: Category, reader: Reader) {
  const found = [];
  for (const id of category.item_ids.slice(0, INCLUDED_ITEMS)) {
    await giveWay(tx.part);
    const stored = await tx.get(items, id);
    if (stored === null) continue;
    const { title, price } = stored.value;
    found.push({ id, title: pickText(title, reader), price });
  }
  return found;
}

export const categoryRoutes = [bulkCategories, listCategories, create, getCategory, update, remove];
