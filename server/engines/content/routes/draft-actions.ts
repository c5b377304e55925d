import { z } from "zod";

import { textErrors } from "../../../core/text-errors.ts";
import { fromInstant } from "../../../lib/instant.ts";
import { conflict, conflictWhen, invalidField } from "../../../lib/errors.ts";
import type { Reply } from "../../../core/reply.ts";
import type { Ctx } from "../../../core/route.ts";
import { item } from "../../../core/reply.ts";
import { stale } from "../../../core/route.ts";
import type { Stored } from "../../../core/tx.ts";
import { Instant } from "../../../core/schema.ts";
import { discardStaged, emitDraft, goLive, takeDown } from "../services/drafts.ts";
import type { DraftWork } from "../services/drafts.ts";
import { noteDraft } from "../services/keyphrases.ts";
import { drafts } from "../repository.ts";
import { revisionAtStake, statusAfter } from "../rules/draft-machine.ts";
import type { DraftAction } from "../rules/draft-machine.ts";
import type { Draft } from "../schema/draft.ts";
import { CONTENT_LIMITS } from "../schema.ts";
import { badState, deskOf, gateError, passGate, requireAllowed } from "./env.ts";
import { draftResource } from "./drafts.ts";

const Reviewer = z
  .string()
  .trim()
  .min(1)
  .max(120)
  .optional()
  .meta({ description: "The reviewer's name in the store's own system. Default: the id of the key" });

/** The draft in a status that allows the action, and the resulting status. */
interface Step {
  readonly work: DraftWork;
  readonly before: Stored<Draft>;
}

/** The draft, or 409 if its status does not allow the action. */
async function open(ctx: Ctx, id: string, action: DraftAction): Promise<Step> {
  const before = await ctx.current(drafts, id);
  requireAllowed(before.value, action);
  return { before, work: await deskOf(ctx) };
}

/** Writes the draft with the fields that an action changes. */
async function change({ work, before }: Step, members: Partial<Draft>): Promise<Stored<Draft>> {
  const next = { ...before.value, ...members, updated_at: work.nowAt, updated_by: work.by };
  await noteDraft(work.tx, next);
  return work.tx.put(drafts, before, next);
}

const nextStatus = ({ before, work }: Step, action: DraftAction): Draft["status"] =>
  statusAfter(before.value, action, work.settings.approvals_required);

const emitStep = (
  ctx: Ctx,
  { work }: Step,
  action: string,
  stored: Stored<Draft>,
): Reply<Draft & { version: number }> => {
  emitDraft(work, ctx.newId, action, stored.value);
  return item(stored);
};

const submit = draftResource.action("submit", {
  summary: "Request a review",
  description: "Changes that were requested are considered done.",
  errors: [stale, badState],
  handle: async ({ params: { id } }, ctx) => {
    const step = await open(ctx, id, "submit");
    const change_requests = step.before.value.change_requests.map((request) => ({
      ...request,
      resolved_at: request.resolved_at ?? ctx.nowAt,
    }));
    return emitStep(
      ctx,
      step,
      "submitted",
      await change(step, { status: nextStatus(step, "submit"), change_requests }),
    );
  },
});

const APPROVALS_KEPT = 50;

const approve = draftResource.action("approve", {
  scope: "manage",
  summary: "Approve the latest revision",
  description:
    "The draft is approved once the number of different reviewers required by the settings have approved this " +
    "revision. A staged revision of a published draft is approved in the same way. Approving twice has no further " +
    "effect.",
  body: z.strictObject({ reviewer: Reviewer }).default({}),
  errors: [stale, badState],
  example: {
    body: { reviewer: "Grace" },
  },
  handle: async ({ params: { id }, body }, ctx) => {
    const step = await open(ctx, id, "approve");
    const draft = step.before.value;
    const by = body.reviewer ?? ctx.caller ?? "unknown";
    const revision = revisionAtStake(draft);
    if (draft.approvals.some((one) => one.by === by && one.revision === revision)) return item(step.before);
    const approvals = [...draft.approvals, { by, at: ctx.nowAt, revision }].slice(-APPROVALS_KEPT);
    const status = statusAfter({ ...draft, approvals }, "approve", step.work.settings.approvals_required);
    const stored = await change(step, { approvals, status });
    return status === "approved" ? emitStep(ctx, step, "approved", stored) : item(stored);
  },
});

