import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { accountBody, createShop, event, line, linkIn, pointersOf, quoteBody, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

const orderBody = (account_id: string, more: object = {}) => ({
  account_id,
  title: "Lunch",
  lines: [line(1000)],
  event: event(),
  heads: 30,
  ...more,
});

async function acceptFor(account_id: string, more: object = {}, answer: object = {}) {
  const draft = await shop.make("/quotes", quoteBody({ account_id, prospect: null, ...more }));
  const quote = await shop.make(`/quotes/${draft.id}/send`, {});
  return shop.post(`/quotes/${quote.id}/accept`, {
    version: 1,
    hash: quote.hash,
    name: "Ada",
    email: "ada@office.example",
    ...answer,
  });
}

describe("credit (C4)", () => {
  it("never lends more than the limit, however many order at once", async () => {
    const { id } = await shop.make("/accounts", accountBody({ credit_limit: 100_000 }));
    const answers = await Promise.all(Array.from({ length: 6 }, () => shop.post("/orders", orderBody(id))));
    const codes = answers.map(refusal).toSorted((a, b) => a.localeCompare(b));
    expect(codes).toEqual(["201", "201", "201", ...Array.from({ length: 3 }, () => "409 over_credit_limit")]);
    expect(await shop.read(`/accounts/${id}/exposure`)).toMatchObject({
      unbilled: 90_000,
      open_invoices: 0,
      limit: 100_000,
      available: 10_000,
    });
  });

  it("looks past the limit for who may, and only when asked to", async () => {
    const { id } = await shop.make("/accounts", accountBody({ credit_limit: 1 }));
    const writer = await shop.harness.key({
      customer_id: shop.key.customerId,
      store_id: shop.key.storeId,
      scopes: ["catering:read", "catering:write"],
    });
    const call = (key: typeof writer, body: object) =>
      shop.harness.call("POST", "/v1/catering/orders", { key, body });
    expect(refusal(await call(shop.key, orderBody(id)))).toBe("409 over_credit_limit");
    expect(refusal(await call(writer, orderBody(id, { force: true })))).toBe("409 over_credit_limit");
    expect(refusal(await call(shop.key, orderBody(id, { force: true })))).toBe("201");
  });

  it("leaves an accepted quote that is not borne for somebody to convert", async () => {
    const { id } = await shop.make("/accounts", accountBody({ credit_limit: 30_000 }));
    const { data: quote } = (await acceptFor(id)).json;
    expect(quote).toMatchObject({ status: "accepted", order_id: null });
    expect(await shop.eventTypes()).toContain("account.over_limit");
    expect(refusal(await shop.post(`/quotes/${quote.id}/convert`, {}))).toBe("409 over_credit_limit");
    const other = await acceptFor(id);
    const withdrawn = await shop.make(`/quotes/${other.json.data.id}/withdraw`, { reason: "Not borne" });
    expect(withdrawn.status).toBe("withdrawn");
    await shop.patch(`/accounts/${id}`, { credit_limit: 40_000 });
    const converted = await shop.make(`/quotes/${quote.id}/convert`, {});
    expect(await shop.read(`/orders/${converted.order_id}`)).toMatchObject({
      status: "confirmed",
      account_id: id,
    });
    expect((await shop.make(`/quotes/${quote.id}/convert`, {})).order_id).toBe(converted.order_id);
  });

  it("409 account_not_active on hold, and nothing new for a closed account", async () => {
    const { id } = await shop.make("/accounts", accountBody());
    await shop.patch(`/accounts/${id}`, { status: "on_hold" });
    expect(refusal(await shop.post("/orders", orderBody(id)))).toBe("409 account_not_active");
    await shop.patch(`/accounts/${id}`, { status: "closed" });
    expect(pointersOf(await shop.post("/quotes", quoteBody({ account_id: id })))).toEqual(["#/account_id"]);
  });

  it("frees what a smaller or cancelled order no longer needs", async () => {
    const { id } = await shop.make("/accounts", accountBody());
    const order = await shop.make("/orders", orderBody(id));
    await shop.make(`/orders/${order.id}/headcount`, { guaranteed: 20 });
    expect((await shop.read(`/accounts/${id}`)).exposure).toBe(20_000);
    await shop.make(`/orders/${order.id}/cancel`, {});
    expect(await shop.read(`/accounts/${id}`)).toMatchObject({ exposure: 0, open_items: [] });
  });
});

describe("purchase orders (C5)", () => {
  const po = {
    required: true,
    pattern: "PO-####",
    open_pos: [{ number: "PO-1001", limit: 50_000, expires_on: "2026-06-30" }],
  };

  it.each([
    ["409 po_required", {}],
    ["409 po_malformed", { po_number: "1001" }],
    ["409 po_unknown", { po_number: "PO-9999" }],
    ["409 po_expired", { po_number: "PO-1001", event: event({ date: "2026-07-01" }) }],
    ["409 po_exhausted", { po_number: "PO-1001", heads: 51 }],
    ["409 cost_centre_unknown", { po_number: "PO-1001", cost_centre: "ENG" }],
  ])("%s", async (expected, more) => {
    const { id } = await shop.make("/accounts", accountBody({ po }));
    expect(refusal(await shop.post("/orders", orderBody(id, more)))).toBe(expected);
  });

  it("counts what is used, also by orders that change, and lets no two use the same money", async () => {
    const { id } = await shop.make("/accounts", accountBody({ po }));
    const with1 = { po_number: "PO-1001" };
    const answers = await Promise.all([1, 2, 3].map(() => shop.post("/orders", orderBody(id, with1))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const [order] = await shop.read("/orders");
    const used = async () => (await shop.read(`/accounts/${id}`)).po.open_pos[0].used;
    expect(await used()).toBe(30_000);
    expect(refusal(await shop.post(`/orders/${order.id}/headcount`, { guaranteed: 51 }))).toBe(
      "409 po_exhausted",
    );
    await shop.make(`/orders/${order.id}/headcount`, { guaranteed: 50 });
    expect(await used()).toBe(50_000);
    await shop.patch(`/accounts/${id}`, { po: { ...po, open_pos: [{ number: "PO-1001", limit: 60_000 }] } });
    expect(await used()).toBe(50_000);
  });

  it("asks for the number on the customer's page", async () => {
    const { id } = await shop.make("/accounts", accountBody({ po, credit_limit: 1_000_000 }));
    const draft = await shop.make("/quotes", quoteBody({ account_id: id, prospect: null }));
    const quote = await shop.make(`/quotes/${draft.id}/send`, {});
    const link = await linkIn(shop, "catering-quote");
    const form = { action: "accept", hash: quote.hash, name: "Ada", email: "a@office.example", agree: "yes" };
    expect((await shop.visit(link)).text).toContain("Purchase order");
    const without = await shop.visit(link, form);
    expect([without.status, without.text.includes("needs a purchase order number")]).toEqual([409, true]);
    expect((await shop.visit(link, { ...form, po_number: "PO-1001" })).status).toBe(200);
    expect((await shop.read(`/quotes/${quote.id}`)).acceptance.po_number).toBe("PO-1001");
  });
});

describe("approval (rule 12)", () => {
  const approval = { above_amount: 30_000, approver_email: "cfo@office.example" };
  const rich = { credit_limit: 1_000_000, approval };

  it("waits for the approver's one word, by a link of its own", async () => {
    const { id } = await shop.make("/accounts", accountBody(rich));
    const { data: quote } = (await acceptFor(id)).json;
    expect(quote).toMatchObject({ status: "awaiting_approval", approval: { reason: "above_amount" } });
    // Erased with whoever accepted: the mail to the approver names them.
    const mails = (await shop.mails()).map(({ about, template, to }) => ({ about, template, to }));
    expect(mails).toContainEqual({
      about: "ada@office.example",
      template: "catering-approval",
      to: "cfo@office.example",
    });
    const link = await linkIn(shop, "catering-approval");
    const shown = await shop.visit(link);
    expect([shown.status, shown.text.includes("£388.50")]).toEqual([200, true]);
    expect((await shop.visit(link, { action: "approve" })).text).toContain("This was approved.");
    expect((await shop.visit(link, { action: "reject" })).text).toContain("This was approved.");
    expect(await shop.read(`/quotes/${quote.id}`)).toMatchObject({
      status: "converted",
      approval: { decision: "approved" },
    });
    expect(await shop.read("/orders")).toHaveLength(1);
  });

  it("makes no order of an event that has begun", async () => {
    const { id } = await shop.make("/accounts", accountBody(rich));
    const { data: quote } = (await acceptFor(id)).json;
    const link = await linkIn(shop, "catering-approval");
    shop.harness.clock.set("2026-06-19T11:30:00.000Z");
    expect((await shop.visit(link)).text).not.toContain("<form");
    expect((await shop.visit(link, { action: "approve" })).text).toContain("no longer waits");
    expect((await shop.read(`/quotes/${quote.id}`)).status).toBe("awaiting_approval");
    expect(await shop.read("/orders")).toEqual([]);
  });

  it("makes no order beyond the purchase order, however many wait for the word", async () => {
    const po = { required: true, open_pos: [{ number: "PO-1", limit: 50_000 }] };
    const { id } = await shop.make("/accounts", accountBody({ ...rich, po }));
    const links: string[] = [];
    const quotes: string[] = [];
    for (let n = 0; n < 2; n += 1) {
      const { data: quote } = (await acceptFor(id, {}, { po_number: "PO-1" })).json;
      quotes.push(quote.id);
      links.push(await linkIn(shop, "catering-approval", { number: String(quote.number) }));
    }
    for (const link of links) expect((await shop.visit(link, { action: "approve" })).status).toBe(200);
    expect(await shop.read("/orders")).toHaveLength(1);
    expect((await shop.read(`/accounts/${id}`)).po.open_pos[0].used).toBe(38_850);
    const convert = () => shop.post(`/quotes/${quotes[1]}/convert`, { force: true });
    expect(refusal(await convert())).toBe("409 po_exhausted");
    await shop.patch(`/accounts/${id}`, { po: { ...po, open_pos: [{ number: "PO-1", limit: 80_000 }] } });
    expect((await convert()).json.data.status).toBe("converted");
  });

  it("makes no order of what is rejected", async () => {
    const { id } = await shop.make("/accounts", accountBody(rich));
    const { data: quote } = (await acceptFor(id)).json;
    const link = await linkIn(shop, "catering-approval");
    expect((await shop.visit(link, { action: "reject" })).text).toContain("This was rejected.");
    expect(await shop.read(`/quotes/${quote.id}`)).toMatchObject({ status: "declined" });
    expect(await shop.read("/orders")).toEqual([]);
    expect((await shop.visit(link.replace("/approvals/", "/quotes/"))).status).toBe(404);
  });

  it("is given by the shop where the account has no approver", async () => {
    const { id } = await shop.make(
      "/accounts",
      accountBody({ ...rich, approval: { ...approval, approver_email: null } }),
    );
    const { data: quote } = (await acceptFor(id)).json;
    const convert = (more: object) => shop.post(`/quotes/${quote.id}/convert`, more);
    expect([quote.status, refusal(await convert({}))]).toEqual([
      "awaiting_approval",
      "409 invalid_transition",
    ]);
    expect((await convert({ force: true })).json.data.status).toBe("converted");
    expect(await shop.read("/orders")).toHaveLength(1);
  });

  it("is needed by a cost centre whose budget is spent, also after its period was changed", async () => {
    const cost_centres = [
      {
        code: "ENG",
        name: "Engineering",
        approver_email: "boss@office.example",
        budget: { period: "month", amount: 40_000 },
      },
    ];
    const { id } = await shop.make("/accounts", accountBody({ credit_limit: 1_000_000, cost_centres }));
    const spent = await acceptFor(id, {}, { cost_centre: "ENG" });
    expect(spent.json.data.status).toBe("converted");
    const over = await acceptFor(id, {}, { cost_centre: "ENG" });
    expect(over.json.data).toMatchObject({
      status: "awaiting_approval",
      approval: { reason: "over_budget", approver_email: "boss@office.example" },
    });
    const [centre] = cost_centres;
    const quarterly = [{ ...centre, budget: { period: "quarter", amount: 40_000 } }];
    const { spend } = (await shop.patch(`/accounts/${id}`, { cost_centres: quarterly })).json.data;
    expect(spend).toEqual([{ code: "ENG", period: "2026-Q2", amount: 38_850 }]);
    const again = await acceptFor(id, {}, { cost_centre: "ENG" });
    expect(again.json.data.status).toBe("awaiting_approval");
  });
});

describe("accounts", () => {
  it("are found by a word of their name, and by state", async () => {
    const { id } = await shop.make("/accounts", accountBody({ legal_name: "Café Ünion & Söhne" }));
    await shop.make("/accounts", accountBody({ status: "on_hold" }));
    const ids = async (query: string) =>
      (await shop.read(`/accounts?${query}`)).map((found: { id: string }) => found.id);
    expect(await ids(`q=${encodeURIComponent("ünion")}`)).toEqual([id]);
    expect(await ids("on_hold=true")).toHaveLength(1);
    expect(await ids("q=nobody")).toEqual([]);
    expect((await shop.get("/accounts?q=two+words")).status).toBe(422);
  });

  it("422 for twins", async () => {
    const twins = [
      { code: "A", name: "A", approver_email: null, budget: null },
      { code: "A", name: "B", approver_email: null, budget: null },
    ];
    expect(pointersOf(await shop.post("/accounts", accountBody({ cost_centres: twins })))).toEqual([
      "#/cost_centres",
    ]);
  });
});
