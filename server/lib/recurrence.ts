import { RRuleTemporal } from "rrule-temporal";
import { Temporal } from "temporal-polyfill";

import { DAY_MS } from "./instant.ts";
import { dateOfDay, dayNumber, daysBetween } from "./local-time.ts";
import { createRecent } from "./recent.ts";

export type Recurrence =
  | { readonly ok: true; between(first: string, last: string): string[] }
  | { readonly ok: false; readonly detail: string };

/** Dates that an expansion may give at once. */
const DATES_MAX = 5_000;
/**
 * Days that the package may look at without finding one of the rule: enough for 29 February written as a daily rule, and milliseconds of
 * work. It counts rounds, of which one may have hundreds of days.
 */
const STEPS_MAX = 2_000;
/** What a round takes at least, in days of a daily rule, and how many times as much each of its days where weeks are numbered. */
const ROUND_STEPS: Readonly<Record<string, number>> = { MONTHLY: 4, YEARLY: 8 };
const WEEK_NUMBER_STEPS = 4;
/** Rounds that two years need, the longest span that is asked for. */
const ROUNDS_MIN: Readonly<Record<string, number>> = { WEEKLY: 110, MONTHLY: 26, YEARLY: 4 };

/**
 * Reads an RFC 5545 RRULE of whole days that counts from `anchor` (the date of its DTSTART). `between` gives the dates from the
 * first to the last, both included.
 *
 * It is evaluated on dates, as noon UTC: rrule-temporal drops a day whose time falls into the spring gap. The
 * package ignores parts and values that it does not know, which would turn a slip of the pen into "every day",
 * so the parts are checked here first.
 */
export function parseRecurrence(rrule: string, anchor: string): Recurrence {
  const checked = checkRule(rrule);
  if (!checked.ok) return checked;
  const maxIterations = roundsOf(checked.parts);
  // No round has more dates: those of the others would be worked out for nothing.
  if (Number(checked.parts.get("COUNT") ?? 0) > maxIterations * daysOfRound(checked.parts))
    return refuse(TOO_MUCH);
  try {
    const rule = new RRuleTemporal({ rruleString: checked.rule, dtstart: noon(anchor), maxIterations });
    // A rule that can never match makes the package give up after many steps: better now than at every request.
    if (rule.next(dateOf(noon(anchor)), true) === null) return refuse("The recurrence rule matches no days.");
    // A counted rule is worked out from its beginning every time, so it must be one that comes to its end.
    const counted = checked.isCounted ? countedDays(rule, `${checked.rule} ${anchor}`) : null;
    const between = (first: string, last: string): string[] => {
      if (counted !== null) {
        const [from, to] = [dayNumber(first), dayNumber(last)];
        return Array.from(
          counted.filter((day) => from <= day && day <= to),
          dateOfDay,
        );
      }
      return daysBetween(first, last) >= DATES_MAX ? [] : datesIn(rule, first, last);
    };
    return { ok: true, between };
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("Maximum ")) {
      return refuse(TOO_MUCH);
    }
    return refuse(error instanceof Error ? `${error.message}.` : "Invalid recurrence rule.");
  }
}

const TOO_MUCH = "The days of this recurrence rule are too far apart or too numerous.";

/** Days of counted rules by rule and anchor: each takes up to 10 ms, and is needed for each month again. */
const countedRules = createRecent<Int32Array>(200);

function countedDays(rule: RRuleTemporal, key: string): Int32Array {
  const known = countedRules.get(key);
  if (known !== undefined) return known;
  const days = Int32Array.from(rule.all(), dayOf);
  countedRules.keep(key, days);
  return days;
}

const datesIn = (rule: RRuleTemporal, first: string, last: string): string[] =>
  rule
    .between(dateOf(noon(first)), dateOf(noon(last)), true)
    .map((occurrence) => dateOfDay(dayOf(occurrence)));

/** Days since 1970-01-01 of a noon in UTC: by way of a PlainDate it took four times as long as the rule itself. */
const dayOf = ({ epochMilliseconds: ms }: Temporal.ZonedDateTime): number => Math.floor(ms / DAY_MS);

const noon = (date: string): Temporal.ZonedDateTime => Temporal.ZonedDateTime.from(`${date}T12:00:00[UTC]`);

// The package compares with Date objects; nothing here reads a clock.
const dateOf = (at: Temporal.ZonedDateTime): Date => new Date(at.epochMilliseconds);

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

function roundsOf(parts: ReadonlyMap<string, string>): number {
  const freq = parts.get("FREQ") ?? "";
  const days = daysOfRound(parts) * (parts.has("BYWEEKNO") ? WEEK_NUMBER_STEPS : 1);
  return Math.max(ROUNDS_MIN[freq] ?? 1, Math.floor(STEPS_MAX / Math.max(days, ROUND_STEPS[freq] ?? 1)));
}

/** Days that one round of a rule can have at most, before its positions choose among them. */
function daysOfRound(parts: ReadonlyMap<string, string>): number {
  const [freq, days] = [parts.get("FREQ"), parts.get("BYDAY")?.split(",") ?? []];
  const count = (name: string): number => parts.get(name)?.split(",").length ?? 0;
  if (freq === "DAILY") return 1;
  if (freq === "WEEKLY") return Math.max(1, days.length);
  const isYearly = freq === "YEARLY";
  const named = isYearly ? count("BYMONTH") : 1;
  // A weekday without a number is each of its kind in the month or the year.
  const [numbered, each] = named === 0 ? [1, 53] : [named, 5 * named];
  const weekdays = days.reduce((sum, day) => sum + (/\d/.test(day) ? numbered : each), 0);
  const inMonths = (named === 0 ? 12 : named) * count("BYMONTHDAY");
  const inWeeks = count("BYWEEKNO") * Math.max(1, days.length);
  return Math.max(1, named, inMonths + count("BYYEARDAY") + inWeeks + weekdays);
}

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
  const days = daysOfRound(parts);
  if (positions.length > 0 && positions.every((position) => Math.abs(position) > days))
    return refuse("BYSETPOS selects none of the days.");
  const until = parts.get("UNTIL");
  // The rule is about days: the whole of the last day belongs to it.
  if (until !== undefined) parts.set("UNTIL", `${until.slice(0, 8)}T235959Z`);
  const rule = [...parts].map(([name, value]) => `${name}=${value}`).join(";");
  return { ok: true, rule, isCounted: parts.has("COUNT"), parts };
}

const refuse = (detail: string): { readonly ok: false; readonly detail: string } => ({ ok: false, detail });
