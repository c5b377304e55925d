import { derivedId } from "../../../core/ids.ts";
import { sum } from "../../../lib/money.ts";
import { overdueStageAt } from "../rules/next-retry.ts";
import { linesOf } from "../rules/coverage.ts";
import { creditOf } from "../rules/credit.ts";
import { partByRate } from "../rules/new-invoice.ts";
import { isSetOff } from "../rules/set-off.ts";
import { decide } from "../rules/apply-result.ts";
import type { Applied, ApplyContext } from "../rules/apply-result.ts";
import { expiryOf, isDroppable, isEnding, isLeftOwed, openAttempt } from "../rules/agenda.ts";
import type { Charge } from "../schema/charge.ts";
import { SUBSCRIPTION_LIMITS } from "../schema/parts.ts";
import type { Contract } from "../schema.ts";
import type { ContractWork } from "./contract-work.ts";
import { nextBillingDate, oldestDebt, owesElse } from "./contract-work.ts";
import { failedMail, mailStages } from "./mails.ts";

/** What the rules of failures want to know. */
export const applyContextOf = ({ now, policy, contract }: ContractWork): ApplyContext => ({
  now,
  policy,
  timezone: contract.timezone,
  expiresAt: expiryOf(contract),
});

/** Takes what an answer made of a charge, and lets the contract follow. */
export function follow(opened: ContractWork, { charge, effect }: Applied): void {
  opened.put(charge);
  // The contract has ended meanwhile: the customer is not asked for the money any more.
  if (opened.contract.ended_at !== null && UNPAID.has(effect)) {
    if (openAttempt(charge) === null) dropEnded(opened, [charge]);
    return;
  }
  if (UNPAID.has(effect) && charge.attempts.at(-1)?.failure?.code === TOO_SMALL)
    return carryOver(opened, charge);
  switch (effect) {
    case "paid":
      return onPaid(opened, charge);
    case "failed":
      return onFailed(opened, charge);
    case "action":
      return onAction(opened, charge);
    case "exhausted":
      return onExhausted(opened, charge);
    case "paid_twice":
    case "needs_review":
      return opened.emit("attempt.needs_review", charge, {
        reason: charge.review?.reason ?? "unresolved",
        attempt_id: charge.review?.attempt_id ?? "",
      });
    case "none":
    case "waiting":
  }
}

const UNPAID: ReadonlySet<Applied["effect"]> = new Set(["action", "failed", "exhausted"]);

/** Code of Stripe where an amount is below the least that it collects. */
const TOO_SMALL = "amount_too_small";

/** What a gateway does not collect for being too little is added to the next charge; it is let go where none follows. */
function carryOver(opened: ContractWork, charge: Charge): void {
  if (!carry(opened, charge, charge.amount_due)) {
    dropCharge(opened, charge, TOO_SMALL);
    return settleDebt(opened, charge.id);
  }
  const dunning = { ...charge.dunning, next_retry_at: null, give_up_at: null };
  // All of its tax goes to the next charge.
  const taxes = partByRate(charge, opened.contract.shipping_tax_rate_bps, charge.total);
  const amounts = { credit_applied: charge.total, credit_taxes: taxes, amount_due: 0 };
  const settled = { ...charge, ...amounts, paid_at: opened.nowAt, dunning };
  onPaid(opened, decide({ ...settled, status: "succeeded" }, "Collected with the next charge.", opened.now));
}

/** Adds a part of a charge to the next one; false where none follows. */
function carry(opened: ContractWork, charge: Charge, amount: number): boolean {
  const { contract } = opened;
  if (nextBillingDate(contract) === null || contract.carried.length >= SUBSCRIPTION_LIMITS.carried)
    return false;
  const taxes = partByRate(charge, contract.shipping_tax_rate_bps, amount);
  const tax = sum(taxes.map((one) => one.tax));
  const own = { id: charge.id, title: "Rest of an earlier charge", amount, tax, taxes };
  opened.contract = { ...contract, carried: [...contract.carried, own] };
  return true;
}

/** A charge without what earlier cycles left to it: the next one collects that, where one follows. */
function withoutCarried(opened: ContractWork, charge: Charge): Charge {
  const { carried, credit_applied: credit } = charge;
  const none = { lines: [], discount: 0, shipping: 0, tax: 0, credit_applied: 0, credit_taxes: [] };
  const alone = { ...charge, ...none, total: carried, amount_due: carried };
  if (carried === 0 || !carry(opened, alone, carried)) return charge;
  addCredit(opened, credit, { add: charge.credit_taxes });
  const total = charge.total - carried;
  return {
    ...charge,
    carried: 0,
    carried_tax: 0,
    carried_taxes: [],
    total,
    credit_applied: 0,
    credit_taxes: [],
    amount_due: total,
  };
}

