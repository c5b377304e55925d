import { DAY_MS } from "./instant.ts";
import { dateOfDay, dayNumber, isoWeekdayOf } from "./local-time.ts";
import { createRecent } from "./recent.ts";

export type Recurrence =
  | { readonly ok: true; between(first: string, last: string): string[] }
  | { readonly ok: false; readonly detail: string };

/** Days of a span that may be asked for at once. */
const DATES_MAX = 5_000;
/** Days that are looked at to find the first one of a rule, or all of a counted rule: more than a hundred years, and milliseconds of work. */
const LOOKED_MAX = 60_000;
/** What a round takes besides its days: a daily rule has one for each day. */
const ROUND_COST = 2;

/**
 * Reads an RFC 5545 RRULE of whole days that counts from `anchor` (the date of its DTSTART). `between` gives the dates from the
 * first to the last, both included.
 *
 * It is evaluated on the numbers of days, not by a package: those expand each part of a rule by itself, so that a rule of 300 characters
 * took seconds, and they drop a day whose time falls into the spring gap.
 */
export function parseRecurrence(rrule: string, anchor: string): Recurrence {
  const checked = checkRule(rrule);
  if (!checked.ok) return checked;
  const rule = readRule(checked.parts, anchor);
  if (Number.isNaN(rule.until)) return refuse("UNTIL is no date.");
  const key = `${checked.rule} ${anchor}`;
  // A rule is read again for each month: what is known of it is kept.
  const kept = known.get(key);
  const found = kept === undefined ? lookThrough(rule) : kept;
  if (kept === undefined) known.keep(key, found);
  if (found === null) return refuse(TOO_MUCH);
  if (found.length === 0) return refuse("The recurrence rule matches no days.");
  const between = (first: string, last: string): string[] => {
    const [from, to] = [dayNumber(first), dayNumber(last)];
    if (checked.isCounted)
      return Array.from(
        found.filter((day) => from <= day && day <= to),
        dateOfDay,
      );
    if (to - from >= DATES_MAX) return [];
    return daysIn(rule, Math.max(from, rule.anchor), Math.min(to, rule.until)).map(dateOfDay);
  };
  return { ok: true, between };
}

const TOO_MUCH = "The days of this recurrence rule are too far apart or too numerous.";

/** All days of counted rules, and the first one of others, by rule and anchor. */
const known = createRecent<Int32Array | null>(200);

interface Rule {
  readonly freq: string;
  readonly interval: number;
  readonly count: number;
  readonly anchor: number;
  readonly until: number;
  readonly weekStart: number;
  readonly months: ReadonlySet<number>;
  readonly monthDays: ReadonlySet<number>;
  readonly yearDays: ReadonlySet<number>;
  readonly weeks: ReadonlySet<number>;
  /** Monday is 1. */
  readonly weekdays: ReadonlySet<number>;
  /** Weekdays of which a number in the month or the year is meant, such as `-1 5`. */
  readonly numbered: ReadonlySet<string>;
  readonly positions: readonly number[];
}

const WEEKDAY_NAMES = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
const LAST_DAY = dayNumber("9999-12-31");

function readRule(parts: ReadonlyMap<string, string>, anchorDate: string): Rule {
  const listOf = (name: string): string[] => parts.get(name)?.split(",") ?? [];
  const numbers = (name: string): Set<number> => new Set(listOf(name).map(Number));
  const [anchor, freq] = [dayNumber(anchorDate), parts.get("FREQ") ?? ""];
  const days = listOf("BYDAY").map((day) => ({
    number: Number(day.slice(0, -2)),
    weekday: WEEKDAY_NAMES.indexOf(day.slice(-2)) + 1,
  }));
  const until = parts.get("UNTIL")?.replace(/^(\d{4})(\d\d)(\d\d).*$/, "$1-$2-$3");
  const given = {
    months: numbers("BYMONTH"),
    monthDays: numbers("BYMONTHDAY"),
    yearDays: numbers("BYYEARDAY"),
    weeks: numbers("BYWEEKNO"),
    weekdays: new Set(days.flatMap(({ number, weekday }) => (number === 0 ? [weekday] : []))),
  };
  const isOpen = days.length + given.monthDays.size + given.yearDays.size === 0;
  const isByDate = isOpen && given.weeks.size === 0 && (freq === "MONTHLY" || freq === "YEARLY");
  const isByWeekday = isOpen && (freq === "WEEKLY" || given.weeks.size > 0);
  const isYearly = isByDate && freq === "YEARLY" && given.months.size === 0;
  return {
    ...given,
    freq,
    anchor,
    interval: Number(parts.get("INTERVAL") ?? 1),
    count: Number(parts.get("COUNT") ?? 1),
    until: until === undefined ? LAST_DAY : dayNumber(until),
    weekStart: WEEKDAY_NAMES.indexOf(parts.get("WKST") ?? "MO") + 1,
    // What the rule leaves open is as on its first day.
    ...(isYearly ? { months: new Set([Number(anchorDate.slice(5, 7))]) } : {}),
    ...(isByDate ? { monthDays: new Set([Number(anchorDate.slice(8))]) } : {}),
    ...(isByWeekday ? { weekdays: new Set([isoWeekdayOf(anchorDate)]) } : {}),
    numbered: new Set(days.flatMap(({ number, weekday }) => (number === 0 ? [] : [`${number} ${weekday}`]))),
    positions: listOf("BYSETPOS").map(Number),
  };
}

