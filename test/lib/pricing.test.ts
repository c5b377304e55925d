import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { price } from "../../server/lib/pricing.ts";
import type { Adjustment, PriceLine } from "../../server/lib/pricing.ts";

const line = (id: string, unitPrice: number, more: Partial<PriceLine> = {}): PriceLine => ({
  id,
  quantity: 1,
  unit_price: unitPrice,
  tax_rate_bps: 0,
  ...more,
});
const off = (take: Adjustment["take"], lineIds: readonly string[] | null = null): Adjustment => ({
  id: "adj",
  title: "Offer",
  line_ids: lineIds,
  take,
});
const add = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

describe("price", () => {
  it("multiplies, adds delivery and tax on top", () => {
    const priced = price({
      lines: [line("a", 1800, { quantity: 2, tax_rate_bps: 2000 }), line("b", 500)],
      fees: [{ id: "delivery", amount: 300, tax_rate_bps: 2000 }],
      tax_included: false,
    });
    expect(priced).toMatchObject({ subtotal: 4100, discount: 0, fee_total: 300, tax: 780, total: 5180 });
    expect(priced.taxes).toEqual([
      { tax_rate_bps: 0, taxable: 500, tax: 0 },
      { tax_rate_bps: 2000, taxable: 3900, tax: 780 },
    ]);
  });

  it("leaves the total alone when prices include the tax, and says how much it is", () => {
    const priced = price({ lines: [line("a", 1200, { tax_rate_bps: 2000 })], tax_included: true });
    expect([priced.total, priced.tax, priced.taxes[0]?.taxable]).toEqual([1200, 200, 1000]);
  });

  it("lets the tax of delivery follow the goods", () => {
    const priced = price({
      lines: [line("standard", 3000, { tax_rate_bps: 2000 }), line("zero", 1000)],
      fees: [{ id: "delivery", amount: 400, tax_rate_bps: null }],
      tax_included: false,
    });
    // Three quarters of the delivery belong to goods at 20%.
    expect(priced.fees[0]?.tax).toBe(60);
    expect([priced.tax, priced.total]).toEqual([660, 5060]);
    const bare = price({
      lines: [],
      fees: [{ id: "d", amount: 400, tax_rate_bps: null }],
      tax_included: false,
    });
    expect([bare.tax, bare.total]).toEqual([0, 400]);
  });

  it.each([
    ["A24 30% off 25999", [line("a", 25_999)], off({ kind: "percent", bps: 3000 }), 18_199],
    ["A25 25% off 1999", [line("a", 1999)], off({ kind: "percent", bps: 2500 }), 1499],
    ["an amount, at most what it costs", [line("a", 500)], off({ kind: "amount", amount: 700 }), 0],
    [
      "a fixed price that is higher changes nothing",
      [line("a", 500)],
      off({ kind: "fixed", amount: 700 }),
      500,
    ],
    ["more than all", [line("a", 500)], off({ kind: "percent", bps: 20_000 }), 0],
    ["a line that is not there", [line("a", 500)], off({ kind: "percent", bps: 5000 }, ["b"]), 500],
    ["one of two lines", [line("a", 500), line("b", 500)], off({ kind: "percent", bps: 5000 }, ["b"]), 750],
    [
      "chosen units",
      [line("a", 500), line("b", 900)],
      off({ kind: "each", amounts: { a: 200, b: 9000 } }),
      300,
    ],
  ])("%s", (_, lines, adjustment, total) =>
    expect(price({ lines, adjustments: [adjustment], tax_included: false }).total).toBe(total),
  );

  it("A30 a meal deal at one price is split by what its parts cost", () => {
    const lines = [line("sandwich", 350), line("crisps", 120), line("drink", 180)];
    const priced = price({ lines, adjustments: [off({ kind: "fixed", amount: 500 })], tax_included: false });
    expect(priced.lines.map(({ net }) => net)).toEqual([269, 92, 139]);
  });

  it.each([
    ["less than they are", 100, [75, 25], 300, 50],
    ["more than they are", 900, [300, 100], 0, 0],
    ["nothing", 0, [0, 0], 400, 67],
  ] as const)("takes an amount off the fees together: %s", (...[, amount, discounts, left, tax]) => {
    const priced = price({
      lines: [line("a", 1000)],
      fees: [
        { id: "delivery", amount: 300, tax_rate_bps: 2000 },
        { id: "packing", amount: 100, tax_rate_bps: 2000 },
      ],
      adjustments: [off({ kind: "fee_amount", amount })],
      tax_included: true,
    });
    expect(priced.fees.map(({ discount }) => discount)).toEqual(discounts);
    expect([priced.total, priced.fees.reduce((all, fee) => all + fee.tax, 0)]).toEqual([1000 + left, tax]);
    expect(priced.lines[0]?.discount).toBe(0);
    expect(priced.trace.find(({ step }) => step === "adjustment")?.amount).toBe(left - 400 || 0);
  });

  it("applies adjustments one after the other, and free delivery to the fees", () => {
    const priced = price({
      lines: [line("a", 1000)],
      fees: [{ id: "delivery", amount: 300, tax_rate_bps: 0 }],
      adjustments: [
        off({ kind: "percent", bps: 1000 }),
        off({ kind: "percent", bps: 1000 }),
        off({ kind: "fees", bps: 10_000 }),
      ],
      tax_included: false,
    });
    expect([priced.discount, priced.total]).toEqual([490, 810]);
    expect(priced.lines[0]?.adjustments).toEqual([
      { id: "adj", amount: 100 },
      { id: "adj", amount: 90 },
    ]);
    expect(priced.trace.map(({ step, amount }) => [step, amount])).toEqual([
      ["lines", 1000],
      ["adjustment", -100],
      ["adjustment", -90],
      ["adjustment", -300],
      ["fees", 300],
      ["tax", 0],
    ]);
  });

  it("rounds the total to the smallest coin, and shows it", () => {
    const priced = price({ lines: [line("a", 1003)], tax_included: true, round_total_to: 5 });
    expect([priced.total, priced.rounding, priced.trace.at(-1)?.step]).toEqual([1005, 2, "rounding"]);
  });
});

