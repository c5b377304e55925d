import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createRig, openReceiver, sendDue, subscribe } from "../../operations/webhooks/rig.ts";
import { createShop, line, makeContract, makeMethod, NOW, shopOf } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop({ mode: "live" });
});
afterEach(() => shop.harness.close());

const work = async (minutes = 0): Promise<void> => {
  shop.harness.clock.advance(minutes * 60_000);
  await shop.harness.services.jobs.run("subscriptions.bill");
};
const rank = (number: string): number => number.length * 1000 + Number(number.split("-")[1]);
/** In order of their numbers, invoices first. */
const invoicesOf = async (query = "") =>
  (await shop.read(`/invoices?limit=100${query}`)).toSorted(
    (a: { number: string }, b: { number: string }) => rank(a.number) - rank(b.number),
  );
const seriesOf = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}-${at + 1}`);

const TERMS = {
  lines: [line(1200, { tax_rate_bps: 2000 }), line(500, { title: "Bread", product_ref: "bread" })],
  shipping_price: 300,
};

it("a paid charge has one VAT invoice with the seller of the store's profile, and a refund a credit note", async () => {
  await shop.harness.call("PATCH", "/v1/account/store", {
    key: shop.key,
    body: { legal_name: "Beans <Ltd>", address: "5 Mill Street\nLondon", vat_number: "GB123456789" },
  });
  const { id } = await makeContract(shop, "tok_ok", TERMS);
  await work();
  const [charge] = await shop.read(`/charges?contract_id=${id}`);
  const [invoice] = await invoicesOf();
  expect(invoice).toMatchObject({
    kind: "invoice",
    number: "S-1",
    charge_id: charge.id,
    seller: { name: "Beans <Ltd>", vat_number: "GB123456789" },
    total: 2000,
    tax: charge.tax,
  });
  expect(invoice.taxes.map(({ tax_rate_bps: rate }: { tax_rate_bps: number }) => rate)).toEqual([0, 2000]);
  await shop.make(`/charges/${charge.id}/refunds`, { amount: 500, reason: "Late" });
  await work();
  await shop.make(`/charges/${charge.id}/refunds`, { amount: 1500, reason: "Late" });
  await work();
  const all = await invoicesOf(`&charge_id=${charge.id}`);
  expect(all.map(({ number, total }: { number: string; total: number }) => [number, total])).toEqual([
    ["S-1", 2000],
    ["SC-1", -500],
    ["SC-2", -1500],
  ]);
  expect(all[1]).toMatchObject({
    invoice_id: invoice.id,
    invoice_number: "S-1",
    refund_id: `${charge.id}-r1`,
  });
  expect(await shop.read(`/invoices/${invoice.id}`)).toMatchObject({ number: "S-1" });

  const print = await shop.get(`/invoices/${invoice.id}/print`);
  expect(print.text).toContain("VAT invoice S-1");
  expect(print.text).toContain("Beans &lt;Ltd&gt;");
  expect(print.text).toContain("@page");
  const page = new URL((await shop.make(`/contracts/${id}/portal-link`, {})).url).pathname;
  expect((await shop.harness.call("GET", page)).text).toContain(`${page}/invoices/${invoice.id}`);
  expect((await shop.harness.call("GET", `${page}/invoices/${invoice.id}`)).text).toContain(
    "VAT invoice S-1",
  );
  const other = await makeContract(shop, "tok_ok");
  const foreign = new URL((await shop.make(`/contracts/${other.id}/portal-link`, {})).url).pathname;
  expect((await shop.harness.call("GET", `${foreign}/invoices/${invoice.id}`)).status).toBe(404);
  expect((await shop.get("/invoices/inv_unknown")).status).toBe(404);
  expect((await shop.get("/invoices/inv_unknown/print")).status).toBe(404);
});

it("each invoice and credit note is delivered to a webhook endpoint as one event", async () => {
  const receiver = await openReceiver();
  const harness = await createRig({ now: NOW });
  const key = await harness.key();
  const own = shopOf(harness, key);
  const types = ["subscriptions.invoice.issued", "subscriptions.credit_note.issued"];
  await subscribe(harness, key, { url: receiver.url, types });
  const bill = () => harness.services.jobs.run("subscriptions.bill");
  await makeContract(own, "tok_ok", TERMS);
  await bill();
  const [issued] = await own.read("/invoices");
  await sendDue(harness);
  await own.make(`/charges/${issued.charge_id}/refunds`, { amount: 500, reason: "Late" });
  for (let run = 0; run < 2; run += 1) {
    await bill();
    await sendDue(harness);
  }
  const documents = await own.read("/invoices");
  const note = documents.find(({ kind }: { kind: string }) => kind === "credit_note");
  const shared = { contract_id: issued.contract_id, charge_id: issued.charge_id, currency: "GBP" };
  expect(receiver.got.map(({ body }) => JSON.parse(body))).toMatchObject([
    { type: types[0], data: { ...shared, invoice_id: issued.id, number: "S-1", total: 2000 } },
    {
      type: types[1],
      data: { ...shared, credit_note_id: note.id, invoice_id: issued.id, number: "SC-1", total: -500 },
    },
  ]);
  await harness.close();
  await receiver.close();
});

it("a charge that is asked for by invoice has it at once, and a credit note when it is voided", async () => {
  await makeContract(shop, "tok_ok", { ...TERMS, collection: "send_invoice" });
  await work();
  const [invoice] = await invoicesOf();
  expect(invoice).toMatchObject({ number: "S-1", total: 2000 });
  await shop.make(`/charges/${invoice.charge_id}/void`, { reason: "Goodwill" });
  expect((await invoicesOf()).map(({ total }: { total: number }) => total)).toEqual([2000, -2000]);
});

it("no number is missing or issued twice when charges are paid and voided at the same time", async () => {
  const { method } = await makeMethod(shop, "tok_lost_card");
  for (let at = 0; at < 12; at += 1) {
    await shop.make("/contracts", {
      customer: { id: "ada", email: "ada@shop.example", name: "Ada" },
      lines: [line()],
      interval: { unit: "month", count: 1 },
      payment_method_id: method,
      collection: at % 2 === 0 ? "send_invoice" : "automatic",
    });
  }
  await work();
  const [open, failed] = await Promise.all([
    shop.read("/charges?status=pending_manual&limit=100"),
    shop.read("/charges?status=retrying&limit=100"),
  ]);
  expect(await invoicesOf()).toHaveLength(6);
  await Promise.all([
    ...open.map(({ id }: { id: string }) => shop.make(`/charges/${id}/void`, { reason: "Race" })),
    ...failed.map(({ id }: { id: string }) => shop.make(`/charges/${id}/mark-paid`, { reference: "Race" })),
  ]);
  const numbers = (await invoicesOf()).map(({ number }: { number: string }) => number);
  const expected = [...seriesOf("S", 12), ...seriesOf("SC", 6)].toSorted((a, b) => rank(a) - rank(b));
  expect(numbers).toEqual(expected);
});

describe("invoices of a customer who is erased", () => {
  const email = "ada@shop.example";
  async function erase(): Promise<{ retained: unknown; left: number }> {
    const { harness, key } = shop;
    const path = "/v1/account/privacy-requests";
    const asked = await harness.call("POST", path, { key, body: { type: "erase", email } });
    expect(asked.status, asked.text).toBe(201);
    await harness.services.jobs.run("privacy.work");
    const done = await harness.call("GET", `${path}/${asked.json.data.id}`, { key });
    expect(done.json.data).toMatchObject({ status: "done", email: null });
    return done.json.data.evidence;
  }
  async function invoiced(): Promise<{ contract: string; documents: { id: string }[] }> {
    const { id: contract } = await makeContract(shop, "tok_ok", TERMS);
    await work();
    const [charge] = await shop.read(`/charges?contract_id=${contract}`);
    await shop.make(`/charges/${charge.id}/refunds`, { amount: 500, reason: "Late" });
    await work();
    return { contract, documents: await invoicesOf(`&contract_id=${contract}`) };
  }

  it("retain the name until the legal retention ends, and the report says so", async () => {
    const { contract, documents } = await invoiced();
    expect(documents).toHaveLength(2);
    const report = {
      left: 0,
      retained: [
        {
          collection: "subscriptions.invoices",
          documents: 2,
          until: "2033-12-31",
          reason: expect.stringContaining("Tax law"),
        },
      ],
    };
    expect(await erase()).toMatchObject(report);
    expect((await shop.read(`/contracts/${contract}`)).customer).toMatchObject({ name: "" });
    const customer = { id: "ada", name: "Ada", email };
    for (const { id } of documents)
      expect(await shop.read(`/invoices/${id}`)).toMatchObject({ customer, erasure_due: true });
    // A second request finds them again.
    expect(await erase()).toMatchObject(report);

    const { clock, services } = shop.harness;
    clock.advance(Date.parse("2033-12-31T23:00:00Z") - clock.now());
    await services.jobs.run("subscriptions.erasures");
    expect((await invoicesOf()).map(({ customer }: { customer: { name: string } }) => customer.name)).toEqual(
      ["Ada", "Ada"],
    );
    clock.advance(3_600_000);
    await services.jobs.run("subscriptions.erasures");
    for (const { id } of documents) {
      const invoice = await shop.read(`/invoices/${id}`);
      expect(invoice).toMatchObject({ erasure_due: false, customer: { id: "erased", name: "" } });
      expect(JSON.stringify(invoice)).not.toContain("ada@");
    }
  });

  it("lose it at once where the store retains none", async () => {
    await shop.patch("/settings", { invoice_retention_years: 0 });
    const { documents } = await invoiced();
    expect(await erase()).toMatchObject({ left: 0, retained: [] });
    for (const { id } of documents)
      expect((await shop.read(`/invoices/${id}`)).customer).toMatchObject({ id: "erased", name: "" });
  });
});

it.each([
  ["de-DE", "das Geschäft", "Lieferung"],
  ["fr-FR", "la boutique", "Livraison"],
  ["en-GB", "the shop", "Delivery"],
])(
  "an invoice of a store without a name has a seller, and delivery, in the language of its page: %s",
  async (locale, seller, delivery) => {
    await shop.harness.call("PATCH", "/v1/account/store", { key: shop.key, body: { locale } });
    await makeContract(shop, "tok_ok", { ...TERMS, shipping_price: 300 });
    await work();
    const [invoice] = await invoicesOf();
    expect(invoice.seller.name).toBe("");
    const page = await shop.harness.call("GET", `/v1/subscriptions/invoices/${invoice.id}/print`, {
      key: shop.key,
    });
    expect(page.text).toContain(`<strong>${seller}</strong>`);
    expect(page.text).toMatch(new RegExp(`<td>\\s*${delivery}\\s*</td>`));
  },
);
