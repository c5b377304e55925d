import { toInstant } from "../../../lib/instant.ts";
import { dayOf } from "../rules/calendar.ts";
import { planNotices } from "../rules/compliance.ts";
import { boundary, keptOverrides } from "../rules/cycle-dates.ts";
import { findMethod, isUsable } from "./attempts.ts";
import type { Book } from "./book.ts";
import { dropOwed } from "./effects.ts";
import { renewalMail } from "./mails.ts";

/** More than a year of days: the longest pause is shorter. */
const CYCLES_SKIPPED_MAX = 400;

/** Goes on after a pause: by the calendar as it was, or recounted from today. */
export function resume(book: Book): null {
  const { contract, today } = book;
  const { pause, billing } = contract;
  if (pause === null) return null;
  const resumed = { ...contract, status: pause.was, pause: null };
  if (pause.was === "trialing") book.contract = resumed;
  else if (pause.mode === "shift") {
    const next = contract.next_cycle;
    // Days that were paid for before the pause are not taken away.
    const end = contract.current_period?.end ?? today;
    const start = end > today ? end : today;
    const day = billing.anchor_day === null ? null : dayOf(start);
    const shifted = { ...billing, anchor_date: start, anchor_day: day, anchor_index: next, stub_start: null };
    const after = { ...resumed, billing: shifted };
    book.contract = { ...after, overrides: keptOverrides(contract, after) };
  } else {
    // Cycles whose day passed meanwhile are left out permanently: they keep their indices.
    let next = contract.next_cycle;
    while (boundary(billing, next) <= today && next < contract.next_cycle + CYCLES_SKIPPED_MAX) next += 1;
    book.contract = { ...resumed, next_cycle: next };
  }
  book.emit("contract.resumed", null, { mode: pause.mode });
  return null;
}

export function expire(book: Book, reason: "unpaid_start" | "max_cycles"): null {
  const { contract, env } = book;
  book.contract = {
    ...contract,
    status: "expired",
    pause: null,
    ended_at: toInstant(env.now),
    overdue: null,
  };
  if (reason === "unpaid_start") dropOwed(book, "contract_expired");
  book.emit("contract.expired", null, { reason });
  return null;
}

/** The trial is over: billing begins, if there is something to bill. */
export async function endTrial(book: Book): Promise<null> {
  const { contract, env } = book;
  const method = await findMethod(book);
  const isReady = contract.collection === "send_invoice" || (method !== null && isUsable(method, book.today));
  if (isReady) {
    book.contract = { ...contract, status: "active" };
    book.emit("contract.updated", null, { change: "trial_ended" });
    return null;
  }
  const since = toInstant(env.now);
  const pause = {
    since,
    resume_on: null,
    mode: "shift" as const,
    reason: "no_payment_method" as const,
    was: "active" as const,
  };
  book.contract = { ...contract, status: "paused", pause };
  book.emit("contract.paused", null, { reason: "no_payment_method" });
  return null;
}

export function sendNotice(book: Book, index: number): null {
  const { contract, env } = book;
  const notices = contract.compliance.notices.map((notice, at) =>
    at === index ? { ...notice, sent_at: toInstant(env.now) } : notice,
  );
  const notice = contract.compliance.notices[index];
  if (notice === undefined) return null;
  book.mail({ about: `notice ${notice.kind} ${notice.due_on}`, ...renewalMail(book) });
  const sent = { ...contract, compliance: { ...contract.compliance, notices } };
  book.contract = { ...sent, compliance: planNotices(sent) };
  book.emit("notice.sent", null, { kind: notice.kind, due_on: notice.due_on });
  return null;
}
