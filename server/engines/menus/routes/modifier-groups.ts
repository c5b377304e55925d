import { z } from "zod";

import { mergePatch } from "../../../kernel/merge-patch.ts";
import { created, defineRoute, empty, item, list } from "../../../kernel/route.ts";
import type { Ctx } from "../../../kernel/route.ts";
import { Id, ListQuery, withVersion } from "../../../kernel/schema.ts";
import { invalidField } from "../../../kernel/errors.ts";
import { markChanged, modifierGroups, modifiers } from "../repository.ts";
import { MENU_LIMITS, ModifierGroup } from "../schema.ts";
import { ModifierGroupCreate, ModifierGroupPatch } from "../schema/requests.ts";
import { refuseBadGraph } from "./check-graph.ts";
import { exampleGroup } from "./examples.ts";
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

const View = withVersion(ModifierGroup);
const Params = z.object({ id: Id });

const listGroups = defineRoute({
  id: "menus.modifier-groups.list",
  method: "GET",
  path: "/modifier-groups",
  summary: "List modifier groups",
  query: ListQuery,
  data: z.array(View),
  example: { data: [exampleGroup] },
  handle: async ({ query }, { tx }) => list(await tx.page(modifierGroups, query)),
});

const createGroup = defineRoute({
  id: "menus.modifier-groups.create",
  method: "POST",
  path: "/modifier-groups",
  status: 201,
  summary: "Create a modifier group",
  description:
    "min and max count units over all modifiers, min_distinct and max_distinct count modifiers: ten wings in at most " +
    "three sauces is min 10, max 10, max_distinct 3. free_quantity units cost nothing, the cheapest or the first " +
    "chosen. Modifiers nest groups of their own, three levels deep.",
  body: ModifierGroupCreate,
  data: View,
  errors: [full],
  example: {
    body: { title: "Milk", min: 1, max: 1, modifier_ids: exampleGroup.modifier_ids },
    data: exampleGroup,
  },
  handle: async ({ body }, ctx) => {
    const told = await inOwnLanguage(ctx.tx, body);
    const display = told.display_mode ?? (told.min > 0 ? ("required" as const) : ("optional" as const));
    const value = { ...told, display_mode: display, id: ctx.newId("grp"), ...newTimes(ctx) };
    await countNew(ctx, modifierGroups, MENU_LIMITS.modifierGroups);
    return created(
      ctx.tx.create(modifierGroups, await checkGroup(ctx, value, null)),
      `/modifier-groups/${value.id}`,
    );
  },
});

const getGroup = defineRoute({
  id: "menus.modifier-groups.get",
  method: "GET",
  path: "/modifier-groups/:id",
  summary: "Show a modifier group",
  params: Params,
  data: View,
  errors: [missing],
  example: { params: { id: exampleGroup.id }, data: exampleGroup },
  handle: async ({ params }, { tx }) => item(await tx.require(modifierGroups, params.id)),
});

const updateGroup = defineRoute({
  id: "menus.modifier-groups.update",
  method: "PATCH",
  path: "/modifier-groups/:id",
  summary: "Change a modifier group",
  description: "Versions of menus that are published keep it as it was.",
  params: Params,
  body: ModifierGroupPatch,
  data: View,
  errors: [missing, stale],
  example: { params: { id: exampleGroup.id }, body: { max: 2 }, data: exampleGroup },
  handle: async ({ params, body }, ctx) => {
    const before = await ctx.current(modifierGroups, params.id);
    const value = mergePatch(before.value, await inOwnLanguage(ctx.tx, body));
    await markChanged(ctx.tx, ctx.newId);
    const next = { ...(await checkGroup(ctx, value, before.value)), updated_at: ctx.nowAt };
    return item(ctx.tx.put(modifierGroups, before, next));
  },
});

const removeGroup = defineRoute({
  id: "menus.modifier-groups.remove",
  method: "DELETE",
  path: "/modifier-groups/:id",
  summary: "Delete a modifier group",
  params: Params,
  data: z.null(),
  errors: [missing, stale, referenced],
  example: { params: { id: exampleGroup.id } },
  handle: async ({ params }, ctx) => {
    const before = await ctx.current(modifierGroups, params.id);
    await countGone(ctx, modifierGroups);
    await refuseWhileReferenced(ctx.tx, [params.id], ["item", "modifier"]);
    ctx.tx.remove(modifierGroups, before);
    return empty();
  },
});

/**
 * Throws 422 for limits that contradict each other, codes and modifiers that stand twice, references to nothing, more
 * defaults than may be chosen, and a group that would stand inside itself.
 */
async function checkGroup(
  { tx }: Ctx,
  group: ModifierGroup,
  before: ModifierGroup | null,
): Promise<ModifierGroup> {
  const { min, max, min_distinct: least, max_distinct: most, modifier_ids: ids } = group;
  if (max !== null && min > max) throw invalidField(["max"], "Lies below min.");
  if (least !== null && most !== null && least > most) {
    throw invalidField(["max_distinct"], "Lies below min_distinct.");
  }
  if (most !== null && ids.length > 0 && most > ids.length) {
    throw invalidField(["max_distinct"], `The group has ${ids.length} modifiers.`);
  }
  if (least !== null && ids.length > 0 && least > ids.length) {
    throw invalidField(["min_distinct"], `The group has ${ids.length} modifiers.`);
  }
  refuseTwice("modifier_ids", ids);
  refuseTwice("pre_modifiers", codesOf(group.pre_modifiers));
  refuseTwice("portions", codesOf(group.portions));
  await requireIds(tx, modifiers, { member: "modifier_ids", ids, before: before?.modifier_ids });
  const chosen = await Promise.all(ids.map(async (id) => (await tx.get(modifiers, id))?.value));
  const defaults = chosen.filter((modifier) => modifier?.default === true).length;
  if (defaults > Math.min(max ?? Infinity, most ?? Infinity)) {
    throw invalidField(["modifier_ids"], `${defaults} of them are defaults, more than may be chosen.`);
  }
  if (chosen.some((modifier) => (modifier?.nested_group_ids.length ?? 0) > 0)) {
    await refuseBadGraph(tx, "modifier_ids", { group });
  }
  return group;
}

const codesOf = (values: readonly { readonly code: string }[]): string[] => values.map(({ code }) => code);

export const modifierGroupRoutes = [listGroups, createGroup, getGroup, updateGroup, removeGroup];
