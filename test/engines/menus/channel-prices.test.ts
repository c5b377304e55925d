import { describe, expect, it } from "vitest";

import { channelPricesSteps } from "../../../server/engines/menus/rules/channel-prices.ts";
import { runAtOnce } from "../../../server/lib/slices.ts";
import { itemOf, levelOf, menuOf, modifierOf, treeOf } from "./fixture.ts";

const dear = { overrides: [{ target_id: null, price: null, percent: 10 }] };
const levels = [
  levelOf({ id: "prl_delivery", channel: "delivery", ...dear }),
  levelOf({ id: "prl_lunch", schedule_id: "shd_1", ...dear }),
  levelOf({ id: "prl_list", automatic: false, ...dear }),
  levelOf({
    id: "prl_own",
    automatic: false,
    priority: 1,
    overrides: [{ target_id: "mod_1", price: 90, percent: null }],
  }),
];
const size = { id: "var_1", title: { en: "Large" }, price: 2000, sku: null, kcal: null, portion_text: null };
const tree = treeOf({
  menu: menuOf({ price_level_id: "prl_own" }),
  items: [itemOf({ id: "itm_1", price: 1000 }), itemOf({ id: "itm_2", price: null, variations: [size] })],
  modifiers: [modifierOf({ id: "mod_1", price: 50 })],
  price_levels: levels,
});
const pricesIn = (channel: "delivery" | "pickup" | null) => {
  const { items, modifiers, price_levels: left } = runAtOnce(channelPricesSteps(tree, channel));
  return {
    items: items.map(({ price, variations }) => price ?? variations.map((variation) => variation.price)),
    modifiers: modifiers.map(({ price }) => price),
    left: left.map(({ id }) => id),
  };
};

describe("channelPricesSteps", () => {
  it("has the prices of the menu's own level and of the channel's, and levels that may apply later", () => {
    const left = ["prl_lunch", "prl_list", "prl_own"];
    expect(pricesIn("delivery")).toEqual({ items: [1100, [2200]], modifiers: [90], left });
    for (const channel of ["pickup", null] as const)
      expect(pricesIn(channel)).toEqual({ items: [1000, [2000]], modifiers: [90], left });
  });
});
