import { addDays, dayNumber, minutesOf } from "../../../lib/local-time.ts";
import type { BlockedDate, CalendarEvent } from "../schema/blocked-date.ts";
import { parseRecurrence } from "../../../lib/recurrence.ts";

/** The fields of a blocked date that the rule uses. */
export type BlockEntry = Omit<BlockedDate, "created_at" | "updated_at">;

/** Entries for parts of a day: one entry with all its days. */
export interface PartDays {
  /** Rank of the entry by day; `NO_RANK` for days without it. */
  readonly ranks: Int32Array;
  readonly spans: readonly Span[];
  readonly byHand: boolean;
  readonly action: BlockEntry["action"];
}

/** The part-day entries of a key. Keys with the same entries have the same list. */
export interface PartList {
  /** Distinguishes the lists of one expansion. */
  readonly id: number;
  /** The last entry; null: there is none. */
  readonly part: PartDays | null;
  readonly before: PartList | null;
  /** The lists with one more entry. */
  readonly next: Map<PartDays, PartList>;
}

/** For each kind of entry, the rank of the first one that applies to the whole of a day. */
export interface WholeDays {
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
  /** By the same keys. */
  readonly parts: ReadonlyMap<string, PartList>;
  /** Reasons by rank: entries in order, and the events of each calendar. */
  readonly reasons: readonly string[];
}

export interface BlockSource {
  readonly entries: readonly BlockEntry[];
  readonly calendars: ReadonlyMap<string, readonly CalendarEvent[]>;
  /** Calendars of the settings, which block the whole store. */
  readonly calendarIds: readonly string[];
}

/** Expands the entries over the dates from the first to the last, inclusive, and one day before and after. */
export function expandBlocks(source: BlockSource, first: string, last: string): DayBlocks {
  const span = { first: addDays(first, -1), last: addDays(last, 1) };
  const start = dayNumber(span.first);
  const count = Math.max(0, dayNumber(span.last) - start + 1);
  const whole = new Map<string, WholeDays>();
  const parts = new Map<string, PartList>();
  const none: PartList = { id: 0, part: null, before: null, next: new Map() };
  let lists = 0;
  const withPart = (list: PartList, part: PartDays): PartList => {
    const known = list.next.get(part);
    if (known !== undefined) return known;
    const made = { id: (lists += 1), part, before: list, next: new Map<PartDays, PartList>() };
    list.next.set(part, made);
    return made;
  };
  const reasons: string[] = [];
  const lineOf = (key: string, kind: keyof WholeDays): Line => {
    let lines = whole.get(key);
    if (lines === undefined) whole.set(key, (lines = {}));
    return (lines[kind] ??= createLine(count));
  };
  // Many entries have the same keys.
  const groups = new Map<string, { readonly keys: readonly string[]; readonly lines: readonly Line[] }>();
  const linesOf = (keys: readonly string[], kind: keyof WholeDays): readonly Line[] => {
    const name = `${kind} ${keys.length} ${keys[0]} ${keys.at(-1)}`;
    const known = groups.get(name);
    if (known?.keys.every((key, at) => key === keys[at]) === true) return known.lines;
    const lines = keys.map((key) => lineOf(key, kind));
    groups.set(name, { keys, lines });
    return lines;
  };
  const calendars = new Map(
    [...source.calendars].map(([id, events]) => [id, firstOfDays(events, span)] as const),
  );
  for (const entry of [...source.entries, ...source.calendarIds.map(storeCalendar)]) {
    const byHand = entry.calendar_id === null && entry.rrule === null;
    // Places may be repeated in an entry.
    const keys = [...new Set(placesOf(entry))];
    const kind = entry.action === "open" ? "open" : byHand ? "hand" : "soft";
    const isWhole = entry.ranges.length === 0;
    const lines = isWhole ? linesOf(keys, kind).filter((line) => isNewIn(line, entry.calendar_id)) : [];
    // Another entry has filled the days of the calendar.
    if (isWhole && lines.length === 0) continue;
    const runs = runsIn(entry, calendars, span).map((run) => ({
      from: dayNumber(run.from) - start,
      to: dayNumber(run.to) - start,
      rank: reasons.push(run.reason) - 1,
    }));
    if (!isWhole) {
      const part = { ...entryDays(entry, runs, count), byHand };
      for (const key of keys) parts.set(key, withPart(parts.get(key) ?? none, part));
      continue;
    }
    for (const run of runs) for (const line of lines) if (line.left > 0) fillFree(line, run);
  }
  return { first: start, whole, parts, reasons };
}

