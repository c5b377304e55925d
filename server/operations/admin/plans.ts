import { z } from "zod";

import type { Plan } from "../../config/plans.ts";
import { fail } from "../../lib/errors.ts";
import { ok, values } from "../../core/reply.ts";
import { defineOperationsRoute } from "../context.ts";
import { findPlan } from "../../accounts/plans/plans.ts";

const PlanView = z.object({
  id: z.string(),
  name: z.string(),
  requests_per_minute: z.int(),
  stores: z.int().nullable().meta({ description: "Maximum stores per customer; null is unlimited" }),
  active_keys: z.int(),
  paid: z.boolean(),
  trial_days: z.int(),
});
type PlanView = z.output<typeof PlanView>;

const toView = (plan: Plan): PlanView => ({
  id: plan.id,
  name: plan.name,
  requests_per_minute: plan.requestsPerMinute,
  stores: plan.stores,
  active_keys: plan.activeKeys,
  paid: plan.paid,
  trial_days: plan.trialDays,
});

const listPlans = defineOperationsRoute({
  id: "admin.plans.list",
  method: "GET",
  path: "/plans",
  summary: "List the configured plans",
  data: z.array(PlanView),
  example: {},
  handle: async (_, { deps }) => values(deps.config.plans.map(toView)),
});

const getPlan = defineOperationsRoute({
  id: "admin.plans.get",
  method: "GET",
  path: "/plans/:id",
  summary: "Retrieve a plan",
  params: z.object({ id: z.string().max(40) }),
  data: PlanView,
  example: { params: { id: "growth" } },
  async handle({ params: { id } }, { deps }) {
    const plan = findPlan(deps.config.plans, id);
    if (plan === undefined) throw fail("not_found", "No plan with this id.");
    return ok(toView(plan));
  },
});

export const planRoutes = [listPlans, getPlan];
