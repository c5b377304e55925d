/**
 * Conversion of weekly hours. Ours: rules of days with a start and an end, where an end at or
 * before the start is on the next day and 00:00-00:00 is the whole day. Other systems: periods inside one day, since
 * none of
 * them defines a range past midnight.
 */

export const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Day = (typeof DAYS)[number];

/** Days as Otter and Toast name them. */
export const DAY_NAMES = {
  mon: "MONDAY",
  tue: "TUESDAY",
  wed: "WEDNESDAY",
  thu: "THURSDAY",
  fri: "FRIDAY",
  sat: "SATURDAY",
  sun: "SUNDAY",
} as const;
export const dayNamed = (name: (typeof DAY_NAMES)[Day]): Day =>
  DAYS.find((day) => DAY_NAMES[day] === name) ?? "mon";

export interface WeekRule {
  readonly days: readonly Day[];
  /** Local time HH:MM of the store. */
  readonly start: string;
  readonly end: string;
}

/** A part of one day in minutes from its midnight; `to` is at most 1440. */
export interface DaySpan {
  readonly day: Day;
  readonly from: number;
  readonly to: number;
}

const DAY_MINUTES = 1_440;
const WEEK_MINUTES = 10_080;

/** Minutes of the week from Monday 00:00; `to` may be past the end of the week. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Rules split at midnight: sorted, without overlaps, adjacent periods of a day merged. */
export function toDaySpans(rules: readonly WeekRule[]): DaySpan[] {
  const spans = rules.flatMap(({ days, start, end }) =>
    days.map((day): Span => {
      const from = DAYS.indexOf(day) * DAY_MINUTES + minutesOf(start);
      const length = minutesOf(end) - minutesOf(start);
      return { from, to: from + (length > 0 ? length : length + DAY_MINUTES) };
    }),
  );
  return cutAtMidnight(merge(unroll(spans)));
}

/**
 * Daily periods as rules: a period continued after midnight becomes one range of the day on which it starts, equal
 * ranges
 * share a rule. The same hours always give the same rules.
 */
export function toRules(spans: readonly DaySpan[]): WeekRule[] {
  const merged = merge(
    spans
      .filter(({ from, to }) => to > from)
      .map(({ day, from, to }) => {
        const base = DAYS.indexOf(day) * DAY_MINUTES;
        return { from: base + from, to: base + to };
      }),
  );
  const ranges = joinWeekEnd(merged).flatMap(rangesOf);
  const byHours = new Map<string, { start: string; end: string; days: Set<number> }>();
  for (const { day, start, end } of ranges) {
    const rule = byHours.get(`${start}-${end}`) ?? { start, end, days: new Set() };
    byHours.set(`${start}-${end}`, { ...rule, days: rule.days.add(day) });
  }
  return [...byHours.values()]
    .map(({ start, end, days }) => ({ days: DAYS.filter((_, index) => days.has(index)), start, end }))
    .sort((a, b) => orderOf(a) - orderOf(b));
}

/** The canonical form of hours, as returned by `toRules`. */
export const canonicalRules = (rules: readonly WeekRule[]): WeekRule[] => toRules(toDaySpans(rules));

/** Minutes from midnight of `HH:MM`. */
export const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

/** `HH:MM` of minutes from midnight; midnight at the end of a day is 00:00. */
export function timeOf(minutes: number): string {
  const inDay = minutes % DAY_MINUTES;
  return `${String(Math.floor(inDay / 60)).padStart(2, "0")}:${String(inDay % 60).padStart(2, "0")}`;
}

/** `HH:MM` for systems without 24:00: a period until midnight ends at 23:59. */
export const endInDay = (minutes: number): string => (minutes >= DAY_MINUTES ? "23:59" : timeOf(minutes));

/** Minutes of another system's end: 23:59 and 00:00 both mean midnight at the end of the day. */
export function endMinutes(time: string): number {
  const minutes = minutesOf(time);
  return minutes === 0 || minutes === DAY_MINUTES - 1 ? DAY_MINUTES : minutes;
}

/** Moves parts past the end of the week to its beginning. */
const unroll = (spans: readonly Span[]): Span[] =>
  spans.flatMap(({ from, to }) =>
    to <= WEEK_MINUTES
      ? [{ from, to }]
      : [
          { from, to: WEEK_MINUTES },
          { from: 0, to: to - WEEK_MINUTES },
        ],
  );

function merge(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && span.from <= last.to) {
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    } else merged.push(span);
  }
  return merged;
}

function cutAtMidnight(spans: readonly Span[]): DaySpan[] {
  return DAYS.flatMap((day, index) => {
    const base = index * DAY_MINUTES;
    return spans
      .map(({ from, to }) => ({
        day,
        from: Math.max(from - base, 0),
        to: Math.min(to - base, DAY_MINUTES),
      }))
      .filter(({ from, to }) => to > from);
  });
}

/** Sunday night that continues into Monday is one period, unless the whole week is open. */
function joinWeekEnd(spans: readonly Span[]): Span[] {
  const first = spans[0];
  const last = spans.at(-1);
  if (first === undefined || last === undefined || spans.length < 2) return [...spans];
  if (first.from !== 0 || last.to !== WEEK_MINUTES) return [...spans];
  return [...spans.slice(1, -1), { from: last.from, to: WEEK_MINUTES + first.to }];
}

/** One period as ranges of at most a day: whole days separately, the rest with its start day. */
function rangesOf({ from, to }: Span): { day: number; start: string; end: string }[] {
  const ranges: { day: number; start: string; end: string }[] = [];
  let at = from;
  while (at < to) {
    const isWholeDay = at % DAY_MINUTES === 0 && to - at >= DAY_MINUTES;
    const nextMidnight = (Math.floor(at / DAY_MINUTES) + 1) * DAY_MINUTES;
    const end = isWholeDay || to - at > DAY_MINUTES ? nextMidnight : to;
    ranges.push({ day: Math.floor(at / DAY_MINUTES) % 7, start: timeOf(at), end: timeOf(end) });
    at = end;
  }
  return ranges;
}

const orderOf = ({ days, start }: WeekRule): number =>
  DAYS.indexOf(days[0] ?? "mon") * DAY_MINUTES + minutesOf(start);