/** All days of a counted rule, the first one of another; null for one that is not over after many days. */
function lookThrough(rule: Rule): Int32Array | null {
  const found: number[] = [];
  let looked = 0;
  for (let round = 0; found.length < rule.count; round += 1) {
    const span = roundAt(rule, round);
    if (span.first > Math.min(rule.until, LAST_DAY)) break;
    looked += span.last - span.first + 1 + ROUND_COST;
    if (looked > LOOKED_MAX) return null;
    found.push(...daysOfRound(rule, span).filter((day) => rule.anchor <= day && day <= rule.until));
  }
  return Int32Array.from(found.slice(0, rule.count));
}

/** Days of a rule without a count. */
function daysIn(rule: Rule, first: number, last: number): number[] {
  const found: number[] = [];
  for (let round = roundOf(rule, first); roundAt(rule, round).first <= last; round += 1)
    found.push(...daysOfRound(rule, roundAt(rule, round)));
  return found.filter((day) => first <= day && day <= last);
}

interface Span {
  readonly first: number;
  readonly last: number;
}

/** The days of a round: a day, a week, a month or a year. */
function roundAt(rule: Rule, round: number): Span {
  const { anchor, freq, interval } = rule;
  const steps = round * interval;
  if (freq === "DAILY") return { first: anchor + steps, last: anchor + steps };
  if (freq === "WEEKLY") {
    const first = weekOf(rule, anchor) + 7 * steps;
    return { first, last: first + 6 };
  }
  if (freq === "MONTHLY") return monthSpan(monthOf(anchor) + steps, 1);
  return monthSpan((yearOf(anchor) + steps) * 12, 12);
}

/** The round that a day is in, or else the one before it. */
function roundOf(rule: Rule, day: number): number {
  const { anchor, freq, interval } = rule;
  const since = (unit: (day: number) => number): number => Math.floor((unit(day) - unit(anchor)) / interval);
  if (freq === "DAILY") return since((one) => one);
  if (freq === "WEEKLY") return since((one) => weekOf(rule, one) / 7);
  return since(freq === "MONTHLY" ? monthOf : yearOf);
}

/** First day of the week of a day. */
const weekOf = ({ weekStart }: Pick<Rule, "weekStart">, day: number): number =>
  day - ((isoWeekday(day) - weekStart + 7) % 7);

// 1970-01-01 was a Thursday.
const isoWeekday = (day: number): number => ((((day + 3) % 7) + 7) % 7) + 1;

/** Months since the year 0. */
function monthOf(day: number): number {
  const at = new Date(day * DAY_MS);
  return at.getUTCFullYear() * 12 + at.getUTCMonth();
}
const yearOf = (day: number): number => new Date(day * DAY_MS).getUTCFullYear();

/** `Date.UTC` takes the years 0 to 99 for others; after 400 years all days are the same. */
const firstOf = (month: number): number =>
  Date.UTC(Math.floor(month / 12) + 400, month % 12) / DAY_MS - 146_097;

const monthSpan = (month: number, count: number): Span => ({
  first: firstOf(month),
  last: firstOf(month + count) - 1,
});

/** The days of the rule in one of its rounds: those that all of its parts name. */
function daysOfRound(rule: Rule, { first, last }: Span): number[] {
  const found: number[] = [];
  for (let month = monthOf(first); firstOf(month) <= last; month += 1) {
    if (rule.months.size > 0 && !rule.months.has((month % 12) + 1)) continue;
    const own = monthSpan(month, 1);
    const year = rule.freq === "YEARLY" ? monthSpan(month - (month % 12), 12) : own;
    const numberedIn = rule.freq === "YEARLY" && rule.months.size === 0 ? year : own;
    for (let day = Math.max(first, own.first); day <= Math.min(last, own.last); day += 1)
      if (
        isAt(rule.monthDays, day, own) &&
        isAt(rule.yearDays, day, year) &&
        isOnWeekday(rule, day, numberedIn) &&
        isInWeek(rule, day)
      )
        found.push(day);
  }
  if (rule.positions.length === 0) return found;
  const chosen = rule.positions.map((position) => found.at(position > 0 ? position - 1 : position));
  return found.filter((day) => chosen.includes(day));
}

/** Whether a day has one of the numbers in a span, counted from its first day or, below zero, from its last; any day without numbers. */
const isAt = (numbers: ReadonlySet<number>, day: number, { first, last }: Span): boolean =>
  numbers.size === 0 || numbers.has(day - first + 1) || numbers.has(day - last - 1);

function isOnWeekday({ numbered, weekdays }: Rule, day: number, span: Span): boolean {
  if (numbered.size + weekdays.size === 0) return true;
  const weekday = isoWeekday(day);
  if (weekdays.has(weekday)) return true;
  if (numbered.size === 0) return false;
  const [number, back] = [Math.floor((day - span.first) / 7) + 1, -Math.floor((span.last - day) / 7) - 1];
  return numbered.has(`${number} ${weekday}`) || numbered.has(`${back} ${weekday}`);
}