/** A charge is settled, by a gateway or by hand. */
export function onPaid(opened: ContractWork, charge: Charge): void {
  const orderRef = derivedId("ord", new Uint8Array(), [opened.part, charge.id]);
  const { amount_due, credit_applied, credit_taxes } = charge;
  const revived = revive(opened, charge);
  opened.put({ ...revived, amount_due, credit_applied, credit_taxes, order_ref: orderRef });
  // Its credit was used elsewhere meanwhile.
  if (revived.amount_due > amount_due) carry(opened, charge, revived.amount_due - amount_due);
  // An attempt from before a part of it went to another charge was for all of it.
  const attempt = charge.attempts.find(({ state }) => state === "succeeded");
  if (attempt !== undefined) addCredit(opened, Math.max(0, attempt.amount - amount_due));
  opened.emit("charge.succeeded", charge, {
    amount: charge.amount_due,
    currency: charge.currency,
    cycle_index: charge.cycle_index,
    order_ref: orderRef,
    recovered: charge.dunning.stage > 0,
  });
  for (const stage of mailStages(opened.policy)) opened.withdrawMail(`failed ${charge.id} ${stage}`);
  settleDebt(opened, charge.id);
}

/** Lets the contract return to good standing once nothing that failed is owed any more. */
export function settleDebt(opened: ContractWork, chargeId: string): void {
  const { contract } = opened;
  if (owesElse(opened, chargeId)) return refreshOverdue(opened);
  const { status, pause } = contract;
  const isBack = status === "pending" || status === "past_due" || status === "unpaid";
  opened.contract = {
    ...contract,
    status: isBack ? "active" : status,
    pause: pause !== null && pause.was === "past_due" ? { ...pause, was: "active" } : pause,
    overdue: null,
  };
}

function onFailed(opened: ContractWork, charge: Charge): void {
  const failure = charge.attempts.at(-1)?.failure ?? null;
  opened.emit("charge.failed", charge, {
    category: charge.dunning.category,
    code: failure?.code ?? null,
    stage: charge.dunning.stage,
    next_retry_at: charge.dunning.next_retry_at,
    why: charge.decisions.at(-1)?.why ?? null,
  });
  fallBehind(opened);
  // A fault of the gateway cannot be fixed by the customer.
  if (charge.dunning.category !== "system") mailFailure(opened, charge, false);
}

function onAction(opened: ContractWork, charge: Charge): void {
  opened.emit("charge.failed", charge, {
    category: "action",
    code: "authentication_required",
    stage: charge.dunning.stage,
  });
  fallBehind(opened);
  mailFailure(opened, charge, false);
}

function fallBehind(opened: ContractWork): void {
  const { contract } = opened;
  if (contract.status === "active") opened.contract = { ...contract, status: "past_due" };
  refreshOverdue(opened);
}

function mailFailure(opened: ContractWork, charge: Charge, isLast: boolean): void {
  const stage = isLast ? "last" : Math.max(1, charge.dunning.stage);
  if (!isLast && !opened.policy.mail_stages.includes(Number(stage))) return;
  opened.mail({ about: `failed ${charge.id} ${stage}`, ...failedMail(opened, charge, stage) });
}

function onExhausted(opened: ContractWork, charge: Charge): void {
  const { on_exhausted: outcome } = opened.policy;
  const isWaiting = outcome === "unpaid" || outcome === "pause";
  if (isWaiting && !stopOthers(opened, charge)) return;
  opened.emit("charge.exhausted", charge, { outcome, why: charge.decisions.at(-1)?.why ?? null });
  mailFailure(opened, charge, true);
  if (outcome === "skip_cycle") {
    waive(opened, { ...withoutCarried(opened, charge), voided_reason: "unpaid_skipped" });
    return settleDebt(opened, charge.id);
  }
  if (outcome === "cancel") return endContract(opened, "dunning");
  const { contract } = opened;
  if (outcome === "unpaid") opened.contract = { ...contract, status: "unpaid" };
  else if (contract.status === "active" || contract.status === "past_due") {
    const since = opened.nowAt;
    opened.contract = {
      ...contract,
      status: "paused",
      pause: { since, resume_on: null, mode: "keep_calendar", reason: "dunning", was: "past_due" },
    };
    opened.emit("contract.paused", charge, { reason: "dunning" });
  }
  refreshOverdue(opened);
}

/**
 * The contract waits for a person: the ladder of every other charge ends as well, of a few in one commit. False where others are left:
 * the charge is exhausted after them, before anything else is tried.
 */
function stopOthers(opened: ContractWork, charge: Charge): boolean {
  const others = [...opened.charges.values()].filter((other) => other.id !== charge.id && isPlanned(other));
  for (const other of others.slice(0, CHARGES_PER_COMMIT))
    opened.put({ ...other, dunning: { ...other.dunning, next_retry_at: null, give_up_at: null } });
  if (others.length <= CHARGES_PER_COMMIT) return true;
  const at = charge.dunning.first_failed_at ?? opened.nowAt;
  opened.put({
    ...charge,
    status: "retrying",
    dunning: { ...charge.dunning, next_retry_at: null, give_up_at: at },
  });
  return false;
}

