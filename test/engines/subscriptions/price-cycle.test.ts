import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { linesAt, linesTotal, priceCycle } from "../../../server/engines/subscriptions/rules/price-cycle.ts";
import { contractOf } from "./fixture.ts";

describe("priceCycle", () => {
  it("takes the lines of the cycle alone, then those of a change, then the contract's", () => {
    const contract = contractOf();
    const other = contract.lines.map((line) => ({ ...line, unit_price: 1 }));
    const change = { at_cycle: 2, lines: other, interval: null };
    const changed = {
      ...contract,
      pending_change: change,
      overrides: { "3": { skip: false, date: null, lines: contract.lines } },
    };
    expect([1, 2, 3].map((index) => linesAt(changed, index)[0]?.unit_price)).toEqual([1000, 1, 1000]);
  });

  it("what lines are worth leaves the delivery out", () => {
    const contract = contractOf({ shipping_price: 300 });
    expect(linesTotal(contract, contract.lines, 0)).toBe(1000);
    expect(priceCycle(contract, 0).money.total).toBe(1300);
  });

  it("I2 total is lines less discount and delivery and tax, for any lines", () => {
    const lines = fc.array(
      fc.record({
        product_ref: fc.constant("x"),
        title: fc.constant("x"),
        quantity: fc.integer({ min: 1, max: 9 }),
        unit_price: fc.integer({ min: 0, max: 9999 }),
        tax_rate_bps: fc.constantFrom(0, 500, 2000),
      }),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(lines, fc.boolean(), fc.integer({ min: 0, max: 10_000 }), (items, included, off) => {
        const discounts = [{ id: "off", title: "Off", kind: "percent", value: off }];
        const contract = contractOf({ lines: items, tax_included: included, shipping_price: 250, discounts });
        const { money } = priceCycle(contract, 0);
        const tax = money.tax_included ? 0 : money.tax;
        expect(money.total).toBe(money.subtotal - money.discount + money.shipping + tax);
        expect(money.total).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
