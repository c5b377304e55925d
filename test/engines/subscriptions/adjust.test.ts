import * as fc from "fast-check";
import { expect, it } from "vitest";

import { adjustmentMoney } from "../../../server/engines/subscriptions/rules/adjust.ts";
import { linesTotal } from "../../../server/engines/subscriptions/rules/price-cycle.ts";
import { prorate } from "../../../server/engines/subscriptions/rules/prorate.ts";
import { contractOf } from "./fixture.ts";

const linesOf = (drawn: readonly (readonly [number, number])[]) =>
  contractOf({
    lines: drawn.map(([unit_price, tax_rate_bps], at) => ({
      product_ref: `p${at}`,
      title: "x",
      quantity: 1,
      unit_price,
      tax_rate_bps,
    })),
  }).lines;

it("gives the difference by rate of tax", () => {
  const exchange = { from: linesOf([[1200, 2000]]), to: linesOf([[3000, 0]]), cycle: 0 };
  const money = adjustmentMoney(contractOf(), exchange, { credit: 600, debit: 1500, net: 900 });
  expect(money.lines.map(({ tax_rate_bps: rate, subtotal, tax }) => [rate, subtotal, tax])).toEqual([
    [0, 1500, 0],
    [2000, -600, -100],
  ]);
  expect(money).toMatchObject({ subtotal: 900, tax: -100, total: 900 });
});

const drawnLines = fc.array(fc.tuple(fc.nat(100_000), fc.constantFrom(0, 500, 2000)), {
  minLength: 1,
  maxLength: 5,
});

it("adds up exactly, whatever changes into what, with tax inside or on top", () => {
  fc.assert(
    fc.property(
      drawnLines,
      drawnLines,
      fc.boolean(),
      fc.integer({ min: 1, max: 30 }),
      (from, to, included, day) => {
        const contract = { ...contractOf(), tax_included: included };
        const exchange = { from: linesOf(from), to: linesOf(to), cycle: 0 };
        const part = {
          oldAmount: linesTotal(contract, exchange.from, 0),
          newAmount: linesTotal(contract, exchange.to, 0),
          share: { unused: 31 - day, whole: 30 },
        };
        const { proration } = prorate([part], { mode: "day" });
        const money = adjustmentMoney(contract, exchange, proration);
        expect(money.subtotal + (included ? 0 : money.tax)).toBe(proration.net);
        expect(money.total).toBe(proration.net);
      },
    ),
  );
});
