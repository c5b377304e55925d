import { checkRule, parseRecurrence } from "../../../lib/recurrence.ts";
import type { Recurrence } from "../../../lib/recurrence.ts";

/**
 * Reads the RRULE of a recurring order, which counts from `anchor`. With `monthEnd`, a monthly rule's day that a month has not is its
 * last day.
 */
export function parseSchedule(rrule: string, anchor: string, monthEnd = false): Recurrence {
  if (!monthEnd) return parseRecurrence(rrule, anchor);
  const checked = checkRule(rrule);
  return checked.ok ? clampedMonths(checked.parts, anchor) : checked;
}

const CLAMPED: ReadonlySet<string> = new Set(["FREQ", "INTERVAL", "COUNT", "UNTIL", "BYMONTHDAY"]);

/** Days of the month, each at most the month's last: no package here does that (RFC 7529 SKIP). */
function clampedMonths(parts: ReadonlyMap<string, string>, anchor: string): Recurrence {
  if (parts.get("FREQ") !== "MONTHLY" || [...parts.keys()].some((name) => !CLAMPED.has(name))) {
    return refuse("`month_end` requires FREQ=MONTHLY and allows BYMONTHDAY, INTERVAL, COUNT and UNTIL only.");
  }
  const days = (parts.get("BYMONTHDAY") ?? String(Number(anchor.slice(8)))).split(",").map(Number);
  if (days.some((day) => day < 1)) return refuse("`month_end` requires positive days of the month.");
  const step = Number(parts.get("INTERVAL") ?? 1);
  const count = Number(parts.get("COUNT") ?? Infinity);
  const until =
    parts
      .get("UNTIL")
      ?.slice(0, 8)
      .replace(/(.{4})(.{2})(.{2})/, "$1-$2-$3") ?? "9999-12-31";
  const daysOfLength = new Map(
    [28, 29, 30, 31].map((length) => {
      const distinct = new Set(days.map((day) => Math.min(day, length)));
      return [length, [...distinct].sort((a, b) => a - b)];
    }),
  );
  const begin = monthOf(anchor);
  const between = (first: string, last: string): string[] => {
    const found: string[] = [];
    const end = last < until ? last : until;
    // Only a counted rule is worked out from its beginning.
    const skipped = count === Infinity ? Math.max(0, Math.floor((monthOf(first) - begin) / step)) : 0;
    let seen = 0;
    for (let month = begin + skipped * step; month <= monthOf(end) && seen < count; month += step) {
      const inMonth = daysOfLength.get(lengthOf(month)) ?? [];
      if (month > begin && month < monthOf(first)) {
        seen += inMonth.length;
        continue;
      }
      const dates = inMonth.map((day) => dateIn(month, day)).filter((date) => date >= anchor);
      found.push(...dates.slice(0, count - seen).filter((date) => date >= first && date <= end));
      seen += dates.length;
    }
    return found;
  };
  return { ok: true, between };
}

/** Months since the year 0 of a date. */
const monthOf = (date: string): number => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1;

function lengthOf(month: number): number {
  const at = new Date(0);
  // Day 0 of a month is the last of the month before.
  at.setUTCFullYear(Math.floor(month / 12), (month % 12) + 1, 0);
  return at.getUTCDate();
}

const dateIn = (month: number, day: number): string =>
  [String(Math.floor(month / 12)).padStart(4, "0"), twoDigits((month % 12) + 1), twoDigits(day)].join("-");

const twoDigits = (number: number): string => String(number).padStart(2, "0");

const refuse = (detail: string): { readonly ok: false; readonly detail: string } => ({ ok: false, detail });
