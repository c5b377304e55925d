import { z } from "zod";

import { raw } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { Id } from "../../../core/schema.ts";
import { runInSlices } from "../../../lib/slices.ts";
import { jsonLdSteps, scriptSafePieces } from "../formats/json-ld.ts";
import { joinPieces } from "../../../lib/json-pieces.ts";
import { menus } from "../repository.ts";
import { chooseDefaults } from "../rules/choose-modifiers.ts";
import { groupsOfItem } from "../rules/group-use.ts";
import { dishAllergens } from "../rules/line-allergens.ts";
import type { DishAllergens } from "../rules/line-allergens.ts";
import { liveMenuSteps } from "../rules/live-menu.ts";
import { dishChoicesIn } from "../rules/price-order.ts";
import type { PriceContext } from "../rules/price-order.ts";
import { readAllStock, readLive, readWorld } from "./read-world.ts";
import { readerOf } from "./reader.ts";
import { liveTooLarge, notLive, refuseLongLive } from "./versions.ts";

const JSON_LD = "application/ld+json";

export const menuJsonLd = defineRoute({
  id: "menus.transfers.json-ld",
  method: "GET",
  path: "/:id/jsonld",
  summary: "Retrieve a published menu as schema.org data",
  description:
    "Menu, MenuSection and MenuItem with offers, energy, diets and add-ons, in one language and at the current " +
    "prices without a channel. suitableForDiet lists only active claims that the item satisfies with its default " +
    `modifiers. The text can be embedded in a page unchanged, inside <script type="application/ld+json">.`,
  query: z.object({
    locale: z
      .string()
      .max(35)
      .optional()
      .meta({ description: "Language of texts. Default: Accept-Language" }),
  }),
  data: z.looseObject({
    "@context": z.literal("https://schema.org"),
    "@type": z.literal("Menu"),
    identifier: Id,
    name: z.string(),
    description: z.string().optional(),
    inLanguage: z.string().optional(),
    hasMenuSection: z.array(z.looseObject({ "@type": z.literal("MenuSection"), name: z.string() })),
  }),
  rawType: JSON_LD,
  errors: [{ type: "not_found", code: "not_published", when: "No version is live" }, liveTooLarge],
  example: {
    params: { id: "mnu_01KDVDNA008888888888888889" },
    query: { locale: "en" },
  },
  handle: async ({ params, query }, ctx) => {
    const menu = await ctx.tx.require(menus, params.id);
    const live = await readLive(ctx.tx, menu.value, ctx.now);
    if (live === null) throw notLive("not_found");
    const { tree, n } = live;
    refuseLongLive(tree);
    const world = await readWorld(ctx, tree, {
      atMs: ctx.now,
      channel: null,
      priceLevel: null,
      reader: await readerOf(ctx, query.locale),
      stockOf: await readAllStock(ctx.tx),
      items: tree.items,
    });
    const { part } = ctx.tx;
    const shown = await runInSlices(liveMenuSteps(world, { version: n, hideUnavailable: false }), part);
    const language = Object.entries(tree.menu.title).find(([, text]) => text === shown.title)?.[0] ?? null;
    const node = await runInSlices(
      jsonLdSteps(shown, {
        language,
        dietsOf: (id) => dietsOf(world, id),
        isSoldOut: (id) => isSoldOut(world, id),
      }),
      part,
    );
    const text = await joinPieces(scriptSafePieces(node), part);
    return raw(JSON_LD, text, { headers: { Vary: "Accept-Language" } });
  },
});

function isSoldOut({ tree, judge }: Pick<PriceContext, "tree" | "judge">, itemId: string): boolean {
  const item = tree.itemById.get(itemId);
  return item !== undefined && judge.soldOut(item) !== null;
}

/**
 * Active claims of an item with its default modifiers, and with any of those from which a guest has to select; none for a dish with an
 * unknown part.
 */
export function dietsOf(
  { tree, declaredOf }: Pick<PriceContext, "tree" | "declaredOf">,
  itemId: string,
): string[] {
  const item = tree.itemById.get(itemId);
  if (item === undefined) return [];
  const groups = groupsOfItem(tree, item.modifier_groups);
  const { defaults, isDish, isWhole } = chooseDefaults(tree, groups);
  if (!isWhole) return [];
  const offered = groups.flatMap(({ defaults: own, min, modifiers }) => (own.length < min ? modifiers : []));
  // What has to be selected inside a modifier is not looked at.
  if (!isDish && offered.length === 0) return [];
  return offered.reduce(
    (kept, { nested_group_ids: nested, product_id: id }) => {
      const known = id === null || nested.length > 0 ? undefined : declaredOf(id);
      return kept.filter((claim) => known !== undefined && claimsOf(known).includes(claim));
    },
    claimsOf(dishAllergens(item.product_id, dishChoicesIn(defaults), declaredOf)),
  );
}

const claimsOf = ({ diets, unfit_for: unfit, verified }: DishAllergens): string[] =>
  verified ? diets.filter((claim) => !unfit.includes(claim)) : [];
