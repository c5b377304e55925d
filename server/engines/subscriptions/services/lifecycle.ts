import { dayOf } from "../rules/calendar.ts";
import { billingDate, billingInstant, cyclePeriod, keptOverrides } from "../rules/cycle-dates.ts";
import { findMethod, isUsable, retryNow } from "./attempts.ts";
import type { ContractWork } from "./contract-work.ts";
import { applyPending } from "./cycles.ts";
import { dropOwed } from "./effects.ts";
import { renewalMail } from "./mails.ts";

/** More than a year of days: the longest pause is shorter. */
const CYCLES_SKIPPED_MAX = 400;

/** Goes on after a pause: by the calendar as it was, or recounted from today. */
export function resume(opened: ContractWork): null {
  const { contract, now, today } = opened;
  const { pause, billing } = contract;
  if (pause === null) return null;
  const resumed = { ...contract, status: pause.was, pause: null };
  const isToCome = (index: number): boolean =>
    cyclePeriod(contract, index).start > today ||
    billingInstant(contract, billingDate(contract, index)) > now;
  // Where the next cycle is still to come, nothing has passed.
  if (isToCome(contract.next_cycle)) opened.contract = resumed;
  else if (pause.mode === "shift") {
    const next = contract.next_cycle;
    // Days that were paid for before the pause are not taken away.
    const end = contract.current_period?.end ?? today;
    const start = end > today ? end : today;
    const day = billing.anchor_day === null ? null : dayOf(start);
    const shifted = { ...billing, anchor_date: start, anchor_day: day, anchor_index: next, stub_start: null };
    const after = { ...resumed, billing: shifted };
    opened.contract = { ...after, overrides: keptOverrides(contract, after) };
  } else {
    // Cycles whose time passed meanwhile are left out permanently: they keep their indices.
    let next = contract.next_cycle;
    const end = next + CYCLES_SKIPPED_MAX;
    while (next < end && !isToCome(next)) next += 1;
    opened.contract = { ...resumed, next_cycle: next };
    if (next > contract.next_cycle) applyPending(opened, next);
  }
  opened.emit("contract.resumed", null, { mode: pause.mode });
  return null;
}

/** Another payment method deserves one try at once, whatever became of the old one. What was paused for want of one goes on. */
export function payWith(opened: ContractWork, methodId: string | null): void {
  if (methodId === opened.contract.payment_method_id) return;
  opened.contract = { ...opened.contract, payment_method_id: methodId };
  if (methodId === null) return;
  retryNow(opened);
  if (opened.contract.pause?.reason === "no_payment_method") resume(opened);
}

export function expire(opened: ContractWork, reason: "unpaid_start" | "max_cycles"): null {
  const { contract } = opened;
  opened.contract = {
    ...contract,
    status: "expired",
    pause: null,
    ended_at: opened.nowAt,
    overdue: null,
  };
  if (reason === "unpaid_start") dropOwed(opened, "contract_expired");
  opened.emit("contract.expired", null, { reason });
  return null;
}

/** The trial is over: billing begins, if there is something to bill. */
export async function endTrial(opened: ContractWork): Promise<null> {
  const { contract } = opened;
  const method = await findMethod(opened);
  const isReady =
    contract.collection === "send_invoice" || (method !== null && isUsable(method, opened.today));
  if (isReady) {
    opened.contract = { ...contract, status: "active" };
    opened.emit("contract.updated", null, { change: "trial_ended" });
    return null;
  }
  const since = opened.nowAt;
  const pause = {
    since,
    resume_on: null,
    mode: "shift" as const,
    reason: "no_payment_method" as const,
    was: "active" as const,
  };
  opened.contract = { ...contract, status: "paused", pause };
  opened.emit("contract.paused", null, { reason: "no_payment_method" });
  return null;
}

export function sendNotice(opened: ContractWork, index: number): null {
  const { contract } = opened;
  const notices = contract.compliance.notices.map((notice, at) =>
    at === index ? { ...notice, sent_at: opened.nowAt } : notice,
  );
  const notice = contract.compliance.notices[index];
  if (notice === undefined) return null;
  opened.mail({ about: `notice ${notice.kind} ${notice.due_on}`, ...renewalMail(opened) });
  opened.contract = { ...contract, compliance: { ...contract.compliance, notices } };
  opened.emit("notice.sent", null, { kind: notice.kind, due_on: notice.due_on });
  return null;
}
