import { addDays, toEpochMs } from "../../../lib/local-time.ts";
import { parseSchedule } from "./month-end.ts";

/** A STANDARD or DAYLIGHT part of a VTIMEZONE, as texts. */
export interface ZonePart {
  /** `YYYY-MM-DDTHH:MM` of its first onset. */
  readonly dtstart: string;
  readonly rrule: string | null;
  /** Minutes east of UTC from its onset on. */
  readonly offset_to: number;
}

/**
 * A wall clock of a zone that a calendar defines itself (Outlook's "Customized Time Zone") → epoch milliseconds: the offset
 * of the part whose onset is the latest before it. Rules are expanded by our own bounded expansion, never by the parser's.
 */
export function inlineEpochMs(parts: readonly ZonePart[], local: string): number {
  const onsets = parts
    .flatMap((part) => onsetsOf(part, local).map((at) => ({ at, offset: part.offset_to })))
    .sort((a, b) => (a.at < b.at ? -1 : 1));
  // Before the first onset the earliest part holds: nothing older is known.
  const found = onsets.findLast(({ at }) => at <= local) ?? onsets[0];
  return toEpochMs(local.slice(0, 10), local.slice(11), "UTC") - (found?.offset ?? 0) * 60_000;
}

/** Onsets by part and year: a calendar asks for those of one year for each of its instances. */
const known = new WeakMap<ZonePart, Map<string, readonly string[]>>();

function onsetsOf(part: ZonePart, local: string): readonly string[] {
  const year = local.slice(0, 4);
  const years = known.get(part) ?? new Map<string, readonly string[]>();
  known.set(part, years);
  const onsets = years.get(year) ?? onsetsUntil(part, `${year}-12-31`);
  years.set(year, onsets);
  return onsets;
}

function onsetsUntil({ dtstart, rrule }: ZonePart, last: string): string[] {
  const rule = rrule === null ? null : parseSchedule(rrule, dtstart.slice(0, 10));
  if (rule?.ok !== true) return [dtstart];
  // Transitions of a year and the one before: one of them is the latest.
  const dates = rule.between(addDays(last, -730), last);
  return [dtstart, ...dates.map((day) => `${day}${dtstart.slice(10)}`)];
}

/** `+0130` → 90 minutes; null for what is no offset. */
export function offsetMinutes(text: string): number | null {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})/.exec(text) ?? [];
  if (sign === undefined) return null;
  const size = Number(hours) * 60 + Number(minutes);
  return sign === "-" ? -size : size;
}
