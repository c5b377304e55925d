import { z } from "zod";

import { byAll, oneValue, pageWhile } from "../../../core/by-value.ts";
import { item, list } from "../../../core/reply.ts";
import { defineRoute, missing } from "../../../core/route.ts";
import { Id, Instant, LocalDate, withVersion, listFields } from "../../../core/schema.ts";
import { invalidState } from "../services/work.ts";
import { newQuote, patchedQuote } from "../services/write-quote.ts";
import { timeOrder } from "../../../core/collection.ts";
import { resource } from "../../../core/resource.ts";
import { filed, nextNumber, quotes, quoteVersions, versionId } from "../repository.ts";
import { mayTake } from "../rules/quote-state.ts";
import { Email } from "../schema/parts.ts";
import { NewQuote, QuotePatch } from "../schema/requests.ts";
import { Quote, QuoteStatus, QuoteVersion } from "../schema.ts";
import { badState, cateringWorkOf } from "./env.ts";
import { DEMO_IDS } from "../data/demo-ids.ts";

const QuoteView = withVersion(Quote);

const Query = z.object({
  ...listFields,
  status: QuoteStatus.optional(),
  account_id: Id.optional(),
  email: Email.optional().meta({ description: "Of the prospect" }),
  number: z.coerce.number().pipe(z.int().positive()).optional(),
  event_from: LocalDate.optional().meta({ description: "In order of the event, from this day" }),
  event_to: LocalDate.optional().meta({ description: "Last day" }),
  expiring_before: Instant.optional().meta({
    description: "Open quotes that end before this instant, the next to end first",
  }),
});

export const quoteResource = resource({
  id: "catering.quotes",
  collection: quotes,
  view: QuoteView,
  example: DEMO_IDS.quote,
});

const listQuotes = quoteResource.custom.list({
  summary: "Catering quotes, newest first",
  description:
    "Filters can be combined, but not expiring_before with a span of days. Each shows its current version.",
  query: Query,
  async handle({ query }, { tx }) {
    const { cursor, event_from: from, event_to: to, expiring_before: before, limit } = query;
    if (before !== undefined) oneValue({ expiring_before: before, event_from: from ?? to });
    const filters = [
      query.number === undefined ? undefined : `number.${query.number}`,
      query.email && filed("email", query.email),
      query.account_id,
      query.status && `status.${query.status}`,
    ];
    if (before !== undefined) {
      const ending = byAll(filters, { index: "expiring", limit, cursor });
      const end = timeOrder(before);
      return list(await pageWhile(tx, quotes, ending, (quote) => timeOrder(quote.valid_until) < end));
    }
    if (from !== undefined || to !== undefined) {
      const span = byAll(filters, { index: "event", limit, cursor, from });
      return list(await pageWhile(tx, quotes, span, ({ event }) => to === undefined || event.date <= to));
    }
    return list(await tx.peekPage(quotes, byAll(filters, { limit, cursor })));
  },
});

const createQuote = quoteResource.create({
  summary: "Draft a quote",
  description:
    "Its price is worked out for the estimated headcount. Nothing reaches the customer before it is sent.",
  body: NewQuote,
  example: {
    body: {
      account_id: DEMO_IDS.account,
      title: "Board lunch",
      lines: [{ type: "per_head", title: "Working lunch", unit_price: 1295, tax_rate_bps: 2000 }],
      event: { date: "2026-06-19", start: "12:30", end: "14:00" },
      headcount: { estimate: 30, min: 25, max: 40 },
    },
  },
  make: async (body, ctx) => {
    const work = await cateringWorkOf(ctx);
    return await newQuote(work, body, await nextNumber(ctx.tx, "quotes"));
  },
});

const getQuote = quoteResource.get({ summary: "Show a quote" });

const updateQuote = quoteResource.update({
  summary: "Change a draft",
  description: "A version that was sent is never changed: revise it first.",
  body: QuotePatch,
  errors: [badState],
  example: {
    body: {
      lines: [
        {
          id: "lin_01KDVDNA00GGGGGGGGGGGGGGH0",
          type: "per_head",
          title: "Working lunch",
          unit_price: 1350,
          tax_rate_bps: 2000,
        },
      ],
    },
  },
  change: async (before, body, ctx) => {
    if (!mayTake("edit", before.status)) {
      throw invalidState(
        `The quote is ${before.status.replace("_", " ")} and is not changed. Revise it to write the next version.`,
      );
    }
    return await patchedQuote(await cateringWorkOf(ctx), before, body);
  },
});

const VersionView = withVersion(QuoteVersion);

const getVersion = defineRoute({
  id: "catering.quotes.versions",
  method: "GET",
  path: "/quotes/:id/versions/:v",
  summary: "Show a version of a quote as it was sent",
  params: z.object({ id: Id, v: z.coerce.number().pipe(z.int().positive()) }),
  data: VersionView,
  errors: [missing],
  example: {
    params: { id: DEMO_IDS.quote, v: "1" },
  },
  handle: async ({ params: { id, v } }, { tx }) => item(await tx.require(quoteVersions, versionId(id, v))),
});

export const quoteRoutes = [listQuotes, createQuote, getQuote, updateQuote, getVersion];
