import { DAY_MS } from "../../../lib/instant.ts";
import { addDays, daysBetween, localDateAt, toEpochMs } from "../../../lib/local-time.ts";
import type { DunningPolicy } from "../schema/policy.ts";
import type { FailureCategory } from "../schema/parts.ts";
import { lastWorkingDay } from "./calendar.ts";

export interface RetryQuestion {
  readonly policy: DunningPolicy;
  readonly category: FailureCategory;
  /** The gateway's own code: `insufficient_funds` may wait for a payday. */
  readonly code: string;
  /** Epoch milliseconds of this failure. */
  readonly now: number;
  readonly firstFailedAt: number;
  /** Instants at which attempts of the charge were made, this one included. */
  readonly attemptsAt: readonly number[];
  /** Quick retries after faults of the gateway so far. */
  readonly systemRetries: number;
  readonly timezone: string;
}

export type Retry =
  | { readonly kind: "retry"; readonly at: number; readonly why: string; readonly isSystem: boolean }
  /** No more attempts with this payment method; another one is waited for until `until`. */
  | { readonly kind: "wait"; readonly until: number; readonly why: string }
  | { readonly kind: "give_up"; readonly why: string };

/** Card schemes count attempts over thirty days; Visa and Mastercard fine beyond 15 or more. */
const WINDOW_DAYS = 30;
const NETWORK_MAX = 15;

/**
 * What follows a failed attempt. A decline that will not change (hard, method) is never repeated with the same method;
 * faults of the gateway are repeated soon; all else, also what the shop has to set up first, climbs the ladder, which counts local days from
 * the first failure.
 */
export function nextRetry(question: RetryQuestion): Retry {
  const { policy, category, now, attemptsAt, timezone, firstFailedAt } = question;
  const most = Math.min(policy.max_attempts, NETWORK_MAX);
  const recent = attemptsAt.filter((at) => at > now - WINDOW_DAYS * DAY_MS).length;
  if (category === "hard" || category === "method") {
    const last = addDays(localDateAt(firstFailedAt, timezone), policy.grace_days);
    const until = toEpochMs(last, policy.retry_time, timezone);
    const why = `${WORDS[category]}: the same payment method is not tried again; another one is waited for until ${last}.`;
    return { kind: "wait", until, why };
  }
  if (recent >= most) {
    return { kind: "give_up", why: `${recent} attempts in ${WINDOW_DAYS} days: more are not allowed.` };
  }
  const minutes = category === "system" ? policy.system_minutes[question.systemRetries] : undefined;
  if (minutes !== undefined) {
    const why = `The gateway could not answer: tried again in ${minutes} minutes.`;
    return { kind: "retry", at: now + minutes * 60_000, why, isSystem: true };
  }
  return climb(question);
}

const WORDS = {
  hard: "Declined permanently",
  method: "The payment method cannot be used",
} as const;

function climb({ policy, category, code, now, firstFailedAt, timezone }: RetryQuestion): Retry {
  const days = category === "inventory" ? policy.inventory_days : policy.retry_days;
  const firstDate = localDateAt(firstFailedAt, timezone);
  for (const [at, day] of [...days].sort((a, b) => a - b).entries()) {
    const planned = addDays(firstDate, day);
    // Steps that passed while nothing could run are not made up for.
    if (toEpochMs(planned, policy.retry_time, timezone) <= now) continue;
    const date = policy.payday_shift && code === "insufficient_funds" ? toPayday(planned) : planned;
    const moved = date === planned ? "" : `, moved from ${planned} to a day on which many are paid`;
    const why = `Step ${at + 1} of ${days.length}: ${day} days after the first failure${moved}.`;
    return { kind: "retry", at: toEpochMs(date, policy.retry_time, timezone), why, isSystem: false };
  }
  return { kind: "give_up", why: `All ${days.length} retries have failed.` };
}

const PAYDAYS = [1, 25, 28] as const;
const SHIFT_DAYS = 2;

/** The 1st, 25th, 28th or last working day that follows within two days; the date itself otherwise. */
function toPayday(date: string): string {
  for (let days = 0; days <= SHIFT_DAYS; days += 1) {
    const day = addDays(date, days);
    if (PAYDAYS.some((payday) => payday === Number(day.slice(8))) || day === lastWorkingDay(day)) return day;
  }
  return date;
}

/** The stage of access control that an unpaid charge has reached; null before the first. */
export function overdueStageAt(
  policy: Pick<DunningPolicy, "overdue_stages">,
  since: string,
  today: string,
): DunningPolicy["overdue_stages"][number] | null {
  const days = daysBetween(since, today);
  const reached = policy.overdue_stages.filter((stage) => days >= stage.days);
  return [...reached].sort((a, b) => b.days - a.days)[0] ?? null;
}

/** The next day on which a stage begins; null when none is left. */
export function nextOverdueDay(
  policy: Pick<DunningPolicy, "overdue_stages">,
  since: string,
  today: string,
): string | null {
  const days = policy.overdue_stages
    .map((stage) => addDays(since, stage.days))
    .filter((date) => date > today);
  return days.sort()[0] ?? null;
}
