import { toInstant } from "../../../lib/instant.ts";
import { takeSharedTurn } from "../../../core/room.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { forms, submissions, submissionSecrets } from "../repository.ts";
import { contactOf, subjectOf } from "../rules/contact-of.ts";
import { spamScore } from "../rules/spam-score.ts";
import type { FormContent } from "../schema.ts";
import type { Receipt, Submission } from "../schema/submission.ts";
import { attachFiles, readSentFiles, toSubmitted } from "./attach-files.ts";
import { mailOf, sendMails } from "./mails.ts";
import type { LiveForm } from "./live-form.ts";
import { contentOf } from "./live-form.ts";
import { openQuoteRequest } from "./quote-requests.ts";
import { assertAnswers, assertSize, formWords, givenConsents } from "./read-form.ts";
import type { Arrival } from "./signals.ts";
import { gatherSignals, isAllowedOrigin, judgeToken } from "./signals.ts";
import { tally } from "./tally.ts";
import { assertTurn, takeTurn, turnOf } from "./turns.ts";
import type { FormsWork } from "./work.ts";
import { emit, resumeToken } from "./work.ts";

const DAY_MS = 86_400_000;
/** Held submissions are stored completely until they are decided, but not longer than this. */
const HELD_DAYS = 14;

export interface Sending extends Arrival {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly consents: readonly string[];
  readonly about: Pick<Submission, "locale" | "page_url" | "referrer" | "utm">;
  /** The partial submission that is being completed. */
  readonly partial: Stored<Submission> | null;
}

/**
 * Accepts a submission: evaluates it with the version its page showed, scores it, stores what the form stores, and
 * sends
 * notifications, all in one commit. Spam gets the same receipt. Throws 409 `duplicate` and 422.
 */
export async function submit(work: FormsWork, live: LiveForm, sending: Sending): Promise<Receipt> {
  const judged = judgeToken(work, sending);
  const { content, version } = await shownContent(work, live, judged.token?.v ?? null);
  const read = await assertAnswers(content, sending.raw, {
    extent: "whole",
    unknown: sending.channel === "nojs" ? "ignore" : "fault",
    key: work.part,
  });
  const consents = givenConsents(content, sending.consents, work.nowAt);
  assertSize(read.data);
  const sent = await readSentFiles(work.tx, live.form.id, content, read.data);
  const contact = contactOf(content, read.data);
  const email = subjectOf(contact);
  const turn = turnOf(work, live.form.id, content, { email, visitor: sending.visitor });
  await assertTurn(work, turn);
  const signals = await gatherSignals(work, sending, judged, { content, data: read.data, email });
  const spam = spamScore(signals);
  const submission: Submission = {
    ...base(work, sending, { formId: live.form.id, version }),
    status: spam.verdict === "accept" ? "new" : spam.verdict,
    data: read.data,
    files: sent.map(toSubmitted),
    contact,
    consents,
    spam,
    expires_at: toInstant(work.now + content.settings.retention_days * DAY_MS),
  };
  await keep(work, { content, live, sending, submission, sent: sent.map(({ id }) => id), turn });
  await count(work, live, submission);
  return receipt(work, content, submission);
}

/** The version that a page showed: an older one is valid as long as its token is. */
export async function shownContent(
  { tx }: FormsWork,
  { content, form, version }: LiveForm,
  shown: number | null,
): Promise<{ readonly content: FormContent; readonly version: number }> {
  if (shown === null || shown === version) return { content, version };
  const older = await contentOf(tx, form.id, shown);
  return older === null ? { content, version } : { content: older, version: shown };
}

function base(
  { newId, nowAt }: FormsWork,
  { about: context, channel, partial }: Sending,
  { formId, version }: { readonly formId: string; readonly version: number },
): Omit<Submission, "status" | "data" | "files" | "contact" | "consents" | "spam" | "expires_at"> {
  return {
    id: partial?.id ?? newId("fsb"),
    // When it was sent, not when it was begun: the shop lists by it, and asks for what is new since its last look.
    created_at: nowAt,
    updated_at: nowAt,
    form_id: formId,
    form_version: version,
    respondent_ref: partial?.value.respondent_ref ?? newId("rsp"),
    channel,
    ...context,
    assignee: null,
    tags: [],
    notes: [],
    quote_request_id: null,
    erased_at: null,
  };
}

interface Keeping {
  readonly content: FormContent;
  readonly live: LiveForm;
  readonly sending: Sending;
  readonly submission: Submission;
  readonly sent: readonly string[];
  /** Marker of the sender's turn, which only an accepted submission uses. */
  readonly turn: string | null;
}

