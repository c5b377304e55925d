import { DEMO_SHOP_NAME } from "../../core/shop.ts";
import { DAY_MS, toInstant } from "../../lib/instant.ts";
import { createNewId, derivedId } from "../../core/ids.ts";
import type { z } from "zod";

import { DEMO_IDS, demoContents, demoSent } from "./data/demo-forms.ts";
import type { DemoSent } from "./data/demo-forms.ts";
import { DEFAULT_SETTINGS, versionId } from "./repository.ts";
import type { tallies } from "./repository.ts";
import { contactOf, subjectOf } from "./rules/contact-of.ts";
import { mapQuote } from "./rules/map-quote.ts";
import type { Form, FormContent } from "./schema.ts";
import type { QuoteRequest, QuoteRequestStatus } from "./schema/quote-request.ts";
import type { Submission } from "./schema/submission.ts";
import { newResource } from "../../lib/new-resource.ts";

type Tally = z.output<typeof tallies.schema>;

const HOUR_MS = 3_600_000;
const FORM_AGE_DAYS = 60;

/** The demo store at an instant (epoch milliseconds). The same instant gives the same documents. */
export function demoForms(now: number) {
  const bornAt = toInstant(now - FORM_AGE_DAYS * DAY_MS);
  const names = ["newsletter", "quote", "contact"] as const;
  const submissions = demoSent().map((sent) => toSubmission(sent, now));
  return {
    settings: {
      ...DEFAULT_SETTINGS,
      shop_name: DEMO_SHOP_NAME,
      blocked_terms: ["seo services", "backlinks", "crypto"],
      updated_at: bornAt,
    },
    forms: names.map((name) => toForm(DEMO_IDS[name], demoContents()[name], bornAt)),
    versions: names.map((name) => ({
      id: versionId(DEMO_IDS[name], 1),
      created_at: bornAt,
      form_id: DEMO_IDS[name],
      form_version: 1,
      content: demoContents()[name],
    })),
    submissions,
    secrets: submissions.map(({ contact, id, spam }) => ({
      id,
      email: subjectOf(contact),
      mark_ids: [],
      turn_id: null,
      letter_ids: [],
      followed: spam.verdict === "accept",
    })),
    quoteRequests: toRequests(submissions),
    tallies: names.flatMap((name, at) => toTallies(DEMO_IDS[name], demoContents()[name], now, at + 1)),
  };
}

const toForm = (id: string, content: FormContent, at: string): Form => ({
  ...newResource(id, at),
  status: "published",
  form_version: 1,
  published_version: 1,
  published_at: at,
  closes_at: null,
  closed_reason: null,
  submissions: 0,
  ...content,
});

const fixed = { next: () => 0.5, bytes: (count: number) => new Uint8Array(count) };

function toSubmission(
  { channel = "web", data, form, hoursAgo, spam, status }: DemoSent,
  now: number,
): Submission {
  const sentAt = now - hoursAgo * HOUR_MS;
  const make = createNewId({ now: () => sentAt }, fixed);
  const content = demoContents()[form];
  const at = toInstant(sentAt);
  const id = make("fsb");
  return {
    ...newResource(id, at),
    form_id: DEMO_IDS[form],
    form_version: 1,
    status,
    data,
    files: [],
    contact: contactOf(content, data),
    consents: content.consents.map(({ key, version }) => ({ key, version, at })),
    spam: spam ?? { score: 0, verdict: "accept", reasons: [{ code: "captcha_passed", points: -30 }] },
    respondent_ref: make("rsp"),
    channel,
    locale: "en-GB",
    page_url: `https://demo-bakery.example/${content.slug}`,
    referrer: null,
    utm: {},
    assignee: status === "open" ? "Grace" : null,
    tags: [],
    notes: [],
    quote_request_id: form === "quote" && spam === undefined ? requestId(id) : null,
    expires_at: toInstant(sentAt + content.settings.retention_days * DAY_MS),
    erased_at: null,
  };
}

const requestId = (submissionId: string): string => derivedId("qrq", new Uint8Array(), [submissionId]);

/** The older a request, the further its status. */
const STATES: readonly QuoteRequestStatus[] = ["new", "triaged", "declined", "converted"];

function toRequests(submissions: readonly Submission[]): QuoteRequest[] {
  const asking = submissions.filter(({ quote_request_id: id }) => id !== null);
  const { fields, quote } = demoContents().quote;
  return asking.map((submission, at): QuoteRequest => {
    const status = STATES[Math.min(at, STATES.length - 1)] ?? "new";
    const { created_at: sentAt, data } = submission;
    const received = { at: sentAt, what: "received", by: "customer", note: "" } as const;
    const moved = status === "new" ? [] : [{ at: sentAt, what: status, by: "shop", note: "" } as const];
    return {
      ...newResource(submission.quote_request_id ?? "", sentAt),
      number: asking.length - at,
      form_id: submission.form_id,
      submission_id: submission.id,
      status,
      ...mapQuote({ ...quote, fields }, data, submission.contact),
      deadline_at: null,
      assignee: status === "new" ? null : "Grace",
      quote_id: null,
      lost_reason: status === "declined" ? "We are fully booked on that day." : null,
      sla_due_at: toInstant(Date.parse(sentAt) + DAY_MS),
      timeline: [received, ...moved],
    };
  });
}

const TALLY_DAYS = 14;

/** Two weeks of visits, with more at the weekend. */
function toTallies(formId: string, { fields }: FormContent, now: number, size: number): Tally[] {
  return Array.from({ length: TALLY_DAYS }, (_, ago): Tally => {
    const date = toInstant(now - ago * DAY_MS).slice(0, 10);
    const views = size * (9 + ((ago * 7) % 5));
    const starts = Math.floor(views / 3);
    const submissions = Math.floor(starts / 2);
    const keys = fields.map(({ key }) => key);
    const [first = "email", second = first] = keys;
    return {
      id: derivedId("fty", new Uint8Array(), [formId, date, "0"]),
      form_id: formId,
      date,
      views,
      starts,
      submissions,
      spam: ago % 4 === 0 ? 1 : 0,
      reached: Object.fromEntries(keys.map((key, at) => [key, Math.max(submissions, starts - at)])),
      left: {
        [first]: Math.ceil((starts - submissions) / 2),
        [second]: Math.floor((starts - submissions) / 2),
      },
    };
  });
}
