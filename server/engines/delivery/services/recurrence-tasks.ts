import { defineWorkerTask } from "../../../lib/worker-tasks.ts";
import { datesOfRule } from "../rules/expand-blocks.ts";
import type { RuleSpan } from "../rules/expand-blocks.ts";

/** Computes the dates of recurrence rules: a counted one may take 40 ms, and a store may have fifty. */
export const expandRules = defineWorkerTask({
  id: "delivery.recurrences",
  // A few simple rules, such as one day of each week, take a millisecond or two.
  size: (rules: readonly RuleSpan[]) =>
    rules.reduce((sum, { rrule }) => sum + rrule.length * 20 + (/COUNT/i.test(rrule) ? 1_000 : 0), 0),
  run: (rules: readonly RuleSpan[]): string[][] => rules.map(datesOfRule),
});