/** Stores the submission, and performs the side effects of an acceptance. */
async function keep(work: FormsWork, { content, sending, sent, submission, turn }: Keeping): Promise<void> {
  const isAccepted = submission.status === "new";
  const markIds = isAccepted ? await takeTurn(work, turn, content) : [];
  const followed = isAccepted
    ? await follow(work, content, submission)
    : { storeMailIds: [], quoteRequestId: null };
  const { storage } = content.settings;
  // A form that stores nothing keeps what may be no spam; one of metadata all that can be released.
  const isHeld =
    submission.status === "quarantined" || (submission.status === "spam" && storage === "metadata");
  const kept: Submission | null =
    isHeld && storage !== "full"
      ? { ...submission, expires_at: toInstant(work.now + HELD_DAYS * DAY_MS) }
      : toKept(submission, storage, followed.quoteRequestId);
  const keepsFiles = kept !== null && kept.files.length > 0;
  await attachFiles(work, sent, keepsFiles ? submission : null);
  if (kept === null) {
    if (sending.partial !== null) work.tx.remove(submissions, sending.partial);
    return;
  }
  await saveSubmission(work.tx, sending.partial, kept);
  const secret = {
    id: kept.id,
    email: subjectOf(kept.contact),
    mark_ids: markIds,
    turn_id: turn,
    letter_ids: followed.storeMailIds,
    followed: isAccepted,
  };
  const before = await work.tx.get(submissionSecrets, kept.id);
  work.tx.save(submissionSecrets, before, secret);
}

/** Stages a submission; a form is deleted only while none of it is stored. */
export async function saveSubmission(
  tx: Tx,
  before: Stored<Submission> | null,
  next: Submission,
): Promise<void> {
  if (before === null) await takeSharedTurn(tx, submissions.name, next.id);
  tx.save(submissions, before, next);
}

/** The stored fields of a submission; null for none. */
export function toKept(
  submission: Submission,
  storage: FormContent["settings"]["storage"],
  quoteRequestId: string | null,
): Submission | null {
  if (storage === "none") return null;
  const kept = { ...submission, quote_request_id: quoteRequestId };
  if (storage === "full") return kept;
  return {
    ...kept,
    data: {},
    files: [],
    contact: { name: null, email: null, phone: null },
    page_url: null,
    referrer: null,
  };
}

export interface Followed {
  readonly storeMailIds: string[];
  readonly quoteRequestId: string | null;
}

/** Side effects of an accepted submission: mails, an event, a quote request. */
export async function follow(
  work: FormsWork,
  content: FormContent,
  submission: Submission,
  event: "submission.created" | "submission.released" = "submission.created",
): Promise<Followed> {
  const { form_id, form_version, id } = submission;
  const storeMailIds = await sendMails(work, mailOf(content, submission));
  emit(work, event, { submission_id: id, form_id, form_version });
  const quoteRequestId = content.quote.enabled ? await openQuoteRequest(work, content, submission) : null;
  return { storeMailIds, quoteRequestId };
}

/** Counts it; the last submission that the published version allows closes the form, whichever version the page showed. */
async function count(
  work: FormsWork,
  { content: { settings }, form }: LiveForm,
  { data, spam: { verdict } }: Submission,
): Promise<void> {
  const isSpam = verdict === "spam";
  const reached = Object.fromEntries(Object.keys(data).map((key) => [key, 1]));
  await tally(work, form.id, isSpam ? { spam: 1 } : { starts: 1, submissions: 1, reached });
  const { max_submissions: most } = settings;
  if (most === null || isSpam) return;
  const taken = form.value.submissions + 1;
  const isFull = taken >= most && form.value.status === "published";
  work.tx.put(forms, form, {
    ...form.value,
    submissions: taken,
    ...(isFull ? { status: "closed", closed_reason: "max_submissions" } : {}),
  });
  if (isFull) emit(work, "form.closed", { form_id: form.id, reason: "max_submissions" });
}

/** The receipt; it does not reveal whether the submission was considered spam. */
export function receipt(work: FormsWork, content: FormContent, submission: Submission): Receipt {
  const { settings } = content;
  const isPartial = submission.status === "partial";
  const mayReturn = isPartial || (settings.allow_edit_until !== null && settings.storage === "full");
  return {
    id: submission.id,
    respondent_ref: submission.respondent_ref,
    status: isPartial ? "partial" : "received",
    message: isPartial ? formWords(content).say("form.saved") : settings.success_message,
    redirect_url: isPartial ? null : allowedUrl(work, settings.success_url),
    resume_token: mayReturn ? resumeToken(work, submission.id) : null,
    data: isPartial ? submission.data : null,
  };
}

/**
 * Visitors are never redirected to an origin that the store has not configured: a form must not be an open redirect.
 */
export const allowedUrl = (work: FormsWork, url: string | null): string | null =>
  url !== null && isAllowedOrigin(work, new URL(url).origin) ? url : null;
