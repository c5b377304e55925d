import { defineWorkerTask } from "../../../lib/worker-tasks.ts";
import { checkBlockedDate } from "../rules/check-blocked-date.ts";
import { datesOfRule } from "../rules/expand-blocks.ts";
import type { BlockEntry, RuleSpan } from "../rules/expand-blocks.ts";

/** A few simple rules, such as one day of each week, take a millisecond or two; a counted one may take 40 ms. */
const sizeOf = (rrule: string): number => rrule.length * 20 + (/COUNT/i.test(rrule) ? 1_000 : 0);

/** Checks a blocked date, with its recurrence rule. */
export const checkEntry = defineWorkerTask({
  id: "delivery.blocked-date",
  size: ({ rrule }: Omit<BlockEntry, "id">) => sizeOf(rrule ?? ""),
  run: checkBlockedDate,
});

/** Computes the dates of recurrence rules, of which a store may have fifty. */
export const expandRules = defineWorkerTask({
  id: "delivery.recurrences",
  size: (rules: readonly RuleSpan[]) => rules.reduce((sum, { rrule }) => sum + sizeOf(rrule), 0),
  run: (rules: readonly RuleSpan[]): string[][] => rules.map(datesOfRule),
});
