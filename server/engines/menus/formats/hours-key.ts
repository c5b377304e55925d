import type { TreeSchedule } from "../schema/tree.ts";
import type { DraftHours } from "./draft.ts";
import { canonicalRules } from "./week.ts";

/** A string that is equal for equal hours: a schedule created by an import is found by it again. */
export const hoursKey = ({ rules, validFrom, validUntil, exceptions }: DraftHours): string =>
  JSON.stringify([
    canonicalRules(rules),
    validFrom ?? null,
    validUntil ?? null,
    [...(exceptions ?? [])].sort((a, b) => (a.date < b.date ? -1 : 1)),
  ]);

/** Hours of a stored schedule, for comparison with those of a document. */
export const hoursOfSchedule = (schedule: TreeSchedule): DraftHours => ({
  rules: schedule.rules,
  ...(schedule.valid_from === null ? {} : { validFrom: schedule.valid_from }),
  ...(schedule.valid_until === null ? {} : { validUntil: schedule.valid_until }),
  exceptions: schedule.exceptions.map(({ date, ranges }) => ({ date, ranges })),
});

/** For example "mon tue wed thu fri 07:30-11:00": the initial name of an imported schedule. */
export function hoursTitle({ rules }: DraftHours): string {
  const [first] = canonicalRules(rules);
  if (first === undefined) return "Never";
  const more = canonicalRules(rules).length > 1 ? " and others" : "";
  return `${first.days.join(" ")} ${first.start}-${first.end}${more}`;
}
