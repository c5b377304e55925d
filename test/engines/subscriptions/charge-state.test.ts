import { describe, expect, it } from "vitest";

import {
  isOwed,
  isWaived,
  refundable,
  refundedOf,
} from "../../../server/engines/subscriptions/rules/charge-state.ts";
import type { Charge } from "../../../server/engines/subscriptions/schema/charge.ts";
import { attemptOf, chargeOf } from "./fixture.ts";

const refund = (state: "succeeded" | "failed", amount: number): Charge["refunds"][number] => ({
  id: `r-${state}`,
  amount,
  reason: "Late",
  state,
  gateway_ref: null,
  failure: null,
  tries: 0,
  next_try_at: null,
  created_at: "2026-06-01T09:00:00.000Z",
  resolved_at: null,
});

describe("the state of a charge", () => {
  it("owed until it is paid or waived", () => {
    expect(isOwed(chargeOf({ status: "retrying" }))).toBe(true);
    expect(isOwed(chargeOf({ status: "exhausted" }))).toBe(true);
    const waived = chargeOf({ status: "exhausted", voided_reason: "unpaid_skipped" });
    expect([isOwed(waived), isWaived(waived)]).toEqual([false, true]);
  });

  it("refundable: what was collected less what went back", () => {
    const paid = chargeOf({
      status: "succeeded",
      paid_at: "2026-06-01T09:00:00.000Z",
      attempts: [attemptOf({ state: "succeeded" })],
      refunds: [refund("succeeded", 300), refund("failed", 500)],
    });
    expect(refundable(paid)).toBe(700);
    const voided = chargeOf({ ...paid, status: "voided", voided_reason: "Goodwill", paid_at: null });
    expect([refundable(voided), refundedOf(voided)]).toEqual([700, 0]);
    expect(refundable({ ...voided, attempts: [attemptOf({ state: "failed" })] })).toBe(0);
  });
});
