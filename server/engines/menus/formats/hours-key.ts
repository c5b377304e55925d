import type { TreeSchedule } from "../schema/tree.ts";
import type { DraftHours } from "./draft.ts";
import { canonicalRules, DAYS } from "./week.ts";

/** A string that is equal for equal hours: a schedule created by an import is found by it again. */
export const hoursKey = ({ rules, validFrom, validUntil, exceptions }: DraftHours): string =>
  JSON.stringify([
    canonicalRules(rules),
    validFrom ?? null,
    validUntil ?? null,
    [...(exceptions ?? [])].sort((a, b) => (a.date < b.date ? -1 : 1)),
  ]);

const ALWAYS: DraftHours["rules"] = [{ days: DAYS, start: "00:00", end: "00:00" }];

/**
 * Whether stored schedules together have the hours of a document, as far as its system knows them: most know the hours of a week, and
 * neither first and last days nor single dates. Null: always, as a document also says it of schedules that only have single dates.
 */
export function hasHours(stored: readonly DraftHours[], hours: DraftHours | null): boolean {
  if (stored.length === 0) return false;
  const week = canonicalRules(stored.flatMap(({ rules }) => rules));
  const rules = hours === null && week.length > 0 ? ALWAYS : (hours?.rules ?? []);
  if (JSON.stringify(week) !== JSON.stringify(canonicalRules(rules))) return false;
  const days: Partial<DraftHours> = stored.length === 1 ? (stored[0] ?? {}) : {};
  return hoursKey({ ...days, ...hours, rules: [] }) === hoursKey({ ...days, rules: [] });
}

/** Hours of a stored schedule, for comparison with those of a document. */
export const hoursOfSchedule = (schedule: TreeSchedule): DraftHours => ({
  rules: schedule.rules,
  validFrom: schedule.valid_from,
  validUntil: schedule.valid_until,
  exceptions: schedule.exceptions.map(({ date, ranges }) => ({ date, ranges })),
});

/** For example "mon tue wed thu fri 07:30-11:00": the initial name of an imported schedule. */
export function hoursTitle({ rules }: DraftHours): string {
  const [first] = canonicalRules(rules);
  if (first === undefined) return "Never";
  const more = canonicalRules(rules).length > 1 ? " and others" : "";
  return `${first.days.join(" ")} ${first.start}-${first.end}${more}`;
}
