import { addDays, datesFrom, minutesOf } from "../../../lib/local-time.ts";
import type { BlockedDate, CalendarEvent } from "../schema.ts";
import { recurringDates } from "./expand-recurrence.ts";

/** The fields of a blocked date that the rule uses. */
export type BlockEntry = Omit<BlockedDate, "created_at" | "updated_at">;

/** One entry on one date. */
interface DayEntry {
  readonly entry: BlockEntry;
  /** Zones or slot windows that it applies to. */
  readonly ids: ReadonlySet<string>;
  /** Its parts of the day; null for the whole day. */
  readonly spans: readonly Span[] | null;
  /** Set for a date or a range set by hand, not for a recurrence or a calendar. */
  readonly byHand: boolean;
  readonly reason: string;
}

/** Entries by date. */
export type DayBlocks = ReadonlyMap<string, readonly DayEntry[]>;

export interface BlockSource {
  readonly entries: readonly BlockEntry[];
  readonly calendars: ReadonlyMap<string, readonly CalendarEvent[]>;
  /** Calendars of the settings, which block the whole store. */
  readonly calendarIds: readonly string[];
}

/** The subject: a slot of a window, or (without window and times) a whole day. */
export interface BlockQuery {
  readonly date: string;
  readonly zoneId: string | null;
  readonly windowId: string | null;
  /** Local time, `HH:MM`; an end at or before the start is on the next day. */
  readonly time: { readonly start: string; readonly end: string } | null;
}

/** Expands the entries over the dates from the first to the last, inclusive, and one day before and after. */
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
    const byHand = entry.calendar_id === null && entry.rrule === null;
    const ids = new Set(entry.scope === "zones" ? entry.zone_ids : entry.slot_window_ids);
    const spans = entry.ranges.length === 0 ? null : entry.ranges.map(spanOf);
    const common = { entry, ids, spans, byHand };
    if (entry.calendar_id === null) {
      const item = { ...common, reason: entry.reason };
      for (const date of datesOf(entry, span)) file(date, item);
    } else {
      for (const { date, title } of source.calendars.get(entry.calendar_id) ?? []) {
        file(date, { ...common, reason: entry.reason || title });
      }
    }
  }
  return days;
}

/**
 * Why a slot or a day is blocked: the reason, or null if it is not.
 *
 * An `open` entry overrides blocks that come from a calendar or a recurrence, never a date or range set by hand.
 * Entries without ranges apply to slots that start on their date. A part-day block stops every slot that overlaps
 * it, also across midnight; a part-day opening must contain the whole slot. A day as such is blocked only if all of
 * it is blocked for every window of the zone.
 */
export function findBlock(blocks: DayBlocks, query: BlockQuery): string | null {
  const slot = query.time === null ? null : spanOf(query.time);
  const near = nearLists(blocks, query, slot);
  const isOpened = near.some(({ entries, offset }) =>
    entries.some((day) => day.entry.action === "open" && holds(day, offset, slot)),
  );
  for (const { entries, offset } of near) {
    const block = entries.find(
      (day) => day.entry.action === "block" && (day.byHand || !isOpened) && touches(day, offset, slot),
    );
    if (block !== undefined) return block.reason;
  }
  return null;
}

/** Entries that apply to the slot: those of its own date, and of adjacent dates only if they cross midnight. */
function nearLists(
  blocks: DayBlocks,
  query: BlockQuery,
  slot: Span | null,
): { readonly entries: readonly DayEntry[]; readonly offset: number }[] {
  const near: { entries: readonly DayEntry[]; offset: number }[] = [];
  const add = (offset: number): void => {
    const date = offset === 0 ? query.date : addDays(query.date, offset);
    near.push({ entries: concerning(blocks, date, { ...query, across: offset < 0 }), offset });
  };
  if (slot !== null) add(-1);
  add(0);
  if (slot !== null && slot.to > DAY_MINUTES) add(1);
  return near;
}

/** Cached results per entry, because a store has many slots per day. */
interface Findings {
  /** Entries of a date that apply to a zone or a slot window. */
  readonly lists: Map<string, readonly DayEntry[]>;
  /** Whether an entry applies at all. */
  readonly covering: Map<string, Map<BlockEntry, boolean>>;
}

const findings = new WeakMap<DayBlocks, Findings>();
const LISTS_MAX = 200;
const COVERING_MAX = 500;

interface Concern {
  readonly zoneId: string | null;
  readonly windowId: string | null;
  /** Only entries that extend into the next day. */
  readonly across: boolean;
}

function concerning(days: DayBlocks, date: string, query: Concern): readonly DayEntry[] {
  const all = days.get(date);
  if (all === undefined) return NONE;
  const cached = findings.get(days) ?? { lists: new Map(), covering: new Map() };
  findings.set(days, cached);
  const { zoneId, windowId, across } = query;
  const isByWindow = windowId === null || all.some(({ entry }) => entry.scope === "slot_windows");
  // Without an entry for single windows, all windows of a zone have the same entries.
  const whom = `${zoneId} ${isByWindow ? windowId : ""}`;
  return keep(cached.lists, `${date} ${across} ${whom}`, LISTS_MAX, () => {
    const covering = keep(cached.covering, whom, COVERING_MAX, () => new Map<BlockEntry, boolean>());
    const isCovered = (day: DayEntry): boolean => {
      const cached = covering.get(day.entry);
      if (cached !== undefined) return cached;
      const isFor = covers(day, query);
      covering.set(day.entry, isFor);
      return isFor;
    };
    return all.filter((day) => (!across || reachesAcross(day)) && isCovered(day));
  });
}

function keep<V>(map: Map<string, V>, key: string, max: number, make: () => V): V {
  const list = map.get(key);
  if (list !== undefined) return list;
  if (map.size >= max) map.clear();
  const made = make();
  map.set(key, made);
  return made;
}

const NONE: readonly DayEntry[] = [];

/** Minutes from midnight of a date. */
interface Span {
  readonly from: number;
  readonly to: number;
}

const DAY_MINUTES = 1440;

function spanOf({ start, end }: { start: string; end: string }): Span {
  const from = minutesOf(start);
  const length = minutesOf(end) - from;
  return { from, to: from + (length <= 0 ? length + DAY_MINUTES : length) };
}

const reachesAcross = ({ spans }: DayEntry): boolean => spans?.some(({ to }) => to > DAY_MINUTES) ?? false;

/** The entry's date is `offset` days after the slot's date. */
function touches({ spans }: DayEntry, offset: number, slot: Span | null): boolean {
  if (spans === null) return offset === 0;
  if (slot === null) return false;
  const shift = offset * DAY_MINUTES;
  return spans.some(({ from, to }) => from + shift < slot.to && slot.from < to + shift);
}

function holds({ spans }: DayEntry, offset: number, slot: Span | null): boolean {
  if (spans === null || slot === null) return offset === 0;
  const shift = offset * DAY_MINUTES;
  return spans.some(({ from, to }) => from + shift <= slot.from && slot.to <= to + shift);
}

/** An opening applies to a day if it applies to the zone; a block only if it applies to every window of the zone. */
function covers(
  { entry, ids }: DayEntry,
  { zoneId, windowId }: Pick<BlockQuery, "zoneId" | "windowId">,
): boolean {
  if (entry.scope === "all") return true;
  if (entry.scope === "zones") return zoneId !== null && ids.has(zoneId);
  return windowId === null ? entry.action === "open" : ids.has(windowId);
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
