import { z } from "zod";

import { mergePatch } from "../../../kernel/merge-patch.ts";
import { created, defineRoute, empty, item, list } from "../../../kernel/route.ts";
import type { Ctx } from "../../../kernel/route.ts";
import { Id, ListQuery, withVersion } from "../../../kernel/schema.ts";
import { items, markChanged, modifierGroups, modifiers, stocks } from "../repository.ts";
import { MENU_LIMITS, Modifier } from "../schema.ts";
import { ModifierCreate, ModifierPatch } from "../schema/requests.ts";
import { exampleModifier } from "./examples.ts";
import { refuseBadGraph } from "./check-graph.ts";
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
  requireId,
  requireIds,
  stale,
} from "./write.ts";

const View = withVersion(Modifier);
const Params = z.object({ id: Id });

const listModifiers = defineRoute({
  id: "menus.modifiers.list",
  method: "GET",
  path: "/modifiers",
  summary: "List modifiers",
  query: ListQuery,
  data: z.array(View),
  example: { data: [exampleModifier] },
  handle: async ({ query }, { tx }) => list(await tx.page(modifiers, query)),
});

const createModifier = defineRoute({
  id: "menus.modifiers.create",
  method: "POST",
  path: "/modifiers",
  status: 201,
  summary: "Create a modifier",
  description:
    "product_id names the product of /v1/allergens that it adds. removes names allergen codes that it takes away, as no " +
    "cheese does milk: a code goes only where no other ingredient carries it; removes_ingredient_ids says exactly which " +
    "ingredients go. item_id names the item that it is when it is sold by itself too: both share its stock.",
  body: ModifierCreate,
  data: View,
  errors: [full],
  example: { body: { title: "Oat milk", price: 40, kcal: { min: 20 } }, data: exampleModifier },
  handle: async ({ body }, ctx) => {
    const told = await inOwnLanguage(ctx.tx, body);
    const value = { ...told, id: ctx.newId("mod"), ...newTimes(ctx) };
    await countNew(ctx, modifiers, MENU_LIMITS.modifiers);
    return created(ctx.tx.create(modifiers, await checkModifier(ctx, value, null)), `/modifiers/${value.id}`);
  },
});

const getModifier = defineRoute({
  id: "menus.modifiers.get",
  method: "GET",
  path: "/modifiers/:id",
  summary: "Show a modifier",
  params: Params,
  data: View,
  errors: [missing],
  example: { params: { id: exampleModifier.id }, data: exampleModifier },
  handle: async ({ params }, { tx }) => item(await tx.require(modifiers, params.id)),
});

const updateModifier = defineRoute({
  id: "menus.modifiers.update",
  method: "PATCH",
  path: "/modifiers/:id",
  summary: "Change a modifier",
  description: "Versions of menus that are published keep it as it was.",
  params: Params,
  body: ModifierPatch,
  data: View,
  errors: [missing, stale],
  example: { params: { id: exampleModifier.id }, body: { price: 45 }, data: exampleModifier },
  handle: async ({ params, body }, ctx) => {
    const before = await ctx.current(modifiers, params.id);
    const value = mergePatch(before.value, await inOwnLanguage(ctx.tx, body));
    await markChanged(ctx.tx, ctx.newId);
    const next = { ...(await checkModifier(ctx, value, before.value)), updated_at: ctx.nowAt };
    return item(ctx.tx.put(modifiers, before, next));
  },
});

const removeModifier = defineRoute({
  id: "menus.modifiers.remove",
  method: "DELETE",
  path: "/modifiers/:id",
  summary: "Delete a modifier",
  params: Params,
  data: z.null(),
  errors: [missing, stale, referenced],
  example: { params: { id: exampleModifier.id } },
  handle: async ({ params }, ctx) => {
    const before = await ctx.current(modifiers, params.id);
    await countGone(ctx, modifiers);
    await refuseWhileReferenced(ctx.tx, [params.id], ["modifier_group", "item", "price_level"]);
    const stock = await ctx.tx.get(stocks, params.id);
    if (stock !== null) ctx.tx.remove(stocks, stock);
    ctx.tx.remove(modifiers, before);
    return empty();
  },
});

/** Throws 422 for references to nothing, and for groups that would stand inside themselves or too deep. */
async function checkModifier({ tx }: Ctx, modifier: Modifier, before: Modifier | null): Promise<Modifier> {
  const { nested_group_ids: nested } = modifier;
  refuseTwice("nested_group_ids", nested);
  await requireId(tx, items, { member: "item_id", id: modifier.item_id, before: before?.item_id });
  await requireIds(tx, modifierGroups, {
    member: "nested_group_ids",
    ids: nested,
    before: before?.nested_group_ids,
  });
  if (nested.some((id) => before === null || !before.nested_group_ids.includes(id))) {
    await refuseBadGraph(tx, "nested_group_ids", { modifier });
  }
  return modifier;
}

export const modifierRoutes = [listModifiers, createModifier, getModifier, updateModifier, removeModifier];
