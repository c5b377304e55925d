import { isDeepStrictEqual } from "node:util";

import { toInstant } from "../../../lib/instant.ts";
import { conflict, fail } from "../../../lib/errors.ts";
import { Id } from "../../../core/schema.ts";
import { equalSecrets } from "../../../core/ids.ts";
import type { Stored } from "../../../core/tx.ts";
import { FORMS_TIMES } from "../data/limits.ts";
import { submissions, submissionSecrets } from "../repository.ts";
import { isEmpty } from "../rules/condition.ts";
import { contactOf, subjectOf } from "../rules/contact-of.ts";
import type { FormContent } from "../schema.ts";
import type { Receipt, Submission } from "../schema/submission.ts";
import { attachFiles, dropFiles, keepUploads, readSentFiles, toSubmitted } from "./attach-files.ts";
import type { LiveForm } from "./live-form.ts";
import { contentOf } from "./live-form.ts";
import { assertAnswers, assertSize } from "./read-form.ts";
import { mailOf, notifyShop } from "./mails.ts";
import { followEdit } from "./quote-requests.ts";
import type { Sending } from "./submit.ts";
import { receipt, saveSubmission } from "./submit.ts";
import type { FormsWork } from "./work.ts";
import { emit, resumeToken } from "./work.ts";

export interface Saved {
  readonly receipt: Receipt;
  /** When it is deleted. */
  readonly until: string;
}

/** Stores a partial submission. It is not announced and is deleted after a week. */
export async function savePartial(work: FormsWork, live: LiveForm, sending: Sending): Promise<Saved> {
  const { content, form, version } = live;
  if (!content.settings.allow_partial || content.settings.storage !== "full") {
    throw conflict("partial_not_allowed", "This form does not accept partial submissions.");
  }
  const before = sending.partial;
  const raw = merged(before?.value.data ?? {}, sending.raw, content);
  const { data } = await assertAnswers(content, raw, {
    extent: "partial",
    unknown: sending.channel === "nojs" ? "ignore" : "fault",
    key: work.part,
  });
  assertSize(data);
  const partial: Submission = {
    id: before?.id ?? work.newId("fsb"),
    created_at: before?.value.created_at ?? work.nowAt,
    updated_at: work.nowAt,
    form_id: form.id,
    form_version: version,
    status: "partial",
    data,
    files: [],
    contact: contactOf(content, data),
    consents: [],
    spam: { score: 0, verdict: "accept", reasons: [] },
    respondent_ref: before?.value.respondent_ref ?? work.newId("rsp"),
    channel: sending.channel,
    ...sending.about,
    assignee: null,
    tags: [],
    notes: [],
    quote_request_id: null,
    expires_at: toInstant(work.now + FORMS_TIMES.partialMs),
    erased_at: null,
  };
  const files = await keepUploads(work, content, { before: before?.value, partial });
  await saveSubmission(work.tx, before, { ...partial, files });
  return { receipt: receipt(work, content, partial), until: partial.expires_at ?? work.nowAt };
}

/** Merges answers into the stored ones; an empty answer deletes the stored one, and so does a form without its field. */
export function merged(
  kept: Readonly<Record<string, unknown>>,
  sent: Readonly<Record<string, unknown>>,
  { fields }: Pick<FormContent, "fields">,
): Record<string, unknown> {
  const known = Object.fromEntries(
    fields.flatMap(({ key }) => (Object.hasOwn(kept, key) ? [[key, kept[key]]] : [])),
  );
  return Object.fromEntries(Object.entries({ ...known, ...sent }).filter(([, value]) => !isEmpty(value)));
}

/** The submission of a resume token; the same error for every invalid token, so that ids cannot be probed. */
export async function resumed(
  work: FormsWork,
  formId: string,
  id: string,
  token: string,
): Promise<Stored<Submission>> {
  const stored = await findResumed(work, formId, `${id}.${token}`);
  if (stored !== null) return stored;
  throw fail("not_found", "No submission with this id, or the resume token is wrong.");
}

