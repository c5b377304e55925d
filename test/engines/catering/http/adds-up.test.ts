import * as fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";

import { seeded } from "../../../seeded.ts";
import { createShop, line, linkIn, prospect, event, sendQuote } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

/** Pence of the last cell of each row of a part of a page's table. */
const amountsIn = (text: string, part: "tbody" | "tfoot"): number[] =>
  [
    ...(text.split(`<${part}>`)[1]?.split(`</${part}>`)[0] ?? "").matchAll(
      /<td class="n[^"]*">(-?)£([\d,.]+)<\/td>\s*<\/tr>/g,
    ),
  ].map(
    ([, sign, amount]) =>
      Math.round(Number((amount ?? "").replaceAll(",", "")) * 100) * (sign === "-" ? -1 : 1),
  );
const total = (amounts: readonly number[]): number => amounts.reduce((all, one) => all + one, 0);

const drawnLine = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ unit_price: fc.nat(5000), tax_rate_bps: fc.constantFrom(0, 500, 2000) }),
  },
  fc.record({
    type: fc.constantFrom("delivery", "fixed"),
    unit_price: fc.nat(9000),
    tax_rate_bps: fc.constantFrom(0, 2000),
  }),
  fc.record({
    type: fc.constantFrom("discount", "service_charge"),
    rate_bps: fc.nat(3000),
    unit_price: fc.constant(0),
  }),
  fc.record({ type: fc.constant("discount"), unit_price: fc.nat(9000) }),
);
const drawn = fc.record({
  lines: fc.array(drawnLine, { minLength: 1, maxLength: 6 }),
  heads: fc.integer({ min: 1, max: 90 }),
  included: fc.boolean(),
});

it("£450 less £50 and £15 of delivery is £415 on the page", async () => {
  const { link } = await sendQuote(shop, {
    lines: [
      line(1500),
      line(5000, { type: "discount", title: "Discount" }),
      line(1500, { type: "delivery", title: "Delivery" }),
    ],
  });
  const { text } = await shop.visit(link);
  expect(amountsIn(text, "tbody")).toEqual([45_000, -5000, 1500]);
  expect(amountsIn(text, "tfoot").at(-1)).toBe(41_500);
});

it("the lines of a quote add up to its total, in the answer and on the page", async () => {
  await fc.assert(
    fc.asyncProperty(drawn, async ({ lines, heads, included }) => {
      await shop.call("PATCH", "/settings", { tax_included: included });
      const { quote, link } = await sendQuote(shop, {
        lines: lines.map((one) => line(1000, one)),
        headcount: { estimate: heads },
      });
      const { totals } = quote;
      const shown = totals.lines.map(({ amount }: { amount: number }) => amount);
      expect(total(shown) + (included ? 0 : totals.tax)).toBe(totals.total);
      const { text } = await shop.visit(link);
      const foot = amountsIn(text, "tfoot");
      const taxes = included ? 0 : total(foot.slice(0, -1));
      expect(total(amountsIn(text, "tbody")) + taxes).toBe(foot.at(-1));
      expect(foot.at(-1)).toBe(totals.total);
    }),
    seeded(60),
  );
}, 60_000);

it("the items of an invoice add up to its net, VAT and total, in the answer and on the page", async () => {
  await fc.assert(
    fc.asyncProperty(drawn, async ({ lines, heads, included }) => {
      await shop.call("PATCH", "/settings", { tax_included: included });
      const order = await shop.make("/orders", {
        contact: prospect,
        title: "Lunch",
        lines: [...lines, { unit_price: 100 }].map((one) => line(1000, one)),
        event: event(),
        heads,
      });
      await shop.make(`/orders/${order.id}/confirm`, { force: true });
      const { id, total: due } = await shop.make(`/orders/${order.id}/deliver`, {});
      fc.pre(due > 0);
      const invoice = await shop.make("/invoices", { account_id: null, order_ids: [id] });
      const items: { net: number; tax: number; total: number }[] = invoice.orders[0].items;
      const sums = (["net", "tax", "total"] as const).map((member) => total(items.map((one) => one[member])));
      expect(sums).toEqual([invoice.net, invoice.tax, invoice.total]);
      expect(invoice.total).toBe(due);
      expect(total(invoice.taxes.map(({ tax }: { tax: number }) => tax))).toBe(invoice.tax);
      const { text } = await shop.visit(
        await linkIn(shop, "catering-invoice", { number: String(invoice.number) }),
      );
      const foot = amountsIn(text, "tfoot");
      expect(total(amountsIn(text, "tbody"))).toBe(invoice.net);
      expect(total(foot.slice(0, -2))).toBe(invoice.total);
      expect(foot.slice(-2)).toEqual([invoice.total, invoice.total]);
    }),
    seeded(40),
  );
}, 60_000);
