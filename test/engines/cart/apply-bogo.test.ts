import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { applyBogo } from "../../../server/engines/cart/rules/apply-bogo.ts";
import { costByLine, costOf, fits, toLots } from "../../../server/engines/cart/rules/lots.ts";
import { unitSaving } from "../../../server/engines/cart/rules/unit-saving.ts";
import type { BogoEffect } from "../../../server/engines/cart/schema/offer.ts";
import type { LineInput } from "../../../server/engines/cart/schema/parts.ts";
import { everything, lineOf, refs } from "./make.ts";

const effectOf = (more: Partial<BogoEffect> = {}): BogoEffect => ({
  class: "bogo",
  buy: { filter: everything, qty: 1, spend: null },
  get: { filter: everything, qty: 1 },
  value: { kind: "free", value: 0 },
  grouping: "cheapest_overall",
  distribution: "reward_only",
  add_reward_suggestion: true,
  exclusive_units: false,
  ...more,
});
const all = { max: null, isOpen: () => true };

/** The least saving among all ways to apply it as often as it can be: every unit that costs something is bought, given, or neither. */
function bruteForce(
  lines: readonly LineInput[],
  effect: BogoEffect,
  max: number,
): { times: number; saving: number } {
  const buy = effect.buy.qty ?? 1;
  const units = lines
    .filter(({ unit_price: unit }) => unit > 0)
    .flatMap((line) => Array.from({ length: line.quantity }, () => line));
  let best = { times: 0, saving: 0 };
  const visit = (at: number, bought: number, given: number, saving: number): void => {
    const line = units[at];
    if (line === undefined) {
      const times = given / effect.get.qty;
      if (!Number.isInteger(times) || bought !== times * buy || times > max) return;
      if (times > best.times || (times === best.times && saving < best.saving)) best = { times, saving };
      return;
    }
    visit(at + 1, bought, given, saving);
    if (fits(effect.buy.filter, line)) visit(at + 1, bought + 1, given, saving);
    if (fits(effect.get.filter, line)) {
      visit(at + 1, bought, given + 1, saving + unitSaving(line.unit_price, effect.value));
    }
  };
  visit(0, 0, 0, 0);
  return best;
}

