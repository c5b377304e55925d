import { describe, expect, it } from "vitest";

import {
  isOwed,
  isWaived,
  refundable,
  refundedOf,
  sourceOf,
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
    expect(refundable({ ...paid, paid_at: null })).toBe(0);
    const dispute = { gateway_ref: "dp_1", amount: 1000, reason: "fraudulent", status: "lost" as const };
    const held = {
      ...paid,
      dispute: { ...dispute, respond_by: null, updated_at: "2026-06-03T09:00:00.000Z" },
    };
    expect([refundable(held), refundedOf(held)]).toEqual([0, 1000]);
  });

  it("a payment for which nothing was owed is refunded apart from the charge", () => {
    const since = "2026-06-01T09:00:00.000Z";
    const [first, second] = [1, 2].map((n) => attemptOf({ id: `chg-${n}`, n, state: "succeeded" }));
    const review = { reason: "double_payment", attempt_id: "chg-1", since } as const;
    const voided = chargeOf({
      status: "voided",
      voided_reason: "Goodwill",
      attempts: [first ?? attemptOf()],
      review,
      refunds: [refund("succeeded", 300), refund("failed", 500)],
    });
    expect([refundable(voided), refundedOf(voided)]).toEqual([700, 0]);
    const twice = chargeOf({
      status: "succeeded",
      paid_at: since,
      attempts: [first ?? attemptOf(), second ?? attemptOf()],
      review,
    });
    const given = { ...twice, refunds: [refund("succeeded", 1000)] };
    expect([refundable(twice), refundable(given), refundedOf(given)]).toEqual([1000, 1000, 0]);
    const both = { ...given, refunds: [...given.refunds, { ...refund("succeeded", 1000), id: "r-2" }] };
    expect([refundable(both), refundedOf(both)]).toEqual([0, 1000]);
    expect(both.refunds.map(({ id }) => sourceOf(both, id)?.id)).toEqual(["chg-1", "chg-2"]);
  });
});
