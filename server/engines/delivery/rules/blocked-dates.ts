import type { BlockedDate, CalendarEvent } from "../schema.ts";
import { recurringDates } from "./expand-recurrence.ts";
import { addDays, datesFrom, minutesOf } from "./local-time.ts";

/** What the rule needs of a blocked date. */
export type BlockEntry = Omit<BlockedDate, "created_at" | "updated_at">;

/** One entry as it falls on one date. */
interface DayEntry {
  readonly entry: BlockEntry;
  /** Set for a date or a range by hand; what comes from a recurrence or a calendar is not. */
  readonly byHand: boolean;
  readonly reason: string;
}

/** Entries by date. */
export type DayBlocks = ReadonlyMap<string, readonly DayEntry[]>;

export interface BlockSource {
  readonly entries: readonly BlockEntry[];
  readonly calendars: ReadonlyMap<string, readonly CalendarEvent[]>;
  /** Calendars of the settings: they block the whole store. */
  readonly calendarIds: readonly string[];
}

/** What is asked about: a slot of a window, or (without window and times) a day as such. */
export interface BlockQuery {
  readonly date: string;
  readonly zoneId: string | null;
  readonly windowId: string | null;
  /** Wall clock, `HH:MM`; an end at or before the start is the next day's. */
  readonly time: { readonly start: string; readonly end: string } | null;
}

/** Spreads the entries over the dates from the first to the last, both included, and one day around them. */
export function expandBlocks(source: BlockSource, first: string, last: string): DayBlocks {
  const days = new Map<string, DayEntry[]>();
  const span = { first: addDays(first, -1), last: addDays(last, 1) };
  const file = (date: string, item: DayEntry): void => {
    if (date < span.first || date > span.last) return;
    const filed = days.get(date);
    if (filed === undefined) days.set(date, [item]);
    else filed.push(item);
  };
  for (const entry of [...source.entries, ...source.calendarIds.map(storeCalendar)]) {
    if (entry.calendar_id === null) {
      const byHand = entry.rrule === null;
      for (const date of datesOf(entry, span)) file(date, { entry, byHand, reason: entry.reason });
    } else {
      for (const { date, title } of source.calendars.get(entry.calendar_id) ?? []) {
        file(date, { entry, byHand: false, reason: entry.reason || title });
      }
    }
  }
  return days;
}

/**
 * Why a slot or a day is blocked: the reason, or null when it is not.
 *
 * An `open` entry cancels blocks that come from a calendar or a recurrence, never a date or range set by hand.
 * Entries without ranges are about slots that start on their date. A part-day block stops every slot that overlaps
 * it, also across midnight; a part-day opening must hold the whole slot. A day as such is blocked only when all of
 * it is, for every window of the zone.
 */
export function findBlock(days: DayBlocks, query: BlockQuery): string | null {
  const span = query.time === null ? null : spanOf(query.time, 0);
  const near = [-1, 0, 1].flatMap((offset) => {
    const date = offset === 0 ? query.date : addDays(query.date, offset);
    return (days.get(date) ?? [])
      .filter(({ entry }) => covers(entry, query))
      .map((day) => ({ ...day, offset }));
  });
  const isOpened = near.some(({ entry, offset }) => entry.action === "open" && holds(entry, offset, span));
  const block = near.find(
    ({ entry, offset, byHand }) =>
      entry.action === "block" && (byHand || !isOpened) && touches(entry, offset, span),
  );
  return block === undefined ? null : block.reason;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

const DAY_MINUTES = 1440;

/** Minutes from midnight of the slot's date; `offset` days later for what is filed under a neighbour. */
function spanOf({ start, end }: { start: string; end: string }, offset: number): Span {
  const from = minutesOf(start) + offset * DAY_MINUTES;
  const length = minutesOf(end) - minutesOf(start);
  return { from, to: from + (length <= 0 ? length + DAY_MINUTES : length) };
}

const isWholeDay = ({ ranges }: BlockEntry): boolean => ranges.length === 0;

function touches(entry: BlockEntry, offset: number, slot: Span | null): boolean {
  if (isWholeDay(entry)) return offset === 0;
  if (slot === null) return false;
  return entry.ranges.some((range) => {
    const { from, to } = spanOf(range, offset);
    return from < slot.to && slot.from < to;
  });
}

function holds(entry: BlockEntry, offset: number, slot: Span | null): boolean {
  if (isWholeDay(entry)) return offset === 0;
  if (slot === null) return offset === 0;
  return entry.ranges.some((range) => {
    const { from, to } = spanOf(range, offset);
    return from <= slot.from && slot.to <= to;
  });
}

/** An opening counts for a day as soon as it concerns the zone; a block only when it concerns every window of it. */
function covers(entry: BlockEntry, { zoneId, windowId }: BlockQuery): boolean {
  if (entry.scope === "all") return true;
  if (entry.scope === "zones") return zoneId !== null && entry.zone_ids.includes(zoneId);
  return windowId === null ? entry.action === "open" : entry.slot_window_ids.includes(windowId);
}

function datesOf(entry: BlockEntry, span: { first: string; last: string }): string[] {
  const { date, from, to, rrule } = entry;
  if (date !== null) return [date];
  if (from === null) return [];
  const first = from > span.first ? from : span.first;
  const last = to !== null && to < span.last ? to : span.last;
  if (last < first) return [];
  if (rrule === null) return datesFrom(first, last);
  return recurringDates(rrule, from, first, last);
}

const storeCalendar = (calendarId: string): BlockEntry => ({
  id: calendarId,
  scope: "all",
  zone_ids: [],
  slot_window_ids: [],
  date: null,
  from: null,
  to: null,
  rrule: null,
  calendar_id: calendarId,
  ranges: [],
  reason: "",
  action: "block",
});
