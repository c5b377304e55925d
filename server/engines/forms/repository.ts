import { defineSettings } from "../../core/settings.ts";
import { z } from "zod";

import { defineContents } from "../../core/contents.ts";
import { defineCollection, newestFirst, timeOrder } from "../../core/collection.ts";
import { derivedId, invertedOrder, sha256Hex } from "../../core/ids.ts";
import {
  mailsInJson,
  mentionSubject,
  refSubject,
  withoutMail,
  withoutOtherMails,
} from "../../core/personal.ts";
import { Id, Instant } from "../../core/schema.ts";
import type { Tx } from "../../core/tx.ts";
import { FORMS_LIMITS } from "./data/limits.ts";
import { subjectOf } from "./rules/contact-of.ts";
import { isOpenRequest } from "./rules/quote-state.ts";
import { CaptchaSecrets, Form, FormVersion, Settings } from "./schema.ts";
import type { FormContent } from "./schema.ts";
import { QuoteRequest } from "./schema/quote-request.ts";
import { StoredFile, Submission, SubmissionSecret } from "./schema/submission.ts";
import type { SubmissionStatus } from "./schema/submission.ts";

/** Hash of user input as an index value: the input never becomes part of a key. */
export const filed = (kind: "email" | "word" | "tag" | "field", text: string): string =>
  `${kind}.${sha256Hex(text.trim().toLowerCase()).slice(0, 32)}`;

const wordsOf = (text: string): string[] =>
  [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])].slice(0, FORMS_LIMITS.indexedWords);

/** Addresses in a document: a form can ask for several, and people write them into texts. */
const mailsWithin = (value: unknown): string[] => mailsInJson(JSON.stringify(value));

const dueAt = (at: string | null): string => timeOrder(at ?? "");

type Notifying = Pick<FormContent, "notifications">;
const notifiedBy = ({ notifications }: Notifying): string[] =>
  notifications.flatMap(({ to }) => to.map((address) => address.toLowerCase()));

/** Without the e-mail address of a former recipient of notifications. */
const withoutRecipient = (
  { notifications }: Notifying,
  address: string,
): { notifications: FormContent["notifications"] } => ({
  notifications: notifications
    .map((one) => ({ ...one, to: one.to.filter((recipient) => recipient.toLowerCase() !== address) }))
    .filter(({ to }) => to.length > 0),
});

const INDEXED_SLUG = 64;

export const forms = defineCollection({
  name: "forms.forms",
  schema: Form,
  personal: {
    subjects: notifiedBy,
    erased: (form, address) => ({ ...form, ...withoutRecipient(form, address) }),
  },
  indexes: {
    // A whole slug can be longer than what fits into the id of an entry, with its order and the id of the form.
    by: { values: ({ slug, status }) => [`status.${status}`, `slug.${slug.slice(0, INDEXED_SLUG)}`] },
    /** Published forms with a closing time, by that time. */
    closing: {
      values: ({ closes_at: at, status }) =>
        at !== null && (status === "published" || status === "paused") ? [""] : [],
      order: ({ closes_at: at }) => dueAt(at),
    },
  },
});

export const formVersions = defineCollection({
  name: "forms.versions",
  unlisted: true,
  schema: FormVersion,
  personal: {
    subjects: ({ content }) => notifiedBy(content),
    erased: (version, address) => ({
      ...version,
      content: { ...version.content, ...withoutRecipient(version.content, address) },
    }),
  },
  indexes: {
    form: {
      values: ({ form_id: id }) => [id],
      order: ({ form_version: v }) => String(999_999 - v).padStart(6, "0"),
    },
  },
});

/** A version is immutable: publishing twice cannot create two. */
export const versionId = (formId: string, version: number): string =>
  derivedId("frv", new Uint8Array(), [formId, String(version)]);

/** The first answers by which a submission can be found: short ones, such as a choice. There can be thousands, and each is hashed. */
function answersFiled({ data }: Submission): string[] {
  const answers = Object.entries(data).flatMap(([key, answer]) =>
    (Array.isArray(answer) ? answer : [answer]).flatMap((one) =>
      typeof one === "object" || String(one).length > 100 ? [] : [`${key}=${String(one)}`],
    ),
  );
  return answers.slice(0, FORMS_LIMITS.indexedAnswers).map((answer) => filed("field", answer));
}

