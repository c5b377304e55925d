import type { Rules, Term } from "../schema/programme.ts";
import type { Standing } from "../schema/standing.ts";
import { addDays, addMonths } from "../../../lib/local-time.ts";

type Dated = Pick<Rules, "term" | "start_date">;

/**
 * The first day after the n-th term, counted from the day of the upgrade itself: adding month by month would lose the
 * 31st in the first shorter month. Null if a level does not expire.
 */
export function expiryOf(
  { term, start_date: startDate }: Dated,
  since: string,
  renewals: number,
): string | null {
  switch (term.type) {
    case "immediate":
    case "lifetime":
      return null;
    case "calendar":
      // Until the end of the year after the upgrade (Yotpo).
      return firstOf((Number(since.slice(0, 4)) + 2 + renewals) * 12);
    case "absolute":
      return cycleStart(startDate, term.months, since, renewals);
    case "rolling":
      return roundedUp(addMonths(since, term.months * (renewals + 1)), term.round_to);
  }
}

/** The first term, from a number of renewals on, that ends after a day. */
export function termAfter(
  rules: Dated,
  { since, renewals: first }: Pick<Standing, "renewals" | "since">,
  day: string,
): Pick<Standing, "expires_on" | "renewals"> {
  // A level can be two thousand years old, and a term a month long.
  let renewals = Math.max(first, endedTerms(rules, since, day));
  let expiresOn = expiryOf(rules, since, renewals);
  while (expiresOn !== null && expiresOn <= day) {
    renewals += 1;
    expiresOn = expiryOf(rules, since, renewals);
  }
  return { renewals, expires_on: expiresOn };
}

/** Longer than a term that is extended to the end of its year, with the days of a month that are not counted. */
const EXTENDED_MONTHS = 14;

/** A number of terms since a day that have certainly ended: all but the last ones. */
export function endedTerms({ term }: Pick<Rules, "term">, since: string, day: string): number {
  const months = term.type === "calendar" ? 12 : term.months;
  return Math.floor((monthOf(day) - monthOf(since) - EXTENDED_MONTHS) / months) - 1;
}

/** The start of the n-th cycle after the one that contains a day. */
function cycleStart(startDate: string, months: number, since: string, later: number): string {
  const span = monthOf(since) - monthOf(startDate);
  let cycles = Math.floor(span / months);
  while (addMonths(startDate, cycles * months) <= since) cycles += 1;
  while (addMonths(startDate, (cycles - 1) * months) > since) cycles -= 1;
  return addMonths(startDate, (cycles + later) * months);
}

const monthOf = (date: string): number => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1;

const MONTHS = { month: 1, quarter: 3, half: 6, year: 12 } as const;

/** Extends the last day to the end of its month, quarter, half-year or year. */
function roundedUp(expiresOn: string, roundTo: Term["round_to"]): string {
  if (roundTo === "none") return expiresOn;
  const last = monthOf(addDays(expiresOn, -1));
  const next = (Math.floor(last / MONTHS[roundTo]) + 1) * MONTHS[roundTo];
  return firstOf(next);
}

/** The first day of a month that is counted as `monthOf` does. */
const firstOf = (month: number): string =>
  `${String(Math.floor(month / 12)).padStart(4, "0")}-${String((month % 12) + 1).padStart(2, "0")}-01`;
