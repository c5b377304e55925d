import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { evaluate } from "../../../server/engines/cart/rules/evaluate.ts";
import type { Evaluation, OfferRule } from "../../../server/engines/cart/rules/evaluate.ts";
import type { LineInput } from "../../../server/engines/cart/schema/parts.ts";
import { add, bogoOf, bundleOf, category, everything, lineOf, offerOf, questionOf, refs } from "./make.ts";

const savingOf = ({ priced }: Evaluation): number => priced.discount;
const run = (lines: LineInput[], offers: OfferRule[], more = {}) =>
  evaluate(questionOf(lines, { offers, ...more }));

describe("vectors", () => {
  it.each([
    ["A24 30% off 25999", 25_999, 3000, 18_199],
    ["A25 25% off 1999", 1999, 2500, 1499],
  ])("%s", (_, unit, bps, total) => {
    const value = { kind: "percent_off", value: bps } as const;
    const byUnit = offerOf("ofr_1", { class: "product", filter: everything, value });
    const byOrder = offerOf("ofr_1", { class: "order", value });
    expect(run([lineOf("a", unit)], [byUnit]).priced.total).toBe(total);
    expect(run([lineOf("a", unit)], [byOrder]).priced.total).toBe(total);
  });

  it.each([
    ["A26 buy 2 X get 1 Y, as often as it goes", null, 800],
    ["A26 buy 2 X get 1 Y, once", 1, 400],
  ])("%s", (_, max, saving) => {
    const lines = [lineOf("x", 1000, { quantity: 4 }), lineOf("y", 400, { quantity: 2 })];
    const offer = bogoOf(
      "ofr_1",
      { buy: { filter: refs("x"), qty: 2 }, get: { filter: refs("y"), qty: 1 } },
      { max_applications_per_cart: max },
    );
    expect(savingOf(run(lines, [offer]))).toBe(saving);
  });

  it("A27 the T-shirt of the category is the free one, whatever the order of the lines", () => {
    const shirt = lineOf("shirt", 1000, { category: "wear" });
    const others = ["a", "b", "c", "d"].map((id) => lineOf(id, 2500, { category: "wear" }));
    const offer = bogoOf("ofr_1", {
      buy: { filter: category("wear"), qty: 4 },
      get: { filter: refs("shirt"), qty: 1 },
    });
    expect(savingOf(run([shirt, ...others], [offer]))).toBe(1000);
    expect(savingOf(run([...others, shirt], [offer]))).toBe(1000);
  });

  it("A28 buy 10 get 20 free does nothing with 10 units", () => {
    const offer = bogoOf("ofr_1", {
      buy: { filter: everything, qty: 10 },
      get: { filter: everything, qty: 20 },
    });
    const { priced, rejected } = run([lineOf("a", 500, { quantity: 10 })], [offer]);
    expect([priced.discount, priced.total]).toEqual([0, 5000]);
    expect(rejected).toEqual([{ offer_id: "ofr_1", reason: "no_saving" }]);
  });

  it("A29 every third at 75% off is the cheapest of three", () => {
    const offer = bogoOf("ofr_1", {
      buy: { filter: everything, qty: 2 },
      get: { filter: everything, qty: 1 },
      value: { kind: "percent_off", value: 7500 },
    });
    expect(savingOf(run([lineOf("a", 3000), lineOf("b", 2000), lineOf("c", 999)], [offer]))).toBe(749);
  });

  it("A30 a meal deal is split by what its parts cost", () => {
    const bundle = bundleOf("bdl_1", {
      components: ["sandwich", "drink", "crisps"].map((ref) => ({ ref, qty: 1 })),
      pricing: { kind: "fixed_price", value: 500 },
    });
    const lines = [lineOf("sandwich", 350), lineOf("drink", 120), lineOf("crisps", 180)];
    const { priced, bundles } = run(lines, [], { bundles: [bundle] });
    expect(priced.lines.map(({ net }) => net)).toEqual([269, 92, 139]);
    expect(bundles[0]?.parts.map(({ price }) => price)).toEqual([269, 92, 139]);
  });
});

