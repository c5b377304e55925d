import { isDeepStrictEqual } from "node:util";

import { toInstant } from "../../../lib/instant.ts";
import type { Stored } from "../../../core/tx.ts";
import { FORMS_LIMITS } from "../data/limits.ts";
import { nextNumber, quoteRequests } from "../repository.ts";
import { mapQuote } from "../rules/map-quote.ts";
import type { QuoteAction } from "../rules/quote-state.ts";
import { isOpenRequest, nextQuoteStatus, statusBeforeSpam } from "../rules/quote-state.ts";
import type { FormContent } from "../schema.ts";
import type { QuoteRequest } from "../schema/quote-request.ts";
import type { NewQuoteRequest, QuoteRequestStatus, TimelineEntry } from "../schema/quote-request.ts";
import type { Submission } from "../schema/submission.ts";
import type { FormsEvent, FormsWork } from "./work.ts";
import { emit, invalidState } from "./work.ts";
import { newResource } from "../../../lib/new-resource.ts";

const HOUR_MS = 3_600_000;

/** Opens the quote request of a submission; returns its id. */
export async function openQuoteRequest(
  work: FormsWork,
  content: FormContent,
  submission: Submission,
): Promise<string> {
  const request = await newQuoteRequest(
    work,
    { ...mappedQuote(content, submission), deadline_at: null, assignee: null },
    { formId: submission.form_id, submissionId: submission.id, slaHours: content.quote.sla_hours },
  );
  return request.id;
}

function mappedQuote({ fields, quote }: FormContent, { contact, data }: Submission) {
  const currency = fields.find(({ key }) => key === quote.mapping.budget)?.currency ?? quote.currency;
  return mapQuote({ ...quote, currency, fields }, data, contact);
}

/** The quote request of a submission; null without one. */
export const requestOf = async (
  { tx }: FormsWork,
  { quote_request_id: id }: Submission,
): Promise<Stored<QuoteRequest> | null> => (id === null ? null : tx.get(quoteRequests, id));

/** Takes what the sender changed in their submission into its open quote request; what the shop has changed of the rest stays. */
export async function followEdit(
  work: FormsWork,
  content: FormContent,
  before: Submission,
  after: Submission,
): Promise<void> {
  const request = await requestOf(work, after);
  if (request === null || !isOpenRequest(request.value.status)) return;
  const { customer, event } = request.value;
  const [old, now] = [mappedQuote(content, before), mappedQuote(content, after)];
  const changed = changedIn(old, now);
  const names = Object.keys(changed);
  if (names.length === 0) return;
  const change = {
    ...changed,
    customer: { ...customer, ...changedIn(old.customer, now.customer) },
    event: { ...event, ...changedIn(old.event, now.event) },
  };
  const entry = { at: work.nowAt, what: "edited", by: "customer", note: names.join(", ") } as const;
  putStatus(work, request, change, entry);
}

const changedIn = (before: object, after: object) =>
  Object.fromEntries(
    Object.entries(after).filter(([name, value]) => !isDeepStrictEqual(value, Reflect.get(before, name))),
  );

export interface Origin {
  readonly formId: string | null;
  readonly submissionId: string | null;
  readonly slaHours: number;
}

/** Creates a quote request with the next number. */
export async function newQuoteRequest(
  work: FormsWork,
  input: NewQuoteRequest,
  { formId, slaHours, submissionId }: Origin,
): Promise<Stored<QuoteRequest>> {
  const { newId, now, nowAt, tx } = work;
  const request: QuoteRequest = {
    ...newResource(newId("qrq"), nowAt),
    number: await nextNumber(tx),
    form_id: formId,
    submission_id: submissionId,
    status: "new",
    ...input,
    quote_id: null,
    lost_reason: null,
    sla_due_at: toInstant(now + slaHours * HOUR_MS),
    timeline: [{ at: nowAt, what: "received", by: formId === null ? "shop" : "customer", note: "" }],
  };
  const stored = tx.create(quoteRequests, request);
  emit(work, "quote_request.created", {
    quote_request_id: request.id,
    number: request.number,
    form_id: formId,
  });
  return stored;
}

/** Restores the quote request of a submission that was no spam after all. */
export function restoreRequest(work: FormsWork, stored: Stored<QuoteRequest>): void {
  const entry = { at: work.nowAt, what: "restored", by: "shop", note: "" } as const;
  putStatus(work, stored, { status: statusBeforeSpam(stored.value) }, entry);
}

const putStatus = (
  { nowAt, tx }: FormsWork,
  stored: Stored<QuoteRequest>,
  change: Partial<QuoteRequest>,
  entry: TimelineEntry,
): Stored<QuoteRequest> =>
  tx.put(quoteRequests, stored, {
    ...stored.value,
    ...change,
    updated_at: nowAt,
    timeline: [...stored.value.timeline, entry].slice(-FORMS_LIMITS.timeline),
  });

const EVENTS: Readonly<Partial<Record<QuoteRequestStatus, FormsEvent>>> = {
  quoted: "quote_request.quoted",
  accepted: "quote_request.accepted",
  expired: "quote_request.expired",
};

/** Performs an action on a quote request. Throws 409 `invalid_transition`. */
export function moveRequest(
  work: FormsWork,
  stored: Stored<QuoteRequest>,
  action: QuoteAction,
  how: { readonly by: TimelineEntry["by"]; readonly note?: string; readonly change?: Partial<QuoteRequest> },
): Stored<QuoteRequest> {
  const { value } = stored;
  const status = nextQuoteStatus(action, value.status);
  if (status === null)
    throw invalidState(`A quote request with status \`${value.status}\` does not allow this action.`);
  const entry: TimelineEntry = {
    at: work.nowAt,
    what: status === "new" ? "received" : status,
    by: how.by,
    note: how.note ?? "",
  };
  const next = putStatus(work, stored, { ...how.change, status }, entry);
  const event = EVENTS[status];
  if (event !== undefined) {
    emit(work, event, { quote_request_id: value.id, number: value.number, quote_id: next.value.quote_id });
  }
  return next;
}
