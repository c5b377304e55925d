import { z } from "zod";

import { newestFirst } from "../../../core/collection.ts";
import { oneValue } from "../../../core/by-value.ts";
import { fail } from "../../../lib/errors.ts";
import { giveWay } from "../../../lib/slices.ts";
import type { Reply } from "../../../core/reply.ts";
import type { Ctx } from "../../../core/route.ts";
import { accepted, empty, item, list, raw } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { Instant, listFields } from "../../../core/schema.ts";
import type { Stored, StoredPage, Tx } from "../../../core/tx.ts";
import { FORMS_LIMITS } from "../data/limits.ts";
import { eraseSubmission } from "../services/erase.ts";
import { exportSubmissions } from "../services/export-submissions.ts";
import { holdBack, letIn } from "../services/hold.ts";
import { mailOf, notifyShop } from "../services/mails.ts";
import { contentOf } from "../services/live-form.ts";
import { emit, invalidState, formsWorkOf } from "../services/work.ts";
import type { FormsWork } from "../services/work.ts";
import { filed, forms, formSettings, submissions, submissionSecrets } from "../repository.ts";
import { ANSWER_COLUMNS_MAX } from "../rules/write-export.ts";
import type { SubmissionAction } from "../rules/submission-state.ts";
import { isHeld, nextStatus } from "../rules/submission-state.ts";
import type { Submission } from "../schema/submission.ts";
import { SubmissionStatus, Tag } from "../schema/submission.ts";
import { badState } from "./env.ts";
import { SubmissionView } from "./submissions.ts";

const filters = {
  status: SubmissionStatus.optional(),
  q: z
    .string()
    .trim()
    .min(2)
    .max(60)
    .optional()
    .meta({ description: "A word of the sender's name or e-mail address" }),
  tag: Tag.optional(),
  from: Instant.optional().meta({ description: "At or after this time" }),
  to: Instant.optional().meta({ description: "At or before this time" }),
};
const Query = z.object({ ...listFields, ...filters });
type Query = z.output<typeof Query>;

/** One page by at most one of the filters, within a period. */
async function findPage(
  tx: Tx,
  query: Query & { readonly field?: string | undefined },
  formId: string | null,
): Promise<StoredPage<Submission>> {
  const { cursor, field, from, limit, q, status, tag, to } = query;
  const filter = oneValue({
    status: status && `status.${status}`,
    q: q && filed("word", q),
    tag: tag && filed("tag", tag),
    field: field && filed("field", field.replace(":", "=")),
  });
  const value = formId === null ? (filter ?? "all") : filter === undefined ? formId : `${formId}.${filter}`;
  // Starts at the bound: newer entries are not read.
  const start = to === undefined ? {} : { from: newestFirst(to) };
  const page = await tx.peekPage(submissions, { index: "by", value, ...start, limit, cursor });
  if (from === undefined && to === undefined) return page;
  const items: Stored<Submission>[] = [];
  for (const item of page.items) {
    await giveWay(tx.part);
    const { created_at: at } = item.value;
    if ((from === undefined || at >= from) && (to === undefined || at <= to)) items.push(item);
  }
  if (items.length === page.items.length) return page;
  const isPast = from !== undefined && (page.items.at(-1)?.value.created_at ?? "") < from;
  return { items, limit, next: isPast ? null : page.next };
}

const listAll = defineRoute({
  id: "forms.submissions.all",
  method: "GET",
  path: "/submissions",
  summary: "List submissions of all forms, newest first",
  description: "Filter by one of status, q and tag, within a period.",
  query: Query,
  data: z.array(SubmissionView),
  handle: async ({ query }, { tx }) => list(await findPage(tx, query, null)),
});

const FormQuery = Query.extend({
  field: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,39}:.{1,100}$/, "Expected key:value, such as topic:order.")
    .optional()
    .meta({ description: "Key and value of an answer, as in topic:order; for short answers only" }),
  format: z.enum(["json", "csv", "ndjson"]).default("json"),
});