describe("delivery", () => {
  const free = offerOf("ofr_free", { class: "shipping", value: { kind: "free" }, min_subtotal: 3000 });
  const tenOff = offerOf("ofr_ten", { class: "order", value: { kind: "amount_off", value: 1000 } });
  const shipping = { amount: 499, tax_rate_bps: 0 };

  it("is free from a subtotal after discounts, or before them where the offer says so", () => {
    const lines = [lineOf("a", 3500)];
    // Ten off the goods is worth more than the delivery, and with it the goods fall below the threshold.
    expect(run(lines, [free, tenOff], { shipping }).priced.total).toBe(2999);
    const early = { ...free, effect: { ...free.effect, before_discounts: true } } as OfferRule;
    expect(run(lines, [early, tenOff], { shipping }).priced.total).toBe(2500);
  });

  it("is reduced by an amount, never below nothing", () => {
    const off = offerOf("ofr_1", { class: "shipping", value: { kind: "amount_off", value: 900 } });
    const { priced } = run([lineOf("a", 100)], [off], { shipping });
    expect([priced.total, priced.discount]).toEqual([100, 499]);
  });
});

it("speaks of offers that need a code, and of conditions, in its refusals", () => {
  const secret = offerOf(
    "ofr_code",
    { class: "order", value: { kind: "percent_off", value: 1000 } },
    { trigger: "code" },
  );
  const big = offerOf(
    "ofr_big",
    { class: "order", value: { kind: "percent_off", value: 1000 } },
    { conditions: { match: "all", rules: [{ kind: "subtotal", min: 9999, max: null }] } },
  );
  const gone = offerOf("ofr_gone", { class: "order", value: { kind: "percent_off", value: 1000 } });
  const asked = (unlocked: string[]) =>
    run([lineOf("a", 1000)], [secret, big, gone], {
      unlocked: new Set(unlocked),
      barred: new Map([["ofr_gone", "exhausted"]]),
    });
  expect(asked([]).rejected.map(({ reason }) => reason)).toEqual([
    "condition_subtotal",
    "code_missing",
    "exhausted",
  ]);
  expect(asked(["ofr_code"]).priced.total).toBe(900);
});

