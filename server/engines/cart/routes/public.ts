import { z } from "zod";

import { fail } from "../../../lib/errors.ts";
import type { Html } from "../../../lib/html.ts";
import { html } from "../../../lib/html.ts";
import { createPage } from "../../../core/page.ts";
import { showRefusal } from "../../../core/refusal.ts";
import type { Refused } from "../../../core/route.ts";
import type { OpenCtx, Reply } from "../../../core/route.ts";
import { defineOpenRoute, raw } from "../../../core/route.ts";
import { readTestClock } from "../../../core/test-clock.ts";
import type { Tx } from "../../../core/tx.ts";
import { emit, noteMailbox, saveCart } from "../services/cart-change.ts";
import { suppress } from "../services/suppress.ts";
import { carts, suppressions } from "../repository.ts";
import { toInstant } from "../../../lib/instant.ts";
import type { Purpose } from "../../../core/link-token.ts";
import { openToken } from "../../../core/link-token.ts";
import { missing } from "./env.ts";

const Params = z.object({ token: z.string().max(300) });
const params = { token: "c3RvXzAxLmNydF8wMQ.2f7pX1c0mQ3n5s8v0aB4dE6gH9jK2lM5oP8rS1tU4w" };

const CLICKS_KEPT = 50;

const restore = defineOpenRoute({
  id: "public.carts.show",
  method: "GET",
  path: "/carts/:token",
  summary: "The link of a mail: notes the click and leads to the shop's checkout",
  params: Params,
  data: z.string(),
  rawType: "text/html",
  refusal,
  status: 303,
  errors: [missing],
  hidden: true,
  example: { params },
  handle: ({ params: { token } }, ctx) =>
    onTarget(ctx, "cart.restore", token, async (tx, id, now) => {
      const stored = await tx.require(carts, id);
      const { status, checkout_url: target, steps } = stored.value;
      if (status === "active" || status === "abandoned") {
        const at = toInstant(now);
        const cart = {
          ...stored.value,
          status: "active" as const,
          clicks: [...stored.value.clicks, at].slice(-CLICKS_KEPT),
          last_activity_at: at,
          // The customer is back: what is left is planned again should the cart be left again.
          steps: steps.filter(({ state }) => state !== "planned"),
        };
        emit(tx, { now, newId: ctx.newId }, cart, { type: "recovery.clicked" });
        await noteMailbox(tx, cart.customer.email, { cart_id: cart.id, last_activity_at: at });
        await saveCart(tx, stored, cart, { now, newId: ctx.newId });
      }
      return raw("text/html; charset=utf-8", html`<a href="${target}">Go on</a>`.html, {
        status: 303,
        headers: { Location: target, "Referrer-Policy": "no-referrer" },
      });
    }),
});

const showUnsubscribe = defineOpenRoute({
  id: "public.unsubscribe.show",
  method: "GET",
  path: "/unsubscribe/:token",
  summary: "The page that asks before it unsubscribes: mail scanners follow links",
  params: Params,
  data: z.string(),
  rawType: "text/html",
  refusal,
  errors: [missing],
  hidden: true,
  example: { params },
  handle: ({ params: { token } }, ctx) =>
    onTarget(ctx, "cart.unsubscribe", token, async (tx, id) =>
      (await tx.get(suppressions, id)) === null
        ? page(
            html`<h1>Unsubscribe</h1>
              <p>You will get no more mail about carts that you left.</p>
              <form method="post" action="/api/public/unsubscribe/${token}">
                <button name="List-Unsubscribe" value="One-Click">Unsubscribe</button>
              </form>`,
          )
        : DONE(),
    ),
});

const unsubscribe = defineOpenRoute({
  id: "public.unsubscribe.act",
  method: "POST",
  path: "/unsubscribe/:token",
  summary: "Unsubscribe with one click, from the page or from a mail program (RFC 8058)",
  params: Params,
  body: z.strictObject({ "List-Unsubscribe": z.literal("One-Click") }),
  data: z.string(),
  rawType: "text/html",
  refusal,
  form: true,
  errors: [missing],
  hidden: true,
  example: { params, body: { "List-Unsubscribe": "One-Click" } },
  handle: ({ params: { token } }, ctx) =>
    onTarget(ctx, "cart.unsubscribe", token, async (tx, id, now) => {
      await suppress(tx, id, "unsubscribe", { now, newId: ctx.newId });
      return DONE();
    }),
});

/** Opens what a link names; 404 for a link that was not made here. */
async function onTarget(
  ctx: OpenCtx,
  purpose: Purpose,
  token: string,
  work: (tx: Tx, id: string, now: number) => Promise<Reply<never>>,
): Promise<Reply<never>> {
  const target = openToken(ctx.ports, purpose, token);
  if (target === null)
    throw fail("not_found", "This link is invalid or has expired. Use the link in your latest mail.");
  return ctx.runTx(target.part, async (tx) => work(tx, target.id, (await readTestClock(tx)) ?? ctx.now));
}

const DONE = (): Reply<never> =>
  page(
    html`<h1>Unsubscribed</h1>
      <p role="status">You will get no more mail about carts that you left.</p>`,
  );

function refusal(refused: Refused): Reply<never> {
  return showRefusal(dressed, refused);
}

const STYLE =
  "body{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:2rem auto;padding:0 1rem}button{font:inherit;padding:.6rem 1rem}@media(prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}}";
const dressed = createPage(STYLE);
const page = (body: Html): Reply<never> =>
  dressed({ title: "Mail about carts", body: html`<main>${body}</main>` });

export const publicRoutes = [restore, showUnsubscribe, unsubscribe];
