import type { Tx } from "../../../core/tx.ts";
import { Problem } from "../../../lib/errors.ts";
import { loadPlan } from "../repository.ts";
import type { Plan } from "../rules/compile-plan.ts";
import { keepDates, uncachedRules } from "../rules/expand-blocks.ts";
import type { BlockEntry, RuleSpan } from "../rules/expand-blocks.ts";
import { expandRules } from "./recurrence-tasks.ts";

/** The plan of a store, for use with `horizonAt` at this instant: the dates of its recurrence rules are computed in a thread before. */
export async function loadPlanAt(tx: Tx, now: number): Promise<Plan> {
  const plan = await loadPlan(tx);
  if (!plan.isExpandedAt(now)) await cacheDates(tx, plan.blockedDates, plan.daysAt(now));
  return plan;
}

/** Computes the dates of recurrence rules that `expandBlocks` would otherwise compute on the event loop. */
export async function cacheDates(
  tx: Tx,
  entries: readonly Pick<BlockEntry, "rrule" | "from" | "to">[],
  { today, last }: { readonly today: string; readonly last: string },
): Promise<void> {
  const rules = uncachedRules(entries, today, last);
  if (rules.length === 0) return;
  const name = JSON.stringify(rules);
  const running = expanding.get(name) ?? expandInThread(tx, rules);
  expanding.set(name, running);
  try {
    await running;
  } catch (error) {
    // The threads are busy: the event loop computes them, as it does a few.
    if (!(error instanceof Problem)) throw error;
  } finally {
    expanding.delete(name);
  }
}

/** Rules that are being computed: all requests that come meanwhile wait for the same. */
const expanding = new Map<string, Promise<void>>();

async function expandInThread(tx: Tx, rules: readonly RuleSpan[]): Promise<void> {
  const dates = await expandRules(tx, rules);
  for (const [index, rule] of rules.entries()) keepDates(rule, dates[index] ?? []);
}
