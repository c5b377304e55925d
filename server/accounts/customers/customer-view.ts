import { z } from "zod";

import type { Plan } from "../../config/plans.ts";
import type { Stored } from "../../core/tx.ts";
import { Customer } from "../collections.ts";
import { standingOf } from "../plans/plans.ts";

/** What a customer's plan is now: computed from instants, so nothing has to run when a trial ends. */
export const standingFields = {
  plan: z.string().meta({ description: "Plan whose limits currently apply" }),
  plan_state: z.enum(["free", "trialing", "paid", "canceling"]),
  base_plan: z.string().meta({ description: "Plan that applies when the trial ends" }),
  trial_days_left: z.int().nonnegative(),
  requests_per_minute: z.int(),
};

export const CustomerView = z.object({ ...Customer.shape, ...standingFields });
export type CustomerView = z.output<typeof CustomerView>;

/** Shows a customer as it is at an instant (epoch milliseconds). */
export function toCustomerView(
  { value: customer }: Stored<Customer>,
  plans: readonly Plan[],
  now: number,
): CustomerView {
  const { plan, state, trialDaysLeft } = standingOf(customer, plans, now);
  return {
    ...customer,
    plan: plan.id,
    plan_state: state,
    base_plan: customer.plan,
    trial_days_left: trialDaysLeft,
    requests_per_minute: plan.requestsPerMinute,
  };
}

/** What the examples of the documentation show. */
export const customerExample: CustomerView = {
  id: "cus_7C0Q2J5W8ZB4N6R9T3V1X5Y8A2",
  created_at: "2026-06-01T09:00:00.000Z",
  updated_at: "2026-06-01T09:05:00.000Z",
  email: "dev@bakery.example",
  status: "active",
  plan: "growth",
  plan_state: "trialing",
  base_plan: "free",
  trial_days_left: 14,
  requests_per_minute: 1500,
  trial_plan: "growth",
  trial_started_at: "2026-06-01T09:05:00.000Z",
  trial_ends_at: "2026-06-15T09:05:00.000Z",
  trials_used: ["growth"],
  plan_ends_at: null,
  verified_at: "2026-06-01T09:02:00.000Z",
  suspended_at: null,
  suspended_reason: null,
  closed_at: null,
  trusted_at: null,
};
