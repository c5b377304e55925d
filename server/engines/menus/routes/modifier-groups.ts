import { invalidField } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { modifierGroups, modifiers } from "../repository.ts";
import { MENU_LIMITS } from "../schema/limits.ts";
import { ModifierGroup } from "../schema/modifier.ts";
import { ModifierGroupCreate, ModifierGroupPatch } from "../schema/requests.ts";
import { refuseBadGraph } from "./check-graph.ts";
import { partRoutes } from "./part-routes.ts";
import { refuseTwice, requireIds } from "./write.ts";

export const modifierGroupRoutes = partRoutes({
  path: "modifier-groups",
  name: { one: "a modifier group", many: "modifier groups" },
  description:
    "min and max limit the units over all modifiers, min_distinct and max_distinct the number of different " +
    "modifiers: ten wings in at most three sauces is min 10, max 10, max_distinct 3. free_quantity units are free, " +
    "either the cheapest or the first selected. Modifiers can contain groups, nested three levels deep.",
  collection: modifierGroups,
  schema: ModifierGroup,
  create: ModifierGroupCreate,
  patch: ModifierGroupPatch,
  idPrefix: "grp",
  max: MENU_LIMITS.modifierGroups,
  example: "grp_01KDVDNA00888888888888889H",
  exampleBodies: {
    create: {
      title: "Milk",
      min: 1,
      max: 1,
      modifier_ids: ["mod_01KDVDNA00888888888888889J", "mod_01KDVDNA0088888888888888A5"],
    },
    patch: { max: 2 },
  },
  make: (input) => ({
    ...input,
    display_mode: input.display_mode ?? (input.min > 0 ? "required" : "optional"),
  }),
  change: (input) => input,
  check: checkGroup,
  referrers: ["item", "modifier"],
});

/**
 * Throws 422 for inconsistent limits, duplicate codes and modifiers, unknown references, more
 * defaults than can be selected, and a group that would contain itself.
 */
async function checkGroup({ tx }: Ctx, group: ModifierGroup, before: ModifierGroup | null): Promise<void> {
  const { min, max, min_distinct: least, max_distinct: most, modifier_ids: ids } = group;
  if (max !== null && min > max) throw invalidField(["max"], "`max` must not be less than `min`.");
  if (least !== null && most !== null && least > most) {
    throw invalidField(["max_distinct"], "`max_distinct` must not be less than `min_distinct`.");
  }
  if (most !== null && ids.length > 0 && most > ids.length) {
    throw invalidField(["max_distinct"], `The group has only ${ids.length} modifiers.`);
  }
  if (least !== null && ids.length > 0 && least > ids.length) {
    throw invalidField(["min_distinct"], `The group has only ${ids.length} modifiers.`);
  }
  refuseTwice("modifier_ids", ids);
  refuseTwice("pre_modifiers", codesOf(group.pre_modifiers));
  refuseTwice("portions", codesOf(group.portions));
  await requireIds(tx, modifiers, { member: "modifier_ids", ids, before: before?.modifier_ids });
  const chosen = await Promise.all(ids.map(async (id) => (await tx.get(modifiers, id))?.value));
  const defaults = chosen.filter((modifier) => modifier?.default === true).length;
  if (defaults > Math.min(max ?? Infinity, most ?? Infinity)) {
    throw invalidField(
      ["modifier_ids"],
      `${defaults} of the modifiers are selected by default, more than can be selected.`,
    );
  }
  if (chosen.some((modifier) => (modifier?.nested_group_ids.length ?? 0) > 0)) {
    await refuseBadGraph(tx, "modifier_ids", { group });
  }
}

const codesOf = (values: readonly { readonly code: string }[]): string[] => values.map(({ code }) => code);
