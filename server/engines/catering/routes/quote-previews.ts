import { z } from "zod";

import { toInstant } from "../../../lib/instant.ts";
import { mapInSlices } from "../../../lib/slices.ts";
import { ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { newQuote } from "../services/write-quote.ts";
import { cancelShare, deadlineAt } from "../rules/deadlines.ts";
import { fillDraft, sendRefusal } from "../rules/draft-quote.ts";
import { CATERING_LIMITS, Deposit, Heads, Totals } from "../schema/parts.ts";
import { NewQuote } from "../schema/requests.ts";
import { accounts } from "../repository.ts";
import { cateringWorkOf } from "./env.ts";

const Preview = z.strictObject({
  heads: Heads,
  totals: Totals,
  deposit_schedule: z.array(Deposit),
});

const preview = defineRoute({
  id: "catering.quotes.previews",
  method: "POST",
  path: "/quotes/previews",
  scope: "read",
  cost: 5,
  summary: "What a quote would come to for other headcounts",
  description:
    "The same calculation as the quote itself. Shows deposits, the deadline of the guaranteed count, what cancelling now would cost, and " +
    "what would keep it from being sent.",
  body: NewQuote.extend({
    headcounts: z.array(Heads).max(CATERING_LIMITS.previewHeadcounts).default([]),
  }),
  data: z.strictObject({
    currency: z.string(),
    previews: z.array(Preview),
    guarantee_at: z.string(),
    cancel_fee_bps: z.int(),
    refusals: z.array(z.strictObject({ code: z.string(), detail: z.string() })),
  }),
  example: {
    body: {
      prospect: { name: "Ada Byron", email: "ada@office.example", company: "" },
      title: "Board lunch",
      lines: [{ type: "per_head", title: "Working lunch", unit_price: 1295, tax_rate_bps: 2000 }],
      event: { date: "2026-06-19", start: "12:30", end: "14:00" },
      headcount: { estimate: 30 },
    },
  },
  async handle({ body }, ctx) {
    const { headcounts, ...draft } = body;
    const work = await cateringWorkOf(ctx);
    const quote = await newQuote(work, draft, 1);
    const account =
      quote.account_id === null ? null : (await ctx.tx.require(accounts, quote.account_id)).value;
    const { event, headcount, policy } = quote;
    const counts = [...new Set([headcount.estimate, ...headcounts])];
    const deadline = { event, holidays: work.holidays, now: ctx.now };
    const refusal = sendRefusal(quote, ctx.now);
    const previews = await mapInSlices(counts, ctx.tx.part, (heads) => {
      const filled = fillDraft({
        ...quote,
        headcount: { ...headcount, estimate: heads },
        deposits: draft.deposits ?? null,
        account,
      });
      return { heads, totals: filled.totals, deposit_schedule: filled.deposit_schedule };
    });
    return ok({
      currency: quote.currency,
      previews,
      guarantee_at: toInstant(deadlineAt(policy.guarantee, event, work.holidays)),
      cancel_fee_bps: cancelShare(policy, headcount.estimate, deadline).bps,
      refusals: refusal === null ? [] : [{ ...refusal }],
    });
  },
});

export const quotePreviewRoutes = [preview];
