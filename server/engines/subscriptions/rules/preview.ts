import { toInstant } from "../../../lib/instant.ts";
import type { Contract } from "../schema.ts";
import type { DunningPolicy } from "../schema/policy.ts";
import type { CycleView, PreviewAnswer } from "../schema/requests.ts";
import { openingAt } from "./agenda.ts";
import {
  billingDate,
  billingInstant,
  cyclePeriod,
  deliveryDates,
  isAfterEnd,
  isDatable,
} from "./cycle-dates.ts";
import { nextRetry } from "./next-retry.ts";
import { cycleCharge } from "./open-charge.ts";
import { priceCycle } from "./price-cycle.ts";

/** A cycle that is still to come, worked out by what the worker will use. `contract` is its state before the cycle. */
export function upcomingCycle(contract: Contract, index: number, by: { readonly now: number }): CycleView {
  const date = billingDate(contract, index);
  const charge = cycleCharge(contract, index, by);
  const isSkipped = contract.overrides[String(index)]?.skip === true;
  const at = index === contract.next_cycle ? openingAt(contract) : billingInstant(contract, date);
  return {
    index,
    ...cyclePeriod(contract, index),
    billing_date: date,
    billing_at: toInstant(at),
    delivery_dates: deliveryDates(contract, index),
    status: isSkipped ? "skip_planned" : "upcoming",
    charge_id: null,
    total: isSkipped ? 0 : charge.total,
    amount_due: isSkipped ? 0 : charge.amount_due,
  };
}

/** The next cycles of a contract, one in each step: credit and carried amounts go to the first that can take them. */
export function* previewCyclesSteps(
  contract: Contract,
  count: number,
  by: { readonly now: number },
): Generator<undefined, PreviewAnswer["cycles"]> {
  const cycles: PreviewAnswer["cycles"] = [];
  let state = contract;
  for (let at = 0; at < count; at += 1) {
    const index = contract.next_cycle + at;
    if (contract.max_cycles !== null && index >= contract.max_cycles) break;
    if (!isDatable(state, index) || isAfterEnd(state, index)) break;
    const view = upcomingCycle(state, index, by);
    const charge = cycleCharge(state, index, by);
    const { money, trace } = priceCycle(state, index);
    const { subtotal, discount, shipping, tax, tax_included } = money;
    cycles.push({
      ...view,
      subtotal,
      discount,
      shipping,
      tax,
      tax_included,
      credit_applied: charge.credit_applied,
      trace: trace.map((step) => ({ ...step })),
    });
    if (view.status !== "skip_planned") {
      state = { ...state, credit: state.credit - charge.credit_applied, carried: [] };
    }
    yield;
  }
  return cycles;
}

/** The next cycle that is not skipped; null if none of the next few is paid for. */
export function nextPaidCycle(contract: Contract, by: { readonly now: number }): CycleView | null {
  const { max_cycles: max, next_cycle: first, overrides } = contract;
  for (let index = first; index <= first + Object.keys(overrides).length; index += 1) {
    if ((max !== null && index >= max) || !isDatable(contract, index)) return null;
    // Only what is asked for is priced.
    if (overrides[String(index)]?.skip !== true) return upcomingCycle(contract, index, by);
  }
  return null;
}

/** What would be tried if a charge failed for want of funds again and again. */
export function previewDunning(
  policy: DunningPolicy,
  { firstFailedAt, timezone }: { readonly firstFailedAt: number; readonly timezone: string },
): PreviewAnswer["dunning"] {
  const steps: PreviewAnswer["dunning"] = [];
  const attemptsAt = [firstFailedAt];
  let now = firstFailedAt;
  for (;;) {
    const retry = nextRetry({
      policy,
      category: "soft",
      code: "insufficient_funds",
      now,
      firstFailedAt,
      attemptsAt,
      systemRetries: 0,
      timezone,
    });
    if (retry.kind !== "retry") return steps;
    steps.push({ at: toInstant(retry.at), why: retry.why });
    attemptsAt.push(retry.at);
    now = retry.at;
  }
}
