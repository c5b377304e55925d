import { DEMO_IDS } from "../data/demo-ids.ts";
import type { z } from "zod";

import { invalidField } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { items, modifierGroups, schedules } from "../repository.ts";
import { Item } from "../schema/item.ts";
import { MENU_LIMITS } from "../schema/limits.ts";
import type { Variation } from "../schema/item.ts";
import { ItemCreate, ItemPatch } from "../schema/requests.ts";
import type { VariationInput } from "../schema/requests.ts";
import { bulkRoute } from "./bulk.ts";
import { definePart, partRoutes, partWrites } from "./part-routes.ts";
import { refuseTwice, requireIds } from "./write.ts";

const itemDef = definePart({
  path: "items",
  name: { one: "a menu item", many: "menu items" },
  description:
    "An item is sold at its price or as one of its variations; price is null if every sale is of a variation. kcal " +
    "is the energy of the item without its modifiers. product_id refers to the product of /v1/allergens, from which " +
    "the allergens of an order are derived. Texts are plain strings or objects by language.",
  collection: items,
  schema: Item,
  create: ItemCreate,
  patch: ItemPatch,
  idPrefix: "itm",
  max: MENU_LIMITS.items,
  example: "itm_01KDVDNA008888888888888894",
  exampleBodies: {
    create: {
      title: "Latte",
      price: 340,
      variations: [{ title: "Large", price: 390 }],
      modifier_groups: [{ group_id: DEMO_IDS.groups.milk }],
    },
    patch: { price: 350 },
  },
  make: (input, ctx) => ({ ...input, variations: nameVariations(ctx, input.variations, []) }),
  change: ({ variations, ...input }, before, ctx) =>
    variations === undefined
      ? input
      : { ...input, variations: nameVariations(ctx, variations, before.variations) },
  check: checkItem,
  referrers: ["category", "modifier", "price_level"],
  // A reference to a variation refers to its item.
  idsOf: ({ id, variations }) => [id, ...variations.map((variation) => variation.id)],
  hasStock: true,
});

export const itemRoutes = [
  bulkRoute({
    path: "items",
    many: "menu items",
    collection: items,
    create: ItemCreate,
    patch: ItemPatch,
    writes: partWrites(itemDef),
    example: { id: "itm_01KDVDNA008888888888888894", ...itemDef.exampleBodies },
  }),
  ...partRoutes(itemDef),
];

/** Variations with their ids: an existing one keeps its id and external ids. */
function nameVariations(
  ctx: Ctx,
  input: readonly z.output<typeof VariationInput>[],
  before: readonly Variation[],
): Variation[] {
  refuseTwice(
    "variations",
    input.flatMap(({ id }) => id ?? []),
  );
  return input.map(({ id, ...variation }, at) => {
    if (id === undefined) return { id: ctx.newId("var"), ...variation };
    const stored = before.find((each) => each.id === id);
    if (stored === undefined)
      throw invalidField(["variations", at, "id"], "The item has no variation with this id.");
    return { ...stored, ...variation };
  });
}

/** Throws 422 for unknown or duplicate references, and for inconsistent limits of a group. */
async function checkItem({ tx }: Ctx, item: Item, before: Item | null): Promise<void> {
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
      throw invalidField(
        ["modifier_groups", at],
        `\`min\` (${min}) must not be greater than \`max\` (${max}).`,
      );
    const stranger = use.hidden_modifier_ids.findIndex((id) => !group.value.modifier_ids.includes(id));
    if (stranger >= 0) {
      throw invalidField(
        ["modifier_groups", at, "hidden_modifier_ids", stranger],
        "The modifier is not in the group.",
      );
    }
  }
}