const takes = fc.oneof(
  fc.record({ kind: fc.constant("percent" as const), bps: fc.integer({ min: 0, max: 12_000 }) }),
  fc.record({ kind: fc.constant("amount" as const), amount: fc.integer({ min: 0, max: 50_000 }) }),
  fc.record({ kind: fc.constant("fixed" as const), amount: fc.integer({ min: 0, max: 50_000 }) }),
  fc.record({ kind: fc.constant("fees" as const), bps: fc.integer({ min: 0, max: 10_000 }) }),
);
const questions = fc.record({
  lines: fc
    .array(
      fc.record({
        quantity: fc.integer({ min: 1, max: 20 }),
        unit_price: fc.integer({ min: 0, max: 20_000 }),
        tax_rate_bps: fc.constantFrom(0, 500, 2000),
      }),
      { maxLength: 12 },
    )
    .map((lines) => lines.map((one, at) => ({ ...one, id: `l${at}` }))),
  fees: fc
    .array(
      fc.record({
        amount: fc.integer({ min: 0, max: 2000 }),
        tax_rate_bps: fc.constantFrom(null, 0, 2000),
      }),
      { maxLength: 2 },
    )
    .map((fees) => fees.map((one, at) => ({ ...one, id: `f${at}` }))),
  adjustments: fc.array(
    takes.map((take) => off(take)),
    { maxLength: 4 },
  ),
  tax_included: fc.boolean(),
  round_total_to: fc.constantFrom(1, 5),
});

describe("any price", () => {
  it("adds up by line, by fee, by rate and by step, and is never negative", () => {
    fc.assert(
      fc.property(questions, (question) => {
        const priced = price(question);
        const { lines, fees, taxes, trace } = priced;
        expect(priced.total).toBe(
          priced.subtotal -
            priced.discount +
            priced.fee_total +
            (priced.tax_included ? 0 : priced.tax) +
            priced.rounding,
        );
        expect(priced.total).toBeGreaterThanOrEqual(0);
        expect(add(trace.map(({ amount }) => amount))).toBe(priced.total);
        expect(add([...lines, ...fees].map(({ tax }) => tax))).toBe(priced.tax);
        expect(add(taxes.map(({ tax }) => tax))).toBe(priced.tax);
        expect(add([...lines, ...fees].map(({ discount }) => discount))).toBe(priced.discount);
        for (const { net, subtotal, discount, adjustments } of lines) {
          expect(net).toBe(subtotal - discount);
          expect(net).toBeGreaterThanOrEqual(0);
          expect(add(adjustments.map(({ amount }) => amount))).toBe(discount);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("does not depend on the order of lines where they are adjusted together", () => {
    const shuffled = questions.chain((question) =>
      fc.tuple(
        fc.constant(question),
        fc.shuffledSubarray(question.lines, { minLength: question.lines.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([question, lines]) => {
        // Shares of one discount may fall on either of two equal lines; where their rates differ, so does the tax.
        const oneRate = (all: readonly PriceLine[]) => all.map((one) => ({ ...one, tax_rate_bps: 2000 }));
        const first = price({ ...question, lines: oneRate(question.lines) });
        const second = price({ ...question, lines: oneRate(lines) });
        expect([second.total, second.tax, second.discount]).toEqual([first.total, first.tax, first.discount]);
      }),
    );
  });

  it("is the same twice", () => {
    fc.assert(
      fc.property(questions, (question) => {
        expect(price(question)).toEqual(price(question));
      }),
    );
  });
});
