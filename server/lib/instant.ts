let lastMs = Number.NaN;
let lastText = "";

/** Epoch milliseconds → RFC 3339 UTC with milliseconds, as every `*_at` member carries it. */
export function toInstant(epochMs: number): string {
  // Many requests come within one millisecond: its text is made once.
  if (epochMs === lastMs) return lastText;
  lastText = new Date(epochMs).toISOString();
  lastMs = epochMs;
  return lastText;
}

/** RFC 3339 instant → epoch milliseconds. */
export const fromInstant = (instant: string): number => Date.parse(instant);

const RFC_3339 =
  /^(\d{4}-(\d\d)-(\d\d))[Tt ]((?:[01]\d|2[0-3]):[0-5]\d):([0-5]\d|60)(?:\.(\d{1,40}))?(?:[Zz]|([+-](?:[01]\d|2[0-3]):[0-5]\d))$/;

/**
 * Any RFC 3339 instant (offset, no or any fraction, a leap second) in UTC with milliseconds, as `toInstant` writes it;
 * null for a text that is none.
 */
export function toUtcInstant(text: string): string | null {
  const [match, date = "", month, day, time = "", second, fraction = "", offset] = RFC_3339.exec(text) ?? [];
  if (match === undefined) return null;
  const midnight = new Date(`${date}T00:00:00Z`);
  // Date rolls 30 February over into March instead of refusing it.
  if (midnight.getUTCMonth() + 1 !== Number(month) || midnight.getUTCDate() !== Number(day)) return null;
  const isLeap = second === "60";
  const millis = fraction.slice(0, 3).padEnd(3, "0");
  const ms = Date.parse(`${date}T${time}:${isLeap ? "59" : second}.${millis}${offset ?? "Z"}`);
  const utc = toInstant(isLeap ? Math.floor(ms / 1_000 + 1) * 1_000 : ms);
  if (isLeap && !utc.endsWith("T00:00:00.000Z")) return null;
  return utc.length === LENGTH ? utc : null;
}

/**
 * Epoch milliseconds of a time that another system wrote, NaN if it is none. Without a zone it is in UTC: never in that of the machine,
 * as `Date.parse` has it.
 */
export function parseUtc(text: string): number {
  if (text.length > TIME_CHARS) return NaN;
  if (ZONED.test(text)) return Date.parse(text);
  const ms = Date.parse(`${text}Z`);
  return Number.isNaN(ms) ? Date.parse(`${text} UTC`) : ms;
}

/** Sat Nov 28 2026 10:00:00 GMT+0900 (Japan Standard Time) */
const TIME_CHARS = 100;
/** A time with an offset or the letters of a zone, which AM and PM are not. */
const ZONED = /:\d\d.*(?:(?<![A-Z])(?!AM|PM)[A-Z]{1,5}|[+-]\d\d:?\d\d)(?: \([^)]*\))?$/i;

const LENGTH = "2026-11-21T10:00:00.000Z".length;

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
/** A day of UTC, which has no change of the clocks. */
export const DAY_MS = 86_400_000;