export const ALL = "";
/** Openings for single windows: they open a day as such; blocks for single windows do not block it. */
export const ANY_WINDOW = "*";

function placesOf({ scope, zone_ids, location_ids, slot_window_ids, action }: BlockEntry): readonly string[] {
  if (scope === "all") return [ALL];
  if (scope === "zones") return zone_ids;
  if (scope === "locations") return location_ids;
  return action === "open" ? [...slot_window_ids, ANY_WINDOW] : slot_window_ids;
}

/** The first entry of each day, filled in the order of the entries. */
export interface Line {
  readonly ranks: Int32Array;
  /** For a day, itself if it is free, or a later day from which to look on: each day is passed a few times only. */
  readonly next: Int32Array;
  /** Number of free days. */
  left: number;
  /** Calendars whose days are filled. */
  readonly calendars: Set<string>;
}

/** True but for a calendar that has filled its days of the line: the first entry of a day counts. */
function isNewIn({ calendars }: Line, calendarId: string | null): boolean {
  if (calendarId === null) return true;
  if (calendars.has(calendarId)) return false;
  calendars.add(calendarId);
  return true;
}

/** The first event of each day of a span: the others of a day have no effect, and a calendar can have hundreds. */
function firstOfDays(
  events: readonly CalendarEvent[],
  { first, last }: { readonly first: string; readonly last: string },
): CalendarEvent[] {
  const days = new Map<string, CalendarEvent>();
  for (const event of events) {
    const { date } = event;
    if (first <= date && date <= last && !days.has(date)) days.set(date, event);
  }
  return [...days.values()];
}

export const NO_RANK = 2 ** 31 - 1;

const createLine = (count: number): Line => ({
  ranks: new Int32Array(count).fill(NO_RANK),
  next: new Int32Array(count + 1).map((_, day) => day),
  left: count,
  calendars: new Set(),
});

export const rankAt = (line: Line | undefined, day: number): number => line?.ranks[day] ?? NO_RANK;

