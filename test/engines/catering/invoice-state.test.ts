import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  claimOfInvoice,
  isOwed,
  mayInvoice,
  settledInvoice,
} from "../../../server/engines/catering/rules/invoice-state.ts";
import type { Invoice } from "../../../server/engines/catering/schema/invoice.ts";
import { invoice, NOW } from "./make.ts";

const paid = (amount: number): Invoice["payments"][number] => ({
  id: "pay_1",
  at: NOW,
  amount,
  method: "card",
  reference: "",
});
const statusOf = (more: Partial<Invoice>, today = "2026-06-15") =>
  settledInvoice(invoice(more), today).status;

describe("settledInvoice", () => {
  it.each<[string, Partial<Invoice>, string, Invoice["status"]]>([
    ["nothing paid", {}, "2026-07-01", "issued"],
    ["the day after it was due", {}, "2026-07-02", "overdue"],
    ["a part paid", { payments: [paid(1)] }, "2026-06-15", "partially_paid"],
    ["a part paid, and late", { payments: [paid(1)] }, "2026-07-02", "overdue"],
    ["all paid", { payments: [paid(10_000)] }, "2026-07-02", "paid"],
    ["paid beforehand", { prepaid: 10_000 }, "2026-06-15", "paid"],
    ["in dispute, and late", { status: "disputed" }, "2026-07-02", "disputed"],
    ["in dispute, and paid", { status: "disputed", payments: [paid(10_000)] }, "2026-07-02", "paid"],
    ["void stays void", { status: "void" }, "2026-07-02", "void"],
    ["a draft stays a draft", { status: "draft" }, "2026-07-02", "draft"],
  ])("%s", (_, more, today, expected) => expect(statusOf(more, today)).toBe(expected));

  it("balances to the penny", () => {
    const amounts = fc.array(fc.integer({ min: -1000, max: 1_000_000 }), { maxLength: 20 });
    fc.assert(
      fc.property(amounts, fc.nat(1_000_000), (payments, prepaid) => {
        const settled = settledInvoice(invoice({ payments: payments.map(paid), prepaid }), "2026-06-15");
        expect(settled.paid + settled.balance).toBe(settled.total);
      }),
    );
  });
});

describe("its place in the account's books", () => {
  it("is what is left of it, a draft too", () => {
    expect(claimOfInvoice(invoice({ balance: 4000 }))?.exposure).toBe(4000);
    expect(claimOfInvoice(invoice({ status: "draft" }))?.exposure).toBe(10_000);
    expect(claimOfInvoice(invoice({ status: "written_off" }))?.exposure).toBe(0);
    expect(claimOfInvoice(invoice({ balance: -5 }))?.exposure).toBe(0);
    expect(claimOfInvoice(invoice({ account_id: null }))).toBeNull();
    expect(isOwed(invoice({ status: "void" }))).toBe(false);
  });

  it("takes no step from where it does not lead", () => {
    expect(mayInvoice("void", "written_off")).toBe(false);
    expect(mayInvoice("pay", "draft")).toBe(false);
    expect(mayInvoice("resolve", "disputed")).toBe(true);
  });
});
