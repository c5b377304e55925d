import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createShop, event, line, pointersOf, prospect, sendQuote } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

const newOrder = (more: object = {}) =>
  shop.make("/orders", {
    contact: prospect,
    title: "Lunch",
    lines: [line(1000)],
    event: event(),
    heads: 30,
    ...more,
  });
const transfer = (amount: number, reference: string) => ({ amount, method: "bank_transfer", reference });

describe("payments of an order", () => {
  it("are recorded once by their reference, method and amount", async () => {
    const { id } = await newOrder();
    const pay = (amount: number, reference: string) =>
      shop.make(`/orders/${id}/payments`, transfer(amount, reference));
    await pay(10_000, "TX-1");
    const again = await pay(10_000, "TX-1");
    expect([again.paid, again.payments.length]).toEqual([10_000, 1]);
    expect((await pay(10_000, "TX-2")).paid).toBe(20_000);
    const both = await Promise.all([1, 2].map(() => pay(5000, "TX-3")));
    expect(both.map(({ paid }) => paid)).toEqual([25_000, 25_000]);
  });

  it("are never more than is owed", async () => {
    const { id } = await newOrder();
    const answer = await shop.post(`/orders/${id}/payments`, transfer(30_001, "TX-1"));
    expect([answer.status, pointersOf(answer)]).toEqual([422, ["#/amount"]]);
    expect((await shop.make(`/orders/${id}/payments`, transfer(30_000, "TX-1"))).balance).toBe(0);
    expect((await shop.post(`/orders/${id}/payments`, transfer(1, "TX-2"))).status).toBe(422);
  });
});

describe("payments of an invoice", () => {
  it("are recorded once by their reference, also with the last of which it is paid", async () => {
    const { id: order } = await newOrder();
    await shop.post(`/orders/${order}/confirm`, { force: true });
    await shop.make(`/orders/${order}/deliver`, {});
    const { id } = await shop.make("/invoices", { account_id: null, order_ids: [order] });
    const pay = (amount: number, reference: string) =>
      shop.post(`/invoices/${id}/payments`, transfer(amount, reference));
    expect((await pay(10_000, "TX-1")).status).toBe(200);
    const again = await pay(10_000, "TX-1");
    expect([again.status, again.json.data.paid]).toEqual([200, 10_000]);
    expect((await pay(20_001, "TX-2")).status).toBe(422);
    expect((await pay(20_000, "TX-2")).json.data.status).toBe("paid");
    expect((await pay(20_000, "TX-2")).json.data).toMatchObject({ status: "paid", paid: 30_000 });
  });
});

it("the page of a quote with a deposit shows the bank details", async () => {
  await shop.call("PATCH", "/settings", { bank_details: "Sort code 00-00-00\nAccount 12345678" });
  const { link, quote } = await sendQuote(shop);
  const { text } = await shop.visit(link);
  expect(text).toContain("Account 12345678");
  expect(text).toContain(`Use the reference Q-${quote.number}.`);
  await shop.call("PATCH", "/settings", { bank_details: "" });
  expect((await shop.visit(link)).text).not.toContain("Use the reference");
});
