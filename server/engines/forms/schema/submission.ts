import { z } from "zod";

import { Id, Instant, resourceFields } from "../../../core/schema.ts";
import { FORMS_LIMITS } from "../data/limits.ts";
import { Email } from "../schema.ts";
import { Answers, FieldKey } from "./field.ts";

export const SubmissionStatus = z.enum(["partial", "new", "open", "done", "spam", "quarantined", "erased"]);
export type SubmissionStatus = z.output<typeof SubmissionStatus>;

export const Scan = z.enum(["pending", "clean", "infected", "skipped"]);

/** A file in its submission. */
export const SubmittedFile = z.strictObject({
  id: Id,
  field: FieldKey,
  name: z.string().max(200).meta({ description: "File name from the visitor: for display only" }),
  bytes: z.int().nonnegative(),
  mime: z.string().max(100),
  sha256: z.string(),
  scan: Scan,
});
export type SubmittedFile = z.output<typeof SubmittedFile>;

export const Contact = z.strictObject({
  name: z.string().max(300).nullable(),
  email: z.string().max(254).nullable(),
  phone: z.string().max(40).nullable(),
});
export type Contact = z.output<typeof Contact>;

const GivenConsent = z.strictObject({ key: FieldKey, version: z.string(), at: Instant });

export const SpamReason = z.strictObject({ code: z.string(), points: z.int() });
export type SpamReason = z.output<typeof SpamReason>;
const Verdict = z.enum(["accept", "quarantined", "spam"]);
type Verdict = z.output<typeof Verdict>;
export const Spam = z.strictObject({
  score: z.int().min(0).max(100),
  verdict: Verdict,
  reasons: z.array(SpamReason),
});
export type Spam = z.output<typeof Spam>;

const Utm = z.strictObject({
  source: z.string().max(200).optional(),
  medium: z.string().max(200).optional(),
  campaign: z.string().max(200).optional(),
  term: z.string().max(200).optional(),
  content: z.string().max(200).optional(),
});

export const Tag = z.string().trim().toLowerCase().min(1).max(40);

const Note = z.strictObject({ at: Instant, by: z.string().max(120), text: z.string().max(2_000) });

export const Submission = z.strictObject({
  ...resourceFields,
  form_id: Id,
  form_version: z.int().positive(),
  status: SubmissionStatus,
  data: Answers,
  files: z.array(SubmittedFile),
  contact: Contact,
  consents: z.array(GivenConsent),
  spam: Spam,
  respondent_ref: z
    .string()
    .meta({ description: "Pseudonymous id returned to the sender, for requesting erasure" }),
  channel: z.enum(["web", "nojs", "api", "agent", "import"]),
  locale: z.string().max(35).nullable(),
  page_url: z.string().max(2_000).nullable(),
  referrer: z.string().max(2_000).nullable(),
  utm: Utm,
  assignee: z.string().max(120).nullable(),
  tags: z.array(Tag).max(FORMS_LIMITS.tags),
  notes: z.array(Note).max(FORMS_LIMITS.notes),
  quote_request_id: Id.nullable(),
  expires_at: Instant.nullable().meta({ description: "When the retention period of the form ends" }),
  erased_at: Instant.nullable(),
});
export type Submission = z.output<typeof Submission>;

/** Private data of a submission, never returned. */
export const SubmissionSecret = z.strictObject({
  id: Id,
  email: z.string().nullable().meta({ description: "Id of the person, for search and erasure" }),
  /** Markers of senders who have sent the form. */
  mark_ids: z.array(z.string()),
  /** The marker of the sender's turn, whether this submission has used it or not. */
  turn_id: z.string().nullable(),
  /** Mails that were staged for it. */
  letter_ids: z.array(z.string()),
  /** It was accepted or released: mails, event and quote request have been created. */
  followed: z.boolean(),
});
export type SubmissionSecret = z.output<typeof SubmissionSecret>;

/** Context of the submission sent by a page. */
const circumstances = {
  token: z.string().max(1_024).optional().meta({ description: "Form token of POST /v1/forms/{id}/tokens" }),
  captcha: z.string().max(4_096).optional().meta({ description: "Solution of the captcha" }),
  consents: z.array(FieldKey).max(FORMS_LIMITS.consents).optional().meta({
    description: "Keys of the accepted consents",
  }),
  locale: z.string().max(35).optional(),
  page_url: z.string().max(2_000).optional(),
  referrer: z.string().max(2_000).optional(),
  utm: Utm.optional(),
  agent_invoked: z
    .boolean()
    .optional()
    .meta({ description: "Whether an AI agent filled it in (SubmitEvent.agentInvoked)" }),
};

/** Unvalidated answers; validated against the form. */
export const RawAnswers = z.record(z.string().max(60), z.unknown());

export const NewSubmission = z.strictObject({
  data: RawAnswers,
  ...circumstances,
  partial: z.boolean().optional().meta({ description: "Store the answers so far and return a resume token" }),
  channel: z.enum(["web", "api", "import"]).optional().meta({
    description: "A secret key can set import; submissions from a page are always web",
  }),
});
export type NewSubmission = z.output<typeof NewSubmission>;

/** Either an update by the store, or, with a resume token, by the sender. */
export const SubmissionPatch = z
  .strictObject({
    assignee: z.string().trim().max(120).nullable(),
    tags: z.array(Tag).max(FORMS_LIMITS.tags),
    note: z.string().trim().min(1).max(2_000).meta({ description: "Appended to the notes" }),
    resume_token: z.string().max(200),
    data: RawAnswers,
    complete: z.boolean().meta({ description: "Send it now: all required answers must be present" }),
    ...circumstances,
  })
  .partial();
export type SubmissionPatch = z.output<typeof SubmissionPatch>;

/** The response to the sender. It is the same whatever the status of the submission. */
export const Receipt = z.strictObject({
  id: Id,
  respondent_ref: z.string(),
  status: z.enum(["received", "partial"]),
  message: z.string(),
  redirect_url: z.string().nullable(),
  resume_token: z.string().nullable().meta({
    description:
      "If the form accepts partial submissions or changes: allows reading and changing this submission. Keep it secret",
  }),
  data: Answers.nullable().meta({ description: "Stored answers of a partial submission" }),
});
export type Receipt = z.output<typeof Receipt>;

/** One error for the visitor to correct. */
export const Fault = z.strictObject({ field: z.string(), code: z.string(), message: z.string() });
export type Fault = z.output<typeof Fault>;

/** An uploaded file, without its content. */
export const StoredFile = z.strictObject({
  id: Id,
  created_at: Instant,
  form_id: Id,
  field: FieldKey,
  /** `receiving`: its content is being written; `gone`: it is to be deleted. */
  state: z.enum(["receiving", "waiting", "attached", "gone"]),
  submission_id: Id.nullable(),
  email: Email.nullable(),
  name: z.string().max(200),
  extension: z.string().max(8),
  bytes: z.int().nonnegative(),
  mime: z.string().max(100),
  sha256: z.string(),
  scan: Scan,
  /** When the scanner was last asked about it without a result, where a run did not reach all files. */
  scan_tried_at: Instant.optional(),
  chunks: z.int().nonnegative(),
  expires_at: Instant.nullable(),
});
export type StoredFile = z.output<typeof StoredFile>;
