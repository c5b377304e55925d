import { fromInstant } from "../../../lib/instant.ts";
import { localDateAt, toEpochMs } from "../../../lib/local-time.ts";
import type { Attempt, Charge } from "../schema/charge.ts";
import type { Contract } from "../schema.ts";
import type { DunningPolicy } from "../schema/policy.ts";
import { isOwed } from "./charge-state.ts";
import { billingDate, billingInstant, isAfterEnd } from "./cycle-dates.ts";
import { nextOverdueDay, overdueStageAt } from "./next-retry.ts";

/** Something that is to be done about a contract. */
export type Action =
  | { readonly kind: "ask"; readonly chargeId: string }
  | { readonly kind: "action_timeout"; readonly chargeId: string }
  | { readonly kind: "refund"; readonly chargeId: string; readonly refundId: string }
  | { readonly kind: "resume" }
  | { readonly kind: "cancel" }
  | { readonly kind: "drop" }
  | { readonly kind: "collect_carried" }
  | { readonly kind: "expire"; readonly reason: "unpaid_start" | "max_cycles" }
  | { readonly kind: "end_trial" }
  | { readonly kind: "open_charge" }
  | { readonly kind: "end_ladder"; readonly chargeId: string }
  | { readonly kind: "attempt"; readonly chargeId: string }
  | { readonly kind: "give_up"; readonly chargeId: string }
  | { readonly kind: "overdue" }
  | { readonly kind: "notice"; readonly index: number };

export interface Item {
  /** Epoch milliseconds from which on it is due. */
  readonly at: number;
  readonly action: Action;
}

/** The order in which due things are done, whatever their times: what is known comes before what is new. */
const ORDER: readonly Action["kind"][] = [
  "ask",
  "action_timeout",
  "refund",
  "resume",
  "cancel",
  "drop",
  "end_ladder",
  "collect_carried",
  "expire",
  "end_trial",
  "open_charge",
  "attempt",
  "give_up",
  "overdue",
  "notice",
];

/** Hours after which a contract whose first charge was not paid comes to nothing. */
const PENDING_HOURS = 23;
const HOUR_MS = 3_600_000;

/** Everything that is still to come for a contract, as far as it can be known now. `charges` are the unfinished ones. */
export function agendaOf(
  contract: Contract,
  charges: readonly Charge[],
  policy: DunningPolicy,
  now: number,
): Item[] {
  return [
    ...charges.flatMap((charge) => chargeItems(contract, charge, policy)),
    ...contractItems(contract, charges),
    ...overdueItems(contract, policy, now),
  ];
}

/** What to do first at an instant; null when nothing is due. */
export function firstDue(items: readonly Item[], now: number): Action | null {
  const due = items.filter(({ at }) => at <= now);
  const rank = ({ action }: Item): number => ORDER.indexOf(action.kind);
  return [...due].sort((a, b) => rank(a) - rank(b) || a.at - b.at)[0]?.action ?? null;
}

/** When there is something to do next, epoch milliseconds; null for never. */
export const nextDueAt = (items: readonly Item[]): number | null =>
  items.length === 0 ? null : Math.min(...items.map(({ at }) => at));

/** The attempt of a charge that is not decided yet: at most the last one is. */
export function openAttempt(charge: Pick<Charge, "attempts">): Attempt | null {
  const last = charge.attempts.at(-1);
  return last === undefined || last.state === "succeeded" || last.state === "failed" ? null : last;
}

/** Whether the attempt of a charge was taken back, and waits for the budget of outgoing requests. */
const isUnsent = ({ status, dunning }: Charge): boolean =>
  status === "processing" && dunning.next_retry_at !== null;

/** Whether a charge may still bring the first payment: an attempt is under way, was not sent yet, or it is paid by hand. */
const isExpected = (charge: Charge): boolean =>
  openAttempt(charge) !== null || isUnsent(charge) || charge.status === "pending_manual";

/** Whether the end of a contract voids a charge: it is owed, and no gateway is being asked about it. */
export const isDroppable = (charge: Charge): boolean =>
  isOwed(charge) && charge.status !== "exhausted" && openAttempt(charge) === null;

/** Whether a charge was owed when its contract was cancelled, and is still to be voided: one commit holds a few of them only. */
export const isLeftOwed = (
  { status, ended_at: endedAt }: Pick<Contract, "ended_at" | "status">,
  charge: Charge,
): boolean =>
  status === "cancelled" && endedAt !== null && isDroppable(charge) && charge.created_at <= endedAt;

/**
 * Whether the last retry of a charge has failed and the contract still has to wait for a person: the ladders of all other charges end
 * first, a few in one commit.
 */
export const isEnding = ({ status, dunning }: Pick<Charge, "dunning" | "status">): boolean =>
  status === "retrying" &&
  dunning.next_retry_at === null &&
  dunning.give_up_at !== null &&
  dunning.give_up_at === dunning.first_failed_at;

/** Whether more attempts of a charge are under way or to come: its contract does not expire before. */
const isBeingTried = (charge: Charge): boolean =>
  charge.status === "processing" ||
  openAttempt(charge) !== null ||
  (charge.status === "retrying" && (charge.dunning.next_retry_at ?? charge.dunning.give_up_at) !== null);

/** Contracts for which money may be asked. */
const COLLECTING: ReadonlySet<Contract["status"]> = new Set(["pending", "active", "past_due", "unpaid"]);
/** Contracts whose next cycle is billed when its time comes. */
const BILLING: ReadonlySet<Contract["status"]> = new Set(["pending", "active", "past_due"]);

