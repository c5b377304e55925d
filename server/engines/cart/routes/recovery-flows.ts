import { z } from "zod";

import { toInstant } from "../../../lib/instant.ts";
import { invalidField } from "../../../lib/errors.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import type { Ctx } from "../../../core/route.ts";
import { ok } from "../../../core/reply.ts";
import { defineRoute, missing } from "../../../core/route.ts";
import { Id, Instant, withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { flows, offers, readSettings } from "../repository.ts";
import { isTimeZone } from "../../../lib/local-time.ts";
import { abandonedAt, DEFAULT_TERMS, planSteps } from "../rules/plan-recovery.ts";
import { flowFields, RecoveryFlow } from "../schema/cart.ts";
import { newResource } from "../../../lib/new-resource.ts";

const FlowView = withVersion(RecoveryFlow);
const fields = flowFields;
const Create = z.strictObject({
  ...fields,
  abandon_after_minutes: fields.abandon_after_minutes.default(DEFAULT_TERMS.abandon_after_minutes),
  steps: fields.steps.default(DEFAULT_TERMS.steps),
  quiet_hours: fields.quiet_hours.default(DEFAULT_TERMS.quiet_hours),
  cooldown_days: fields.cooldown_days.default(DEFAULT_TERMS.cooldown_days),
  max_age_days: fields.max_age_days.default(DEFAULT_TERMS.max_age_days),
  min_total: fields.min_total.default(0),
  holdout_bps: fields.holdout_bps.default(0),
  active: fields.active.default(true),
  metadata: fields.metadata.default({}),
});
const Patch = z.strictObject(fields).partial();

const recoveryFlowResource = resource({
  id: "cart.recovery-flows",
  collection: flows,
  view: FlowView,
  example: "rfl_01JD8Z5T9QK3M4N5P6R7S8T9V5",
});

const listFlows = recoveryFlowResource.list({
  summary: "Flows of mails about abandoned carts, newest first",
});

const createFlow = recoveryFlowResource.create({
  summary: "Create a flow",
  description:
    "Of several active flows the newest holds whose min_total the cart reaches. What is left out: an hour until a cart counts as abandoned; mails " +
    "4, 24 and 72 hours after the last activity; none between 21:00 and 08:00.",
  body: Create,
  example: { body: { title: "Come back" } },
  make: async (body, ctx) => {
    await refuseFaults(ctx, body);
    const id = ctx.newId("rfl");
    return { ...newResource(id, ctx.nowAt), ...body };
  },
});

const getFlow = recoveryFlowResource.get({ summary: "Show a flow" });

const updateFlow = recoveryFlowResource.update({
  summary: "Change a flow, or stop it with active: false",
  description:
    "Mails that are planned keep their times; whether they are sent is decided by the flow at that time.",
  body: Patch,
  example: { body: { active: false } },
  change: async (before, body, ctx) => {
    const next = { ...mergePatch(before, body), updated_at: ctx.nowAt };
    await refuseFaults(ctx, next);
    return next;
  },
});

async function refuseFaults({ tx }: Ctx, { steps }: Pick<RecoveryFlow, "steps">): Promise<void> {
  for (const [at, { delay_minutes: delay, coupon_offer_id: offer }] of steps.entries()) {
    if (at > 0 && delay <= (steps[at - 1]?.delay_minutes ?? 0)) {
      throw invalidField(["steps", at, "delay_minutes"], "Is not later than the step before.");
    }
    if (offer !== null && (await tx.get(offers, offer)) === null) {
      throw invalidField(["steps", at, "coupon_offer_id"], "No such offer.");
    }
  }
}

/** Mails are sent up to a month later: their times are instants of RFC 3339, too. */
const PREVIEW_DATES = { first: "1900-01-01T00:00:00.000Z", last: "9998-12-31T23:59:59.999Z" } as const;

const preview = defineRoute({
  id: "cart.recovery-flows.preview",
  method: "POST",
  path: "/recovery-flows/previews",
  scope: "read",
  summary: "When a cart would count as abandoned, and when its mails would go out",
  description: "By the function that plans real mails. Nothing is stored.",
  body: z.strictObject({
    last_activity_at: Instant,
    timezone: z
      .string()
      .refine(isTimeZone, "Expected an IANA time zone such as Europe/London.")
      .optional()
      .meta({ description: "Default: the store's" }),
    flow_id: Id.optional().meta({ description: "Default: the built-in values" }),
  }),
  data: z.object({
    abandoned_at: Instant,
    steps: z.array(z.object({ n: z.int(), due_at: Instant, template: z.string() })),
  }),
  errors: [missing],
  example: {
    body: { last_activity_at: "2025-06-10T17:30:00.000Z", timezone: "Europe/London" },
  },
  async handle({ body }, { tx }) {
    const { first, last } = PREVIEW_DATES;
    if (body.last_activity_at < first || body.last_activity_at > last)
      throw invalidField(["last_activity_at"], `Send an instant from ${first} to ${last}.`);
    const flow = body.flow_id === undefined ? DEFAULT_TERMS : (await tx.require(flows, body.flow_id)).value;
    const timezone = body.timezone ?? (await readSettings(tx)).timezone;
    const steps = planSteps(body.last_activity_at, flow, { timezone });
    return ok({
      abandoned_at: toInstant(abandonedAt(body.last_activity_at, flow)),
      steps: steps.map(({ n, due_at, template }) => ({ n, due_at, template })),
    });
  },
});

export const recoveryFlowRoutes = [listFlows, createFlow, preview, getFlow, updateFlow];
