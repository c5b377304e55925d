import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { priceEvent } from "../../../server/engines/catering/rules/price-event.ts";
import type { Line } from "../../../server/engines/catering/schema/parts.ts";
import { line } from "./make.ts";

const priceOf = (lines: Line[], heads = 30, tax_included = true) =>
  priceEvent({ lines, heads, tax_included });

describe("priceEvent", () => {
  it("adds food, delivery and a service charge of the food after discounts", () => {
    const totals = priceOf([
      line({ id: "food" }),
      line({ id: "less", type: "discount", rate_bps: 1000 }),
      line({ id: "off", type: "discount", unit_price: 850 }),
      line({ id: "van", type: "delivery", unit_price: 1500 }),
      line({ id: "service", type: "service_charge", rate_bps: 1000 }),
    ]);
    // 38850 - 850 = 38000, less a tenth = 34200, and a tenth of that is 3420.
    expect(totals).toMatchObject({ subtotal: 38_850, discount: 4650, fees: 4920, total: 39_120 });
    expect(totals.lines).toEqual([
      { line_id: "food", quantity: 30, amount: 38_850, discount: 4650, tax_rate_bps: 0, tax: 0 },
      { line_id: "less", quantity: 1, amount: -3800, discount: 0, tax_rate_bps: null, tax: 0 },
      { line_id: "off", quantity: 1, amount: -850, discount: 0, tax_rate_bps: null, tax: 0 },
      { line_id: "van", quantity: 1, amount: 1500, discount: 0, tax_rate_bps: 0, tax: 0 },
      { line_id: "service", quantity: 1, amount: 3420, discount: 0, tax_rate_bps: 0, tax: 0 },
    ]);
  });

  it("shows how many deliveries there are, as quotes and invoices list them", () => {
    const van = line({ id: "van", type: "delivery", unit_price: 1500, quantity: 3 });
    const { fees, lines } = priceOf([line(), van]);
    expect(fees).toBe(4500);
    expect(lines[1]).toMatchObject({ line_id: "van", quantity: 3, amount: 4500 });
  });

  it("works tax out by rate, inside the price or on top", () => {
    const lines = [line({ tax_rate_bps: 2000 }), line({ id: "lin_2", unit_price: 100, tax_rate_bps: 0 })];
    expect(priceOf(lines)).toMatchObject({ total: 41_850, tax: 6475 });
    expect(priceOf(lines, 30, false)).toMatchObject({ total: 49_620, tax: 7770 });
  });

  it("leaves out what is optional and not selected", () =>
    expect(priceOf([line(), line({ id: "wine", optional: true, selected: false })]).total).toBe(38_850));

  it("prices a graduated line as one", () => {
    const graduated = line({ tier_mode: "graduated", volume_tiers: [{ from_heads: 21, unit_price: 1000 }] });
    const totals = priceOf([graduated]);
    expect(totals.total).toBe(20 * 1295 + 10 * 1000);
    expect(totals.lines).toMatchObject([{ line_id: "lin_1", quantity: 30, amount: 35_900 }]);
    expect(totals.per_head).toBe(1197);
  });

  it("is nothing for nobody", () => expect(priceOf([line()], 0)).toMatchObject({ total: 0, per_head: null }));

  it("adds up exactly, and does not depend on the order of the lines", () => {
    const food = fc.record({ unit_price: fc.nat(100_000), tax_rate_bps: fc.constantFrom(0, 500, 2000) });
    const others = fc.record({
      type: fc.constantFrom("discount" as const, "delivery" as const, "service_charge" as const),
      unit_price: fc.nat(10_000),
      rate_bps: fc.option(fc.integer({ min: 0, max: 10_000 })),
      tax_rate_bps: fc.constantFrom(0, 2000),
    });
    fc.assert(
      fc.property(
        fc.array(food, { maxLength: 6 }),
        fc.array(others, { maxLength: 3 }),
        fc.nat(200),
        fc.boolean(),
        (a, b, heads, included) => {
          const lines = [
            ...a.map((more, at) => line({ id: `a${at}`, ...more })),
            ...b.map(({ rate_bps, ...more }, at) =>
              line({ id: `b${at}`, ...more, rate_bps: more.type === "delivery" ? null : rate_bps }),
            ),
          ];
          const totals = priceOf(lines, heads, included);
          const { discount, fees, subtotal, tax, total } = totals;
          expect(total).toBe(subtotal - discount + fees + (included ? 0 : tax));
          expect(total).toBeGreaterThanOrEqual(0);
          const all = (member: "amount" | "discount" | "tax"): number =>
            totals.lines.reduce((before, one) => before + one[member], 0);
          expect(all("amount") + (included ? 0 : tax)).toBe(total);
          expect([all("discount"), all("tax")]).toEqual([discount, tax]);
          expect(totals.taxes.reduce((all, group) => all + group.tax, 0)).toBe(tax);
          expect(priceOf(lines.toReversed(), heads, included).subtotal).toBe(subtotal);
          const simple = lines.filter(({ type }) => type !== "discount");
          expect(priceOf(simple.toReversed(), heads, included).total).toBe(
            priceOf(simple, heads, included).total,
          );
        },
      ),
    );
  });
});