const REFS = ["x", "y", "z"];
const someFilter = fc.constantFrom(everything, refs("x"), refs("y"), refs("x", "y"), category("food"));
const someValue = fc.oneof(
  fc.constant({ kind: "free" as const, value: 0 }),
  fc.record({ kind: fc.constant("percent_off" as const), value: fc.integer({ min: 1, max: 10_000 }) }),
  fc.record({ kind: fc.constantFrom("amount_off", "fixed_price"), value: fc.integer({ min: 0, max: 900 }) }),
);
const someLines = fc
  .array(
    fc.record({
      ref: fc.constantFrom(...REFS),
      quantity: fc.integer({ min: 1, max: 4 }),
      unit_price: fc.integer({ min: 0, max: 1200 }),
      tax_rate_bps: fc.constantFrom(0, 500, 2000),
      category: fc.constantFrom(null, "food"),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((lines) => lines.map((line, at) => lineOf(`l${at}`, line.unit_price, line)));
const someClasses = fc.subarray(["bundle", "product", "bogo", "order", "shipping"] as const);
const someOffer = fc
  .record({
    kind: fc.constantFrom("product", "bogo", "order", "shipping"),
    filter: someFilter,
    reward: someFilter,
    value: someValue,
    buy: fc.integer({ min: 1, max: 3 }),
    get: fc.integer({ min: 1, max: 2 }),
    spread: fc.boolean(),
    combines: someClasses,
    exclusive: fc.boolean(),
    priority: fc.integer({ min: 0, max: 2 }),
  })
  .map(({ kind, filter, reward, value, buy, get, spread, combines, exclusive, priority }) => {
    const terms = { combines_with: [...combines], exclusive, priority };
    if (kind === "product") return offerOf("", { class: "product", filter, value }, terms);
    if (kind === "shipping") return offerOf("", { class: "shipping", value }, terms);
    if (kind === "order") {
      const order =
        value.kind === "percent_off" ? value : { kind: "amount_off" as const, value: value.value };
      return offerOf("", { class: "order", value: order }, terms);
    }
    const distribution = spread ? "spread" : "reward_only";
    return bogoOf(
      "",
      { buy: { filter, qty: buy }, get: { filter: reward, qty: get }, value, distribution },
      terms,
    );
  });
const someOffers = fc
  .array(someOffer, { maxLength: 5 })
  .map((offers) => offers.map((offer, at) => ({ ...offer, id: `ofr_${at}`, title: `Offer ${at}` })));
const someBundles = fc.subarray([
  bundleOf("bdl_pair", {
    components: [
      { ref: "x", qty: 1 },
      { ref: "y", qty: 1 },
    ],
    pricing: { kind: "fixed_price", value: 700 },
  }),
  bundleOf("bdl_mix", {
    type: "mix_match",
    groups: [{ name: "any", refs: ["y", "z"], pick_min: 2, pick_max: 3 }],
    pricing: { kind: "percent_off", value: 1500 },
  }),
  bundleOf("bdl_tier", {
    type: "tiered",
    components: [{ ref: "z", qty: 1 }],
    tiers: [
      { qty: 2, kind: "amount_off", value: 30 },
      { qty: 5, kind: "percent_off", value: 2500 },
    ],
  }),
]);
const someShipping = fc.option(
  fc.record({ amount: fc.integer({ min: 0, max: 600 }), tax_rate_bps: fc.constant(null) }),
);
const someCart = fc.record({
  lines: someLines,
  offers: someOffers,
  bundles: someBundles,
  shipping: someShipping,
});
const RUNS = { numRuns: 400 };

describe("any cart", () => {
  it("adds up to the penny, and its trace explains every one of them", () => {
    fc.assert(
      fc.property(someCart, ({ lines, ...more }) => {
        const { priced, choice, bundles } = evaluate(questionOf(lines, more));
        expect(priced.total).toBeGreaterThanOrEqual(0);
        expect(add(priced.trace.map(({ amount }) => amount))).toBe(priced.total);
        for (const line of priced.lines) {
          expect(line.net).toBeGreaterThanOrEqual(0);
          expect(add(line.adjustments.map(({ amount }) => amount))).toBe(line.discount);
        }
        const steps = new Map(
          priced.trace.filter(({ step }) => step === "adjustment").map(({ id, amount }) => [id, -amount]),
        );
        for (const { offer_id: id, saving } of choice.applied) expect(steps.get(id)).toBe(saving);
        const bundled = add(bundles.map(({ saving }) => saving));
        expect(add(choice.applied.map(({ saving }) => saving)) + bundled).toBe(priced.discount);
      }),
      RUNS,
    );
  });

  it("costs the same whatever the order of its lines and offers, and has the same hash", () => {
    fc.assert(
      fc.property(someCart, fc.infiniteStream(fc.nat()), ({ lines, ...more }, numbers) => {
        const shuffled = <T>(items: readonly T[]): T[] =>
          items
            .map((item) => ({ item, at: Number(numbers.next().value) }))
            .sort((a, b) => a.at - b.at)
            .map(({ item }) => item);
        const first = evaluate(questionOf(lines, more));
        const other = evaluate(questionOf(shuffled(lines), { ...more, offers: shuffled(more.offers) }));
        expect(other.priced.total).toBe(first.priced.total);
        const savings = ({ choice }: Evaluation) =>
          choice.applied.map(({ offer_id: id, saving }) => [id, saving]);
        expect(savings(other)).toEqual(savings(first));
        const again = evaluate(questionOf(lines, { ...more, offers: shuffled(more.offers) }));
        expect(again.pricing_hash).toBe(first.pricing_hash);
      }),
      RUNS,
    );
  });

  it("costs the same when a line is split in two", () => {
    fc.assert(
      fc.property(someCart, ({ lines, ...more }) => {
        const split = lines.flatMap((line) =>
          line.quantity === 1
            ? [line]
            : [
                { ...line, quantity: 1 },
                { ...line, id: `${line.id}b`, quantity: line.quantity - 1 },
              ],
        );
        expect(evaluate(questionOf(split, more)).priced.total).toBe(
          evaluate(questionOf(lines, more)).priced.total,
        );
      }),
      RUNS,
    );
  });
});
