import { Temporal } from "temporal-polyfill";

import { addDays, isoWeekdayOf, lastOfMonth } from "../../../lib/local-time.ts";
import type { Interval } from "../schema/parts.ts";
import type { Words } from "../../../core/words.ts";
import type { Contract } from "../schema.ts";
import type { PaymentMethod } from "../schema/payment.ts";

/** The dates of billing, `YYYY-MM-DD`. */

export const dayOf = (date: string): number => Number(date.slice(8));

/** The day of a month that is meant by `day`: a shorter month has its last one. */
export function dateInMonth(year: number, month: number, day: number): string {
  return Temporal.PlainDate.from({ year, month, day }, { overflow: "constrain" }).toString();
}

/**
 * The date `steps` intervals after an anchor, always counted from the anchor itself: adding month by month would lose
 * the 31st permanently in the first shorter month. `day` is the day of the month that is meant.
 */
export function stepFrom(anchor: string, interval: Interval, steps: number, day: number): string {
  const count = interval.count * steps;
  if (interval.unit === "day") return addDays(anchor, count);
  if (interval.unit === "week") return addDays(anchor, count * 7);
  const months = interval.unit === "year" ? count * 12 : count;
  const month = Temporal.PlainDate.from(anchor).toPlainYearMonth().add({ months });
  return dateInMonth(month.year, month.month, day);
}

/** The last day of the month of a date that is no Saturday or Sunday. */
export function lastWorkingDay(date: string): string {
  const last = lastOfMonth(date);
  return addDays(last, -Math.max(0, isoWeekdayOf(last) - 5));
}

/** "every month", "every 2 weeks". */
export const showInterval = ({ say }: Words, billing: Contract["billing"]): string =>
  say(`subscription.every_${billing.interval_unit}`, { count: billing.interval_count });

/** "visa ending in 4242"; what is not known is left out. */
export function showMethod(
  { date, say }: Words,
  { brand, last4, created_at: createdAt }: Pick<PaymentMethod, "brand" | "last4" | "created_at">,
): string {
  if (last4 !== null)
    return say("subscription.card_ending", { brand: brand ?? say("subscription.card"), last4 });
  return say("subscription.method_of", {
    brand: brand ?? say("subscription.method"),
    date: date(createdAt.slice(0, 10)),
  });
}
