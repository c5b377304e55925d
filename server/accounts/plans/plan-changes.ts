import { z } from "zod";

import { Instant } from "../../core/schema.ts";
import { DAY_MS, toInstant } from "../../lib/instant.ts";
import { conflict, invalidField } from "../../lib/errors.ts";
import type { Stored } from "../../core/tx.ts";
import type { Plan } from "../../config/plans.ts";
import type { Change } from "../change.ts";
import { customers } from "../collections.ts";
import type { Customer } from "../collections.ts";
import { findPlan, standingOf } from "./plans.ts";

type PlanMembers = Pick<
  Customer,
  "plan" | "trial_plan" | "trial_started_at" | "trial_ends_at" | "trials_used" | "plan_ends_at"
>;

/**
 * Begins the trial of a paid plan, once per customer and plan. The plan beneath stays: it holds again when the trial
 * ends. A change of plan inside a running trial keeps the trial's end, so that trials cannot be strung together.
 * Throws 422 for a plan without a trial, 409 for one whose trial was used.
 */
function startTrial(customer: PlanMembers, plan: Plan, now: number): PlanMembers {
  if (plan.trialDays === 0) throw invalidField(["trial"], `The plan ${plan.id} has no trial.`);
  if (customer.trials_used.includes(plan.id)) {
    throw conflict("trial_used", `The trial of the plan ${plan.id} has already been used.`);
  }
  const isRunning = customer.trial_ends_at !== null && now < Date.parse(customer.trial_ends_at);
  return {
    ...customer,
    trial_plan: plan.id,
    trial_started_at: isRunning ? customer.trial_started_at : toInstant(now),
    trial_ends_at: isRunning ? customer.trial_ends_at : toInstant(now + plan.trialDays * DAY_MS),
    trials_used: [...customer.trials_used, plan.id],
  };
}

/** Puts a customer on a plan at once, and ends a running trial; `endsAt` is when it falls to Free, null for never. */
const assignPlan = (customer: PlanMembers, plan: Plan, endsAt: string | null): PlanMembers => ({
  ...customer,
  plan: plan.id,
  plan_ends_at: endsAt,
  trial_plan: null,
  trial_started_at: null,
  trial_ends_at: null,
});

export const PlanChange = z.strictObject({
  plan: z.string().max(40),
  trial: z.boolean().default(false),
  /** Null for a plan without an end. */
  ends_at: Instant.nullable().default(null),
});
type PlanChange = z.output<typeof PlanChange>;

/** Changes a customer's plan; the next request of each of its keys has the new limit, the window's count stays. */
export function changePlan(change: Change, before: Stored<Customer>, input: PlanChange): Stored<Customer> {
  const { deps, now, nowAt, record, tx } = change;
  const { plans } = deps.config;
  const plan = findPlan(plans, input.plan);
  if (plan === undefined) {
    throw invalidField(["plan"], `Unknown plan. Available plans: ${plans.map(({ id }) => id).join(", ")}.`);
  }
  if (before.value.status === "closed") {
    throw conflict("customer_closed", "The customer is closed.");
  }
  if (input.ends_at !== null && (input.trial || !plan.paid || Date.parse(input.ends_at) <= now)) {
    throw invalidField(
      ["ends_at"],
      "Expected a time in the future, and only for a paid plan that is not a trial.",
    );
  }
  const members = input.trial
    ? startTrial(before.value, plan, now)
    : assignPlan(before.value, plan, input.ends_at);
  const customer = { ...before.value, ...members, updated_at: nowAt };
  const from = standingOf(before.value, plans, now);
  const to = standingOf(customer, plans, now);
  record({
    action: input.trial ? "trial.started" : "plan.changed",
    subject: before.id,
    customer_id: before.id,
    details: {
      from: from.plan.id,
      from_state: from.state,
      to: to.plan.id,
      to_state: to.state,
      ends_at: customer.trial_ends_at ?? customer.plan_ends_at,
    },
  });
  return tx.put(customers, before, customer);
}