/** A week belongs to the year that has four of its days. */
function isInWeek(rule: Rule, day: number): boolean {
  if (rule.weeks.size === 0) return true;
  const week = weekOf(rule, day);
  const year = yearOf(week + 3);
  const first = weekOf(rule, firstOf(year * 12) + 3);
  const last = weekOf(rule, firstOf(year * 12 + 12) + 3) - 7;
  return isAt(rule.weeks, week / 7, { first: first / 7, last: last / 7 });
}

const list = (item: string): RegExp => new RegExp(`^(?:${item})(?:,(?:${item}))*$`);
const signed = (number: string): string => `[+-]?(?:${number})`;

/** The parts that speak of days, with the values that RFC 5545 §3.3.10 allows. */
const PARTS: Readonly<Record<string, RegExp>> = {
  FREQ: /^(DAILY|WEEKLY|MONTHLY|YEARLY)$/,
  INTERVAL: /^[1-9]\d{0,2}$/,
  COUNT: /^[1-9]\d{0,3}$/,
  UNTIL: /^\d{8}(T\d{6}Z?)?$/,
  // Each day in one way: with two, a list that is wrong at its end is tried in twice as many for each of its days.
  BYDAY: list(`${signed("[1-9]|[1-4]\\d|5[0-3]")}?(?:MO|TU|WE|TH|FR|SA|SU)`),
  BYMONTH: list("[1-9]|1[0-2]"),
  BYMONTHDAY: list(signed("[1-9]|[12]\\d|3[01]")),
  BYYEARDAY: list(signed("[1-9]\\d?|[12]\\d\\d|3[0-5]\\d|36[0-6]")),
  BYWEEKNO: list(signed("[1-9]|[1-4]\\d|5[0-3]")),
  BYSETPOS: list(signed("[1-9]\\d?|[12]\\d\\d|3[0-5]\\d|36[0-6]")),
  WKST: /^(MO|TU|WE|TH|FR|SA|SU)$/,
};

/** Days that one round of a frequency can have at most: a position beyond them matches nothing. */
const POSITIONS: Readonly<Record<string, number>> = { WEEKLY: 7, MONTHLY: 31, YEARLY: 366 };

export type CheckedRule =
  | {
      readonly ok: true;
      /** The rule in capitals, its UNTIL as the end of that day. */
      readonly rule: string;
      readonly isCounted: boolean;
      readonly parts: ReadonlyMap<string, string>;
    }
  | { readonly ok: false; readonly detail: string };

/** Checks the parts of a rule of days, their values, and which of them can be combined. */
export function checkRule(rrule: string): CheckedRule {
  const parts = new Map<string, string>();
  for (const text of rrule
    .trim()
    .toUpperCase()
    .replace(/^RRULE:/, "")
    .split(";")) {
    const [name = "", value = ""] = text.split("=", 2);
    const pattern = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
    if (pattern === undefined)
      return refuse(`${name || "An empty part"} is not supported in a recurrence rule of days.`);
    if (parts.has(name)) return refuse(`Duplicate part ${name}.`);
    if (!pattern.test(value)) return refuse(`${name}=${value} is not allowed.`);
    parts.set(name, value);
  }
  const freq = parts.get("FREQ");
  if (freq === undefined) return refuse("FREQ is required.");
  if (parts.has("COUNT") && parts.has("UNTIL")) return refuse("COUNT and UNTIL cannot be combined.");
  if (freq === "WEEKLY" && parts.has("BYMONTHDAY"))
    return refuse("BYMONTHDAY cannot be combined with FREQ=WEEKLY.");
  if (freq !== "YEARLY" && (parts.has("BYWEEKNO") || parts.has("BYYEARDAY"))) {
    return refuse("BYWEEKNO and BYYEARDAY require FREQ=YEARLY.");
  }
  if ((freq === "DAILY" || freq === "WEEKLY") && /\d/.test(parts.get("BYDAY") ?? "")) {
    return refuse(`A numbered BYDAY cannot be combined with FREQ=${freq}.`);
  }
  const positions = parts.get("BYSETPOS")?.split(",").map(Number) ?? [];
  const farthest = POSITIONS[freq];
  if (farthest === undefined && positions.length > 0)
    return refuse(`BYSETPOS cannot be combined with FREQ=${freq}.`);
  if (farthest !== undefined && positions.some((position) => Math.abs(position) > farthest)) {
    return refuse(`BYSETPOS must be at most ${farthest} with FREQ=${freq}.`);
  }
  const until = parts.get("UNTIL");
  // The rule is about days: the whole of the last day belongs to it.
  if (until !== undefined) parts.set("UNTIL", `${until.slice(0, 8)}T235959Z`);
  const rule = [...parts].map(([name, value]) => `${name}=${value}`).join(";");
  return { ok: true, rule, isCounted: parts.has("COUNT"), parts };
}

const refuse = (detail: string): { readonly ok: false; readonly detail: string } => ({ ok: false, detail });
