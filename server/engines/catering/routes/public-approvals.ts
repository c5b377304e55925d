import { z } from "zod";

import { linkParams, unknownLink } from "../../../core/link-page.ts";
import { html } from "../../../lib/html.ts";
import type { Reply } from "../../../core/reply.ts";
import type { OpenCtx } from "../../../core/route.ts";
import { defineOpenRoute } from "../../../core/route.ts";
import type { Stored } from "../../../core/tx.ts";
import { decideQuote } from "../services/quote-steps.ts";
import { quotes } from "../repository.ts";
import type { Quote } from "../schema.ts";
import { toEpochMs } from "../../../lib/local-time.ts";
import { onLink } from "./env.ts";
import { deadEnd, link, page, priceTable } from "./page.ts";
import type { PageWork } from "./page.ts";

const show = defineOpenRoute({
  id: "public.approvals.show",
  method: "GET",
  path: "/approvals/:token",
  summary: "The page on which the customer approves an accepted quote",
  ...link("approval"),
  example: { params: linkParams },
  handle: ({ params: { token } }, ctx) =>
    onQuote(ctx, token, async (work, stored) => approvalPage(work, stored.value, token)),
});

const decide = defineOpenRoute({
  id: "public.approvals.decide",
  method: "POST",
  path: "/approvals/:token",
  summary: "Approve or reject: one press of a button, once",
  ...link("approval"),
  body: z.strictObject({ action: z.enum(["approve", "reject"]) }),
  form: true,
  example: { params: linkParams, body: { action: "approve" } },
  handle: ({ params: { token }, body }, ctx) =>
    onQuote(ctx, token, async (work, stored) => {
      if (!isWaiting(work, stored.value)) return approvalPage(work, stored.value, token);
      const decided = await decideQuote(work, stored, body.action === "approve" ? "approved" : "rejected");
      return approvalPage(work, decided.value, token);
    }),
});

async function onQuote(
  ctx: OpenCtx,
  token: string,
  handle: (work: PageWork, stored: Stored<Quote>) => Promise<Reply<never>>,
): Promise<Reply<never>> {
  return onLink(ctx, "approval", token, async (work, [quoteId = "", v = ""]) => {
    const stored = await work.tx.get(quotes, quoteId);
    // Bound to the version: an approval of another one was never given.
    if (stored === null || stored.value.approval === null) throw unknownLink();
    if (String(stored.value.current_version) !== v) {
      return deadEnd(work, 409, ["catering.newer_title", "catering.newer_sent"], {
        number: stored.value.number,
      });
    }
    return handle(work, stored);
  });
}

/** Until the event begins: food that was not ordered by then is not delivered. */
const isWaiting = ({ now }: PageWork, { event, status }: Quote): boolean =>
  status === "awaiting_approval" && now < toEpochMs(event.date, event.start, event.timezone);

function approvalPage(work: PageWork, quote: Quote, token: string): Reply<never> {
  const { decision } = quote.approval ?? { decision: null };
  const { date, say } = work.face;
  const said = isWaiting(work, quote)
    ? null
    : say(decision === null ? "catering.not_waiting" : `catering.was_${decision}`);
  const why = quote.approval?.reason === "over_budget" ? "catering.over_budget" : "catering.over_amount";
  const name = quote.acceptance?.name ?? say("catering.colleague");
  return page(work, {
    title: say("catering.approve_title", { title: quote.title }),
    body: html`<h1>${quote.title}</h1>
      ${
        said === null
          ? html`<p class="note">${say(why, { name })}</p>`
          : html`<p class="note good" role="status">${said}</p>`
      }
      <dl>
        <dt>${say("catering.when")}</dt>
        <dd>${date(quote.event.date, "full")}, ${quote.event.start}</dd>
        <dt>${say("catering.guests")}</dt>
        <dd>${say("catering.heads", { count: quote.headcount.estimate })}</dd>
        <dt>${say("catering.cost_centre")}</dt>
        <dd>${quote.acceptance?.cost_centre ?? say("none")}</dd>
      </dl>
      <h2>${say("price")}</h2>
      ${priceTable(work.face, quote)}
      ${
        said === null
          ? html`<form method="post" action="/api/public/approvals/${token}">
              <button name="action" value="approve">${say("catering.approve")}</button>
              <button class="quiet" name="action" value="reject">${say("catering.reject")}</button>
            </form>`
          : null
      }`,
  });
}

export const publicApprovalRoutes = [show, decide];
