import type { EventType } from "../../../core/engine.ts";

const submission = {
  submission_id: "fsb_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  form_id: "frm_01JD8Z5T9QK3M4N5P6R7S8T9V0",
};
const request = { quote_request_id: "qrq_01JD8Z5T9QK3M4N5P6R7S8T9V0", number: 7 };
const quote = { ...request, quote_id: "cqt_01JD8Z5T9QK3M4N5P6R7S8T9V0" };

/** Events of forms. A submission held as spam or in quarantine emits nothing until it is released. */
export const EVENTS: readonly EventType[] = [
  {
    type: "forms.submission.created",
    summary: "A submission was accepted.",
    example: { ...submission, form_version: 1 },
  },
  {
    type: "forms.submission.edited",
    summary: "The sender changed the answers of an accepted submission.",
    example: { ...submission, form_version: 1 },
  },
  {
    type: "forms.submission.released",
    summary: "A held submission was released manually.",
    example: { ...submission, form_version: 1 },
  },
  {
    type: "forms.submission.spam",
    summary: "An accepted submission was marked as spam.",
    example: submission,
  },
  { type: "forms.submission.erased", summary: "A submission was erased.", example: submission },
  {
    type: "forms.form.published",
    summary: "A form or its next version was published.",
    example: { form_id: submission.form_id, form_version: 2 },
  },
  {
    type: "forms.form.closed",
    summary: "A form was closed manually, at its closing time or by its last submission.",
    example: { form_id: submission.form_id, reason: "closes_at" },
  },
  {
    type: "forms.quote_request.created",
    summary: "A quote request was received.",
    example: { ...request, form_id: submission.form_id },
  },
  {
    type: "forms.quote_request.quoted",
    summary: "A catering quote was drafted for a request.",
    example: quote,
  },
  { type: "forms.quote_request.accepted", summary: "The customer accepted the quote.", example: quote },
  {
    type: "forms.quote_request.expired",
    summary: "The quote expired, and the request with it.",
    example: quote,
  },
];
