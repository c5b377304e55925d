import { MINUTE_MS, toInstant } from "../../../lib/instant.ts";
import { sum } from "../../../lib/money.ts";
import type { RefundAnswer } from "../../../core/payments.ts";
import type { Charge, Refund } from "../schema/charge.ts";
import type { ContractWork } from "./contract-work.ts";
import { chargeOf } from "./contract-work.ts";
import { isWaived, sourceOf, surplusOf } from "../rules/charge-state.ts";

const RETRY_MINUTES = [5, 30] as const;

/**
 * Puts a refund on its way. What a gateway took goes back through it; what was paid by hand is only written down,
 * because it is given back by hand.
 */
export function addRefund(opened: ContractWork, charge: Charge, amount: number, reason: string): Refund {
  const nowAt = opened.nowAt;
  const id = `${charge.id}-r${charge.refunds.length + 1}`;
  const asked: Refund = {
    id,
    amount,
    reason,
    state: "pending",
    gateway_ref: null,
    failure: null,
    tries: 0,
    next_try_at: nowAt,
    created_at: nowAt,
    resolved_at: null,
  };
  const isByHand = sourceOf({ ...charge, refunds: [...charge.refunds, asked] }, id) === undefined;
  const refund: Refund = isByHand
    ? { ...asked, state: "succeeded", next_try_at: null, resolved_at: nowAt }
    : asked;
  opened.put(refundedStatus({ ...charge, refunds: [...charge.refunds, refund] }));
  if (isByHand) emitRefunded(opened, charge, refund);
  return refund;
}

/** Takes what the gateway said about a refund; one without an answer is asked for again, under the same key. */
export function settleRefund(
  opened: ContractWork,
  chargeId: string,
  refundId: string,
  answer: RefundAnswer,
): void {
  const charge = chargeOf(opened, chargeId);
  const refund = charge.refunds.find(({ id }) => id === refundId);
  if (refund === undefined || refund.state !== "pending") return;
  const next = settled(refund, answer, opened.now);
  opened.put(
    refundedStatus({ ...charge, refunds: charge.refunds.map((one) => (one.id === refundId ? next : one)) }),
  );
  if (next.state === "succeeded") emitRefunded(opened, charge, next);
  if (next.state === "failed") emitFailed(opened, charge, next);
}

/** A refund that was accepted and then returned by its bank: the money is with the shop again. */
export function returnRefund(opened: ContractWork, chargeId: string, refundId: string, detail: string): void {
  const charge = chargeOf(opened, chargeId);
  const refund = charge.refunds.find(({ id }) => id === refundId);
  if (refund === undefined || refund.state === "failed") return;
  const at = opened.nowAt;
  const failure = detail.slice(0, 300);
  const failed: Refund = { ...refund, state: "failed", failure, next_try_at: null, resolved_at: at };
  const refunds = charge.refunds.map((one) => (one.id === refundId ? failed : one));
  opened.put(refundedStatus({ ...charge, status: isWaived(charge) ? charge.status : "succeeded", refunds }));
  emitFailed(opened, charge, failed);
}

function settled(refund: Refund, answer: RefundAnswer, now: number): Refund {
  if (answer.status === "unknown") {
    const minutes = RETRY_MINUTES[refund.tries - 1] ?? 60;
    return {
      ...refund,
      failure: answer.detail.slice(0, 300),
      next_try_at: toInstant(now + minutes * MINUTE_MS),
    };
  }
  const done = { ...refund, next_try_at: null, resolved_at: toInstant(now) };
  if (answer.status === "failed") return { ...done, state: "failed", failure: answer.detail.slice(0, 300) };
  return { ...done, state: "succeeded", gateway_ref: answer.ref, failure: null };
}

function refundedStatus(charge: Charge): Charge {
  const { refundIds } = surplusOf(charge);
  const own = charge.refunds.filter(({ id, state }) => state === "succeeded" && !refundIds.has(id));
  const back = sum(own.map(({ amount }) => amount));
  if (back === 0) return charge;
  return { ...charge, status: back >= charge.amount_due ? "refunded" : "partially_refunded" };
}

const emitFailed = (opened: ContractWork, charge: Charge, { id, amount, failure }: Refund): void =>
  opened.emit("charge.refund_failed", charge, { refund_id: id, amount, reason: failure ?? "" });

const emitRefunded = (opened: ContractWork, charge: Charge, refund: Refund): void =>
  opened.emit("charge.refunded", charge, {
    refund_id: refund.id,
    amount: refund.amount,
    currency: charge.currency,
    reason: refund.reason,
  });
