import { addDays, dayNumber, minutesOf } from "../../../lib/local-time.ts";
import type { BlockedDate, CalendarEvent } from "../schema.ts";
import { recurringDates } from "./expand-recurrence.ts";

/** The fields of a blocked date that the rule uses. */
export type BlockEntry = Omit<BlockedDate, "created_at" | "updated_at">;

/** Entries for parts of a day: one entry with all its days. */
interface PartDays {
  /** Rank of the entry by day; `NO_RANK` for days without it. */
  readonly ranks: Int32Array;
  readonly spans: readonly Span[];
  readonly byHand: boolean;
  readonly action: BlockEntry["action"];
  /** Keys of the queries that it applies to. */
  readonly keys: ReadonlySet<string>;
}

/** For each kind of entry, the rank of the first one that applies to the whole of a day. */
interface WholeDays {
  /** Dates and ranges set by hand. */
  hand?: Line;
  /** Recurrences and calendars. */
  soft?: Line;
  open?: Line;
}

/** Blocks of a span of days, indexed so that a query does not depend on their number. */
export interface DayBlocks {
  /** Number of the first day. */
  readonly first: number;
  /** By zone, location or slot window; `ALL` for the whole store. */
  readonly whole: ReadonlyMap<string, WholeDays>;
  readonly parts: readonly PartDays[];
  /** Reasons by rank: entries in order, and the events of each calendar. */
  readonly reasons: readonly string[];
}

export interface BlockSource {
  readonly entries: readonly BlockEntry[];
  readonly calendars: ReadonlyMap<string, readonly CalendarEvent[]>;
  /** Calendars of the settings, which block the whole store. */
  readonly calendarIds: readonly string[];
}

/** The subject: the slots of a window, or (without window and times) whole days. */
export interface BlockSubject {
  /** Zone or pickup location. */
  readonly placeId: string | null;
  readonly windowId: string | null;
  /** Local time, `HH:MM`; an end at or before the start is on the next day. */
  readonly time: { readonly start: string; readonly end: string } | null;
}

/** Expands the entries over the dates from the first to the last, inclusive, and one day before and after. */
export function expandBlocks(source: BlockSource, first: string, last: string): DayBlocks {
  const span = { first: addDays(first, -1), last: addDays(last, 1) };
  const start = dayNumber(span.first);
  const count = Math.max(0, dayNumber(span.last) - start + 1);
  const whole = new Map<string, WholeDays>();
  const parts: PartDays[] = [];
  const reasons: string[] = [];
  const lineOf = (key: string, kind: keyof WholeDays): Line => {
    let lines = whole.get(key);
    if (lines === undefined) whole.set(key, (lines = {}));
    return (lines[kind] ??= createLine(count));
  };
  for (const entry of [...source.entries, ...source.calendarIds.map(storeCalendar)]) {
    const byHand = entry.calendar_id === null && entry.rrule === null;
    const keys = keysOf(entry);
    const runs = runsIn(entry, source.calendars, span).map((run) => ({
      from: dayNumber(run.from) - start,
      to: dayNumber(run.to) - start,
      rank: reasons.push(run.reason) - 1,
    }));
    if (entry.ranges.length > 0) {
      parts.push({ ...entryDays(entry, runs, count), byHand, keys: new Set(keys) });
      continue;
    }
    const kind = entry.action === "open" ? "open" : byHand ? "hand" : "soft";
    for (const key of keys) {
      const line = lineOf(key, kind);
      for (const run of runs) fillFree(line, run);
    }
  }
  return { first: start, whole, parts, reasons };
}

/** Why a slot or a day is blocked: the reason, or null if it is not. See `blockReader`. */
export const findBlock = (
  blocks: DayBlocks,
  query: BlockSubject & { readonly date: string },
): string | null => blockReader(blocks, query)(query.date);

/**
 * Prepares the question for one subject and returns why it is blocked on a date: the reason, or null if it is not.
 *
 * An `open` entry overrides blocks that come from a calendar or a recurrence, never a date or range set by hand.
 * Entries without ranges apply to slots that start on their date. A part-day block stops every slot that overlaps
 * it, also across midnight; a part-day opening must contain the whole slot. A day as such is blocked only if all of
 * it is blocked for every window of the place.
 */
export function blockReader(blocks: DayBlocks, subject: BlockSubject): (date: string) => string | null {
  const keys = [ALL, subject.placeId, subject.windowId ?? ANY_WINDOW].filter((key) => key !== null);
  const lines = keys.flatMap((key) => blocks.whole.get(key) ?? []);
  const slot = subject.time === null ? null : spanOf(subject.time);
  const met = mergeParts(
    blocks.parts
      .filter((part) => keys.some((key) => part.keys.has(key)))
      .flatMap((part) => OFFSETS.flatMap((offset) => meetOn(part, offset, slot) ?? [])),
  );
  return (date) => {
    const day = dayNumber(date) - blocks.first;
    const rank = firstRank(lines, met, day);
    return rank === null ? null : (blocks.reasons[rank] ?? null);
  };
}

/** A part-day entry that meets the slot when its date is `offset` days after the slot's. */
interface Meeting {
  readonly part: PartDays;
  readonly offset: number;
}

function meetOn(part: PartDays, offset: number, slot: Span | null): Meeting | null {
  if (slot === null) return part.action === "open" && offset === 0 ? { part, offset } : null;
  const shift = offset * DAY_MINUTES;
  const isMet = part.spans.some(({ from, to }) =>
    part.action === "open"
      ? from + shift <= slot.from && slot.to <= to + shift
      : from + shift < slot.to && slot.from < to + shift,
  );
  return isMet ? { part, offset } : null;
}

