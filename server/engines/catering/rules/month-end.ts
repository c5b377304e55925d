import { Temporal } from "temporal-polyfill";

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
const MONTHS_MAX = 1_200;

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
  const between = (first: string, last: string): string[] => {
    const found: string[] = [];
    let seen = 0;
    const begin = Temporal.PlainDate.from(anchor).toPlainYearMonth();
    for (let index = 0; index < MONTHS_MAX; index += 1) {
      const month = begin.add({ months: index * step });
      const dates = [...new Set(days.map((day) => Math.min(day, month.daysInMonth)))]
        .sort((a, b) => a - b)
        .map((day) => month.toPlainDate({ day }).toString())
        .filter((date) => date >= anchor && date <= until);
      for (const date of dates) {
        seen += 1;
        if (seen <= count && date >= first && date <= last) found.push(date);
      }
      if (seen >= count || month.toPlainDate({ day: 1 }).toString() > last) break;
    }
    return found;
  };
  return { ok: true, between };
}

const refuse = (detail: string): { readonly ok: false; readonly detail: string } => ({ ok: false, detail });
