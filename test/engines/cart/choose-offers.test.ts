import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { OfferTerms, Running } from "../../../server/engines/cart/rules/apply-offer.ts";
import { applyOffer } from "../../../server/engines/cart/rules/apply-offer.ts";
import { areCompatible, chooseOffers, CLASSES } from "../../../server/engines/cart/rules/choose-offers.ts";
import { costOf, toLots } from "../../../server/engines/cart/rules/lots.ts";
import { bogoOf, everything, lineOf, offerOf, refs } from "./make.ts";

const running = (lines: Parameters<typeof toLots>[0], shipping = 300): Running => {
  const lots = toLots(lines);
  return { lots, shipping, before: costOf(lots) };
};
const totalOf = ({ lots, shipping }: Running): number => costOf(lots) + shipping;
const idsOf = ({ applied }: ReturnType<typeof chooseOffers>) => applied.map(({ offer_id: id }) => id);
const percent = (id: string, bps: number, more: Partial<OfferTerms> = {}) =>
  offerOf(id, { class: "order", value: { kind: "percent_off", value: bps } }, more);
const lines = [lineOf("a", 1000)];

/** The lowest total of all sets in all orders that classes and priorities allow, with no cleverness at all. */
function bruteForce(start: Running, offers: readonly OfferTerms[]): number {
  let lowest = totalOf(start);
  const visit = (now: Running, applied: readonly OfferTerms[]): void => {
    lowest = Math.min(lowest, totalOf(now));
    const last = applied.at(-1);
    for (const offer of offers) {
      if (applied.includes(offer) || !applied.every((other) => areCompatible(offer, other))) continue;
      if (last !== undefined) {
        const order = CLASSES.indexOf(last.class) - CLASSES.indexOf(offer.class);
        if (order > 0 || (order === 0 && last.priority < offer.priority)) continue;
      }
      const next = applyOffer(now, offer);
      if (!("applied" in next)) continue;
      const all = [...applied, offer];
      const cost = costOf(next.next.lots);
      if (all.every(({ min_spend_after_discounts: least }) => least <= cost)) visit(next.next, all);
    }
  };
  visit(start, []);
  return lowest;
}

const someClasses = fc.subarray(["product", "bogo", "order", "shipping"] as const, { minLength: 1 });
const someOffers = fc
  .array(
    fc.record({
      kind: fc.constantFrom("product", "bogo", "order", "shipping"),
      bps: fc.integer({ min: 1, max: 9000 }),
      filter: fc.constantFrom(everything, refs("x"), refs("y")),
      combines: someClasses,
      exclusive: fc.boolean(),
      least: fc.constantFrom(0, 0, 500, 1000),
    }),
    { maxLength: 4 },
  )
  .map((drafts) =>
    drafts.map(({ kind, bps, filter, combines, exclusive, least }, at): OfferTerms => {
      const value = { kind: "percent_off" as const, value: bps };
      // Each has a priority of its own: the order inside a class is then the same whatever is tried.
      const own = { combines_with: [...combines], exclusive, min_spend_after_discounts: least };
      const terms = { ...own, priority: 10 - at };
      const id = `o${at}`;
      if (kind === "product") return offerOf(id, { class: "product", filter, value }, terms);
      if (kind === "bogo")
        return bogoOf(id, { buy: { filter, qty: 1 }, get: { filter: everything, qty: 1 }, value }, terms);
      if (kind === "shipping") return offerOf(id, { class: "shipping", value }, terms);
      return percent(id, bps, terms);
    }),
  );
const someLines = fc
  .array(
    fc.record({
      ref: fc.constantFrom("x", "y"),
      quantity: fc.integer({ min: 1, max: 3 }),
      unit_price: fc.integer({ min: 1, max: 900 }),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((drafts) => drafts.map((line, at) => lineOf(`l${at}`, line.unit_price, line)));

describe("the choice of offers", () => {
  it("is the lowest total that brute force finds", () => {
    fc.assert(
      fc.property(someLines, someOffers, (cart, offers) => {
        const start = running(cart);
        const choice = chooseOffers(start, offers);
        expect(choice.mode).toBe("search");
        expect(totalOf(choice.running)).toBe(bruteForce(start, offers));
      }),
      { numRuns: 500 },
    );
  });

  it("needs both sides to agree", () => {
    const a = percent("a", 1000, { combines_with: ["shipping"] });
    const free = offerOf("b", { class: "shipping", value: { kind: "free" } }, { combines_with: [] });
    const alone = chooseOffers(running(lines), [a, free]);
    expect(idsOf(alone)).toEqual(["b"]);
    expect(alone.rejected).toEqual([{ offer_id: "a", reason: "not_combinable" }]);
    expect(idsOf(chooseOffers(running(lines), [a, { ...free, combines_with: ["order"] }]))).toEqual([
      "a",
      "b",
    ]);
  });

  it("applies an exclusive offer alone, across classes too, where that is the lowest total", () => {
    const free = offerOf("free", { class: "shipping", value: { kind: "free" } });
    const small = percent("small", 1000, { exclusive: true });
    const big = percent("big", 5000, { exclusive: true });
    expect(idsOf(chooseOffers(running(lines), [free, small]))).toEqual(["free"]);
    const choice = chooseOffers(running(lines), [free, big]);
    expect(idsOf(choice)).toEqual(["big"]);
    expect(choice.rejected).toEqual([{ offer_id: "free", reason: "exclusive" }]);
  });

  it("refuses an offer that would save more than is left of its budget", () => {
    const offer = percent("a", 3000, { budget_left: 299 });
    expect(chooseOffers(running(lines), [offer]).rejected).toEqual([
      { offer_id: "a", reason: "budget_used_up" },
    ]);
    expect(idsOf(chooseOffers(running(lines), [{ ...offer, budget_left: 300 }]))).toEqual(["a"]);
  });

  it("holds what an offer wants the goods to come to against what is taken off after it too", () => {
    const value = { kind: "percent_off", value: 1000 } as const;
    const more = { min_spend_after_discounts: 850 };
    const tenth = offerOf("tenth", { class: "product", filter: everything, value }, more);
    const twice = chooseOffers(running(lines), [tenth, percent("more", 1000)]);
    expect([idsOf(twice), costOf(twice.running.lots)]).toEqual([["more"], 900]);
    const both = chooseOffers(running(lines), [tenth, percent("more", 500)]);
    expect([idsOf(both), costOf(both.running.lots)]).toEqual([["tenth", "more"], 855]);
  });

  it("ends a class with an exclusive offer", () => {
    const strong = percent("a", 3000, { exclusive: true, priority: 5 });
    const weak = percent("b", 1000);
    const choice = chooseOffers(running(lines), [weak, strong]);
    expect(idsOf(choice)).toEqual(["a"]);
    expect(choice.rejected).toEqual([{ offer_id: "b", reason: "exclusive" }]);
  });

  it("prefers fewer offers, then ids, where the total is the same", () => {
    const all = { combines_with: ["order" as const] };
    const a = offerOf("a", { class: "order", value: { kind: "amount_off", value: 1000 } }, all);
    const b = { ...a, id: "b" };
    expect(idsOf(chooseOffers(running(lines, 0), [b, a]))).toEqual(["a"]);
  });

  it("is greedy with many offers, and says so", () => {
    const offers = Array.from({ length: 13 }, (_, at) =>
      percent(`o${String(at).padStart(2, "0")}`, 100 * (at + 1), { combines_with: [] }),
    );
    const choice = chooseOffers(running(lines), offers);
    expect([choice.mode, choice.looked, idsOf(choice)]).toEqual(["greedy", 1, ["o12"]]);
  });
});
