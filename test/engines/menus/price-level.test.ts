import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { applyOverride } from "../../../server/engines/menus/rules/price-level.ts";
import type { Target } from "../../../server/engines/menus/rules/price-level.ts";
import type { Override } from "../../../server/engines/menus/schema/price-level.ts";
import type { TreePriceLevel } from "../../../server/engines/menus/schema/tree.ts";
import { levelOf, levelPrices } from "./fixture.ts";

const sale = {
  menuId: "mnu_1",
  channel: "delivery" as const,
  named: null,
  ofMenu: null,
  isOpen: (id: string) => id === "shd_open",
};
const override = (target_id: string | null, change: Partial<Override>): Override => ({
  target_id,
  price: null,
  percent: null,
  ...change,
});
const percent = (value: number, target: string | null = null): Override =>
  override(target, { percent: value });
const item: Target = { kind: "item", id: "itm_1" };
const variation: Target = { kind: "variation", id: "var_1", itemId: "itm_1" };
const modifier: Target = { kind: "modifier", id: "mod_1" };
const priced = (levels: readonly TreePriceLevel[], target: Target = item, more = {}) =>
  levelPrices(levels, { ...sale, ...more })(target, 1000);

describe("levelPrices", () => {
  const dear = { overrides: [percent(10)] };
  it.each([
    ["without conditions", {}, {}, 1100],
    ["its channel", { channel: "delivery" }, {}, 1100],
    ["another channel", { channel: "pickup" }, {}, 1000],
    ["a channel where none is known", { channel: "delivery" }, { channel: null }, 1000],
    ["its menu", { menu_id: "mnu_1" }, {}, 1100],
    ["another menu", { menu_id: "mnu_2" }, {}, 1000],
    ["its hours", { schedule_id: "shd_open" }, {}, 1100],
    ["outside its hours", { schedule_id: "shd_shut" }, {}, 1000],
    ["one that waits to be named", { automatic: false }, {}, 1000],
    ["one that is named", { automatic: false, channel: "pickup" }, { named: "prl_1" }, 1100],
    ["another one is named", {}, { named: "prl_2" }, 1000],
    ["the menu's own", { automatic: false, channel: "pickup" }, { ofMenu: "prl_1" }, 1100],
  ] as const)("%s", (_, level, more, expected) => {
    expect(priced([levelOf({ ...dear, ...level })], item, more).price).toBe(expected);
  });

  it("the highest priority that says something wins, an equal one by its id", () => {
    const levels = [
      levelOf({ id: "prl_a", priority: 1, overrides: [percent(10)] }),
      levelOf({ id: "prl_c", priority: 5, overrides: [percent(20)] }),
      levelOf({ id: "prl_b", priority: 5, overrides: [percent(30)] }),
      levelOf({ id: "prl_d", priority: 9, overrides: [percent(40, "itm_other")] }),
    ];
    expect(priced(levels)).toEqual({ price: 1300, levelId: "prl_b" });
    expect(priced([...levels].toReversed())).toEqual({ price: 1300, levelId: "prl_b" });
  });

  it("the most exact override of a level wins; a price of the item is none of its variations", () => {
    const of = (overrides: Override[], target: Target) => priced([levelOf({ overrides })], target).price;
    expect(of([percent(10), percent(50, "itm_1")], item)).toBe(1500);
    expect(of([percent(10), percent(50, "itm_1")], variation)).toBe(1500);
    expect(of([percent(10), override("itm_1", { price: 1 })], variation)).toBe(1100);
    expect(of([percent(10), override("itm_1", { price: 1 })], item)).toBe(1);
    expect(of([percent(50, "itm_1"), override("var_1", { price: 7 })], variation)).toBe(7);
  });

  it("what is for all leaves modifiers alone", () => {
    expect(priced([levelOf({ overrides: [percent(10)] })], modifier)).toEqual({ price: 1000, levelId: null });
    expect(priced([levelOf({ overrides: [percent(10, "mod_1")] })], modifier).price).toBe(1100);
  });
});

describe("applyOverride", () => {
  it.each([
    [333, 15, 1, 383],
    [333, 15, 5, 385],
    [110, 15, 1, 127],
    [990, -20, 1, 792],
    [5, 10, 1, 6],
    [100, -100, 1, 0],
    [1990, 12.5, 10, 2240],
    [1999, 0.03, 1, 2000],
  ])("%d by %d %% to a multiple of %d is %d", (price, by, roundTo, expected) => {
    expect(applyOverride(price, percent(by), roundTo)).toBe(expected);
  });

  it("is the exact value, rounded once, half up", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.integer({ min: -10_000, max: 100_000 }),
        fc.constantFrom(1, 5, 10, 99),
        (price, hundredths, roundTo) => {
          const got = applyOverride(price, percent(hundredths / 100), roundTo);
          // price × (1 + hundredths / 10000) in ten-thousandths of a minor unit, without fractions.
          const exact = BigInt(price) * BigInt(10_000 + hundredths);
          const unit = 10_000n * BigInt(roundTo);
          expect(BigInt(got)).toBe(((2n * exact + unit) / (2n * unit)) * BigInt(roundTo));
        },
      ),
    );
  });
});
