import { toInstant } from "../../../lib/instant.ts";
import { derivedId } from "../../../core/ids.ts";
import { isOwed } from "../rules/charge-state.ts";
import { overdueStageAt } from "../rules/next-retry.ts";
import type { Applied, ApplyContext } from "../rules/apply-result.ts";
import { expiryOf, openAttempt } from "../rules/agenda.ts";
import type { Charge } from "../schema/charge.ts";
import type { Contract } from "../schema.ts";
import type { Book } from "./book.ts";
import { oldestDebt, owesElse } from "./book.ts";
import { failedMail, mailStages } from "./mails.ts";

/** What the rules of failures want to know. */
export const applyContextOf = ({ env, policy, contract }: Book): ApplyContext => ({
  now: env.now,
  policy,
  timezone: contract.timezone,
  expiresAt: expiryOf(contract),
});

/** Takes what an answer made of a charge, and lets the contract follow. */
export function follow(book: Book, { charge, effect }: Applied): void {
  book.put(charge);
  switch (effect) {
    case "paid":
      return onPaid(book, charge);
    case "failed":
      return onFailed(book, charge);
    case "action":
      return onAction(book, charge);
    case "exhausted":
      return onExhausted(book, charge);
    case "paid_twice":
    case "needs_review":
      return book.emit("attempt.needs_review", charge, {
        reason: charge.review?.reason ?? "unresolved",
        attempt_id: charge.review?.attempt_id ?? "",
      });
    case "none":
    case "waiting":
  }
}

/** A charge is settled, by a gateway or by hand. */
export function onPaid(book: Book, charge: Charge): void {
  const orderRef = derivedId("ord", new Uint8Array(), [book.env.part, charge.id]);
  book.put({ ...charge, order_ref: orderRef });
  book.emit("charge.succeeded", charge, {
    amount: charge.amount_due,
    currency: charge.currency,
    cycle_index: charge.cycle_index,
    order_ref: orderRef,
    recovered: charge.dunning.stage > 0,
  });
  for (const stage of mailStages(book.policy)) book.withdrawMail(`failed ${charge.id} ${stage}`);
  settleDebt(book, charge.id);
}

/** Lets the contract return to good standing once nothing that failed is owed any more. */
export function settleDebt(book: Book, chargeId: string): void {
  const { contract } = book;
  if (owesElse(book, chargeId)) return refreshOverdue(book);
  const { status, pause } = contract;
  const isBack = status === "pending" || status === "past_due" || status === "unpaid";
  book.contract = {
    ...contract,
    status: isBack ? "active" : status,
    pause: pause !== null && pause.was === "past_due" ? { ...pause, was: "active" } : pause,
    overdue: null,
  };
}

function onFailed(book: Book, charge: Charge): void {
  const failure = charge.attempts.at(-1)?.failure ?? null;
  book.emit("charge.failed", charge, {
    category: charge.dunning.category,
    code: failure?.code ?? null,
    stage: charge.dunning.stage,
    next_retry_at: charge.dunning.next_retry_at,
    why: charge.decisions.at(-1)?.why ?? null,
  });
  fallBehind(book);
  // A fault of the gateway cannot be fixed by the customer.
  if (charge.dunning.category !== "system") mailFailure(book, charge, false);
}

function onAction(book: Book, charge: Charge): void {
  book.emit("charge.failed", charge, {
    category: "action",
    code: "authentication_required",
    stage: charge.dunning.stage,
  });
  fallBehind(book);
  mailFailure(book, charge, false);
}

function fallBehind(book: Book): void {
  const { contract } = book;
  if (contract.status === "active") book.contract = { ...contract, status: "past_due" };
  refreshOverdue(book);
}

function mailFailure(book: Book, charge: Charge, isLast: boolean): void {
  const stage = isLast ? "last" : Math.max(1, charge.dunning.stage);
  if (!isLast && !book.policy.mail_stages.includes(Number(stage))) return;
  book.mail({ about: `failed ${charge.id} ${stage}`, ...failedMail(book, charge, stage) });
}

function onExhausted(book: Book, charge: Charge): void {
  const { on_exhausted: outcome } = book.policy;
  book.emit("charge.exhausted", charge, { outcome, why: charge.decisions.at(-1)?.why ?? null });
  mailFailure(book, charge, true);
  if (outcome === "skip_cycle") {
    book.put({ ...charge, voided_reason: "unpaid_skipped" });
    return settleDebt(book, charge.id);
  }
  if (outcome === "cancel") return endContract(book, "dunning");
  // Waiting for a person: the ladder of every other charge ends here as well.
  for (const other of book.charges.values()) stopRetrying(book, other);
  const { contract } = book;
  if (outcome === "unpaid") book.contract = { ...contract, status: "unpaid" };
  else if (contract.status === "active" || contract.status === "past_due") {
    const since = toInstant(book.env.now);
    book.contract = {
      ...contract,
      status: "paused",
      pause: { since, resume_on: null, mode: "keep_calendar", reason: "dunning", was: "past_due" },
    };
    book.emit("contract.paused", charge, { reason: "dunning" });
  }
  refreshOverdue(book);
}

function stopRetrying(book: Book, charge: Charge): void {
  if (charge.status !== "retrying") return;
  book.put({ ...charge, dunning: { ...charge.dunning, next_retry_at: null, give_up_at: null } });
}

/** Works out again how old the oldest debt is, and what the storefront should hold back. */
export function refreshOverdue(book: Book): void {
  const since = oldestDebt(book);
  if (since === null) {
    book.contract = { ...book.contract, overdue: null };
    return;
  }
  const stage = overdueStageAt(book.policy, since, book.today);
  book.contract = {
    ...book.contract,
    overdue: {
      since,
      stage: stage?.stage ?? null,
      block_changes: stage?.block_changes ?? false,
      block_fulfilment: stage?.block_fulfilment ?? false,
    },
  };
}

/** Ends a contract now: what is owed and not under way is let go. */
export function endContract(book: Book, by: "merchant" | "customer" | "dunning"): void {
  const { contract, env } = book;
  const nowAt = toInstant(env.now);
  const cancellation = contract.cancellation ?? {
    requested_at: nowAt,
    effective_on: book.today,
    reason_code: "payment" as const,
    comment: "",
    by,
    refund: "none" as const,
  };
  book.contract = { ...contract, status: "cancelled", pause: null, cancellation, ended_at: nowAt };
  dropOwed(book, "contract_ended");
  book.contract = { ...book.contract, overdue: null };
  book.emit("contract.cancelled", null, { by: cancellation.by, reason_code: cancellation.reason_code });
}

/** Voids what is owed and about which no gateway is being asked. */
export function dropOwed(book: Book, reason: string): void {
  for (const charge of book.charges.values()) {
    if (!isOwed(charge) || openAttempt(charge) !== null || charge.status === "exhausted") continue;
    dropCharge(book, charge, reason);
  }
}

/** Voids a charge; the credit that it used up is there again. */
export function dropCharge(book: Book, charge: Charge, reason: string): void {
  const dunning = { ...charge.dunning, next_retry_at: null, give_up_at: null };
  book.put({ ...charge, status: "voided", voided_reason: reason, dunning });
  book.contract = { ...book.contract, credit: book.contract.credit + charge.credit_applied };
}

/** Status to which a pause goes back. */
export const statusBefore = ({ status }: Contract): "active" | "past_due" | "trialing" =>
  status === "trialing" ? "trialing" : status === "past_due" ? "past_due" : "active";
