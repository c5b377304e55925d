import { z } from "zod";

import { conflict, conflictWhen, fail, invalidField, unprocessableWhen } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { item, made, ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { withVersion } from "../../../core/schema.ts";
import type { Stored } from "../../../core/tx.ts";
import { FORMS_LIMITS } from "../data/limits.ts";
import type { LiveForm } from "../services/live-form.ts";
import { assertOpen, liveForm } from "../services/live-form.ts";
import { editSent, merged, resumed, savePartial } from "../services/partial.ts";
import type { Sending } from "../services/submit.ts";
import { submit } from "../services/submit.ts";
import { formsWorkOf } from "../services/work.ts";
import { submissions } from "../repository.ts";
import { isEmpty } from "../rules/condition.ts";
import { NewSubmission, Receipt, Submission, SubmissionPatch } from "../schema/submission.ts";
import { closed, notPublished } from "./env.ts";
import { guardOrigin } from "./open-forms.ts";

export const SubmissionView = withVersion(Submission);

/** Context of a submission in the request. A page cannot claim to be a server. */
function sendingOf(
  ctx: Ctx,
  { content, form: { id: formId } }: LiveForm,
  body: NewSubmission | SubmissionPatch,
  partial: Stored<Submission> | null,
): Sending {
  const { origin, address_hash: visitor } = ctx.visitor();
  const claimed = "channel" in body ? body.channel : undefined;
  const channel = body.agent_invoked === true ? "agent" : ctx.isPublic ? "web" : (claimed ?? "api");
  const raw = body.data ?? {};
  return {
    formId,
    channel,
    token: body.token,
    captcha: body.captcha,
    honeypot: !isEmpty(raw[content.settings.honeypot_field]),
    origin,
    visitor: ctx.isPublic ? visitor : null,
    once: body,
    raw,
    consents: body.consents ?? [],
    about: {
      locale: body.locale ?? null,
      page_url: body.page_url ?? null,
      referrer: body.referrer ?? null,
      utm: body.utm ?? {},
    },
    partial,
  };
}

const sendErrors = [
  notPublished,
  ...closed,
  unprocessableWhen("invalid_answers", "The answers are invalid"),
  conflictWhen("duplicate", "The form can be sent only once"),
  conflictWhen("partial_not_allowed", "The form does not accept partial submissions"),
  { type: "forbidden", code: "origin_not_allowed", when: "The form is restricted to the store's own pages" },
] as const;

const send = defineRoute({
  id: "forms.submissions.create",
  method: "POST",
  path: "/:id/submissions",
  open: "submit",
  status: 201,
  summary: "Submit a form",
  description:
    "The response is the same in every case: suspected spam is held, not refused. Answers can have at most 200,000 " +
    "bytes in total. With `partial`, the answers are stored for a week, and the receipt contains a resume token.",
  body: NewSubmission,
  data: Receipt,
  errors: sendErrors,
  example: {
    params: { id: "frm_01JD8Z5T9QK3M4N5P6R7S8T9V0" },
    body: {
      data: {
        name: "Ada Byron",
        email: "ada@office.example",
        topic: "other",
        message: "Do you bake rye bread on Saturdays?",
      },
    },
  },
  async handle({ body, params }, ctx) {
    const live = await liveForm(ctx.tx, params.id);
    assertOpen(live, ctx.now);
    const work = await formsWorkOf(ctx);
    const sending = sendingOf(ctx, live, body, null);
    if (ctx.isPublic) guardOrigin(work, live, sending.origin);
    const receipt =
      body.partial === true
        ? (await savePartial(work, live, sending)).receipt
        : await submit(work, live, sending);
    return made(receipt, `/${params.id}/submissions/${receipt.id}`);
  },
});

const patch = defineRoute({
  id: "forms.submissions.update",
  method: "PATCH",
  path: "/:id/submissions/:sid",
  open: "submit",
  summary: "Update a submission",
  description:
    "With a secret key: sets assignee and tags and adds a note. With the resume token: continues a partial " +
    "submission (data is merged; complete sends it), or changes a sent one as long as the form allows; the response " +
    "is a receipt. With the token alone it returns the stored answers.",
  body: SubmissionPatch,
  data: z.union([SubmissionView, Receipt]),
  errors: [
    ...sendErrors,
    conflictWhen("invalid_transition", "The submission was erased"),
    conflictWhen("edit_closed", "The submission was sent and can no longer be changed"),
  ],
  example: {
    params: { id: "frm_01JD8Z5T9QK3M4N5P6R7S8T9V0", sid: "fsb_01JD8Z5T9QK3M4N5P6R7S8T9V0" },
    body: { assignee: "Grace", tags: ["rye"], note: "Answered by phone." },
  },
  async handle({ body, params }, ctx) {
    if (body.resume_token !== undefined) return ok(await goOn(ctx, params, body, body.resume_token));
    if (ctx.isPublic) throw invalidField(["resume_token"], "Required.");
    const stored = await ctx.current(submissions, params.sid);
    if (stored.value.form_id !== params.id) throw fail("not_found", "No such resource.");
    return item(ctx.tx.put(submissions, stored, worked(ctx, stored.value, body)));
  },
});

async function goOn(
  ctx: Ctx,
  params: { readonly id: string; readonly sid: string },
  body: SubmissionPatch,
  token: string,
): Promise<Receipt> {
  if (body.assignee !== undefined || body.tags !== undefined || body.note !== undefined) {
    throw invalidField(
      ["resume_token"],
      "Only allowed together with answers, not with assignee, tags or a note.",
    );
  }
  const work = await formsWorkOf(ctx);
  const stored = await resumed(work, params.id, params.sid, token);
  const live = await liveForm(ctx.tx, params.id);
  const sending = sendingOf(ctx, live, body, stored);
  if (ctx.isPublic) guardOrigin(work, live, sending.origin);
  if (stored.value.status !== "partial") return editSent(work, live, stored, sending.raw);
  assertOpen(live, ctx.now);
  if (body.complete !== true) return (await savePartial(work, live, sending)).receipt;
  return submit(work, live, { ...sending, raw: merged(stored.value.data, sending.raw, live.content) });
}

function worked(ctx: Ctx, submission: Submission, { assignee, note, tags }: SubmissionPatch): Submission {
  if (submission.status === "erased") {
    throw conflict("invalid_transition", "The submission was erased.");
  }
  const notes =
    note === undefined
      ? submission.notes
      : [...submission.notes, { at: ctx.nowAt, by: ctx.caller ?? "", text: note }];
  if (notes.length > FORMS_LIMITS.notes)
    throw invalidField(["note"], `A submission can have at most ${FORMS_LIMITS.notes} notes.`);
  return {
    ...submission,
    assignee: assignee === undefined ? submission.assignee : assignee,
    tags: tags === undefined ? submission.tags : [...new Set(tags)],
    notes,
    updated_at: ctx.nowAt,
  };
}

export const submissionRoutes = [send, patch];
