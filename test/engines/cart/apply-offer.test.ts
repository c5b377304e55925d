import { describe, expect, it } from "vitest";

import { applyOffer } from "../../../server/engines/cart/rules/apply-offer.ts";
import { costByLine, toLots } from "../../../server/engines/cart/rules/lots.ts";
import type { LineInput } from "../../../server/engines/cart/schema/parts.ts";
import { bogoOf, everything, lineOf, offerOf } from "./make.ts";

const running = (lines: LineInput[], shipping = 0) => {
  const lots = toLots(lines);
  return { lots, shipping, before: lots.reduce((sum, { count, amount }) => sum + count * amount, 0) };
};
const saving = (outcome: ReturnType<typeof applyOffer>): number | string =>
  "applied" in outcome ? outcome.applied.saving : outcome.reason;

describe("a reduced item", () => {
  const half = { kind: "percent_off" as const, value: 5000 };
  const third = { kind: "percent_off" as const, value: 3000 };
  const reduced = [lineOf("a", 800, { compare_at: 1000 })];
  it.each([
    ["stack takes half of what it costs", "stack", half, 400],
    ["best_deal takes half of the regular price, which is lower", "best_deal", half, 300],
    [
      "best_deal leaves the sale price where that is lower",
      "best_deal",
      { kind: "percent_off", value: 1000 },
      "no_saving",
    ],
    ["best_deal takes the offer where that is lower", "best_deal", third, 100],
    ["exclude leaves it alone", "exclude", half, "no_saving"],
  ] as const)("%s", (_, sale_policy, value, expected) => {
    const offer = offerOf("o", { class: "product", filter: everything, value, sale_policy });
    expect(saving(applyOffer(running(reduced), offer))).toBe(expected);
  });
});

describe("an offer", () => {
  it("reduces so many units, the dearest first", () => {
    const offer = offerOf(
      "o",
      { class: "product", filter: everything, value: { kind: "percent_off", value: 1000 } },
      { max_applications_per_cart: 2 },
    );
    const lines = [lineOf("a", 100), lineOf("b", 300, { quantity: 3 })];
    expect(saving(applyOffer(running(lines), offer))).toBe(60);
  });

  it("splits an order discount so that it adds up", () => {
    const offer = offerOf("o", { class: "order", value: { kind: "amount_off", value: 299 } });
    const outcome = applyOffer(running([lineOf("a", 4300), lineOf("b", 1400), lineOf("c", 2300)]), offer);
    if (!("applied" in outcome)) throw new Error("refused");
    // A22: Vendure's shares.
    expect(Object.fromEntries(outcome.applied.lines)).toEqual({ a: 161, b: 52, c: 86 });
  });

  it("does not apply when too little would be spent", () => {
    const offer = offerOf(
      "o",
      { class: "order", value: { kind: "amount_off", value: 200 } },
      { min_spend_after_discounts: 900 },
    );
    expect(saving(applyOffer(running([lineOf("a", 1000)]), offer))).toBe("min_spend_after_discounts");
    expect(saving(applyOffer(running([lineOf("a", 1100)]), offer))).toBe(200);
  });

  it("leaves bundled units alone unless it goes together with bundles", () => {
    const start = running([lineOf("a", 1000)]);
    const bundled = { ...start, lots: start.lots.map((lot) => ({ ...lot, bundled: true })) };
    const effect = { class: "order" as const, value: { kind: "percent_off" as const, value: 1000 } };
    expect(saving(applyOffer(bundled, offerOf("o", effect, { combines_with: [] })))).toBe("no_saving");
    expect(saving(applyOffer(bundled, offerOf("o", effect, { combines_with: ["bundle"] })))).toBe(100);
  });

  it("keeps exclusive units of a bogo out of order offers", () => {
    const bogo = bogoOf("b", {
      buy: { filter: everything, qty: 1 },
      get: { filter: everything, qty: 1 },
      value: { kind: "percent_off", value: 5000 },
      exclusive_units: true,
    });
    const first = applyOffer(running([lineOf("a", 1000, { quantity: 2 }), lineOf("c", 3000)]), bogo);
    if (!("applied" in first)) throw new Error("refused");
    const order = offerOf("o", { class: "order", value: { kind: "percent_off", value: 1000 } });
    const second = applyOffer(first.next, order);
    if (!("applied" in second)) throw new Error("refused");
    expect([...costByLine(first.next.lots).values()].reduce((a, b) => a + b, 0)).toBe(4500);
    // One unit of the line a took no part, so that it is open; the pair of the bogo is not.
    expect(second.applied.saving).toBe(100);
  });
});
