import { z } from "zod";

import { linkParams, unknownLink } from "../../../core/link-page.ts";
import { html } from "../../../lib/html.ts";
import type { OpenCtx, Reply } from "../../../core/route.ts";
import { defineOpenRoute } from "../../../core/route.ts";
import type { Stored } from "../../../core/tx.ts";
import { decideQuote } from "../services/quote-steps.ts";
import { shopName } from "../services/world.ts";
import type { World } from "../services/world.ts";
import { quotes } from "../repository.ts";
import { showDate, showHeads } from "../rules/show.ts";
import type { Quote } from "../schema.ts";
import { onLink } from "./env.ts";
import { deadEnd, link, page, priceTable } from "./page.ts";

const show = defineOpenRoute({
  id: "public.approvals.show",
  method: "GET",
  path: "/approvals/:token",
  summary: "The page on which the customer approves an accepted quote",
  ...link,
  example: { params: linkParams },
  handle: ({ params: { token } }, ctx) =>
    onQuote(ctx, token, async (world, stored) => approvalPage(world, stored.value, token)),
});

const decide = defineOpenRoute({
  id: "public.approvals.decide",
  method: "POST",
  path: "/approvals/:token",
  summary: "Approve or reject: one press of a button, once",
  ...link,
  body: z.strictObject({ action: z.enum(["approve", "reject"]) }),
  form: true,
  example: { params: linkParams, body: { action: "approve" } },
  handle: ({ params: { token }, body }, ctx) =>
    onQuote(ctx, token, async (world, stored) => {
      const isOpen = stored.value.status === "awaiting_approval";
      if (!isOpen) return approvalPage(world, stored.value, token);
      const decided = await decideQuote(world, stored, body.action === "approve" ? "approved" : "rejected");
      return approvalPage(world, decided.value, token);
    }),
});

async function onQuote(
  ctx: OpenCtx,
  token: string,
  work: (world: World, stored: Stored<Quote>) => Promise<Reply<never>>,
): Promise<Reply<never>> {
  return onLink(ctx, "approval", token, async (world, [quoteId = "", v = ""]) => {
    const stored = await world.tx.get(quotes, quoteId);
    // Bound to the version: an approval of another one was never given.
    if (stored === null || stored.value.approval === null) throw unknownLink();
    if (String(stored.value.current_version) !== v) {
      return deadEnd(409, "There is a newer version of this quote", "Use the link in the latest mail.");
    }
    return work(world, stored);
  });
}

function approvalPage(world: World, quote: Quote, token: string): Reply<never> {
  const { decision } = quote.approval ?? { decision: null };
  const said =
    decision === null
      ? quote.status === "awaiting_approval"
        ? null
        : "This order no longer waits for approval."
      : `This was ${decision}.`;
  const why =
    quote.approval?.reason === "over_budget"
      ? "It goes beyond the budget of its cost centre."
      : "It is above the amount that needs approval.";
  return page({
    title: `Approve ${quote.title}`,
    body: html`<p class="soft">${shopName(world.settings)}</p>
      <h1>${quote.title}</h1>
      ${
        said === null
          ? html`<p class="note">${quote.acceptance?.name ?? "A colleague"} accepted this quote. ${why}</p>`
          : html`<p class="note good" role="status">${said}</p>`
      }
      <dl>
        <dt>When</dt>
        <dd>${showDate(quote.event.date)}, ${quote.event.start}</dd>
        <dt>Guests</dt>
        <dd>${showHeads(quote.headcount.estimate)}</dd>
        <dt>Cost centre</dt>
        <dd>${quote.acceptance?.cost_centre ?? "None"}</dd>
      </dl>
      <h2>Price</h2>
      ${priceTable(quote)}
      ${
        said === null
          ? html`<form method="post" action="/api/public/approvals/${token}">
              <button name="action" value="approve">Approve</button>
              <button class="quiet" name="action" value="reject">Reject</button>
            </form>`
          : null
      }`,
  });
}

export const publicApprovalRoutes = [show, decide];
