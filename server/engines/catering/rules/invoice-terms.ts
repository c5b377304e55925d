import { BPS, mulRatio, times } from "../../../lib/money.ts";
import type { Terms } from "../schema/parts.ts";
import { addDays, daysBetween, lastOfMonth } from "../../../lib/local-time.ts";

/** Day on which an invoice is due: net counts from the issue, eom from the end of its month; prepaid at once. */
export function dueOn(issuedOn: string, { kind, days }: Terms): string {
  if (kind === "prepay") return issuedOn;
  return addDays(kind === "net" ? issuedOn : lastOfMonth(issuedOn), days);
}

export interface LateInterest {
  readonly days: number;
  readonly rate_bps: number;
  /** Interest of one day, rounded; it is simple interest. */
  readonly daily: number;
  readonly interest: number;
  /** Fixed sum for the cost of recovery. */
  readonly fixed_sum: number;
}

/** Above the Bank of England's base rate. */
const STATUTORY_BPS = 800;
const YEAR_DAYS = 365;

/**
 * Statutory interest on a commercial debt from the day after it was due (gov.uk, late commercial payments): 8% above the
 * base rate, a day's interest rounded and then multiplied by the days; and a fixed sum by the size of the debt.
 */
export function lateInterest(
  principal: number,
  days: { readonly due_on: string; readonly on: string },
  baseRateBps: number,
): LateInterest {
  const late = Math.max(0, daysBetween(days.due_on, days.on));
  const rate = STATUTORY_BPS + baseRateBps;
  const daily = mulRatio(principal, rate, BPS * YEAR_DAYS);
  return {
    days: late,
    rate_bps: rate,
    daily,
    interest: times(daily, late),
    fixed_sum: late > 0 && principal > 0 ? fixedSum(principal) : 0,
  };
}

/** In pence: £40 below £1,000, £70 below £10,000, £100 from there on. */
function fixedSum(principal: number): number {
  if (principal < 100_000) return 4000;
  return principal < 1_000_000 ? 7000 : 10_000;
}

export const AGEING_BUCKETS = ["current", "days_1_30", "days_31_60", "days_61_90", "days_over_90"] as const;
export type AgeingBucket = (typeof AGEING_BUCKETS)[number];

/** The column of an ageing report for a debt: due today is still current. */
export function ageingBucket(dueOnDate: string, today: string): AgeingBucket {
  const late = daysBetween(dueOnDate, today);
  if (late <= 0) return "current";
  if (late <= 30) return "days_1_30";
  if (late <= 60) return "days_31_60";
  return late <= 90 ? "days_61_90" : "days_over_90";
}
