import { z } from "zod";

import { conflict, conflictWhen, invalidField } from "../../../lib/errors.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import type { Ctx } from "../../../core/route.ts";
import { byValue, oneValue } from "../../../core/by-value.ts";
import { created, item } from "../../../core/reply.ts";
import { Id, listFields, withVersion } from "../../../core/schema.ts";
import type { WantedQuote } from "../../../core/ports.ts";
import { resource } from "../../../core/resource.ts";
import { FORMS_LIMITS } from "../data/limits.ts";
import { moveRequest, newQuoteRequest } from "../services/quote-requests.ts";
import { invalidState, formsWorkOf } from "../services/work.ts";
import { filed, quoteRequests } from "../repository.ts";
import { endOf } from "../rules/event-end.ts";
import { isOpenRequest } from "../rules/quote-state.ts";
import { Email } from "../schema.ts";
import {
  NewQuoteRequest,
  QuoteRequest,
  QuoteRequestPatch,
  QuoteRequestStatus,
  QuoteTerms,
} from "../schema/quote-request.ts";
import { badState } from "./env.ts";

const View = withVersion(QuoteRequest);

const Query = z.object({
  ...listFields,
  status: QuoteRequestStatus.optional(),
  open: z.enum(["true"]).optional().meta({ description: "new, triaged and quoted" }),
  form_id: Id.optional(),
  email: Email.optional(),
  sort: z
    .enum(["newest", "due"])
    .default("newest")
    .meta({ description: "due: open requests, most urgent first" }),
});

const quoteRequestResource = resource({
  id: "forms.quote-requests",
  collection: quoteRequests,
  view: View,
  example: "qrq_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const listRequests = quoteRequestResource.list({
  summary: "List quote requests, newest first",
  description:
    "Filter by one of status, open, form_id and email; or use sort=due for the open ones by due time.",
  query: Query,
  find: (query) => {
    const { cursor, email, form_id: form, limit, open, sort, status } = query;
    const value = oneValue({
      status: status && `status.${status}`,
      open: open && "open",
      form_id: form,
      email: email && filed("email", email),
      sort: sort === "due" ? sort : undefined,
    });
    return sort === "due" ? { index: "due", limit, cursor } : byValue(value, { limit, cursor });
  },
});

const createRequest = quoteRequestResource.custom.create({
  summary: "Create a quote request received by phone or mail",
  body: NewQuoteRequest,
  example: {
    body: {
      customer: { name: "Ada Byron", email: "ada@office.example" },
      event: { date: "2026-06-19", time: "12:30", guests: 40 },
      message: "Four of us are vegan.",
    },
  },
  async handle({ body }, ctx) {
    const origin = { formId: null, submissionId: null, slaHours: SLA_HOURS };
    const stored = await newQuoteRequest(await formsWorkOf(ctx), body, origin);
    return created(stored, `/quote-requests/${stored.id}`);
  },
});
const SLA_HOURS = 24;

const getRequest = quoteRequestResource.get({ summary: "Show a quote request" });

const updateRequest = quoteRequestResource.custom.update({
  summary: "Change an open quote request",
  body: QuoteRequestPatch,
  errors: [badState],
  example: { body: { assignee: "Grace" } },
  async handle({ body, params: { id } }, ctx) {
    const stored = await ctx.current(quoteRequests, id);
    const { value } = stored;
    if (!isOpenRequest(value.status))
      throw invalidState(`A quote request with status \`${value.status}\` cannot be changed.`);
    const entry = { at: ctx.nowAt, what: "edited", by: "shop", note: Object.keys(body).join(", ") } as const;
    return item(
      ctx.tx.put(quoteRequests, stored, {
        ...mergePatch(value, body),
        updated_at: ctx.nowAt,
        timeline: [...value.timeline, entry].slice(-FORMS_LIMITS.timeline),
      }),
    );
  },
});

const Reason = z.strictObject({ reason: z.string().trim().max(500).default("") }).prefault({});

const step = (
  name: "triage" | "accept" | "withdraw",
  status: QuoteRequestStatus,
  texts: { readonly summary: string; readonly by: "customer" | "shop" },
) =>
  quoteRequestResource.action(name, {
    summary: texts.summary,
    errors: [badState],
    async handle({ params: { id } }, ctx) {
      const stored = await ctx.tx.require(quoteRequests, id);
      return item(moveRequest(await formsWorkOf(ctx), stored, name, { by: texts.by }));
    },
  });