export const mayCollect = ({ status }: Pick<Contract, "status">): boolean => COLLECTING.has(status);

/** Instant at which a contract expires without its first payment, epoch milliseconds; null for any that is not pending. */
export const expiryOf = ({
  status,
  created_at: at,
}: Pick<Contract, "status" | "created_at">): number | null =>
  status === "pending" ? fromInstant(at) + PENDING_HOURS * HOUR_MS : null;

function chargeItems(contract: Contract, charge: Charge, policy: DunningPolicy): Item[] {
  const items: Item[] = charge.refunds.flatMap(({ id, state, next_try_at: at }) =>
    state === "pending" && at !== null
      ? [{ at: fromInstant(at), action: { kind: "refund", chargeId: charge.id, refundId: id } as const }]
      : [],
  );
  const chargeId = charge.id;
  const open = openAttempt(charge);
  if (open !== null) {
    const at = open.state === "claimed" ? open.lease_until : open.next_lookup_at;
    if (at !== null) items.push({ at: fromInstant(at), action: { kind: "ask", chargeId } });
    if (open.state === "requires_action") {
      // Asked one last time before it is given up: the customer may have confirmed without our hearing of it.
      const limit = fromInstant(open.claimed_at) + policy.action_hours * HOUR_MS;
      const at = Math.max(limit, fromInstant(open.lease_until));
      items.push({ at, action: { kind: "action_timeout", chargeId } });
    }
    return items;
  }
  if (isLeftOwed(contract, charge))
    items.push({ at: fromInstant(contract.ended_at ?? contract.updated_at), action: { kind: "drop" } });
  if (!mayCollect(contract)) return items;
  const { next_retry_at: retryAt, give_up_at: giveUpAt } = charge.dunning;
  if (charge.status === "processing") {
    items.push({ at: fromInstant(retryAt ?? charge.due_at), action: { kind: "attempt", chargeId } });
  }
  if (charge.status !== "retrying") return items;
  if (retryAt !== null) items.push({ at: fromInstant(retryAt), action: { kind: "attempt", chargeId } });
  else if (giveUpAt !== null) {
    const kind = isEnding(charge) ? "end_ladder" : "give_up";
    items.push({ at: fromInstant(giveUpAt), action: { kind, chargeId } });
  }
  return items;
}

function contractItems(contract: Contract, charges: readonly Charge[]): Item[] {
  const { status, pause, cancellation, timezone, max_cycles: most } = contract;
  if (status === "cancelled" || status === "expired") return [];
  const dayStart = (date: string): number => toEpochMs(date, "00:00", timezone);
  const items: Item[] = [];
  if (status === "paused" && pause !== null && pause.resume_on !== null) {
    items.push({ at: dayStart(pause.resume_on), action: { kind: "resume" } });
  }
  if (cancellation !== null) {
    items.push({ at: dayStart(cancellation.effective_on), action: { kind: "cancel" } });
  }
  const expiresAt = expiryOf(contract);
  if (expiresAt !== null && !charges.some(isExpected)) {
    items.push({ at: expiresAt, action: { kind: "expire", reason: "unpaid_start" } });
  }
  if (status === "trialing" && contract.trial_ends_on !== null) {
    const at = billingInstant(contract, contract.trial_ends_on);
    items.push({ at, action: { kind: "end_trial" } });
  }
  const isOver = most !== null && contract.next_cycle >= most;
  const endsBefore = isAfterEnd(contract, contract.next_cycle);
  if (BILLING.has(status)) {
    const isLast = isOver || endsBefore;
    if (!isLast) items.push({ at: openingAt(contract), action: { kind: "open_charge" } });
    // No cycle follows with which the changes could be collected.
    else if (contract.carried.length > 0)
      items.push({ at: dayStart(contract.start_date), action: { kind: "collect_carried" } });
    else if (isOver && !charges.some(isBeingTried)) {
      const at = dayStart(contract.current_period?.end ?? contract.start_date);
      items.push({ at, action: { kind: "expire", reason: "max_cycles" } });
    }
  }
  for (const [index, notice] of contract.compliance.notices.entries()) {
    if (notice.sent_at !== null || status === "paused") continue;
    // Of the payments of a contract that ends before the next there is nothing to announce.
    if ((isOver || endsBefore) && notice.kind !== "cooling_off") continue;
    items.push({ at: toEpochMs(notice.due_on, "09:00", timezone), action: { kind: "notice", index } });
  }
  return items;
}

/** Instant at which the next cycle is billed; a contract that begins today is billed at once. */
export function openingAt(contract: Contract): number {
  const date = billingDate(contract, contract.next_cycle);
  const createdAt = fromInstant(contract.created_at);
  const beginsAtOnce = contract.next_cycle === 0 && date <= localDateAt(createdAt, contract.timezone);
  return beginsAtOnce ? createdAt : billingInstant(contract, date);
}

function overdueItems(contract: Contract, policy: DunningPolicy, now: number): Item[] {
  const { overdue, timezone, status } = contract;
  if (overdue === null || status === "cancelled" || status === "expired") return [];
  const today = localDateAt(now, timezone);
  const dayStart = (date: string): number => toEpochMs(date, "00:00", timezone);
  const reached = overdueStageAt(policy, overdue.since, today)?.stage ?? null;
  if (reached !== overdue.stage) return [{ at: dayStart(today), action: { kind: "overdue" } }];
  const next = nextOverdueDay(policy, overdue.since, today);
  return next === null ? [] : [{ at: dayStart(next), action: { kind: "overdue" } }];
}
