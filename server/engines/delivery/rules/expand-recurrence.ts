import { addDays } from "../../../lib/local-time.ts";
import { parseRecurrence } from "../../../lib/recurrence.ts";

const kept = new Map<string, readonly string[]>();
const KEPT_MAX = 2_000;
/** A month and the longest horizon after its last day. */
const KEPT_DAYS = 100;

/**
 * Dates of a rule from the first to the last, inclusive; none for an invalid rule. Results are cached by month,
 * because
 * a store's rules are expanded again with every change of its configuration, and the package may need many
 * milliseconds per rule.
 */
export function recurringDates(rrule: string, anchor: string, first: string, last: string): string[] {
  const start = `${first.slice(0, 7)}-01`;
  const end = addDays(start, KEPT_DAYS);
  if (last > end) return datesOfRule(rrule, anchor, first, last);
  const key = `${rrule} ${anchor} ${start}`;
  const dates = kept.get(key) ?? datesOfRule(rrule, anchor, start, end);
  // A Map keeps insertion order: re-inserting an entry makes the first one the least recently used.
  kept.delete(key);
  kept.set(key, dates);
  const [oldest] = kept.keys();
  if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
  return dates.filter((date) => first <= date && date <= last);
}

function datesOfRule(rrule: string, anchor: string, first: string, last: string): string[] {
  const recurrence = parseRecurrence(rrule, anchor);
  return recurrence.ok ? recurrence.between(first, last) : [];
}
