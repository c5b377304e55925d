import { toInstant } from "../../../lib/instant.ts";
import { derivedId } from "../../../core/ids.ts";
import type { Occurrence, RecurringOrder } from "../schema/recurring.ts";
import { addDays, toEpochMs } from "../../../lib/local-time.ts";
import { mapSteps, runAtOnce } from "../../../lib/slices.ts";
import { nextBusinessDay } from "./calendar.ts";
import { deadlineAt } from "./deadlines.ts";
import { parseSchedule } from "./month-end.ts";

/** What the days of a recurring order follow from. */
export type Schedule = Pick<
  RecurringOrder,
  | "dtstart"
  | "rrule"
  | "timezone"
  | "exdates"
  | "rdates"
  | "until"
  | "month_end"
  | "holiday_policy"
  | "edits"
  | "lead_days"
  | "count_at"
  | "progress"
>;

export interface Window {
  /** Local dates, both included. */
  readonly from: string;
  readonly to: string;
  readonly holidays: ReadonlySet<string>;
  /** Local date of now: what is further off than the horizon is planned only. */
  readonly today: string;
}

/** Days ahead for which occurrences are scheduled. */
export const HORIZON_DAYS = 60;
/** Farther than a holiday can move an occurrence into the window. */
const MARGIN_DAYS = 21;

interface Drafted {
  readonly original: string;
  readonly at: string;
  readonly reason: string | null;
  readonly skipped: boolean;
  readonly warnings: readonly string[];
}

/** Why the schedule makes no sense; null when it does. */
export function scheduleFault(schedule: Pick<Schedule, "rrule" | "dtstart" | "month_end">): string | null {
  const rule = parseSchedule(schedule.rrule, schedule.dtstart.slice(0, 10), schedule.month_end);
  return rule.ok ? null : rule.detail;
}

/**
 * Occurrences whose day falls into the window, in order. The rule is expanded on the wall clock; EXDATE and RDATE apply
 * by local value, then edits of single dates, then the holidays; only then do local times become instants, so that the
 * spring change never loses a delivery. What a holiday moves onto another occurrence becomes one with it, with a warning.
 */
export const expandOccurrences = (recurringId: string, schedule: Schedule, window: Window): Occurrence[] =>
  runAtOnce(occurrenceSteps(recurringId, schedule, window));

/** The same in steps of one occurrence: a year of days takes a whole turn of the event loop. */
export function* occurrenceSteps(
  recurringId: string,
  schedule: Schedule,
  window: Window,
): Generator<undefined, Occurrence[]> {
  const starts = startsIn(schedule, addDays(window.from, -MARGIN_DAYS), addDays(window.to, MARGIN_DAYS));
  const drafted = yield* mapSteps(starts, (original) => draft(original, schedule, window.holidays));
  const kept = merge(drafted)
    .filter(({ at }) => at.slice(0, 10) >= window.from && at.slice(0, 10) <= window.to)
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.original < b.original ? -1 : 1));
  return yield* mapSteps(kept, (entry) => toOccurrence(recurringId, entry, schedule, window));
}

/** Local starts of the rule with EXDATE and RDATE applied, and those that an edit moved from outside. */
function startsIn(schedule: Schedule, from: string, to: string): string[] {
  const first = schedule.dtstart.slice(0, 10);
  const time = schedule.dtstart.slice(10);
  const rule = parseSchedule(schedule.rrule, first, schedule.month_end);
  const last = schedule.until !== null && schedule.until < to ? schedule.until : to;
  const ruled = rule.ok && from <= last ? rule.between(from, last).map((date) => `${date}${time}`) : [];
  const added = schedule.rdates.filter((at) => at.slice(0, 10) >= from && at.slice(0, 10) <= to);
  const moved = schedule.edits.filter(({ date }) => date !== null && date >= from && date <= to);
  const gone = new Set(schedule.exdates);
  return [...new Set([...ruled, ...added, ...moved.map(({ original_start: at }) => at)])]
    .filter((at) => !gone.has(at))
    .sort();
}

function draft(original: string, schedule: Schedule, holidays: ReadonlySet<string>): Drafted {
  const edit = schedule.edits.find(({ original_start: at }) => at === original);
  const at = `${edit?.date ?? original.slice(0, 10)}T${edit?.start ?? original.slice(11)}`;
  const base = { original, at, reason: null, skipped: false, warnings: [] };
  if (edit?.skip === true) return { ...base, skipped: true, reason: "skipped by hand" };
  const date = at.slice(0, 10);
  // A day that was written for this date holds, whatever day it is; a time alone does not.
  if (typeof edit?.date === "string" || !holidays.has(date) || schedule.holiday_policy === "keep")
    return at === original ? base : { ...base, reason: "moved by hand" };
  if (schedule.holiday_policy === "skip") return { ...base, skipped: true, reason: "holiday" };
  const day = nextBusinessDay(date, schedule.holiday_policy === "next" ? 1 : -1, holidays);
  return { ...base, at: `${day}T${at.slice(11)}`, reason: "holiday" };
}

/** Of two that come to fall on the same start, the one that belongs there stays. */
function merge(drafted: readonly Drafted[]): Drafted[] {
  const kept = new Map<string, Drafted>();
  const rest: Drafted[] = [];
  const byRight = [...drafted].sort((a, b) => Number(a.at !== a.original) - Number(b.at !== b.original));
  for (const entry of byRight) {
    const holder = entry.skipped ? undefined : kept.get(entry.at);
    if (entry.skipped) rest.push(entry);
    else if (holder === undefined) kept.set(entry.at, entry);
    else {
      rest.push({
        ...entry,
        skipped: true,
        reason: "merged",
        warnings: [`Falls together with ${holder.original}.`],
      });
      kept.set(entry.at, { ...holder, warnings: [...holder.warnings, `Includes ${entry.original}.`] });
    }
  }
  return [...kept.values(), ...rest];
}

const occurrenceId = (recurringId: string, original: string): string =>
  derivedId("coc", new Uint8Array(), [recurringId, original]);

function toOccurrence(
  recurringId: string,
  entry: Drafted,
  schedule: Schedule,
  { holidays, today }: Window,
): Occurrence {
  const { at, original, reason, skipped, warnings } = entry;
  const event = { date: at.slice(0, 10), start: at.slice(11), timezone: schedule.timezone };
  const done = schedule.progress.find(({ original_start: start }) => start === original);
  const startsAt = toEpochMs(event.date, event.start, event.timezone);
  const { count_at: cutoff, lead_days: days } = schedule;
  // On the day itself, heads that are counted at noon are too late for a breakfast: the day before is meant.
  const deadlines = [days, days + 1].map((before) =>
    deadlineAt({ business_days_before: before, at: cutoff }, event, holidays),
  );
  const waiting = event.date <= addDays(today, HORIZON_DAYS) ? ("scheduled" as const) : ("planned" as const);
  const moved = at === original ? waiting : ("moved" as const);
  return {
    id: occurrenceId(recurringId, original),
    original_start: original,
    date: event.date,
    start: event.start,
    starts_at: toInstant(startsAt),
    count_at: toInstant(deadlines.find((at) => at < startsAt) ?? startsAt),
    state: done?.state ?? (skipped ? "skipped" : moved),
    reason,
    warnings: [...warnings],
    note: schedule.edits.find(({ original_start: start }) => start === original)?.note ?? "",
    order_id: done?.order_id ?? null,
    headcount: done?.headcount ?? null,
    blocked: done?.blocked ?? null,
  };
}
