import { Temporal } from "temporal-polyfill";

/** Weekday (1 is Monday) and wall clock `HH:MM` of an instant in a zone. */
export function localTime(
  epochMs: number,
  timezone: string,
): { readonly weekday: number; readonly time: string } {
  const local = Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timezone);
  return { weekday: local.dayOfWeek, time: local.toPlainTime().toString({ smallestUnit: "minute" }) };
}

/**
 * The instant itself, or the end of the quiet hours that it falls into. Quiet hours go over midnight when they end before
 * they begin; equal times mean none. A wall-clock time that the spring change skips is the one after the gap.
 */
export function afterQuietHours(
  epochMs: number,
  { from, to }: { readonly from: string; readonly to: string },
  timezone: string,
): number {
  if (from === to) return epochMs;
  const local = Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timezone);
  const time = local.toPlainTime();
  const start = Temporal.PlainTime.from(from);
  const end = Temporal.PlainTime.from(to);
  const isAfterStart = Temporal.PlainTime.compare(time, start) >= 0;
  const isBeforeEnd = Temporal.PlainTime.compare(time, end) < 0;
  const overNight = Temporal.PlainTime.compare(end, start) < 0;
  if (overNight ? !isAfterStart && !isBeforeEnd : !(isAfterStart && isBeforeEnd)) return epochMs;
  const day = overNight && isAfterStart ? local.toPlainDate().add({ days: 1 }) : local.toPlainDate();
  return day.toPlainDateTime(end).toZonedDateTime(timezone, { disambiguation: "compatible" })
    .epochMilliseconds;
}

/** True for an IANA zone name. Fixed offsets such as +01:00 are refused: they know no summer time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