export const submissions = defineCollection({
  name: "forms.submissions",
  unlisted: true,
  schema: Submission,
  indexes: {
    by: {
      values: (submission) => {
        const { contact, form_id: form, status, tags } = submission;
        const email = subjectOf(contact);
        const faults = [
          ...tags.map((tag) => filed("tag", tag)),
          ...wordsOf(`${contact.name ?? ""} ${email ?? ""}`).map((word) => filed("word", word)),
          ...(email === null ? [] : [filed("email", email)]),
        ];
        return [
          "all",
          `status.${status}`,
          ...faults,
          form,
          ...[`status.${status}`, ...faults, ...answersFiled(submission)].map((value) => `${form}.${value}`),
        ];
      },
      order: ({ created_at: at }) => newestFirst(at),
    },
    /** Submissions with an expiry, by that time. */
    due: {
      values: ({ expires_at: at }) => (at === null ? [] : [""]),
      order: ({ expires_at: at }) => dueAt(at),
    },
  },
  personal: {
    subjects: mailsWithin,
    // One that only mentions the person is the sender's: it loses the address alone.
    erased: (submission, subject) =>
      subjectOf(submission.contact) === subject
        ? erasedSubmission(submission, submission.updated_at)
        : withoutMail(submission, subject),
    shown: (submission, known) => withoutOtherMails(shownSubmission(submission, known), known),
  },
});

/** A submission for a person: of another sender's, the answers that mention the person. */
function shownSubmission(submission: Submission, known: ReadonlySet<string>): Submission {
  const { contact, data, erased_at, status, updated_at } = submission;
  if (known.has(subjectOf(contact) ?? "")) return submission;
  const own = Object.entries(data).filter(([, answer]) =>
    mailsWithin(answer).some((mail) => known.has(mail)),
  );
  return { ...erasedSubmission(submission, updated_at), status, erased_at, data: Object.fromEntries(own) };
}

/** Record of an erased submission: its existence, its form, and the time. */
export const erasedSubmission = (submission: Submission, at: string): Submission => ({
  id: submission.id,
  created_at: submission.created_at,
  updated_at: at,
  form_id: submission.form_id,
  form_version: submission.form_version,
  status: "erased",
  data: {},
  files: [],
  contact: { name: null, email: null, phone: null },
  consents: [],
  spam: { score: 0, verdict: "accept", reasons: [] },
  respondent_ref: "",
  channel: submission.channel,
  locale: null,
  page_url: null,
  referrer: null,
  utm: {},
  assignee: null,
  tags: [],
  notes: [],
  quote_request_id: null,
  expires_at: null,
  erased_at: at,
});

export const submissionSecrets = defineCollection({
  name: "forms.submission_secrets",
  unlisted: true,
  schema: SubmissionSecret,
  schemaVersion: 2,
  // A sender has used their turn, whatever the status.
  upgrade: ({ mark_ids: marked, ...old }) => {
    const ids = z.array(z.string()).parse(marked);
    return { ...old, mark_ids: ids, turn_id: ids[0] ?? null, followed: false };
  },
  personal: {
    subjects: ({ email, mark_ids: ids }) => (email === null ? [] : [email, ...ids.map(refSubject)]),
    erased: () => null,
  },
});

export const files = defineCollection({
  name: "forms.files",
  unlisted: true,
  schema: StoredFile,
  indexes: {
    due: {
      values: ({ expires_at: at }) => (at === null ? [] : [""]),
      order: ({ expires_at: at }) => dueAt(at),
    },
    /** Files that have not been scanned yet: newest first, then those that the scanner could not read, by the time of that. */
    unscanned: {
      values: ({ scan, state }) => (scan === "pending" && state !== "gone" ? [""] : []),
      // Without the time, the order that earlier versions stored.
      order: ({ id, scan_tried_at: at }) => (at === undefined ? invertedOrder(id) : `z${timeOrder(at)}`),
    },
  },
  personal: {
    subjects: ({ email }) => (email === null ? [] : [email]),
    // The chunks are unnamed: the sweep deletes them by this document, a few minutes later.
    erased: (file) => goneFile(file, file.created_at),
  },
});

/** A file whose chunks are deleted by the next sweep. */
export const goneFile = (file: StoredFile, at: string): StoredFile => ({
  ...file,
  state: "gone",
  submission_id: null,
  email: null,
  name: "",
  sha256: "",
  expires_at: at,
});

