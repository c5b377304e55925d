import { z } from "zod";

import { html } from "../../../lib/html.ts";
import type { OpenCtx, Reply } from "../../../core/route.ts";
import { defineOpenRoute } from "../../../core/route.ts";
import type { Stored } from "../../../core/tx.ts";
import { decideQuote } from "../services/quote-steps.ts";
import { shopName } from "../services/world.ts";
import type { World } from "../services/world.ts";
import { quotes } from "../repository.ts";
import { openToken } from "../rules/link-token.ts";
import { showDate, showHeads } from "../rules/show.ts";
import type { Quote } from "../schema.ts";
import { linkedWorld } from "./env.ts";
import { deadEnd, page, priceTable, refusal, unknownLink } from "./page.ts";

const Params = z.object({ token: z.string().max(400) });
const params = { token: "c3RvXzAxCmNxdF8wMQoy.2f7pX1c0mQ3n5s8v0aB4dE6gH9jK2lM5oP8rS1tU4w" };

const show = defineOpenRoute({
  id: "public.approvals.show",
  method: "GET",
  path: "/approvals/:token",
  summary: "The page on which the customer approves an accepted quote",
  params: Params,
  data: z.string(),
  rawType: "text/html",
  refusal,
  hidden: true,
  example: { params },
  handle: ({ params: { token } }, ctx) =>
    onQuote(ctx, token, async (world, stored) => approvalPage(world, stored.value, token)),
});

const decide = defineOpenRoute({
  id: "public.approvals.decide",
  method: "POST",
  path: "/approvals/:token",
  summary: "Approve or reject: one press of a button, once",
  params: Params,
  body: z.strictObject({ action: z.enum(["approve", "reject"]) }),
  data: z.string(),
  rawType: "text/html",
  refusal,
  form: true,
  hidden: true,
  example: { params, body: { action: "approve" } },
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
  const target = openToken(ctx.ports, "approval", token);
  if (target === null) return unknownLink();
  const { part, names } = target;
  const [quoteId = "", v = ""] = names;
  return ctx.runTx(part, async (tx) => {
    const stored = await tx.get(quotes, quoteId);
    // Bound to the version: an approval of another one was never given.
    if (stored === null || stored.value.approval === null) return unknownLink();
    if (String(stored.value.current_version) !== v) {
      return deadEnd(409, "There is a newer version of this quote", "Use the link in the latest mail.");
    }
    return work(await linkedWorld(ctx, tx), stored);
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
