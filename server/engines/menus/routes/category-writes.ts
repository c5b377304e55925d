import type { z } from "zod";

import { mergePatch } from "../../../lib/merge-patch.ts";
import { conflict, invalidField } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import type { Stored } from "../../../core/tx.ts";
import { categories, items, markChanged, schedules } from "../repository.ts";
import type { Category } from "../schema.ts";
import { MENU_LIMITS } from "../schema/limits.ts";
import { CategoryCreate, CategoryPatch } from "../schema/requests.ts";
import { bulkRoute } from "./bulk.ts";
import { checkParent, linkMenus } from "./category-links.ts";
import {
  countGone,
  countNew,
  inOwnLanguage,
  newTimes,
  refuseTwice,
  refuseWhileReferenced,
  requireIds,
} from "./write.ts";

type Input = z.output<typeof CategoryCreate>;
type Change = z.output<typeof CategoryPatch>;
/** With the categories that earlier operations of the request have written. */
type CtxAfter = Ctx & { readonly earlier: readonly Category[] };

export async function createCategory(body: Input, ctx: Ctx, earlier: readonly Category[]): Promise<Category> {
  const value = { ...(await inOwnLanguage(ctx.tx, body)), id: ctx.newId("cat"), ...newTimes(ctx) };
  await countNew(ctx, categories, MENU_LIMITS.categories);
  await checkCategory(ctx, value, { before: null, earlier });
  await linkMenus(ctx, value.id, { before: [], after: value.menu_ids });
  return value;
}

export async function changeCategory(before: Category, body: Change, ctx: CtxAfter): Promise<Category> {
  const value = mergePatch(before, await inOwnLanguage(ctx.tx, body));
  await markChanged(ctx.tx, ctx.newId);
  await checkCategory(ctx, value, { before, earlier: ctx.earlier });
  await linkMenus(ctx, value.id, { before: before.menu_ids, after: value.menu_ids });
  return value;
}

/** Throws 422 for unknown or duplicate references, and for an invalid position in the tree. */
async function checkCategory(
  ctx: Ctx,
  category: Category,
  { before, earlier }: { readonly before: Category | null; readonly earlier: readonly Category[] },
): Promise<void> {
  const { tx } = ctx;
  refuseTwice("item_ids", category.item_ids);
  refuseTwice("menu_ids", category.menu_ids);
  if (category.parent_id !== null && category.menu_ids.length > 0) {
    throw invalidField(
      ["menu_ids"],
      "A category with a parent is shown in its parent's menus. Leave this field empty.",
    );
  }
  await requireIds(tx, items, { member: "item_ids", ids: category.item_ids, before: before?.item_ids });
  await requireIds(tx, schedules, {
    member: "schedule_ids",
    ids: category.schedule_ids,
    before: before?.schedule_ids,
  });
  if (category.parent_id !== (before?.parent_id ?? null)) await checkParent(tx, category, earlier);
}

/** Refused as well where an earlier operation of the request refers to it: lists do not contain that yet. */
export async function removeCategory(
  ctx: Ctx,
  before: Stored<Category>,
  earlier: readonly Category[],
): Promise<void> {
  const referrer = earlier.find(({ id, parent_id: parent }) => id === before.id || parent === before.id);
  if (referrer !== undefined) {
    const detail = `An earlier operation of the request writes ${referrer.id}. Delete it in another request.`;
    throw conflict("referenced", detail);
  }
  await countGone(ctx, categories);
  await refuseWhileReferenced(ctx.tx, [before.id], ["menu", "category"]);
  ctx.tx.remove(categories, before);
}

export const bulkCategories = bulkRoute({
  path: "categories",
  many: "categories",
  collection: categories,
  create: CategoryCreate,
  patch: CategoryPatch,
  writes: {
    create: async (ctx, input, earlier) =>
      ctx.tx.create(categories, await createCategory(input, ctx, earlier)),
    update: async (ctx, before, input, earlier) => {
      const value = await changeCategory(before.value, input, { ...ctx, earlier });
      return ctx.tx.put(categories, before, { ...value, updated_at: ctx.nowAt });
    },
    remove: removeCategory,
  },
  example: {
    id: "cat_01KDVDNA00888888888888888K",
    create: { title: "Breads", menu_ids: ["mnu_01KDVDNA008888888888888889"] },
    patch: { sort_order: 2 },
  },
});
