import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { eraseInvoices } from "../../../../server/engines/catering/jobs/erase-invoices.ts";
import { watchInvoices } from "../../../../server/engines/catering/jobs.ts";
import { accounts, invoices } from "../../../../server/engines/catering/repository.ts";
import { many } from "../../../support/longest-turn.ts";
import { accountBody, createShop, event, line, linkIn, pointersOf, prospect, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
let account: string;
beforeEach(async () => {
  shop = await createShop();
  account = (await shop.make("/accounts", accountBody({ credit_limit: 10_000_000 }))).id;
});
afterEach(() => shop.harness.close());

async function delivered(more: object = {}) {
  const order = await shop.make("/orders", {
    account_id: account,
    title: "Lunch",
    lines: [line(1000, { tax_rate_bps: 2000 })],
    event: event(),
    heads: 30,
    ...more,
  });
  return shop.make(`/orders/${order.id}/deliver`, {});
}
const pay = (id: string, amount: number) =>
  shop.post(`/invoices/${id}/payments`, { amount, method: "bank_transfer", reference: "BACS" });

describe("invoicing", () => {
  it("takes every delivered order once, also when two do it at once", async () => {
    await delivered();
    await delivered({ heads: 10 });
    const answers = await Promise.all([1, 2].map(() => shop.post("/invoices", { account_id: account })));
    expect(answers.map(refusal).toSorted((a, b) => a.localeCompare(b))).toEqual([
      "201",
      "409 nothing_to_invoice",
    ]);
    const [invoice] = await shop.read("/invoices");
    expect(invoice).toMatchObject({
      number: 1,
      total: 40_000,
      net: 33_333,
      tax: 6667,
      due_on: "2026-07-01",
      status: "issued",
    });
    expect(await shop.read(`/accounts/${account}/exposure`)).toMatchObject({
      open_invoices: 40_000,
      unbilled: 0,
    });
    expect((await shop.read("/orders?status=invoiced")).length).toBe(2);
  });

  it("takes off what was paid before, and is paid at once when that is all", async () => {
    const order = await shop.make("/orders", {
      contact: prospect,
      title: "Lunch",
      lines: [line(1000)],
      event: event(),
      heads: 30,
    });
    await shop.make(`/orders/${order.id}/payments`, { amount: 15_000, method: "card" });
    await shop.make(`/orders/${order.id}/deliver`, {});
    const invoice = await shop.make("/invoices", { order_ids: [order.id] });
    expect(invoice).toMatchObject({ prepaid: 15_000, balance: 15_000, due_on: "2026-06-01" });
    expect((await pay(invoice.id, 15_000)).json.data.status).toBe("paid");
    expect((await shop.read(`/orders/${order.id}`)).status).toBe("paid");
  });

  async function prepaid(amount: number, more: object = {}) {
    const asked = {
      contact: prospect,
      title: "Lunch",
      lines: [line(1000)],
      event: event(),
      heads: 30,
      ...more,
    };
    const { id } = await shop.make("/orders", asked);
    await shop.make(`/orders/${id}/payments`, { amount, method: "card" });
    return `/orders/${id}`;
  }

  it.each([
    ["a deposit", 15_000, "partially_paid"],
    ["all of it", 30_000, "paid"],
  ])("makes an invoice void of which %s was paid before", async (_, amount, status) => {
    const order = await prepaid(amount);
    await shop.make(`${order}/deliver`, {});
    const body = { order_ids: [order.slice(8)] };
    const wrong = await shop.make("/invoices", body);
    expect(wrong.status).toBe(status);
    expect((await shop.make(`/invoices/${wrong.id}/void`, { reason: "Wrong name" })).status).toBe("void");
    expect(await shop.read(order)).toMatchObject({ status: "delivered", paid: amount, invoice_id: null });
    const again = await shop.make("/invoices", body);
    expect(again).toMatchObject({ number: 2, prepaid: amount, balance: 30_000 - amount });
  });

  it("is mailed also where all of it was paid before", async () => {
    const order = await prepaid(30_000);
    await shop.make(`${order}/deliver`, {});
    await shop.make("/invoices", { order_ids: [order.slice(8)] });
    const page = await shop.visit(await linkIn(shop, "catering-invoice"));
    expect([page.status, page.text.includes("Paid. Thank you.")]).toEqual([200, true]);
  });

  it("leaves to be refunded what was paid beyond the order, and no more", async () => {
    const order = await prepaid(30_000);
    await shop.make(`${order}/headcount`, { guaranteed: 25 });
    await shop.make(`${order}/deliver`, {});
    const invoice = await shop.make("/invoices", { order_ids: [order.slice(8)] });
    expect([invoice.status, (await shop.read(order)).balance]).toEqual(["paid", -5000]);
    const refund = (amount: number) =>
      shop.post(`${order}/payments`, { amount, method: "bank_transfer", reference: "BACK" });
    expect(refusal(await refund(-5001))).toBe("409 invalid_transition");
    expect((await refund(-5000)).json.data).toMatchObject({ status: "paid", paid: 25_000, balance: 0 });
    expect(refusal(await refund(-1))).toBe("409 invalid_transition");
    expect(await shop.read(`/invoices/${invoice.id}`)).toMatchObject({ paid: 25_000, balance: 0 });
  });

  it("picks by period and cost centre, and drafts without number and mail", async () => {
    await delivered();
    await delivered({ event: event({ date: "2026-07-01" }) });
    const draft = await shop.make("/invoices", {
      account_id: account,
      draft: true,
      period: { from: "2026-07-01", to: "2026-07-31" },
    });
    expect(draft).toMatchObject({ status: "draft", number: null, total: 30_000 });
    expect(await shop.mails()).toEqual([]);
    expect(refusal(await pay(draft.id, 1))).toBe("409 invalid_transition");
    expect(await shop.make(`/invoices/${draft.id}/issue`)).toMatchObject({ status: "issued", number: 1 });
    expect(refusal(await shop.post("/invoices", { account_id: account, cost_centre: "ENG" }))).toBe(
      "409 nothing_to_invoice",
    );
  });

  it("409 not_invoiceable, 422 for another account's order", async () => {
    const order = await shop.make("/orders", {
      account_id: account,
      title: "L",
      lines: [line()],
      event: event(),
      heads: 1,
    });
    const one = (body: object) => shop.post("/invoices", body);
    expect(refusal(await one({ account_id: account, order_ids: [order.id] }))).toBe("409 not_invoiceable");
    expect(pointersOf(await one({ order_ids: [order.id] }))).toEqual(["#/order_ids/0"]);
    expect(pointersOf(await one({}))).toEqual(["#/order_ids"]);
  });

  it("422 for orders of several customers without an account: each would see those of the others", async () => {
    const ids: string[] = [];
    for (const email of ["ada@office.example", "ADA@office.example", "ben@other.example"]) {
      const order = await prepaid(15_000, { contact: { ...prospect, email } });
      await shop.make(`${order}/deliver`, {});
      ids.push(order.slice(8));
    }
    expect(pointersOf(await shop.post("/invoices", { order_ids: ids }))).toEqual(["#/order_ids/2"]);
    expect((await shop.make("/invoices", { order_ids: ids.slice(0, 2) })).orders).toHaveLength(2);
  });

  it("makes an invoice void and its orders invoiceable again", async () => {
    await delivered();
    const first = await shop.make("/invoices", { account_id: account });
    await shop.make(`/invoices/${first.id}/void`, { reason: "Wrong address" });
    expect((await shop.read(`/accounts/${account}`)).exposure).toBe(30_000);
    const second = await shop.make("/invoices", { account_id: account });
    expect([second.number, second.total]).toEqual([2, 30_000]);
    await pay(second.id, 1);
    expect(refusal(await shop.post(`/invoices/${second.id}/void`, {}))).toBe("409 invalid_transition");
  });
});

it("is not voided where its orders would be more than an account can have open", async () => {
  await delivered();
  await delivered();
  const { id } = await shop.make("/invoices", { account_id: account });
  await shop.harness.services.runTx(shop.part, async (tx) => {
    const stored = await tx.require(accounts, account);
    const others = many(499, (n) => ({ ref: `cor_${n}`, kind: "order" as const, amount: 1 }));
    tx.put(accounts, stored, { ...stored.value, open_items: [...stored.value.open_items, ...others] });
  });
  expect(refusal(await shop.post(`/invoices/${id}/void`, {}))).toBe("409 too_many_open");
  expect((await shop.read(`/invoices/${id}`)).status).toBe("issued");
});

describe("payments", () => {
  it("never take more than is owed, and free the credit", async () => {
    await delivered();
    const { id } = await shop.make("/invoices", { account_id: account });
    expect(pointersOf(await pay(id, 30_001))).toEqual(["#/amount"]);
    expect((await pay(id, 10_000)).json.data).toMatchObject({ status: "partially_paid", balance: 20_000 });
    expect((await shop.read(`/accounts/${account}`)).exposure).toBe(20_000);
    expect(pointersOf(await pay(id, -10_001))).toEqual(["#/amount"]);
    expect((await pay(id, 20_000)).json.data.status).toBe("paid");
    expect(await shop.read(`/accounts/${account}`)).toMatchObject({ exposure: 0, open_items: [] });
    expect(await shop.eventTypes()).toContain("invoice.paid");
    const { closing, entries } = await shop.read(`/accounts/${account}/statements?month=2026-06`);
    expect([closing, entries.map(({ amount }: { amount: number }) => amount)]).toEqual([
      0,
      [30_000, -10_000, -20_000],
    ]);
  });

  it("that the bank returned make it owed again", async () => {
    const { id: order } = await delivered();
    const { id } = await shop.make("/invoices", { account_id: account });
    await pay(id, 30_000);
    expect((await pay(id, -10_000)).json.data).toMatchObject({ status: "partially_paid", balance: 10_000 });
    expect((await shop.read(`/orders/${order}`)).status).toBe("invoiced");
    expect((await shop.read(`/accounts/${account}`)).exposure).toBe(10_000);
    expect((await pay(id, -20_000)).json.data.status).toBe("issued");
    expect((await shop.make(`/invoices/${id}/void`, {})).status).toBe("void");
    expect((await shop.read(`/orders/${order}`)).status).toBe("delivered");
  });

  it("are disputed, resolved and written off", async () => {
    await delivered();
    const { id } = await shop.make("/invoices", { account_id: account });
    expect((await shop.make(`/invoices/${id}/dispute`, { reason: "Short" })).status).toBe("disputed");
    expect((await shop.make(`/invoices/${id}/resolve`)).status).toBe("issued");
    await pay(id, 10_000);
    expect((await shop.make(`/invoices/${id}/write-off`, {})).status).toBe("written_off");
    expect((await shop.read(`/accounts/${account}`)).exposure).toBe(0);
    expect((await shop.read(`/accounts/${account}/statements`)).closing).toBe(0);
  });
});

describe("what is late", () => {
  it("is found behind a thousand invoices that are overdue already", async () => {
    await delivered();
    const { id } = await shop.make("/invoices", { account_id: account });
    const { runTx } = shop.harness.services;
    const { value: invoice } = await runTx(shop.part, (tx) => tx.require(invoices, id));
    for (let start = 0; start < 1_000; start += 25) {
      await runTx(shop.part, async (tx) => {
        for (let n = start; n < start + 25; n += 1) {
          const own = { id: `civ_${String(n).padStart(26, "0")}`, due_on: "2026-06-02" };
          tx.create(invoices, { ...invoice, ...own, overdue_at: "2026-06-03T00:07:00.000Z" });
        }
      });
    }
    shop.harness.clock.set("2026-07-01T23:00:00.000Z");
    await shop.run(watchInvoices);
    expect((await shop.read(`/invoices/${id}`)).status).toBe("overdue");
  });

  it("is found overdue the day after, reminded of once, and aged", async () => {
    await delivered();
    const { id } = await shop.make("/invoices", { account_id: account });
    shop.harness.clock.set("2026-07-01T22:59:00.000Z");
    await shop.run(watchInvoices);
    expect((await shop.read(`/invoices/${id}`)).status).toBe("issued");
    shop.harness.clock.set("2026-07-01T23:00:00.000Z");
    await Promise.all([shop.run(watchInvoices), shop.run(watchInvoices)]);
    await shop.run(watchInvoices);
    expect((await shop.read(`/invoices/${id}`)).status).toBe("overdue");
    expect((await shop.mails()).filter(({ data }) => data["overdue"] === true)).toHaveLength(1);
    shop.harness.clock.set("2026-08-20T09:00:00.000Z");
    const { currencies } = await shop.read("/invoices/ageing");
    expect(currencies).toMatchObject([
      { currency: "GBP", total: 30_000, buckets: { days_31_60: 30_000, current: 0 } },
    ]);
    const { data } = (await shop.get(`/invoices/${id}/interest?on=2026-08-20`)).json;
    expect(data).toMatchObject({
      applies: false,
      days: 50,
      rate_bps: 1175,
      daily: 10,
      interest: 500,
      fixed_sum: 4000,
    });
    await shop.patch("/settings", { late_interest: { enabled: true, base_rate_bps: 50 } });
    expect((await shop.get(`/invoices/${id}/interest`)).json.data).toMatchObject({
      applies: true,
      rate_bps: 850,
    });
  });
});

describe("the page", () => {
  it("shows an invoice to print, and what became of it", async () => {
    await shop.patch("/settings", { shop_name: "<Shop>", bank_details: "Sort code 00" });
    await delivered({ title: "<b>Lunch" });
    const { id } = await shop.make("/invoices", { account_id: account });
    const link = await linkIn(shop, "catering-invoice");
    const shown = await shop.visit(link);
    expect(shown.status).toBe(200);
    for (const text of [
      "Invoice 1",
      "&lt;Shop&gt;",
      "&lt;b&gt;Lunch",
      "£300.00",
      "£250.00",
      "Sort code 00",
      "@media print",
    ]) {
      expect(shown.text).toContain(text);
    }
    expect(shown.headers.get("content-security-policy")).toContain("default-src 'none'");
    const profile = { key: shop.key, body: { legal_name: "Shop Trading Ltd" } };
    await shop.harness.call("PATCH", "/v1/account/store", profile);
    expect((await shop.visit(link)).text).toContain("Shop Trading Ltd");
    await pay(id, 30_000);
    expect((await shop.visit(link)).text).toContain("Paid. Thank you.");
  });

  it("410 for one that is void", async () => {
    await delivered();
    const { id } = await shop.make("/invoices", { account_id: account });
    await shop.make(`/invoices/${id}/void`, {});
    expect((await shop.visit(await linkIn(shop, "catering-invoice"))).status).toBe(410);
  });
});

describe("the calendar of orders", () => {
  it("shows the orders by a secret address, until it is renewed", async () => {
    await delivered({ title: "Lunch; one, two" });
    const gone = await shop.make("/orders", {
      account_id: account,
      title: "Gone",
      lines: [line()],
      event: event(),
      heads: 1,
    });
    await shop.make(`/orders/${gone.id}/cancel`, {});
    const { url } = await shop.read("/calendar-feed");
    const feed = await shop.visit(url);
    expect([feed.status, feed.headers.get("content-type")]).toEqual([200, "text/calendar; charset=utf-8"]);
    expect(feed.text).toContain("SUMMARY:1: Lunch\\; one\\, two (30 guests)\r\n");
    expect(feed.text).toContain("DTSTART:20260619T113000Z\r\nDTEND:20260619T130000Z");
    expect(feed.text).toContain("STATUS:CANCELLED");
    const renewed = await shop.make("/calendar-feed/renew");
    expect((await shop.visit(url)).status).toBe(404);
    expect((await shop.visit(renewed.url)).status).toBe(200);
    for (const wrong of [url.replace("/feed.", "/order."), url.replace(".ics", ""), `${url}x`]) {
      expect((await shop.visit(wrong)).status, wrong).toBe(404);
    }
  });
});

describe("an invoice of a customer who is erased", () => {
  const { email, name } = prospect;
  async function erase(): Promise<{ retained: unknown; left: number }> {
    const { key } = shop;
    const path = "/v1/account/privacy-requests";
    const body = { type: "erase", email };
    const asked = await shop.harness.call("POST", path, { key, body });
    expect(asked.status, asked.text).toBe(201);
    await shop.harness.services.jobs.run("privacy.work");
    const done = await shop.harness.call("GET", `${path}/${asked.json.data.id}`, { key });
    expect(done.json.data).toMatchObject({ status: "done", email: null });
    return done.json.data.evidence;
  }
  async function invoiced() {
    const order = await delivered();
    const invoice = await shop.make("/invoices", { account_id: account, metadata: { note: "by phone" } });
    await pay(invoice.id, invoice.balance);
    return { invoice: `/invoices/${invoice.id}`, order: `/orders/${order.id}` };
  }

  it("keeps the name for as long as the law asks, and not a day longer", async () => {
    const { invoice, order } = await invoiced();
    expect(await erase()).toMatchObject({
      left: 0,
      retained: [
        { collection: "catering.invoices", documents: 1, until: "2033-12-31", reason: expect.any(String) },
      ],
    });
    const kept = { name, email, company: "Analytical Engines Ltd" };
    expect(await shop.read(invoice)).toMatchObject({
      status: "paid",
      bill_to: kept,
      retained_until: "2033-12-31",
      erasure_due: true,
      metadata: {},
    });
    expect((await shop.read(order)).contact).toMatchObject({ name: "erased" });
    // Asked again, it is told again; and until the last day nothing changes.
    expect(await erase()).toMatchObject({ left: 0, retained: [{ documents: 1 }] });
    shop.harness.clock.advance(Date.parse("2033-12-31T23:00:00Z") - shop.harness.clock.now());
    expect(await shop.run(eraseInvoices)).toEqual({ erased: 0 });
    shop.harness.clock.advance(3_600_000);
    expect(await shop.run(eraseInvoices)).toEqual({ erased: 1 });
    const { services } = shop.harness;
    const { value } = await services.runTx(shop.part, (tx) => tx.require(invoices, invoice.slice(10)));
    expect(value).toMatchObject({ status: "paid", erasure_due: false, total: 30_000 });
    expect(JSON.stringify(value)).not.toContain("Ada");
    expect(await shop.run(eraseInvoices)).toEqual({ erased: 0 });
  });

  it("loses it at once where the shop keeps none, or where it was never issued", async () => {
    await shop.patch("/settings", { invoice_retention_years: 0 });
    const { invoice } = await invoiced();
    expect(await erase()).toMatchObject({ left: 0, retained: [] });
    expect(await shop.read(invoice)).toMatchObject({ bill_to: { name: "erased" }, erasure_due: false });
  });
});
