import { expect, it } from "vitest";

import { DEMO_SHOP } from "../../../server/core/shop.ts";
import { demoSubscriptions } from "../../../server/engines/subscriptions/demo.ts";
import {
  isInvoiced,
  newCreditNote,
  newInvoice,
} from "../../../server/engines/subscriptions/rules/new-invoice.ts";
import { Invoice } from "../../../server/engines/subscriptions/schema/invoice.ts";
import { ms } from "./fixture.ts";

const NOW = ms("2026-06-30T23:30:00Z");
const demo = demoSubscriptions(ms("2026-06-01T09:00:00Z"));
const billed = demo.charges.filter(isInvoiced).flatMap((charge) => {
  const contract = demo.contracts.find(({ id }) => id === charge.contract_id);
  return contract === undefined ? [] : [{ charge, contract: { ...contract, timezone: "Europe/London" } }];
});
const settings = { ...demo.settings, shop_name: "Crumb", invoice_retention_years: 7 };
const issue = (at: (typeof billed)[number], shop: typeof DEMO_SHOP | null = DEMO_SHOP) =>
  newInvoice({ ...at, now: NOW, shop, settings, number: "S-7" });

it("names the seller of the store's profile, the customer and the charge, on local days", () => {
  expect(billed.length).toBeGreaterThan(3);
  for (const one of billed) {
    const invoice = issue(one);
    expect(Invoice.parse(invoice)).toEqual(invoice);
    expect(invoice).toMatchObject({
      kind: "invoice",
      number: "S-7",
      charge_id: one.charge.id,
      // Half past midnight in London.
      issued_on: "2026-07-01",
      seller: { name: "Demo Bakery & Roastery Ltd", vat_number: "GB000000000" },
      customer: { email: one.contract.customer.email },
      total: one.charge.amount_due,
    });
    expect(invoice.retained_until?.slice(0, 4)).toMatch(/^203[34]$/);
  }
  const [first] = billed;
  expect(first === undefined ? "" : issue(first, null).seller.name).toBe("Crumb");
});

it("invoices what is paid, and nothing of 0", () => {
  const [first] = billed;
  if (first === undefined) throw new Error("The demo has no paid charge.");
  expect(isInvoiced({ ...first.charge, amount_due: 0 })).toBe(false);
  expect(isInvoiced({ ...first.charge, paid_at: null, status: "exhausted" })).toBe(false);
  expect(isInvoiced({ ...first.charge, paid_at: null, status: "pending_manual" })).toBe(true);
});

it("credits an invoice in parts that add up to it, each naming the invoice", () => {
  for (const one of billed) {
    const invoice = issue(one);
    const part = Math.floor(invoice.total / 3);
    const input = { ...one, now: NOW, shop: DEMO_SHOP, settings, number: "SC-1" };
    const first = newCreditNote(input, invoice, { id: "ref_1", amount: part, title: "Refund" }, 0);
    const rest = { id: "chg_1", amount: invoice.total - part, title: "Cancelled" } as const;
    const second = newCreditNote(input, invoice, rest, part);
    expect([first.refund_id, second.refund_id]).toEqual(["ref_1", null]);
    expect(first.invoice_number).toBe("S-7");
    expect(first.id).not.toBe(second.id);
    for (const of of ["net", "tax", "total"] as const) expect(invoice[of] + first[of] + second[of]).toBe(0);
  }
});
