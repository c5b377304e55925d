import { z } from "zod";

import { mergePatch } from "../../../kernel/merge-patch.ts";
import { created, defineRoute, empty, item, list } from "../../../kernel/route.ts";
import type { Ctx } from "../../../kernel/route.ts";
import { Id, ListQuery, withVersion } from "../../../kernel/schema.ts";
import { invalidField } from "../../../kernel/errors.ts";
import { items, markChanged, modifierGroups, schedules, stocks } from "../repository.ts";
import { Item, MENU_LIMITS } from "../schema.ts";
import type { Variation } from "../schema.ts";
import { ItemCreate, ItemPatch } from "../schema/requests.ts";
import type { VariationInput } from "../schema/requests.ts";
import { exampleItem } from "./examples.ts";
import {
  countGone,
  countNew,
  full,
  inOwnLanguage,
  missing,
  newTimes,
  referenced,
  refuseTwice,
  refuseWhileReferenced,
  requireIds,
  stale,
} from "./write.ts";

const View = withVersion(Item);
const Params = z.object({ id: Id });

const listItems = defineRoute({
  id: "menus.items.list",
  method: "GET",
  path: "/items",
  summary: "List menu items",
  query: ListQuery,
  data: z.array(View),
  example: { data: [exampleItem] },
  handle: async ({ query }, { tx }) => list(await tx.page(items, query)),
});

const createItem = defineRoute({
  id: "menus.items.create",
  method: "POST",
  path: "/items",
  status: 201,
  summary: "Create a menu item",
  description:
    "An item is sold at its price, or as one of its variations; price null where every sale is of a variation. kcal is " +
    "that of the item without its modifiers. product_id names the product of /v1/allergens that it is: what an order of " +
    "it contains follows from there. Texts are given plainly or by language.",
  body: ItemCreate,
  data: View,
  errors: [full],
  example: {
    body: {
      title: "Latte",
      price: 340,
      variations: [{ title: "Large", price: 390 }],
      modifier_groups: [{ group_id: exampleItem.modifier_groups[0]?.group_id ?? "" }],
    },
    data: exampleItem,
  },
  handle: async ({ body }, ctx) => {
    const told = await inOwnLanguage(ctx.tx, body);
    const variations = nameVariations(ctx, told.variations, []);
    const value = { ...told, variations, id: ctx.newId("itm"), ...newTimes(ctx) };
    await countNew(ctx, items, MENU_LIMITS.items);
    return created(ctx.tx.create(items, await checkItem(ctx, value, null)), `/items/${value.id}`);
  },
});

const getItem = defineRoute({
  id: "menus.items.get",
  method: "GET",
  path: "/items/:id",
  summary: "Show a menu item",
  params: Params,
  data: View,
  errors: [missing],
  example: { params: { id: exampleItem.id }, data: exampleItem },
  handle: async ({ params }, { tx }) => item(await tx.require(items, params.id)),
});

const updateItem = defineRoute({
  id: "menus.items.update",
  method: "PATCH",
  path: "/items/:id",
  summary: "Change a menu item",
  description: "Versions of menus that are published keep it as it was.",
  params: Params,
  body: ItemPatch,
  data: View,
  errors: [missing, stale],
  example: { params: { id: exampleItem.id }, body: { price: 350 }, data: exampleItem },
  handle: async ({ params, body }, ctx) => {
    const before = await ctx.current(items, params.id);
    const { variations: named, ...told } = await inOwnLanguage(ctx.tx, body);
    const variations =
      named === undefined ? before.value.variations : nameVariations(ctx, named, before.value.variations);
    const value = mergePatch(before.value, { ...told, variations });
    await markChanged(ctx.tx, ctx.newId);
    const next = { ...(await checkItem(ctx, value, before.value)), updated_at: ctx.nowAt };
    return item(ctx.tx.put(items, before, next));
  },
});

const removeItem = defineRoute({
  id: "menus.items.remove",
  method: "DELETE",
  path: "/items/:id",
  summary: "Delete a menu item",
  params: Params,
  data: z.null(),
  errors: [missing, stale, referenced],
  example: { params: { id: exampleItem.id } },
  handle: async ({ params }, ctx) => {
    const before = await ctx.current(items, params.id);
    await countGone(ctx, items);
    const ids = [params.id, ...before.value.variations.map((variation) => variation.id)];
    await refuseWhileReferenced(ctx.tx, ids, ["category", "modifier", "price_level"]);
    const stock = await ctx.tx.get(stocks, params.id);
    if (stock !== null) ctx.tx.remove(stocks, stock);
    ctx.tx.remove(items, before);
    return empty();
  },
});

/** Variations with their ids: one that is known keeps its own, and the ids of other systems with it. */
function nameVariations(
  ctx: Ctx,
  told: readonly z.output<typeof VariationInput>[],
  before: readonly Variation[],
): Variation[] {
  refuseTwice(
    "variations",
    told.flatMap(({ id }) => id ?? []),
  );
  return told.map(({ id, ...variation }, at) => {
    if (id === undefined) return { id: ctx.newId("var"), ...variation };
    const known = before.find((each) => each.id === id);
    if (known === undefined) throw invalidField(["variations", at, "id"], "The item has no such variation.");
    return { ...known, ...variation };
  });
}

/** Throws 422 for references to nothing or twice, and for limits of a group that contradict each other. */
async function checkItem({ tx }: Ctx, item: Item, before: Item | null): Promise<Item> {
  const uses = item.modifier_groups;
  const ids = uses.map((use) => use.group_id);
  refuseTwice("modifier_groups", ids);
  await requireIds(tx, modifierGroups, {
    member: "modifier_groups",
    ids,
    before: before?.modifier_groups.map((use) => use.group_id),
  });
  await requireIds(tx, schedules, {
    member: "schedule_ids",
    ids: item.schedule_ids,
    before: before?.schedule_ids,
  });
  for (const [at, use] of uses.entries()) {
    const group = await tx.require(modifierGroups, use.group_id);
    const min = use.min ?? group.value.min;
    const max = use.max === undefined ? group.value.max : use.max;
    if (max !== null && min > max)
      throw invalidField(["modifier_groups", at], `min ${min} is above max ${max}.`);
    const stranger = use.hidden_modifier_ids.findIndex((id) => !group.value.modifier_ids.includes(id));
    if (stranger >= 0) {
      throw invalidField(["modifier_groups", at, "hidden_modifier_ids", stranger], "Not one of the group.");
    }
  }
  return item;
}

export const itemRoutes = [listItems, createItem, getItem, updateItem, removeItem];
