import type { Ctx } from "../../../core/route.ts";
import { items, modifierGroups, modifiers } from "../repository.ts";
import { MENU_LIMITS } from "../schema/limits.ts";
import { Modifier } from "../schema/modifier.ts";
import { ModifierCreate, ModifierPatch } from "../schema/requests.ts";
import { refuseBadGraph } from "./check-graph.ts";
import { partRoutes } from "./part-routes.ts";
import { refuseTwice, requireId, requireIds } from "./write.ts";

export const modifierRoutes = partRoutes({
  path: "modifiers",
  name: { one: "a modifier", many: "modifiers" },
  description:
    "product_id refers to the product of /v1/allergens that it adds. removes lists allergen codes that it removes, " +
    `as "no cheese" removes milk: a code is removed only if no other ingredient contains it; removes_ingredient_ids ` +
    "specifies exactly which ingredients are removed. item_id refers to the item as which it is also sold on its " +
    "own: both share the same stock.",
  collection: modifiers,
  schema: Modifier,
  create: ModifierCreate,
  patch: ModifierPatch,
  idPrefix: "mod",
  max: MENU_LIMITS.modifiers,
  example: "mod_01KDVDNA0088888888888888A5",
  exampleBodies: { create: { title: "Oat milk", price: 40, kcal: { min: 20 } }, patch: { price: 45 } },
  make: (input) => input,
  change: (input) => input,
  check: checkModifier,
  referrers: ["modifier_group", "item", "price_level"],
  hasStock: true,
});

/** Throws 422 for unknown references, and for groups that would contain themselves or be nested too deep. */
async function checkModifier({ tx }: Ctx, modifier: Modifier, before: Modifier | null): Promise<void> {
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
}
