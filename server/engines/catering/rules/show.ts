import { showDate as showDay } from "../../../lib/show.ts";

/** "2026-06-30" → "Tuesday, 30 June 2026": of an event the weekday matters. */
export const showDate = (date: string): string => showDay(date, "full");

/** An instant on the clock of a zone: "12 June 2026 at 17:00". */
export const showInstant = (instant: string, timezone: string): string =>
  new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: timezone }).format(
    new Date(instant),
  );

/** Basis points as a percentage: 1750 is 17.5%. */
export const showRate = (bps: number): string => `${bps / 100}%`;

/** "1 head", "20 heads". */
export const showHeads = (count: number): string => `${count} ${count === 1 ? "guest" : "guests"}`;
