import { z } from "zod";
import { DEMO_IDS } from "../data/demo-shop.ts";
import { requireRoom } from "../../../core/room.ts";

import { conflictWhen, invalidField } from "../../../lib/errors.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import { withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { plans } from "../repository.ts";
import { Plan, planFields } from "../schema.ts";
import { SUBSCRIPTION_LIMITS } from "../schema/parts.ts";
import { newResource } from "../../../lib/new-resource.ts";

const PlanView = withVersion(Plan);
const fields = planFields;
const Create = z.strictObject({
  ...fields,
  anchor: fields.anchor.default({ type: "none" }),
  cutoff_days: fields.cutoff_days.default(0),
  first_period: fields.first_period.default("full"),
  trial_days: fields.trial_days.default(0),
  min_cycles: fields.min_cycles.default(0),
  max_cycles: fields.max_cycles.default(null),
  price_adjustments: fields.price_adjustments.default([]),
  delivery_every: fields.delivery_every.default(1),
  eligible_products: fields.eligible_products.default([]),
  renewal_notice_days: fields.renewal_notice_days.default(null),
  active: fields.active.default(true),
  metadata: fields.metadata.default({}),
});
const Patch = z.strictObject(fields).partial();

const planResource = resource({
  id: "subscriptions.plans",
  collection: plans,
  view: PlanView,
  example: DEMO_IDS.monthly,
});

const listPlans = planResource.list({ summary: "List plans" });

const createPlan = planResource.create({
  summary: "Create a plan: terms that contracts begin with",
  description: "A contract copies them when it begins: a later change of the plan changes no contract.",
  body: Create,
  errors: [conflictWhen("limit_reached", "The store has the maximum number of plans")],
  example: {
    body: {
      title: "Coffee every month",
      interval_unit: "month",
      interval_count: 1,
      price_adjustments: [{ after_cycle: 3, kind: "percent", value: 1000 }],
    },
  },
  make: async (body, ctx) => {
    await requireRoom(ctx.tx, plans, { max: SUBSCRIPTION_LIMITS.plans, noun: "plans" });
    const plan: Plan = { ...newResource(ctx.newId("pln"), ctx.nowAt), ...body };
    return checked(plan);
  },
});

const getPlan = planResource.get({ summary: "Show a plan" });

const updatePlan = planResource.update({
  summary: "Change a plan for contracts to come",
  body: Patch,
  example: { body: { active: false } },
  change: (before, body, ctx) => {
    const plan = { ...mergePatch(before, body), updated_at: ctx.nowAt };
    return checked(plan);
  },
});

const UNIT_OF = { weekday: "week", monthday: "month", yearday: "year" } as const;

/** Throws 422 for terms that contradict each other. */
function checked(plan: Plan): Plan {
  const { anchor, interval_unit: unit, interval_count: count, delivery_every: deliveries } = plan;
  if (anchor.type !== "none" && UNIT_OF[anchor.type] !== unit) {
    throw invalidField(
      ["anchor", "type"],
      `An anchor of type \`${anchor.type}\` needs an interval of ${UNIT_OF[anchor.type]}s.`,
    );
  }
  if (count % deliveries !== 0) {
    throw invalidField(
      ["delivery_every"],
      `${deliveries} deliveries do not divide ${count} ${unit}s evenly.`,
    );
  }
  if (plan.max_cycles !== null && plan.max_cycles < plan.min_cycles) {
    throw invalidField(["max_cycles"], "Must not be below min_cycles.");
  }
  return plan;
}

export const planRoutes = [listPlans, createPlan, getPlan, updatePlan];