/** Contents of the files. */
export const contents = defineContents({
  engine: "forms",
  files,
  gone: goneFile,
  nameOf: ({ extension, id }) => `${id}.${extension}`,
});

export const quoteRequests = defineCollection({
  name: "forms.quote_requests",
  schema: QuoteRequest,
  indexes: {
    by: {
      values: ({ customer, form_id: form, status }) => [
        `status.${status}`,
        ...(isOpenRequest(status) ? ["open"] : []),
        ...(form === null ? [] : [form]),
        ...(customer.email === null ? [] : [filed("email", customer.email)]),
      ],
    },
    /** Open requests by due time. */
    due: {
      values: ({ sla_due_at: at, status }) => (at !== null && isOpenRequest(status) ? [""] : []),
      order: ({ sla_due_at: at }) => dueAt(at),
    },
  },
  personal: {
    subjects: mailsWithin,
    erased: (request, subject) =>
      request.customer.email?.toLowerCase() === subject
        ? erasedRequest(request)
        : withoutMail(request, subject),
    shown: (request, known) =>
      withoutOtherMails(
        known.has(request.customer.email?.toLowerCase() ?? "") ? request : erasedRequest(request),
        known,
      ),
  },
});

/** A quote request without who made it and what they wrote. */
export const erasedRequest = (request: QuoteRequest): QuoteRequest => ({
  ...request,
  customer: { name: "", email: null, phone: null, company: null },
  event: { ...request.event, postcode: null, address: null },
  dietary: [],
  allergens: [],
  items: [],
  message: "",
  lost_reason: null,
  timeline: request.timeline.map((entry) => ({ ...entry, note: "" })),
});

/**
 * Markers of what must not happen twice: a used captcha solution, a submission to a form that accepts one per person,
 * a reply to an address within the hour. Their ids are derived from what they mark.
 */
export const marks = defineCollection({
  name: "forms.marks",
  unlisted: true,
  schema: z.strictObject({ id: Id, expires_at: Instant.nullable() }),
  indexes: {
    due: {
      values: ({ expires_at: at }) => (at === null ? [] : [""]),
      order: ({ expires_at: at }) => dueAt(at),
    },
  },
  // An erased sender may send the form again, as after the removal of the submission.
  personal: { subjects: ({ id }) => [mentionSubject(id)], erased: () => null },
});

const Count = z.record(z.string(), z.int().nonnegative());
/** Counters of a form for one day; sharded over several documents, so that visitors do not conflict. */
export const tallies = defineCollection({
  name: "forms.tallies",
  unlisted: true,
  schema: z.strictObject({
    id: Id,
    form_id: Id,
    date: z.iso.date(),
    views: z.int().nonnegative(),
    starts: z.int().nonnegative(),
    submissions: z.int().nonnegative(),
    spam: z.int().nonnegative(),
    reached: Count,
    left: Count,
  }),
  indexes: { form: { values: ({ form_id: id }) => [id], order: ({ date }) => date } },
});

export const captchaSecrets = defineCollection({
  name: "forms.captcha_secrets",
  unlisted: true,
  schema: CaptchaSecrets,
});

export const DEFAULT_SETTINGS: Settings = {
  id: "settings",
  shop_name: "",
  blocked_terms: [],
  turnstile_site_key: null,
  hcaptcha_site_key: null,
  captcha_hostnames: [],
  send_mail: true,
  captcha_configured: [],
  updated_at: null,
};

export const formSettings = defineSettings<Settings>({
  engine: "forms",
  schema: Settings,
  defaults: DEFAULT_SETTINGS,
  inherits: { shop_name: "name" },
  unlisted: true,
});

export const readSettings = formSettings.read;

const counters = defineCollection({
  name: "forms.counters",
  unlisted: true,
  schema: z.strictObject({ id: Id, last: z.int().nonnegative() }),
});

/** The next number of a quote request. */
export async function nextNumber(tx: Tx): Promise<number> {
  const before = await tx.get(counters, "quote_requests");
  const last = (before?.value.last ?? 0) + 1;
  tx.save(counters, before, { id: "quote_requests", last });
  return last;
}

/** Statuses in which a submission was reviewed without objection. */
export const HANDLED: readonly SubmissionStatus[] = ["open", "done"];