/** The submission of `id.token`, as links to it have it; null for every other text. */
export async function findResumed(
  work: FormsWork,
  formId: string,
  resume: string,
): Promise<Stored<Submission> | null> {
  const [id = "", token = ""] = resume.split(".");
  if (!Id.safeParse(id).success || !equalSecrets(resumeToken(work, id), token)) return null;
  const stored = await work.tx.get(submissions, id);
  return stored?.value.form_id === formId ? stored : null;
}

/** Changes a sent submission on behalf of its sender, as long as the form allows. */
export async function editSent(
  work: FormsWork,
  live: LiveForm,
  stored: Stored<Submission>,
  raw: Readonly<Record<string, unknown>>,
): Promise<Receipt> {
  const { value } = stored;
  const until = live.content.settings.allow_edit_until;
  const isOpen = until !== null && Date.parse(until) > work.now;
  if (!isOpen || (value.status !== "new" && value.status !== "quarantined")) {
    throw conflict("edit_closed", "The submission was sent and can no longer be changed.");
  }
  const content = (await contentOf(work.tx, value.form_id, value.form_version)) ?? live.content;
  const fresh = merged(value.data, raw, content);
  const kept = new Set(value.files.map(({ id }) => id));
  const how = { extent: "whole", unknown: "fault", key: work.part } as const;
  const { data } = await assertAnswers(content, fresh, how);
  assertSize(data);
  const contact = contactOf(content, data);
  const edited = { ...value, data, contact, updated_at: work.nowAt };
  const files = await editedFiles(work, { content, formId: live.form.id, kept, edited });
  const next = { ...edited, files };
  work.tx.put(submissions, stored, next);
  await followEdit(work, content, value, next);
  const mailIds = await notifyEdit(work, content, value, next);
  const secret = await work.tx.get(submissionSecrets, stored.id);
  if (secret !== null) {
    const { letter_ids: sent } = secret.value;
    const letter_ids = [...sent, ...mailIds];
    work.tx.put(submissionSecrets, secret, { ...secret.value, email: subjectOf(contact), letter_ids });
  }
  return receipt(work, content, next);
}

/** Notifies the shop of other answers than it was sent, such as another allergy. One in quarantine is announced as it is when it is released. */
async function notifyEdit(
  work: FormsWork,
  content: FormContent,
  before: Submission,
  after: Submission,
): Promise<string[]> {
  const { form_id, form_version, id, status } = after;
  if (status !== "new" || isDeepStrictEqual(before.data, after.data)) return [];
  emit(work, "submission.edited", { submission_id: id, form_id, form_version });
  if (!work.settings.send_mail) return [];
  return notifyShop(work, { ...mailOf(content, after), edited: true }, work.nowAt);
}

async function editedFiles(
  work: FormsWork,
  input: {
    readonly content: LiveForm["content"];
    readonly formId: string;
    readonly kept: ReadonlySet<string>;
    /** With the files that it had before. */
    readonly edited: Submission;
  },
): Promise<Submission["files"]> {
  const { content, edited, formId, kept } = input;
  const { data } = edited;
  const named = new Set(Object.values(data).flatMap((answer) => (Array.isArray(answer) ? answer : [])));
  const fresh = Object.fromEntries(
    Object.entries(data).map(([key, answer]) => [
      key,
      Array.isArray(answer) ? answer.filter((id) => !kept.has(id)) : answer,
    ]),
  );
  const added = await readSentFiles(work.tx, formId, content, fresh);
  const staying = edited.files.filter(({ id }) => named.has(id));
  const going = edited.files.filter(({ id }) => !named.has(id));
  await dropFiles(work, { ...edited, files: going });
  // All of them: an erasure finds files by the sender's address, which may be another now.
  await attachFiles(
    work,
    [...staying, ...added].map(({ id }) => id),
    edited,
  );
  return [...staying, ...added.map(toSubmitted)];
}