/** For each kind of part-day entry that meets the slots, the rank of the first one by the day of the slot. */
interface MetParts {
  readonly open: Ranks;
  readonly blocks: readonly { readonly offset: number; readonly hand: Ranks; readonly soft: Ranks }[];
}

/** Null: there is none on any day. */
type Ranks = Int32Array | null;

/** Merged once, so that the question about a day does not depend on the number of entries. */
function mergeParts(meetings: readonly Meeting[]): MetParts {
  const merge = (isWanted: (meeting: Meeting) => boolean): Ranks => {
    let merged: Ranks = null;
    for (const meeting of meetings) {
      if (!isWanted(meeting)) continue;
      const { ranks } = meeting.part;
      merged ??= new Int32Array(ranks.length).fill(NO_RANK);
      const [from, to] = [
        Math.max(0, -meeting.offset),
        Math.min(ranks.length, ranks.length - meeting.offset),
      ];
      for (let day = from; day < to; day += 1) {
        const rank = ranks[day + meeting.offset] ?? NO_RANK;
        if (rank < (merged[day] ?? NO_RANK)) merged[day] = rank;
      }
    }
    return merged;
  };
  const blocksAt = (offset: number, byHand: boolean): Ranks =>
    merge(
      ({ part, ...meeting }) => meeting.offset === offset && part.action !== "open" && part.byHand === byHand,
    );
  return {
    open: merge(({ part }) => part.action === "open"),
    blocks: OFFSETS.map((offset) => ({
      offset,
      hand: blocksAt(offset, true),
      soft: blocksAt(offset, false),
    })),
  };
}

/** The rank of the entry that blocks the day: of those of the day before, then of its own, then of the day after. */
function firstRank(lines: readonly WholeDays[], met: MetParts, day: number): number | null {
  const rankOf = (ranks: Ranks): number => ranks?.[day] ?? NO_RANK;
  const isOpened = rankOf(met.open) !== NO_RANK || lines.some(({ open }) => rankAt(open, day) !== NO_RANK);
  for (const { offset, hand, soft } of met.blocks) {
    let first = Math.min(rankOf(hand), isOpened ? NO_RANK : rankOf(soft));
    if (offset === 0) {
      for (const whole of lines) {
        first = Math.min(first, rankAt(whole.hand, day), isOpened ? NO_RANK : rankAt(whole.soft, day));
      }
    }
    if (first !== NO_RANK) return first;
  }
  return null;
}

const ALL = "";
/** Openings for single windows: they open a day as such; blocks for single windows do not block it. */
const ANY_WINDOW = "*";
const OFFSETS = [-1, 0, 1];

function keysOf({ scope, zone_ids, location_ids, slot_window_ids, action }: BlockEntry): readonly string[] {
  if (scope === "all") return [ALL];
  if (scope === "zones") return zone_ids;
  if (scope === "locations") return location_ids;
  return action === "open" ? [...slot_window_ids, ANY_WINDOW] : slot_window_ids;
}

/** The first entry of each day, filled in the order of the entries. */
interface Line {
  readonly ranks: Int32Array;
  /** For a day, itself if it is free, or a later day from which to look on: each day is passed a few times only. */
  readonly next: Int32Array;
}

const NO_RANK = 2 ** 31 - 1;

const createLine = (count: number): Line => ({
  ranks: new Int32Array(count).fill(NO_RANK),
  next: new Int32Array(count + 1).map((_, day) => day),
});

const rankAt = (line: Line | undefined, day: number): number => line?.ranks[day] ?? NO_RANK;

function fillFree({ ranks, next }: Line, { from, to, rank }: RankedRun): void {
  let day = freeFrom(next, from);
  if (day > to) return;
  for (; day <= to; day = freeFrom(next, day + 1)) {
    ranks[day] = rank;
    next[day] = day + 1;
  }
  next[from] = day;
}

function freeFrom(next: Int32Array, from: number): number {
  let day = from;
  for (let later = next[day]; later !== undefined && later !== day; later = next[day]) {
    next[day] = next[later] ?? later;
    day = later;
  }
  return day;
}

/** Consecutive days with one reason, from the first to the last. */
interface Run {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

interface RankedRun {
  readonly from: number;
  readonly to: number;
  readonly rank: number;
}

function entryDays(
  entry: BlockEntry,
  runs: readonly RankedRun[],
  count: number,
): Omit<PartDays, "byHand" | "keys"> {
  const ranks = new Int32Array(count).fill(NO_RANK);
  for (const { from, to, rank } of runs) {
    for (let day = from; day <= to; day += 1) ranks[day] = Math.min(rank, ranks[day] ?? NO_RANK);
  }
  return { ranks, spans: entry.ranges.map(spanOf), action: entry.action };
}

function runsIn(
  entry: BlockEntry,
  calendars: BlockSource["calendars"],
  span: { readonly first: string; readonly last: string },
): Run[] {
  const isIn = (date: string): boolean => span.first <= date && date <= span.last;
  const { date, from, to, rrule, calendar_id: calendarId, reason } = entry;
  if (calendarId !== null) {
    return (calendars.get(calendarId) ?? [])
      .filter((event) => isIn(event.date))
      .map((event) => ({ from: event.date, to: event.date, reason: reason || event.title }));
  }
  if (date !== null) return isIn(date) ? [{ from: date, to: date, reason }] : [];
  if (from === null) return [];
  const first = from > span.first ? from : span.first;
  const last = to !== null && to < span.last ? to : span.last;
  if (last < first) return [];
  if (rrule === null) return [{ from: first, to: last, reason }];
  return recurringDates(rrule, from, first, last).map((day) => ({ from: day, to: day, reason }));
}

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

const storeCalendar = (calendarId: string): BlockEntry => ({
  id: calendarId,
  scope: "all",
  zone_ids: [],
  location_ids: [],
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