const decline = quoteRequestResource.action("decline", {
  summary: "Decline a quote request",
  body: Reason,
  errors: [badState],
  example: {
    body: { reason: "Fully booked" },
  },
  async handle({ body, params: { id } }, ctx) {
    const stored = await ctx.tx.require(quoteRequests, id);
    const change = { lost_reason: body.reason };
    return item(
      moveRequest(await formsWorkOf(ctx), stored, "decline", { by: "shop", note: body.reason, change }),
    );
  },
});

const quote = quoteRequestResource.action("quote", {
  summary: "Draft a catering quote for a quote request",
  description:
    "Creates a draft of /v1/catering/quotes: price it there and send it. The request is accepted, declined or " +
    "expires with the quote. If lines are omitted, the requested items are used without prices. Information on diets " +
    "and allergens is in the quote's metadata.",
  body: QuoteTerms.prefault({}),
  errors: [badState, conflictWhen("not_quotable", "Date, guests or e-mail address is missing")],
  example: {
    body: {
      title: "Board lunch",
      lines: [{ type: "per_head", title: "Working lunch", unit_price: 1295 }],
      date: "2026-06-19",
      guests: 40,
    },
  },
  async handle({ body, params: { id } }, ctx) {
    const stored = await ctx.tx.require(quoteRequests, id);
    const work = await formsWorkOf(ctx);
    const drafted = await ctx.ports.engines.createQuote(ctx.tx, wantedQuote(ctx, stored.value, body));
    if (drafted === null)
      throw conflict("not_quotable", "The catering engine is not available in this store.");
    const how = { by: "shop", note: `Quote ${drafted.number}`, change: { quote_id: drafted.id } } as const;
    return item(moveRequest(work, stored, "quote", how));
  },
});

const DEFAULT_START = "12:00";

function wantedQuote(ctx: Ctx, request: QuoteRequest, terms: QuoteTerms): WantedQuote {
  const { customer, event } = request;
  const date = terms.date ?? event.date;
  const guests = terms.guests ?? event.guests;
  const start = terms.start ?? event.time ?? DEFAULT_START;
  if (date === null || guests === null || customer.email === null) {
    throw conflict(
      "not_quotable",
      "A quote requires the date, the number of guests and an e-mail address. Add them to the request first.",
    );
  }
  const end = terms.end ?? endOf(start);
  if (end <= start) throw invalidField(["end"], "`end` must be later than `start`.");
  return {
    now: ctx.now,
    newId: ctx.newId,
    title: terms.title ?? `Quote request ${request.number}`,
    customer: {
      name: customer.name === "" ? customer.email : customer.name.slice(0, 200),
      email: customer.email,
      company: (customer.company ?? "").slice(0, 200),
    },
    event: {
      date,
      start,
      end,
      site: [event.address, event.postcode]
        .filter((part) => part !== null)
        .join(", ")
        .slice(0, 500),
    },
    guests,
    lines: linesOf(request, terms),
    dietary: [],
    metadata: {
      quote_request_id: request.id,
      ...listed("dietary", request.dietary),
      ...listed("allergens", request.allergens),
    },
  };
}

const LISTED_CHARS = 500;
const CUT = ", … (the quote request has all of them)";

/** Information that the kitchen must see: how many guests it applies to is not known yet. */
function listed(name: string, words: readonly string[]): Readonly<Record<string, string>> {
  if (words.length === 0) return {};
  const all = words.join(", ");
  return { [name]: all.length <= LISTED_CHARS ? all : all.slice(0, LISTED_CHARS - CUT.length) + CUT };
}

const linesOf = ({ items }: QuoteRequest, { lines }: QuoteTerms): WantedQuote["lines"] =>
  lines === undefined
    ? items.map(({ name, qty, ref }) => ({
        type: "fixed",
        title: name,
        unit_price: 0,
        quantity: qty,
        tax_rate_bps: 0,
        product_ref: ref,
      }))
    : lines.map(({ quantity, ...line }) => ({ ...line, quantity: quantity ?? null, product_ref: null }));

const convert = quoteRequestResource.action("convert", {
  summary: "Mark an accepted quote request as converted to an order",
  errors: [badState],
  async handle({ params: { id } }, ctx) {
    const stored = await ctx.tx.require(quoteRequests, id);
    return item(moveRequest(await formsWorkOf(ctx), stored, "convert", { by: "shop" }));
  },
});

export const quoteRequestRoutes = [
  listRequests,
  createRequest,
  getRequest,
  updateRequest,
  step("triage", "triaged", { summary: "Mark a quote request as triaged", by: "shop" }),
  quote,
  step("accept", "accepted", { summary: "Mark a quote request as accepted by the customer", by: "customer" }),
  decline,
  step("withdraw", "withdrawn", {
    summary: "Mark a quote request as declined by the customer",
    by: "customer",
  }),
  convert,
];
