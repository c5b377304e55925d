import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { startStripeDouble } from "../../../support/stripe-double.ts";
import { BASE_URL, outgoing } from "../../subscriptions/stripe-world.ts";
import { createShop, event, line, pointersOf, prospect, refusal, sendQuote } from "./shop.ts";
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

it("an invoice takes a hundred payments", async () => {
  const { id: order } = await newOrder();
  await shop.post(`/orders/${order}/confirm`, { force: true });
  await shop.make(`/orders/${order}/deliver`, {});
  const { id } = await shop.make("/invoices", { account_id: null, order_ids: [order] });
  const answers: string[] = [];
  for (let n = 0; n < 101; n += 1)
    answers.push(refusal(await shop.post(`/invoices/${id}/payments`, transfer(1, `TX-${n}`))));
  expect(answers.filter((answer) => answer === "200")).toHaveLength(100);
  expect(answers.at(-1)).toBe("409 limit_reached");
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

describe("the deposit on the page of a quote", () => {
  const accept = { action: "accept", name: "Ada", email: "ada@office.example", agree: "yes" };
  /** Accepts a quote with a deposit of half; gives the link and the order. */
  async function accepted() {
    const { link, quote } = await sendQuote(shop);
    const page = await shop.visit(link, { ...accept, hash: quote.hash });
    const { order_id: id } = await shop.read(`/quotes/${quote.id}`);
    return { link, hash: quote.hash as string, page, id: id as string };
  }
  const orderOf = (id: string) => shop.read(`/orders/${id}`);
  const subscriptions = (path: string, body: object) =>
    shop.harness.call("POST", `/v1/subscriptions${path}`, { key: shop.key, body });

  it("is paid at a gateway for tests, once, and confirms the order", async () => {
    expect((await accepted()).page.text).not.toContain("by card");
    await subscriptions("/gateways", { title: "Test", kind: "test" });
    const { link, hash, page, id } = await accepted();
    const due = (await orderOf(id)).deposit_schedule[0].amount;
    expect(page.text).toContain("by card");
    const left = await shop.visit(link, { action: "pay", hash });
    const back = /url=([^"]+)"/.exec(left.text)?.[1] ?? "";
    for (const _ of [1, 2]) expect((await shop.visit(back)).text).toContain("is paid. Thank you.");
    expect(await orderOf(id)).toMatchObject({
      paid: due,
      status: "confirmed",
      payments: [{ method: "card" }],
    });
    const forged = back.replace(/session_id=[^.]+/, "session_id=eyJhIjoxfQ");
    expect((await shop.visit(forged)).status).toBe(200);
    expect((await orderOf(id)).paid).toBe(due);
    expect((await shop.visit(link, { action: "pay", hash })).text).toContain("Nothing is due");
  });

  it("is paid at Stripe: by the return of the customer, by the event, by both, always once", async () => {
    await shop.harness.close();
    shop = await createShop({ config: { baseUrl: BASE_URL }, ...outgoing });
    const stripe = await startStripeDouble({ now: shop.harness.clock.now });
    await subscriptions("/gateways", {
      title: "Cards",
      kind: "stripe",
      secret_key: stripe.apiKey,
      url: stripe.url,
    });
    const deliver = async () => {
      for (const { url, body, headers } of stripe.account.outbox.splice(0)) {
        const { json } = await shop.harness.call("POST", new URL(url).pathname, { body, headers });
        // The payment itself is reported too: it belongs to no charge of a subscription.
        expect(json.outcome).toBe(JSON.parse(body).type.startsWith("checkout") ? "applied" : "unknown");
      }
    };
    for (const way of ["return", "event", "both"]) {
      const { link, hash, id } = await accepted();
      const due = (await orderOf(id)).deposit_schedule[0].amount;
      const pages = [];
      for (const _ of [1, 2]) {
        const left = await shop.visit(link, { action: "pay", hash });
        pages.push(/url=[^"]*\/(cs_test_\d+)"/.exec(left.text)?.[1] ?? "");
      }
      // Two tabs open one page.
      expect(pages[0]).toBe(pages[1]);
      const back = stripe.account.completeSession(pages[0] ?? "", "ok");
      if (way === "event") stripe.account.outbox.push(...structuredClone(stripe.account.outbox));
      if (way !== "return") await deliver();
      if (way !== "event") expect((await shop.visit(back)).text).toContain("is paid. Thank you.");
      stripe.account.outbox.length = 0;
      const order = await orderOf(id);
      expect([order.paid, order.status, order.payments.length]).toEqual([due, "confirmed", 1]);
    }
    expect(stripe.account.ledger.map(({ kind }) => kind)).toEqual(["payment", "payment", "payment"]);
    await stripe.close();
  });

  it("leaves half of the requests to other servers to the shop, however often the page is opened", async () => {
    await shop.harness.close();
    shop = await createShop({ config: { baseUrl: BASE_URL }, ...outgoing });
    const stripe = await startStripeDouble({ now: shop.harness.clock.now });
    const gateway = { title: "Cards", kind: "stripe", secret_key: stripe.apiKey, url: stripe.url };
    await subscriptions("/gateways", gateway);
    const { link } = await accepted();
    const left = async () =>
      (await shop.harness.call("GET", "/v1/account/usage/budgets", { key: shop.key })).json.data.find(
        ({ budget }: { budget: string }) => budget === "outgoing",
      );
    const { limit, remaining } = await left();
    await shop.harness.services.budgets.charge(`${shop.key.customerId}.visitors`, "outgoing", limit / 2 - 3);
    const statuses: number[] = [];
    for (let n = 0; n < 5; n += 1) statuses.push((await shop.visit(`${link}?session_id=cs_${n}`)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    expect((await left()).remaining).toBe(remaining - 3);
    await stripe.close();
  });

  it("is reported when the order takes no more of it", async () => {
    await subscriptions("/gateways", { title: "Test", kind: "test" });
    const { link, hash, id } = await accepted();
    const left = await shop.visit(link, { action: "pay", hash });
    const back = /url=([^"]+)"/.exec(left.text)?.[1] ?? "";
    const { balance } = await orderOf(id);
    await shop.make(`/orders/${id}/payments`, transfer(balance, "TX-9"));
    for (const _ of [1, 2]) await shop.visit(back);
    expect(await orderOf(id)).toMatchObject({ balance: 0, payments: [{ reference: "TX-9" }] });
    expect((await shop.eventTypes()).filter((type) => type === "order.payment_unmatched")).toHaveLength(1);
  });
});
