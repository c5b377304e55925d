import type { Plan } from "../../config/plans.ts";
import { DAY_MS } from "../../lib/instant.ts";
import type { Customer } from "../collections.ts";

export interface Standing {
  /** Plan whose limits hold now. */
  readonly plan: Plan;
  readonly state: "free" | "trialing" | "paid" | "canceling";
  readonly trialDaysLeft: number;
}

/** What a customer's plan is at an instant; nothing has to run when a trial or a cancelled plan ends. */
export function standingOf(
  customer: Pick<Customer, "plan" | "trial_plan" | "trial_ends_at" | "plan_ends_at">,
  plans: readonly Plan[],
  now: number,
): Standing {
  const free = findPlan(plans, "free") ?? plans[0];
  if (free === undefined) throw new Error("The configuration contains no plans.");
  const trial = customer.trial_plan === null ? undefined : findPlan(plans, customer.trial_plan);
  const trialEnds = customer.trial_ends_at === null ? 0 : Date.parse(customer.trial_ends_at);
  if (trial !== undefined && now < trialEnds) {
    return { plan: trial, state: "trialing", trialDaysLeft: Math.ceil((trialEnds - now) / DAY_MS) };
  }
  const ends = customer.plan_ends_at === null ? null : Date.parse(customer.plan_ends_at);
  const paid = findPlan(plans, customer.plan);
  if (paid === undefined || paid.id === free.id || (ends !== null && now >= ends)) {
    return { plan: free, state: "free", trialDaysLeft: 0 };
  }
  return { plan: paid, state: ends === null ? "paid" : "canceling", trialDaysLeft: 0 };
}

/** A plan that may hold more than one store may also specify it in X-Service-Store. */
export const isMultiStore = (plan: Plan): boolean => plan.stores !== 1;

export const findPlan = (plans: readonly Plan[], id: string): Plan | undefined =>
  plans.find((plan) => plan.id === id);
