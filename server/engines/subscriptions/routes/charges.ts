import { z } from "zod";
import { chargeResource } from "./charge-lists.ts";

import { conflict, conflictWhen, invalidField } from "../../../lib/errors.ts";
import { ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { Id, Instant } from "../../../core/schema.ts";
import { chargeOf, closeWork } from "../services/contract-work.ts";
import type { OpenedContract } from "../services/contract-work.ts";
import { applyContextOf, dropCharge, onPaid, revive, settleDebt } from "../services/effects.ts";
import { followPayment } from "../services/cancel.ts";
import { addRefund } from "../services/refunds.ts";
import { paymentMethods } from "../repository.ts";
import { isOwed, refundable } from "../rules/charge-state.ts";
import { mayCollect, openAttempt } from "../rules/agenda.ts";
import { applyAnswer, decide } from "../rules/apply-result.ts";
import { Charge } from "../schema/charge.ts";
import { SUBSCRIPTION_LIMITS } from "../schema/parts.ts";
import { openCharge } from "./env.ts";

const params = { id: "chg_8NKH5BGKS3KVV80XDF9EKPW05C" };

const open = conflictWhen("attempt_open", "An attempt is in progress and must finish first");
const settledAlready = conflictWhen("charge_settled", "Nothing is owed on the charge");

/** Refuses while an attempt is not decided, since its money may come yet. */
function refuseOpen(charge: Charge): void {
  if (openAttempt(charge) === null) return;
  throw conflict(
    "attempt_open",
    "An attempt is in progress and may still succeed. Wait for it, or resolve it.",
  );
}

function refuseSettled(charge: Charge): void {
  if (isOwed(charge) || charge.status === "exhausted" || charge.status === "scheduled") return;
  throw conflict("charge_settled", `Nothing is owed on a ${charge.status.replaceAll("_", " ")} charge.`);
}

/** Stores the contract and answers with the charge as it then is. */
async function answer(opened: OpenedContract, id: string) {
  const charge = chargeOf(opened, id);
  await closeWork(opened);
  return ok(charge);
}

const attempt = defineRoute({
  id: "subscriptions.charges.attempt",
  method: "POST",
  path: "/charges/:id/attempts",
  scope: "manage",
  summary: "Try to collect a charge again",
  description:
    "The worker makes the attempt within seconds, once. A paused or ended contract is never charged.",
  body: z.strictObject({ payment_method_id: Id.optional() }).default({}),
  data: Charge,
  errors: [
    open,
    settledAlready,
    conflictWhen("contract_not_collecting", "The contract is paused, on trial or has ended"),
    conflictWhen("limit_reached", "The charge has the maximum number of attempts"),
  ],
  example: {
    params,
    body: {},
  },
  async handle({ params: { id }, body }, ctx) {
    const opened = await openCharge(ctx, id);
    const { contract } = opened;
    const charge = chargeOf(opened, id);
    refuseOpen(charge);
    refuseSettled(charge);
    if (!mayCollect(contract)) {
      throw conflict(
        "contract_not_collecting",
        `A contract with status \`${contract.status}\` cannot be charged.`,
      );
    }
    if (charge.attempts.length >= SUBSCRIPTION_LIMITS.attempts) {
      throw conflict("limit_reached", "The charge has the maximum number of attempts.");
    }
    if (body.payment_method_id !== undefined) {
      const method = await ctx.tx.get(paymentMethods, body.payment_method_id);
      if (method?.value.customer_id !== contract.customer.id) {
        throw invalidField(["payment_method_id"], "No such payment method of this customer.");
      }
      opened.contract = { ...contract, payment_method_id: method.id };
    }
    const dunning = { ...charge.dunning, next_retry_at: ctx.nowAt, give_up_at: null };
    opened.put(
      decide({ ...revive(opened, charge), status: "retrying", dunning }, "Tried again on request.", ctx.now),
    );
    return answer(opened, id);
  },
});

const voidCharge = chargeResource.action("void", {
  scope: "manage",
  summary: "Void a charge",
  body: z.strictObject({ reason: z.string().trim().min(1).max(200) }),
  data: Charge,
  errors: [open, settledAlready],
  example: { body: { reason: "Goodwill" } },
  async handle({ params: { id }, body }, ctx) {
    const opened = await openCharge(ctx, id);
    const charge = chargeOf(opened, id);
    refuseOpen(charge);
    refuseSettled(charge);
    dropCharge(opened, charge, body.reason);
    settleDebt(opened, id);
    return answer(opened, id);
  },
});

const markPaid = chargeResource.action("mark-paid", {
  scope: "manage",
  summary: "Record a payment made another way, such as a bank transfer",
  body: z.strictObject({ reference: z.string().trim().min(1).max(200), paid_at: Instant.optional() }),
  data: Charge,
  errors: [open, settledAlready],
  example: { body: { reference: "BACS 2026-06-03" } },
  async handle({ params: { id }, body }, ctx) {
    const opened = await openCharge(ctx, id);
    const charge = chargeOf(opened, id);
    refuseOpen(charge);
    refuseSettled(charge);
    const paidAt = body.paid_at ?? ctx.nowAt;
    if (paidAt > ctx.nowAt) throw invalidField(["paid_at"], "Must not be in the future.");
    const dunning = { ...charge.dunning, next_retry_at: null, give_up_at: null };
    const paid: Charge = {
      ...charge,
      status: "succeeded",
      paid_at: paidAt,
      payment_reference: body.reference,
      dunning,
    };
    opened.put(decide(paid, `Marked as paid: ${body.reference}.`, ctx.now));
    onPaid(opened, chargeOf(opened, id));
    return answer(opened, id);
  },
});

const refundCharge = defineRoute({
  id: "subscriptions.charges.refund",
  method: "POST",
  path: "/charges/:id/refunds",
  scope: "manage",
  summary: "Refund a charge",
  description:
    "Through the gateway that collected it, exactly once. A refund of a manual payment is only recorded.",
  body: z.strictObject({ amount: z.int().min(1), reason: z.string().trim().min(1).max(200) }),
  data: Charge,
  errors: [
    conflictWhen("refund_exceeds_payment", "The amount exceeds what was collected and not refunded"),
    conflictWhen("limit_reached", "The charge has the maximum number of refunds"),
  ],
  example: {
    params,
    body: { amount: 300, reason: "Late delivery" },
  },
  async handle({ params: { id }, body }, ctx) {
    const opened = await openCharge(ctx, id);
    const charge = chargeOf(opened, id);
    const left = refundable(charge);
    if (body.amount > left) {
      throw conflict("refund_exceeds_payment", `The amount exceeds the refundable amount of ${left}.`);
    }
    if (charge.refunds.length >= SUBSCRIPTION_LIMITS.refunds) {
      throw conflict("limit_reached", "The charge has the maximum number of refunds.");
    }
    addRefund(opened, charge, body.amount, body.reason);
    return answer(opened, id);
  },
});

const settleAttempt = chargeResource.action("settle", {
  scope: "manage",
  summary: "Resolve an attempt whose outcome cannot be looked up",
  description: "Ask the gateway's own books first: a failure that was none leads to a second payment.",
  body: z.strictObject({
    result: z.enum(["succeeded", "failed"]),
    reference: z.string().trim().min(1).max(200),
  }),
  data: Charge,
  errors: [conflictWhen("no_open_attempt", "Every attempt is decided")],
  example: { body: { result: "succeeded", reference: "ch_1042" } },
  async handle({ params: { id }, body }, ctx) {
    const opened = await openCharge(ctx, id);
    const charge = chargeOf(opened, id);
    const attempt = openAttempt(charge);
    if (attempt === null) throw conflict("no_open_attempt", "Every attempt is decided.");
    const ref = body.reference;
    const failure = { category: "soft" as const, code: "settled_as_failed", message: "Settled by hand." };
    const result =
      body.result === "succeeded"
        ? { status: "succeeded" as const, ref }
        : { status: "failed" as const, ref, failure };
    await followPayment(opened, applyAnswer(charge, attempt.n, result, applyContextOf(opened)));
    return answer(opened, id);
  },
});

export const chargeRoutes = [attempt, voidCharge, markPaid, refundCharge, settleAttempt];
