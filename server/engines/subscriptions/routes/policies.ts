import { z } from "zod";
import { DEMO_IDS } from "../data/demo-shop.ts";
import { conflictWhen } from "../../../lib/errors.ts";
import { requireRoom } from "../../../core/room.ts";

import { mergePatch } from "../../../lib/merge-patch.ts";
import { withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { DEFAULT_POLICY } from "../data/default-policy.ts";
import { policies } from "../repository.ts";
import { SUBSCRIPTION_LIMITS } from "../schema/parts.ts";
import { DunningPolicy, policyFields } from "../schema/policy.ts";
import { newResource } from "../../../lib/new-resource.ts";

const PolicyView = withVersion(DunningPolicy);
const fields = policyFields;
const base = DEFAULT_POLICY;
const Create = z.strictObject({
  title: fields.title,
  retry_days: fields.retry_days.default([...base.retry_days]),
  retry_time: fields.retry_time.default(base.retry_time),
  inventory_days: fields.inventory_days.default([...base.inventory_days]),
  system_minutes: fields.system_minutes.default([...base.system_minutes]),
  grace_days: fields.grace_days.default(base.grace_days),
  action_hours: fields.action_hours.default(base.action_hours),
  max_attempts: fields.max_attempts.default(base.max_attempts),
  mail_stages: fields.mail_stages.default([...base.mail_stages]),
  payday_shift: fields.payday_shift.default(false),
  on_exhausted: fields.on_exhausted.default(base.on_exhausted),
  overdue_stages: fields.overdue_stages.default([]),
  max_catch_up: fields.max_catch_up.default(base.max_catch_up),
});
const Patch = z.strictObject(fields).partial();

const dunningPolicyResource = resource({
  id: "subscriptions.dunning-policies",
  collection: policies,
  view: PolicyView,
  example: DEMO_IDS.policy,
});

const listPolicies = dunningPolicyResource.list({ summary: "List dunning policies" });

const createPolicy = dunningPolicyResource.create({
  summary: "Create a dunning policy: what follows a failed payment",
  description:
    "Omitted members are as in the built-in policy of contracts without a policy: retries after 1, 3, 5, 7, 10 and 14 days at 09:00, mails at " +
    "the first, third and last failure, and the cycle left out at the end.",
  scope: "manage",
  body: Create,
  errors: [conflictWhen("limit_reached", "The store has the maximum number of policies")],
  example: { body: { title: "Gentle", payday_shift: true } },
  make: async (body, ctx) => {
    await requireRoom(ctx.tx, policies, { max: SUBSCRIPTION_LIMITS.policies, noun: "dunning policies" });
    return { ...newResource(ctx.newId("dun"), ctx.nowAt), ...body };
  },
});

const getPolicy = dunningPolicyResource.get({ summary: "Show a dunning policy" });

const updatePolicy = dunningPolicyResource.update({
  summary: "Change a dunning policy",
  description: "Holds from the next failure on; a retry that is planned stays where it is.",
  scope: "manage",
  body: Patch,
  example: { body: { on_exhausted: "pause" } },
  change: (before, body) => mergePatch(before, body),
});

export const policyRoutes = [listPolicies, createPolicy, getPolicy, updatePolicy];