const listOfForm = defineRoute({
  id: "forms.submissions.list",
  cost: 2,
  method: "GET",
  path: "/:id/submissions",
  summary: "List submissions of a form, newest first",
  description:
    "Filter by one of status, q, tag and field, within a period. csv and ndjson return all matching submissions, up " +
    `to ${FORMS_LIMITS.exportRows} rows, as a file; cells that a spreadsheet would evaluate are prefixed with an ` +
    `apostrophe. Beyond ${ANSWER_COLUMNS_MAX} columns of answers, csv has the others in a last column, as JSON.`,
  query: FormQuery,
  data: z.array(SubmissionView),
  otherTypes: ["text/csv", "application/x-ndjson"],
  example: { params: { id: "frm_01JD8Z5T9QK3M4N5P6R7S8T9V0" } },
  async handle({ params, query }, { tx, runTx }): Promise<Reply<z.input<typeof SubmissionView>[]>> {
    const { format } = query;
    // The page first: an invalid cursor is reported before a missing form.
    const page = await findPage(tx, query, params.id);
    const { value: form } = await tx.require(forms, params.id);
    if (format === "json") return list(page);
    const readPage: Parameters<typeof exportSubmissions>[1]["readPage"] = ({
      cursor = query.cursor,
      limit,
    }) => runTx(tx.part, (read) => findPage(read, { ...query, limit, cursor }, params.id));
    const readFields = (version: number) =>
      runTx(tx.part, async (read) => (await contentOf(read, params.id, version))?.fields ?? []);
    const type = format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson";
    const source = { part: tx.part, fields: form.fields, readFields, readPage };
    return raw(type, await exportSubmissions(format, source), {
      headers: { "Content-Disposition": `attachment; filename="${form.slug}.${format}"` },
    });
  },
});

async function ofForm(
  ctx: Ctx,
  { id, sid }: { readonly id: string; readonly sid: string },
): Promise<Stored<Submission>> {
  const stored = await ctx.tx.require(submissions, sid);
  if (stored.value.form_id !== id) throw fail("not_found", "No such resource.");
  return stored;
}

const example = { params: { id: "frm_01JD8Z5T9QK3M4N5P6R7S8T9V0", sid: "fsb_01JD8Z5T9QK3M4N5P6R7S8T9V0" } };

const get = defineRoute({
  id: "forms.submissions.get",
  method: "GET",
  path: "/:id/submissions/:sid",
  summary: "Show a submission",
  data: SubmissionView,
  example: { ...example },
  handle: async ({ params }, ctx) => item(await ofForm(ctx, params)),
});

const remove = defineRoute({
  id: "forms.submissions.delete",
  method: "DELETE",
  path: "/:id/submissions/:sid",
  summary: "Erase a submission",
  description:
    "Deletes answers, files, pending mails, and who made its quote request. Only the fact that the submission existed and the time of erasure are " +
    "retained.",
  data: z.null(),
  example,
  async handle({ params }, ctx) {
    await ofForm(ctx, params);
    await eraseSubmission(await formsWorkOf(ctx), await ctx.current(submissions, params.sid));
    return empty();
  },
});

async function moved(ctx: Ctx, params: { id: string; sid: string }, action: SubmissionAction) {
  const stored = await ofForm(ctx, params);
  const status = nextStatus(action, stored.value.status);
  if (status === null)
    throw invalidState(`A submission with status \`${stored.value.status}\` does not allow this action.`);
  return { stored, status };
}