const isPlanned = (charge: Charge): boolean =>
  charge.status === "retrying" &&
  (charge.dunning.next_retry_at !== null || charge.dunning.give_up_at !== null) &&
  !isEnding(charge);

/** Works out again how old the oldest debt is, and what the storefront should hold back. */
export function refreshOverdue(opened: ContractWork): void {
  const since = oldestDebt(opened);
  if (since === null) {
    opened.contract = { ...opened.contract, overdue: null };
    return;
  }
  const stage = overdueStageAt(opened.policy, since, opened.today);
  opened.contract = {
    ...opened.contract,
    overdue: {
      since,
      stage: stage?.stage ?? null,
      block_changes: stage?.block_changes ?? false,
      block_fulfilment: stage?.block_fulfilment ?? false,
    },
  };
}

/** Ends a contract now: what is owed and not under way is let go. */
export function endContract(opened: ContractWork, by: "merchant" | "customer" | "dunning"): void {
  const { contract } = opened;
  const nowAt = opened.nowAt;
  const cancellation = contract.cancellation ?? {
    requested_at: nowAt,
    effective_on: opened.today,
    reason_code: "payment" as const,
    comment: "",
    by,
    refund: "none" as const,
  };
  opened.contract = { ...contract, status: "cancelled", pause: null, cancellation, ended_at: nowAt };
  // The worker goes on with `dropLeft`.
  dropOwed(opened, "contract_ended", CHARGES_PER_COMMIT);
  opened.contract = { ...opened.contract, overdue: null };
  opened.emit("contract.cancelled", null, { by: cancellation.by, reason_code: cancellation.reason_code });
}

/** Charges that one commit changes: each has up to 200 KB, and takes up to fourteen operations with the credit note of its invoice. */
const CHARGES_PER_COMMIT = 5;

/** Voids what is owed and about which no gateway is being asked; `most`: of that, so many charges. */
export function dropOwed(opened: ContractWork, reason: string, most = Infinity): void {
  const owed = [...opened.charges.values()].filter(isDroppable);
  for (const charge of owed.slice(0, most)) dropCharge(opened, charge, reason);
}

/** Voids more of what was owed when the contract was cancelled. */
export function dropLeft(opened: ContractWork): null {
  const { contract } = opened;
  const left = [...opened.charges.values()].filter((charge) => isLeftOwed(contract, charge));
  dropEnded(opened, left.slice(0, CHARGES_PER_COMMIT));
  return null;
}

/** Voids charges of a contract that has ended. */
function dropEnded(opened: ContractWork, owed: readonly Charge[]): void {
  const { contract } = opened;
  for (const charge of owed) dropCharge(opened, charge, "contract_ended");
  const credit = isSetOff(contract) ? contract.credit : opened.contract.credit;
  opened.contract = { ...opened.contract, credit, overdue: null };
}

/** Voids a charge. */
export function dropCharge(opened: ContractWork, charge: Charge, reason: string): void {
  const dunning = { ...charge.dunning, next_retry_at: null, give_up_at: null };
  waive(opened, { ...revive(opened, charge), status: "voided", voided_reason: reason, dunning });
}

/** Lets a charge go: the credit that it used is there again, and what a change credited of it was never paid. */
function waive(opened: ContractWork, charge: Charge): void {
  opened.put({ ...charge, coverage: coverageOf(charge, -linesOf(charge)) });
  const amount = charge.credit_applied + Math.min(0, charge.coverage?.adjusted ?? 0);
  addCredit(opened, amount, { add: charge.credit_taxes });
}

/** The charge as it was before it was let go: it uses its credit again, as far as that is there, and the rest is due. */
export function revive(opened: ContractWork, charge: Charge): Charge {
  if (charge.voided_reason === null) return charge;
  const credit = Math.min(charge.credit_applied, opened.contract.credit);
  addCredit(opened, -charge.credit_applied, { less: charge.credit_taxes });
  const { credit_taxes } = creditOf(credit, charge.credit_taxes);
  const amounts = { credit_applied: credit, credit_taxes, amount_due: charge.total - credit };
  return { ...charge, ...amounts, voided_reason: null, coverage: coverageOf(charge, linesOf(charge)) };
}

/** What a period is worth that has changed, with or without what was charged for it at first. */
const coverageOf = ({ coverage }: Charge, base: number): Charge["coverage"] =>
  coverage && {
    ...coverage,
    lines_price: Math.max(0, coverage.lines_price + base),
    adjusted: Math.max(0, coverage.adjusted),
  };

function addCredit(opened: ContractWork, amount: number, taxes?: Parameters<typeof creditOf>[2]): void {
  const { credit, credit_taxes: known } = opened.contract;
  opened.contract = { ...opened.contract, ...creditOf(Math.max(0, credit + amount), known, taxes) };
}

/** Status to which a pause goes back. */
export const statusBefore = ({ status }: Contract): "active" | "past_due" | "trialing" =>
  status === "trialing" ? "trialing" : status === "past_due" ? "past_due" : "active";
