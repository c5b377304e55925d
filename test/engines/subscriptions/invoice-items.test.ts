import * as fc from "fast-check";
import { expect, it } from "vitest";

import { creditNoteOf, invoiceOf } from "../../../server/engines/subscriptions/rules/new-invoice.ts";
import { cycleCharge } from "../../../server/engines/subscriptions/rules/open-charge.ts";
import { sum } from "../../../server/lib/money.ts";
import { contractOf, NOW } from "./fixture.ts";

const rate = fc.constantFrom(0, 500, 1750, 2000);
const line = fc.record({
  product_ref: fc.constant("p"),
  title: fc.constant("Thing"),
  quantity: fc.integer({ min: 1, max: 9 }),
  unit_price: fc.integer({ min: 0, max: 9999 }),
  tax_rate_bps: rate,
});
const terms = fc.record({
  lines: fc.array(line, { minLength: 1, maxLength: 5 }),
  tax_included: fc.boolean(),
  shipping_price: fc.integer({ min: 0, max: 999 }),
  shipping_tax_rate_bps: fc.option(rate, { nil: null }),
  percent: fc.integer({ min: 0, max: 10_000 }),
  credit: fc.integer({ min: 0, max: 20_000 }),
  carried: fc.option(fc.record({ net: fc.integer({ min: 1, max: 5000 }), bps: rate }), { nil: null }),
});

function chargeOf({
  percent,
  credit,
  carried,
  ...more
}: typeof terms extends fc.Arbitrary<infer T> ? T : never) {
  const discounts = [{ id: "dis_1", title: "Off", kind: "percent", value: percent }];
  const tax = carried === null ? 0 : Math.round((carried.net * carried.bps) / 10_000);
  const entries = carried === null ? [] : [{ id: "chn_1", title: "Change", amount: carried.net + tax, tax }];
  return cycleCharge(contractOf({ ...more, discounts }, { credit, carried: entries }), 0, { now: NOW });
}

it("lines, rates and totals of an invoice add up to what is collected", () => {
  fc.assert(
    fc.property(terms, (draft) => {
      const charge = chargeOf(draft);
      const invoice = invoiceOf(charge, draft.shipping_tax_rate_bps);
      expect(invoice.total).toBe(charge.amount_due);
      expect(invoice.net + invoice.tax).toBe(invoice.total);
      for (const key of ["net", "tax"] as const) {
        expect(sum(invoice.items.map((item) => item[key]))).toBe(invoice[key]);
        expect(sum(invoice.taxes.map((group) => group[key]))).toBe(invoice[key]);
      }
      for (const item of invoice.items) expect(item.net + item.tax).toBe(item.total);
      // Without a credit the VAT is that of the charge, and each rate's VAT is its rate of the net amount, but for rounding.
      if (charge.credit_applied > 0) return;
      expect(invoice.tax).toBe(charge.tax + charge.carried_tax);
      for (const { tax_rate_bps: bps, net, tax } of invoice.taxes) {
        // Each rate is rounded once, and so is each change that was carried over.
        const roundings = draft.carried === null ? 0.5 : 1.5;
        expect(Math.abs(tax - ((net + tax) * bps) / (10_000 + bps))).toBeLessThanOrEqual(roundings);
      }
    }),
  );
});

it("the tax of delivery that follows the goods is that of each rate on the sum of goods and delivery", () => {
  const goods = [
    { product_ref: "bread", title: "Bread", quantity: 3, unit_price: 433, tax_rate_bps: 700 },
    { product_ref: "wine", title: "Wine", quantity: 1, unit_price: 999, tax_rate_bps: 1900 },
  ];
  const terms = { lines: goods, tax_included: true, shipping_price: 490 };
  const charge = cycleCharge(contractOf(terms), 0, { now: NOW });
  // 1576 at 7% and 1212 at 19%, tax included.
  expect(invoiceOf(charge, null).taxes).toEqual([
    { tax_rate_bps: 700, net: 1473, tax: 103 },
    { tax_rate_bps: 1900, net: 1018, tax: 194 },
  ]);
});

it("credit notes over the whole invoice, in any parts, take back each rate to the minor unit", () => {
  fc.assert(
    fc.property(terms, fc.array(fc.integer({ min: 1, max: 5000 }), { maxLength: 5 }), (draft, parts) => {
      const charge = chargeOf(draft);
      const invoice = invoiceOf(charge, draft.shipping_tax_rate_bps);
      let before = 0;
      const notes = [...parts, invoice.total].flatMap((part) => {
        const amount = Math.min(part, invoice.total - before);
        if (amount === 0) return [];
        const note = creditNoteOf(invoice, before, amount, "Refund");
        expect(note.total).toBe(-amount);
        before += amount;
        return [note];
      });
      for (const { tax_rate_bps: bps, net, tax } of invoice.taxes) {
        const own = notes.flatMap((note) => note.taxes.filter((group) => group.tax_rate_bps === bps));
        expect([net + sum(own.map((group) => group.net)), tax + sum(own.map((group) => group.tax))]).toEqual([
          0, 0,
        ]);
      }
    }),
  );
});

it("a credit note over a change from one rate of tax to another takes back both", () => {
  const items = [itemAt(0, 1500, 0), itemAt(2000, -500, -100)];
  const taxes = items.map(({ tax_rate_bps, net, tax }) => ({ tax_rate_bps, net, tax }));
  const invoice = { items, taxes, net: 1000, tax: -100, total: 900 };
  expect(creditNoteOf(invoice, 0, 900, "Refund").taxes).toEqual([
    { tax_rate_bps: 0, net: -1500, tax: 0 },
    { tax_rate_bps: 2000, net: 500, tax: 100 },
  ]);
  const [first, second] = [
    creditNoteOf(invoice, 0, 300, "Refund"),
    creditNoteOf(invoice, 300, 600, "Refund"),
  ];
  expect([first.total, second.total, first.tax + second.tax]).toEqual([-300, -600, 100]);
});

const itemAt = (rate: number, net: number, tax: number) => ({
  title: "Change",
  quantity: 1,
  unit_price: net,
  discount: 0,
  tax_rate_bps: rate,
  net,
  tax,
  total: net + tax,
});
