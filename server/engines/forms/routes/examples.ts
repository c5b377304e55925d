import { DEFAULT_FORM_SETTINGS } from "../schema.ts";
import type { Form } from "../schema.ts";
import type { QuoteRequest } from "../schema/quote-request.ts";
import type { Receipt, Submission } from "../schema/submission.ts";

const at = "2026-06-01T09:00:00.000Z";

export const exampleForm: Form & { version: number } = {
  id: "frm_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  created_at: at,
  updated_at: at,
  name: "Contact us",
  slug: "contact",
  status: "published",
  form_version: 1,
  published_version: 1,
  published_at: at,
  closes_at: null,
  closed_reason: null,
  submissions: 0,
  locales: ["en-GB"],
  fields: [
    { key: "name", type: "name", label: "Your name", required: true },
    { key: "email", type: "email", label: "Your e-mail address", required: true },
    {
      key: "topic",
      type: "select",
      label: "What is it about?",
      required: true,
      options: [
        { value: "order", label: "An order" },
        { value: "other", label: "Something else" },
      ],
    },
    {
      key: "order_number",
      type: "text",
      label: "Order number",
      required: false,
      visible_when: { field: "topic", op: "eq", value: "order" },
    },
    { key: "message", type: "textarea", label: "Your message", required: true, max_length: 4000 },
  ],
  steps: [],
  settings: DEFAULT_FORM_SETTINGS,
  notifications: [{ to: ["hello@bakery.example"], title: "New message" }],
  autoresponder: {
    enabled: true,
    to_field: "email",
    message: "We reply within one working day.",
    attach_copy: false,
  },
  consents: [],
  contact: { name: null, email: null, phone: null },
  quote: { enabled: false, mapping: {}, sla_hours: 24, currency: "GBP" },
  agent: { enabled: false, tool_name: null, tool_description: null, autosubmit: false },
  version: 12,
};

export const exampleAnswers = {
  name: "Ada Byron",
  email: "ada@office.example",
  topic: "other",
  message: "Do you bake rye bread on Saturdays?",
};

export const exampleSubmission: Submission & { version: number } = {
  id: "fsb_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  created_at: at,
  updated_at: at,
  form_id: exampleForm.id,
  form_version: 1,
  status: "new",
  data: exampleAnswers,
  files: [],
  contact: { name: "Ada Byron", email: "ada@office.example", phone: null },
  consents: [],
  spam: { score: 0, verdict: "accept", reasons: [{ code: "captcha_passed", points: -30 }] },
  respondent_ref: "rsp_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  channel: "web",
  locale: "en-GB",
  page_url: "https://bakery.example/contact",
  referrer: null,
  utm: { source: "newsletter" },
  assignee: null,
  tags: [],
  notes: [],
  quote_request_id: null,
  expires_at: "2027-06-01T09:00:00.000Z",
  erased_at: null,
  version: 13,
};

export const exampleReceipt: Receipt = {
  id: exampleSubmission.id,
  respondent_ref: exampleSubmission.respondent_ref,
  status: "received",
  message: "Thank you. We have received your message.",
  redirect_url: null,
  resume_token: null,
  data: null,
};

export const exampleRequest: QuoteRequest & { version: number } = {
  id: "qrq_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  created_at: at,
  updated_at: at,
  number: 7,
  form_id: exampleForm.id,
  submission_id: exampleSubmission.id,
  status: "new",
  customer: {
    name: "Ada Byron",
    email: "ada@office.example",
    phone: "+442079460018",
    company: "Analytical Engines",
  },
  event: { date: "2026-06-19", time: "12:30", guests: 40, postcode: "E8 3PH", address: null },
  items: [{ ref: null, name: "Working lunch", qty: 1 }],
  dietary: ["vegan"],
  allergens: [],
  budget: { minor: 60_000, currency: "GBP" },
  message: "Four of us are vegan.",
  deadline_at: null,
  assignee: null,
  quote_id: null,
  lost_reason: null,
  sla_due_at: "2026-06-02T09:00:00.000Z",
  timeline: [{ at, what: "received", by: "customer", note: "" }],
  version: 14,
};