const markSpam = defineRoute({
  id: "forms.submissions.spam",
  method: "POST",
  path: "/:id/submissions/:sid/spam",
  summary: "Mark a submission as spam",
  description:
    "`block_terms` are added to the terms in the settings; nothing else is learnt from the submission. If the form " +
    "accepts one submission per person, its sender can send it again. It does not count towards max_submissions. An " +
    "open quote request of the submission is marked as spam too.",
  body: z
    .strictObject({ block_terms: z.array(z.string().trim().min(2).max(80)).max(10).default([]) })
    .prefault({}),
  data: SubmissionView,
  errors: [badState],
  example: {
    ...example,
    body: { block_terms: ["seo services"] },
  },
  async handle({ body, params }, ctx) {
    const { status, stored } = await moved(ctx, params, "spam");
    const work = await formsWorkOf(ctx);
    await learn(work, body.block_terms);
    await holdBack(work, stored.value);
    // A submission in quarantine was not announced, so its erasure is not either.
    if (!isHeld(stored.value.status))
      emit(work, "submission.spam", { submission_id: stored.id, form_id: stored.value.form_id });
    return item(ctx.tx.put(submissions, stored, { ...stored.value, status, updated_at: ctx.nowAt }));
  },
});

async function learn({ nowAt, settings, tx }: FormsWork, terms: readonly string[]): Promise<void> {
  if (terms.length === 0) return;
  const all = [...new Set([...settings.blocked_terms, ...terms])].slice(-FORMS_LIMITS.blockedTerms);
  await formSettings.save(tx, { blocked_terms: all }, nowAt);
}

const release = defineRoute({
  id: "forms.submissions.unspam",
  method: "POST",
  path: "/:id/submissions/:sid/unspam",
  summary: "Release a held submission",
  description:
    "Sends mails, opens the quote request and emits webhooks as if it had been accepted immediately. If it was " +
    "accepted before it was marked as spam, its quote request is restored.",
  data: SubmissionView,
  errors: [badState],
  example: { ...example },
  async handle({ params }, ctx) {
    const { status, stored } = await moved(ctx, params, "unspam");
    return item(await letIn(await formsWorkOf(ctx), stored, status));
  },
});

async function noteMails({ tx }: FormsWork, id: string, storeMailIds: readonly string[]): Promise<void> {
  const secret = await tx.get(submissionSecrets, id);
  if (secret === null) return;
  const all = [...secret.value.letter_ids, ...storeMailIds];
  tx.put(submissionSecrets, secret, { ...secret.value, letter_ids: all });
}

const step = (name: "open" | "done", summary: string) =>
  defineRoute({
    id: `forms.submissions.${name}`,
    method: "POST",
    path: `/:id/submissions/:sid/${name}`,
    summary,
    data: SubmissionView,
    errors: [badState],
    example: { ...example },
    async handle({ params }, ctx) {
      const { status, stored } = await moved(ctx, params, name);
      return item(ctx.tx.put(submissions, stored, { ...stored.value, status, updated_at: ctx.nowAt }));
    },
  });

const resend = defineRoute({
  id: "forms.submissions.resend",
  method: "POST",
  path: "/:id/submissions/:sid/resend-notifications",
  status: 202,
  summary: "Resend the notification of a submission",
  description: "Notifies the store only: the sender receives one reply.",
  data: z.object({ staged: z.int() }),
  errors: [badState],
  example: { ...example },
  async handle({ params }, ctx) {
    const stored = await ofForm(ctx, params);
    const { form_id: formId, form_version: version, status } = stored.value;
    if (isHeld(status) || status === "partial" || status === "erased") {
      throw invalidState(`A submission with status \`${status}\` has no notification.`);
    }
    const work = await formsWorkOf(ctx);
    const content = await contentOf(ctx.tx, formId, version);
    if (content === null) throw fail("not_found", "The form no longer exists.");
    const mail = mailOf(content, stored.value);
    const ids = work.settings.send_mail ? await notifyShop(work, mail, ctx.nowAt) : [];
    await noteMails(work, stored.id, ids);
    return accepted({ staged: ids.length }, `/${formId}/submissions/${stored.id}`);
  },
});

export const inboxRoutes = [
  listAll,
  listOfForm,
  get,
  remove,
  markSpam,
  release,
  step("open", "Start work on a submission"),
  step("done", "Mark a submission as done"),
  resend,
];
