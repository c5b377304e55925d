import { z } from "zod";
import { DEMO_IDS } from "../data/demo-ids.ts";
import { requireRoom } from "../../../core/room.ts";

import { mergePatch } from "../../../lib/merge-patch.ts";
import { withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { DEFAULT_TERMS } from "../data/default-policy.ts";
import { policies } from "../repository.ts";
import { CATERING_LIMITS } from "../schema/parts.ts";
import { Policy, policyFields } from "../schema/policy.ts";
import { limitReached } from "./env.ts";
import { newResource } from "../../../lib/new-resource.ts";

const PolicyView = withVersion(Policy);
const fields = policyFields;
const base = DEFAULT_TERMS;
const Create = z.strictObject({
  title: fields.title,
  lead_time_hours: fields.lead_time_hours.default(base.lead_time_hours),
  min_spend: fields.min_spend.default(base.min_spend),
  capacity: fields.capacity.default(base.capacity),
  cancel_bands: fields.cancel_bands.default(base.cancel_bands),
  late_cancel_bps: fields.late_cancel_bps.default(base.late_cancel_bps),
  reduce_bands: fields.reduce_bands.default(base.reduce_bands),
  late_reduce_bps: fields.late_reduce_bps.default(base.late_reduce_bps),
  guarantee: fields.guarantee.default(base.guarantee),
  increase_bands: fields.increase_bands.default(base.increase_bands),
  late_increase_bps: fields.late_increase_bps.default(base.late_increase_bps),
  deposits: fields.deposits.default(base.deposits),
  retain_deposit_bps: fields.retain_deposit_bps.default(base.retain_deposit_bps),
  fee_tax_rate_bps: fields.fee_tax_rate_bps.default(base.fee_tax_rate_bps),
  valid_days: fields.valid_days.default(base.valid_days),
  active: fields.active.default(true),
});

const policyResource = resource({
  id: "catering.policies",
  collection: policies,
  view: PolicyView,
  example: DEMO_IDS.policy,
});

const listPolicies = policyResource.list({ summary: "List policies: deadlines, fees, deposits" });

const createPolicy = policyResource.create({
  summary: "Create a policy",
  description:
    "What is left out is as in the built-in policy: free cancellation until five business days before, half until two (ten and three from 300 heads), the " +
    "guaranteed count three business days before at 12:00, and half as deposit.",
  scope: "manage",
  body: Create,
  errors: [limitReached],
  example: { body: { title: "Large events", lead_time_hours: 72 } },
  make: async (body, ctx) => {
    await requireRoom(ctx.tx, policies, { max: CATERING_LIMITS.policies, noun: "policies" });
    return { ...newResource(ctx.newId("cpo"), ctx.nowAt), ...body };
  },
});

const getPolicy = policyResource.get({ summary: "Show a policy" });

const updatePolicy = policyResource.update({
  summary: "Change a policy for quotes and orders to come",
  description: "A quote keeps the terms that it was written with.",
  scope: "manage",
  body: z.strictObject(fields).partial(),
  example: { body: { min_spend: 20_000 } },
  change: (before, body) => mergePatch(before, body),
});

export const policyRoutes = [listPolicies, createPolicy, getPolicy, updatePolicy];
