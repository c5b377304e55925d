import { fromInstant, toInstant } from "../../../lib/instant.ts";
import { conflictWhen, invalidField, unprocessableWhen } from "../../../lib/errors.ts";
import { sum } from "../../../lib/money.ts";
import { inSlices, runInSlices } from "../../../lib/slices.ts";
import { ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { menus } from "../repository.ts";
import { kcalStatement } from "../rules/kcal.ts";
import { judgeItemsSteps, priceLine, priceOrder } from "../rules/price-order.ts";
import type { PricedByItself } from "../rules/price-order.ts";
import { MENU_LIMITS } from "../schema/limits.ts";
import { PriceAnswer, PriceRequest } from "../schema/price.ts";
import { readLive, readStockOf, readWorld } from "./read-world.ts";
import { readerOf } from "./reader.ts";
import { notLive } from "./versions.ts";

const price = defineRoute({
  id: "menus.price",
  method: "POST",
  path: "/price",
  scope: "read",
  open: "public",
  summary: "Price the lines of an order, with their allergens and energy",
  description:
    "Prices the menu that is live. A line that cannot be ordered is returned with errors in that line and status " +
    "200; valid is true if all lines can be ordered. min and max of a group limit units, min_distinct and " +
    "max_distinct different modifiers. A group without a selection has its defaults; a group with a selection has " +
    "exactly that. Discounts, fees and tax are not included; see the cart engine.",
  body: PriceRequest,
  data: PriceAnswer,
  errors: [
    conflictWhen("not_published", "No version of the menu is live at this time"),
    unprocessableWhen("amount_out_of_range", "The total is too large"),
  ],
  example: {
    body: {
      menu_id: "mnu_01KDVDNA008888888888888889",
      channel: "pickup",
      at: "2026-06-02T08:00:00.000Z",
      lines: [
        {
          item_id: "itm_01KDVDNA008888888888888894",
          quantity: 2,
          selections: [
            { group_id: "grp_01KDVDNA00888888888888889H", modifier_id: "mod_01KDVDNA0088888888888888A5" },
          ],
        },
      ],
    },
  },
  handle: async ({ body }, ctx) => {
    const menu = await ctx.tx.get(menus, body.menu_id);
    if (menu === null) throw invalidField(["menu_id"], "No resource with this id in this store.");
    const atMs = body.at === undefined ? ctx.now : fromInstant(body.at);
    const live = await readLive(ctx.tx, menu.value, atMs);
    if (live === null) throw notLive("conflict");
    const { tree, n } = live;
    if (body.price_level !== null && !tree.price_levels.some(({ id }) => id === body.price_level)) {
      throw invalidField(["price_level"], "The menu has no price level with this id.");
    }
    const items = [...new Set(body.lines.flatMap(({ item_id: id }) => tree.itemById.get(id) ?? []))];
    const world = await readWorld(ctx, tree, {
      atMs,
      channel: body.channel,
      priceLevel: body.price_level,
      reader: await readerOf(ctx, body.locale),
      stockOf: await readStockOf(ctx.tx, tree, items),
      items,
    });
    const judged = await runInSlices(judgeItemsSteps(world, items), ctx.tx.part);
    const priced: PricedByItself[] = [];
    let modifiers = 0;
    for await (const line of inSlices(body.lines, ctx.tx.part)) {
      const one = priceLine(world, line, judged);
      modifiers += one.answer.modifiers.length;
      if (modifiers > MENU_LIMITS.modifiersPerOrder) {
        throw invalidField(
          ["lines"],
          `The lines of an order can have at most ${MENU_LIMITS.modifiersPerOrder} modifiers in total, including defaults.`,
        );
      }
      priced.push(one);
    }
    const lines = priceOrder(world, priced);
    const totals = lines.flatMap(({ total }) => total ?? []);
    return ok({
      menu_id: menu.id,
      menu_version: n,
      at: toInstant(atMs),
      channel: body.channel,
      currency: tree.menu.currency,
      valid: lines.every(({ errors }) => errors.length === 0),
      lines,
      total: totals.length === lines.length ? sum(totals) : null,
      kcal_statement: kcalStatement(world.labelling, tree.menu.audience),
    });
  },
});

export const priceRoutes = [price];