function fillFree(line: Line, { from, to, rank }: RankedRun): void {
  const { ranks, next } = line;
  let day = freeFrom(next, from);
  if (day > to) return;
  for (; day <= to; day = freeFrom(next, day + 1)) {
    ranks[day] = rank;
    next[day] = day + 1;
    line.left -= 1;
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

function entryDays(entry: BlockEntry, runs: readonly RankedRun[], count: number): Omit<PartDays, "byHand"> {
  const ranks = new Int32Array(count).fill(NO_RANK);
  for (const { from, to, rank } of runs) {
    for (let day = from; day <= to; day += 1) ranks[day] = Math.min(rank, ranks[day] ?? NO_RANK);
  }
  const spans = entry.ranges.map(spanOf);
  return { ranks, spans: entry.action === "open" ? joined(spans) : spans, action: entry.action };
}

/** Spans that touch or overlap as one: an opening must contain the whole of a slot. */
function joined(spans: readonly Span[]): Span[] {
  const whole: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = whole.at(-1);
    if (last === undefined || span.from > last.to) whole.push(span);
    else whole[whole.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
  }
  return whole;
}

/** `calendars`: the first event of each day of the span. */
function runsIn(
  entry: BlockEntry,
  calendars: BlockSource["calendars"],
  span: { readonly first: string; readonly last: string },
): Run[] {
  const isIn = (date: string): boolean => span.first <= date && date <= span.last;
  const { date, from, to, rrule, calendar_id: calendarId, reason } = entry;
  if (calendarId !== null) {
    const events = calendars.get(calendarId) ?? [];
    return events.map((event) => ({ from: event.date, to: event.date, reason: reason || event.title }));
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
export interface Span {
  readonly from: number;
  readonly to: number;
}

export const DAY_MINUTES = 1440;

export function spanOf({ start, end }: { start: string; end: string }): Span {
  const from = minutesOf(start);
  const length = minutesOf(end) - from;
  return { from, to: from + (length <= 0 ? length + DAY_MINUTES : length) };
}

const storeCalendar = (calendarId: string): BlockEntry => ({
  ...BLOCKED_EVERYWHERE,
  id: calendarId,
  calendar_id: calendarId,
});

/** A blocked date of all zones, locations and windows, with no day yet. */
export const BLOCKED_EVERYWHERE: Omit<BlockEntry, "id"> = {
  scope: "all",
  zone_ids: [],
  location_ids: [],
  slot_window_ids: [],
  date: null,
  from: null,
  to: null,
  rrule: null,
  calendar_id: null,
  ranges: [],
  reason: "",
  action: "block",
};

/** Dates of a rule in a month and the days after it. */
export interface RuleSpan {
  readonly rrule: string;
  readonly anchor: string;
  /** First day of the month, and the last of the span. */
  readonly start: string;
  readonly end: string;
}

const kept = new Map<string, readonly string[]>();
const KEPT_MAX = 2_000;
/** A month and the longest horizon after its last day. */
const KEPT_DAYS = 100;

const nameOf = ({ rrule, anchor, start }: RuleSpan): string => `${rrule} ${anchor} ${start}`;

function ruleSpan(rrule: string, anchor: string, first: string): RuleSpan {
  const start = `${first.slice(0, 7)}-01`;
  return { rrule, anchor, start, end: addDays(start, KEPT_DAYS) };
}

/**
 * Dates of a rule from the first to the last, inclusive; none for an invalid rule. Results are cached by month,
 * because
 * a store's rules are expanded again with every change of its configuration, and the package may need many
 * milliseconds per rule.
 */
export function recurringDates(rrule: string, anchor: string, first: string, last: string): string[] {
  const span = ruleSpan(rrule, anchor, first);
  if (last > span.end) return datesOfRule({ rrule, anchor, start: first, end: last });
  const dates = kept.get(nameOf(span)) ?? datesOfRule(span);
  keepDates(span, dates);
  return dates.filter((date) => first <= date && date <= last);
}

/** Caches the dates of a rule. */
export function keepDates(span: RuleSpan, dates: readonly string[]): void {
  const key = nameOf(span);
  // A Map keeps insertion order: re-inserting an entry makes the first one the least recently used.
  kept.delete(key);
  kept.set(key, dates);
  const [oldest] = kept.keys();
  if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
}

/** Rules whose dates `expandBlocks` would compute for these days: they are not cached. */
export function uncachedRules(
  entries: readonly Pick<BlockEntry, "rrule" | "from" | "to">[],
  first: string,
  last: string,
): RuleSpan[] {
  const spans = new Map<string, RuleSpan>();
  for (const { rrule, from, to } of entries) {
    if (rrule === null || from === null) continue;
    const before = addDays(first, -1);
    const start = from > before ? from : before;
    if (start > addDays(last, 1) || (to !== null && to < start)) continue;
    const span = ruleSpan(rrule, from, start);
    if (!kept.has(nameOf(span))) spans.set(nameOf(span), span);
  }
  return [...spans.values()];
}

/** Computes the dates of a rule; none for an invalid rule. */
export function datesOfRule({ rrule, anchor, start, end }: RuleSpan): string[] {
  const recurrence = parseRecurrence(rrule, anchor);
  return recurrence.ok ? recurrence.between(start, end) : [];
}
