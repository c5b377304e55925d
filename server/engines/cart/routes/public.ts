import { z } from "zod";

import type { Face } from "../../../core/face.ts";
import { linkPage as link, linkParams, onLink } from "../../../core/link-page.ts";
import { html } from "../../../lib/html.ts";
import type { Reply } from "../../../core/reply.ts";
import { raw } from "../../../core/reply.ts";
import { defineOpenRoute } from "../../../core/route.ts";
import { emit, noteMailbox, saveCart } from "../services/cart-change.ts";
import { suppress } from "../services/suppress.ts";
import { carts, suppressions } from "../repository.ts";
import { fromInstant, MINUTE_MS, toInstant } from "../../../lib/instant.ts";

const CLICKS_KEPT = 50;
/** A link that is followed again so soon is one click: each leaves an event, and the link can be followed all day. */
const CLICK_MS = 10 * MINUTE_MS;

const restore = defineOpenRoute({
  id: "public.carts.show",
  method: "GET",
  path: "/carts/:token",
  summary: "The link of a mail: notes the click and leads to the shop's checkout",
  ...link("cart.restore"),
  status: 303,
  example: { params: linkParams },
  handle: ({ params: { token } }, ctx) =>
    onLink(ctx, "cart.restore", token, async (tx, { face, id, now }) => {
      const stored = await tx.require(carts, id);
      const { status, checkout_url: url, steps } = stored.value;
      // As a header has it: the characters of a stored URL may be any.
      const target = new URL(url).href;
      const last = stored.value.clicks.at(-1);
      const isNew = last === undefined || fromInstant(last) + CLICK_MS <= now;
      if (isNew && (status === "active" || status === "abandoned")) {
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
      return raw("text/html; charset=utf-8", html`<a href="${target}">${face.say("leave.go")}</a>`.html, {
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
  ...link("cart.unsubscribe"),
  example: { params: linkParams },
  handle: ({ params: { token } }, ctx) =>
    onLink(ctx, "cart.unsubscribe", token, async (tx, { id, face }) =>
      (await tx.get(suppressions, id)) === null
        ? face.page({
            title: face.say("cart_page.title"),
            body: html`<main>
              <h1>${face.say("cart_page.unsubscribe")}</h1>
              <p>${face.say("cart_page.about")}</p>
              <form method="post" action="/api/public/unsubscribe/${token}">
                <button name="List-Unsubscribe" value="One-Click">
                  ${face.say("cart_page.unsubscribe")}
                </button>
              </form>
            </main>`,
          })
        : showDone(face),
    ),
});

const unsubscribe = defineOpenRoute({
  id: "public.unsubscribe.act",
  method: "POST",
  path: "/unsubscribe/:token",
  summary: "Unsubscribe with one click, from the page or from a mail program (RFC 8058)",
  ...link("cart.unsubscribe"),
  body: z.strictObject({ "List-Unsubscribe": z.literal("One-Click") }),
  form: true,
  example: { params: linkParams, body: { "List-Unsubscribe": "One-Click" } },
  handle: ({ params: { token } }, ctx) =>
    onLink(ctx, "cart.unsubscribe", token, async (tx, { id, now, face }) => {
      await suppress(tx, id, "unsubscribe", { now, newId: ctx.newId });
      return showDone(face);
    }),
});

const showDone = ({ page, say }: Face): Reply<never> =>
  page({
    title: say("cart_page.title"),
    body: html`<main>
      <h1>${say("cart_page.done")}</h1>
      <p role="status">${say("cart_page.about")}</p>
    </main>`,
  });

export const publicRoutes = [restore, showUnsubscribe, unsubscribe];