const requestChanges = draftResource.action("request-changes", {
  summary: "Request changes",
  body: z.strictObject({ text: z.string().trim().min(1).max(2_000), reviewer: Reviewer }),
  errors: [stale, badState],
  example: {
    body: { text: "Specify the temperature." },
  },
  handle: async ({ params: { id }, body }, ctx) => {
    const step = await open(ctx, id, "request_changes");
    const by = body.reviewer ?? ctx.caller ?? "unknown";
    const change_requests = [
      ...step.before.value.change_requests,
      { by, at: ctx.nowAt, text: body.text, resolved_at: null },
    ].slice(-CONTENT_LIMITS.changeRequests);
    return item(await change(step, { status: nextStatus(step, "request_changes"), change_requests }));
  },
});

const schedule = draftResource.action("schedule", {
  scope: "manage",
  summary: "Schedule publication",
  description:
    "The publishing checks are run immediately. A job publishes the draft at the scheduled time; published_at is the " +
    "scheduled time, late_seconds the delay. planned_for is only a plan and publishes nothing.",
  body: z.strictObject({ at: Instant.meta({ description: "Must be in the future" }) }),
  errors: [...textErrors, stale, badState, gateError],
  example: {
    body: { at: "2030-06-02T06:00:00.000Z" },
  },
  handle: async ({ params: { id }, body }, ctx) => {
    const step = await open(ctx, id, "schedule");
    if (fromInstant(body.at) <= ctx.now)
      throw invalidField(["at"], "`at` must be in the future. To publish immediately, use publish.");
    const scores = await passGate(step.work, ctx, step.before.value);
    const status = nextStatus(step, "schedule");
    return emitStep(ctx, step, "scheduled", await change(step, { status, scores, scheduled_at: body.at }));
  },
});

const unschedule = draftResource.action("unschedule", {
  scope: "manage",
  summary: "Unschedule a draft",
  errors: [stale, badState],
  handle: async ({ params: { id } }, ctx) => {
    const step = await open(ctx, id, "unschedule");
    return item(await change(step, { status: nextStatus(step, "unschedule"), scheduled_at: null }));
  },
});

const publish = draftResource.action("publish", {
  scope: "manage",
  summary: "Publish now",
  description:
    "The requirements in the store's settings must be met: title, body, approvals of this revision, scores. On a " +
    "published draft this publishes the staged revision; published_at does not change, and a changed slug is " +
    "recorded as a 301 redirect.",
  errors: [...textErrors, stale, badState, gateError],
  handle: async ({ params: { id } }, ctx) => {
    const step = await open(ctx, id, "publish");
    const { work, before } = step;
    const scores = await passGate(work, ctx, before.value);
    const stored = await goLive(work, before, { publishedAt: ctx.nowAt, lateSeconds: null });
    const isScored = scores !== null && scores.revision === stored.value.revision;
    const scored = isScored ? work.tx.put(drafts, stored, { ...stored.value, scores }) : stored;
    return emitStep(ctx, step, "published", scored);
  },
});

const unpublish = draftResource.action("unpublish", {
  scope: "manage",
  summary: "Unpublish a post",
  description: "The post becomes a draft again, with the staged revision, if any, as its text.",
  errors: [...textErrors, stale, badState],
  handle: async ({ params: { id } }, ctx) => {
    const step = await open(ctx, id, "unpublish");
    return emitStep(ctx, step, "unpublished", await takeDown(step.work, step.before));
  },
});

const archive = draftResource.action("archive", {
  summary: "Archive a draft",
  errors: [stale, badState],
  handle: async ({ params: { id } }, ctx) => {
    const step = await open(ctx, id, "archive");
    return item(await change(step, { status: nextStatus(step, "archive"), scheduled_at: null }));
  },
});

const restore = draftResource.action("restore", {
  summary: "Restore an archived draft",
  errors: [stale, badState],
  handle: async ({ params: { id } }, ctx) => {
    const step = await open(ctx, id, "restore");
    return item(await change(step, { status: nextStatus(step, "restore") }));
  },
});

const discard = draftResource.action("discard", {
  summary: "Discard the staged revision of a published draft",
  description: "The revision remains in the history.",
  errors: [stale, conflictWhen("nothing_staged", "No revision is staged")],
  handle: async ({ params: { id } }, ctx) => {
    const before = await ctx.current(drafts, id);
    if (before.value.pending_revision === null) {
      throw conflict("nothing_staged", "No revision is staged for this draft.");
    }
    return item(await discardStaged(await deskOf(ctx), before));
  },
});

export const draftActionRoutes = [
  submit,
  approve,
  requestChanges,
  schedule,
  unschedule,
  publish,
  unpublish,
  archive,
  restore,
  discard,
];
