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