const someFilter = fc.constantFrom(everything, refs("x"), refs("y"), refs("x", "y"), refs("y", "z"));
const someLines = fc
  .array(
    fc.record({
      ref: fc.constantFrom("x", "y", "z"),
      quantity: fc.integer({ min: 1, max: 2 }),
      unit_price: fc.integer({ min: 0, max: 500 }),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((lines) => lines.map((line, at) => lineOf(`l${at}`, line.unit_price, line)));
const someEffect = fc
  .record({
    buy: fc.integer({ min: 1, max: 3 }),
    get: fc.integer({ min: 1, max: 2 }),
    buyFilter: someFilter,
    getFilter: someFilter,
    value: fc.constantFrom(
      { kind: "free" as const, value: 0 },
      { kind: "percent_off" as const, value: 3333 },
      { kind: "amount_off" as const, value: 150 },
      { kind: "fixed_price" as const, value: 99 },
    ),
    distribution: fc.constantFrom("reward_only" as const, "spread" as const),
  })
  .map(({ buy, get, buyFilter, getFilter, value, distribution }) =>
    effectOf({
      buy: { filter: buyFilter, qty: buy, spend: null },
      get: { filter: getFilter, qty: get },
      value,
      distribution,
    }),
  );

describe("buy some, get some", () => {
  it("equals brute force: as often as it goes, then the least saving", () => {
    fc.assert(
      fc.property(someLines, someEffect, fc.constantFrom(null, 1, 2), (lines, effect, max) => {
        const lots = toLots(lines);
        const found = applyBogo(lots, effect, { ...all, max });
        const expected = bruteForce(lines, effect, max ?? Infinity);
        expect(found.times).toBe(expected.times);
        expect(costOf(lots) - costOf(found.lots)).toBe(expected.saving);
      }),
      { numRuns: 800 },
    );
  });

  it("uses each unit once: what took part is bought times buy plus given", () => {
    fc.assert(
      fc.property(someLines, someEffect, (lines, effect) => {
        const { lots, times } = applyBogo(toLots(lines), effect, all);
        const used = lots.filter(({ bogo }) => bogo).reduce((sum, { count }) => sum + count, 0);
        expect(used).toBe(times * ((effect.buy.qty ?? 1) + effect.get.qty));
        const units = lots.reduce((sum, { count }) => sum + count, 0);
        expect(units).toBe(lines.reduce((sum, { quantity }) => sum + quantity, 0));
      }),
    );
  });

  it("neither gives nor counts as bought what costs nothing: a gift in the cart would be the cheapest unit", () => {
    const threeForTwo = effectOf({ buy: { filter: everything, qty: 2, spend: null } });
    const gift = lineOf("gift", 0);
    const savingOf = (lines: readonly LineInput[]): number =>
      costOf(toLots(lines)) - costOf(applyBogo(toLots(lines), threeForTwo, all).lots);
    expect(savingOf([lineOf("a", 500, { quantity: 3 }), gift])).toBe(500);
    expect(savingOf([lineOf("a", 500, { quantity: 2 }), gift])).toBe(0);
    const spend = effectOf({ buy: { filter: everything, qty: null, spend: 1_000 } });
    expect([
      ...applyBogo(toLots([lineOf("a", 1_500), lineOf("b", 500), gift]), spend, all).units.keys(),
    ]).toEqual(["b"]);
  });

  it("shares the saving among all that took part when it is spread", () => {
    const lines = [lineOf("a", 900), lineOf("b", 600)];
    const { lots } = applyBogo(toLots(lines), effectOf({ distribution: "spread" }), all);
    expect(Object.fromEntries(costByLine(lots))).toEqual({ a: 540, b: 360 });
  });

  it("gives the last of each block when groups descend", () => {
    const lines = [900, 800, 700, 600].map((price) => lineOf(String(price), price));
    const cheapest = applyBogo(toLots(lines), effectOf(), all);
    const blocks = applyBogo(toLots(lines), effectOf({ grouping: "descending_groups" }), all);
    expect(costOf(toLots(lines)) - costOf(cheapest.lots)).toBe(1300);
    expect(costOf(toLots(lines)) - costOf(blocks.lots)).toBe(1400);
    expect(new Set(blocks.units.keys())).toEqual(new Set(["600", "800"]));
  });

  it("does not count as spent what it gives", () => {
    const spend = (amount: number) =>
      effectOf({
        buy: { filter: everything, qty: null, spend: amount },
        get: { filter: refs("gift"), qty: 1 },
      });
    const lines = [lineOf("a", 2000), lineOf("gift", 500)];
    expect(applyBogo(toLots(lines), spend(2000), all).times).toBe(1);
    expect(applyBogo(toLots(lines), spend(2001), all).times).toBe(0);
  });

  it("gives what does not count as spent where giving the cheapest would leave too little", () => {
    const effect = effectOf({
      buy: { filter: refs("coffee"), qty: null, spend: 2000 },
      get: { filter: refs("coffee", "cake"), qty: 1 },
    });
    const lines = [
      lineOf("a", 1200, { ref: "coffee" }),
      lineOf("b", 900, { ref: "coffee" }),
      lineOf("c", 1000, { ref: "cake" }),
    ];
    const found = applyBogo(toLots(lines), effect, all);
    expect([found.times, [...found.units.keys()]]).toEqual([1, ["c"]]);
  });

  it("by spend equals brute force: as often as it goes, then the least saving", () => {
    fc.assert(
      fc.property(
        someLines,
        fc.integer({ min: 1, max: 900 }),
        fc.integer({ min: 1, max: 2 }),
        fc.tuple(someFilter, someFilter),
        (lines, spend, qty, [buy, get]) => {
          const effect = effectOf({ buy: { filter: buy, qty: null, spend }, get: { filter: get, qty } });
          const units = lines
            .filter(({ unit_price: unit }) => unit > 0)
            .flatMap((line) => Array.from({ length: line.quantity }, () => line));
          let best = { times: 0, saving: 0 };
          // Every set of units as what is given.
          for (let set = 0; set < 2 ** units.length; set += 1) {
            const given = units.filter((_, index) => (set >> index) % 2 === 1);
            const times = given.length / qty;
            if (!Number.isInteger(times) || !given.every((line) => fits(get, line))) continue;
            const kept = units
              .filter((_, index) => (set >> index) % 2 === 0)
              .filter((line) => fits(buy, line));
            const spent = kept.reduce((sum, { unit_price: unit }) => sum + unit, 0);
            if (spent < times * spend) continue;
            const saving = given.reduce((sum, { unit_price: unit }) => sum + unit, 0);
            if (times > best.times || (times === best.times && saving < best.saving))
              best = { times, saving };
          }
          const lots = toLots(lines);
          const found = applyBogo(lots, effect, all);
          expect([found.times, costOf(lots) - costOf(found.lots)]).toEqual([best.times, best.saving]);
        },
      ),
      { numRuns: 400 },
    );
  });

  it("says how many rewards are missing for one more time", () => {
    const effect = effectOf({
      buy: { filter: refs("x"), qty: 2, spend: null },
      get: { filter: refs("y"), qty: 1 },
    });
    const lines = [lineOf("x", 1000, { quantity: 4 }), lineOf("y", 400)];
    expect(applyBogo(toLots(lines), effect, all)).toMatchObject({ times: 1, missing: 1 });
    expect(applyBogo(toLots([lineOf("x", 1000)]), effect, all).missing).toBe(0);
  });
});
