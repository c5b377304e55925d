import { describe, expect, it } from "vitest";

import {
  acceptedSchedule,
  depositSchedule,
} from "../../../server/engines/catering/rules/deposit-schedule.ts";
import { claimOf, isSecured, settledOrder, taxIn } from "../../../server/engines/catering/rules/new-order.ts";
import { line, ms, NOW, noHolidays, order } from "./make.ts";

const world = { now: ms(NOW), holidays: noHolidays };
const deposits = acceptedSchedule(
  depositSchedule(38_850, [{ bps: 5000, due: { kind: "acceptance" } }], "2026-06-19"),
  "2026-06-01",
);
const pay = (amount: number) => ({ id: "pay_1", at: NOW, amount, method: "card" as const, reference: "" });

describe("settledOrder", () => {
  it("prices the heads that are billed, and fees on top", () => {
    const made = order();
    expect(made).toMatchObject({
      total: 38_850,
      balance: 38_850,
      starts_at: "2026-06-19T11:30:00.000Z",
      guarantee_at: "2026-06-16T11:00:00.000Z",
      next_action_at: "2026-06-16T11:00:00.000Z",
    });
    const fee = { id: "fee_1", kind: "surcharge" as const, title: "More", amount: 500, at: NOW };
    const more = settledOrder({ ...made, fees: [fee], headcount: { ...made.headcount, served: 31 } }, world);
    expect([more.headcount.billed, more.total]).toEqual([31, 31 * 1295 + 500]);
  });

  it("owes what a cancellation retains", () => {
    const cancellation = { at: NOW, reason: "", fee_bps: 5000, fee: 19_425, retained: 19_425, refund_due: 0 };
    const gone = settledOrder(
      order({}, { status: "cancelled", cancellation, payments: [pay(20_000)] }),
      world,
    );
    expect([gone.total, gone.balance, gone.next_action_at]).toEqual([19_425, -575, null]);
  });

  it("is looked at on the day after a deposit was due, and a few days after the reminder", () => {
    const made = order({ deposit_schedule: deposits, status: "tentative" });
    expect(made.next_action_at).toBe("2026-06-02T00:00:00.000Z");
    const reminded = settledOrder({ ...made, status: "confirmed", deposit_reminded_on: "2026-06-02" }, world);
    expect(reminded.next_action_at).toBe("2026-06-05T00:00:00.000Z");
    expect(settledOrder({ ...made, payments: [pay(19_425)] }, world).next_action_at).toBeNull();
  });
});

describe("what follows", () => {
  it("is secured when what is due is paid", () => {
    const made = order({ deposit_schedule: deposits });
    expect(isSecured(made, "2026-06-01")).toBe(false);
    expect(isSecured({ ...made, paid: 19_425 }, "2026-06-01")).toBe(true);
    expect(isSecured({ ...made, paid: 19_424 }, "2026-05-31")).toBe(true);
    expect(isSecured(order(), "2026-06-01")).toBe(true);
  });

  it("claims its balance on credit, nothing when paid beforehand or invoiced", () => {
    expect(claimOf(order())).toMatchObject({ exposure: 38_850, spend: 38_850 });
    expect(claimOf(order({ payment_terms: { kind: "prepay", days: 0 } }))?.exposure).toBe(0);
    expect(claimOf(order({}, { invoice_id: "civ_1" }))).toMatchObject({ exposure: 0, spend: 38_850 });
    expect(claimOf(order({ account_id: null }))).toBeNull();
  });

  it("knows the tax in what it comes to", () => {
    expect(taxIn(order({ lines: [line({ tax_rate_bps: 2000 })] }))).toBe(6475);
    const made = order();
    const cancellation = { at: NOW, reason: "", fee_bps: 0, fee: 0, retained: 12_000, refund_due: 0 };
    const taxed = { ...made.policy, fee_tax_rate_bps: 2000 };
    expect(taxIn({ ...made, cancellation, total: 12_000, policy: taxed })).toBe(2000);
  });
});
