import { z } from "zod";

import { toInstant } from "../../../lib/instant.ts";
import type { Html } from "../../../lib/html.ts";
import { html } from "../../../lib/html.ts";
import { createPage } from "../../../core/page.ts";
import { showRefusal } from "../../../core/refusal.ts";
import type { Refused } from "../../../core/route.ts";
import type { OpenCtx, Reply } from "../../../core/route.ts";
import { defineOpenRoute, raw } from "../../../core/route.ts";
import { readTestClock } from "../../../core/test-clock.ts";
import type { Tx } from "../../../core/tx.ts";
import { PAGE_STYLE } from "../data/page-style.ts";
import type { Env } from "../services/env.ts";
import { streamFeed } from "../services/feed.ts";
import { suppress } from "../services/invitations.ts";
import { saveReview } from "../services/save-review.ts";
import { confirmReview } from "../services/submit.ts";
import { addressHash, orders, reviews, suppressions } from "../repository.ts";
import { verifyEmail } from "../rules/verification.ts";
import type { Purpose } from "../../../core/link-token.ts";
import { openToken } from "../../../core/link-token.ts";
import { missing, unknownLink } from "./env.ts";

export const page = createPage(PAGE_STYLE);
/** How every page behind a link tells a person of a refusal. */
export const refusal = (refused: Refused): Reply<never> => showRefusal(page, refused);
export const LinkParams = z.object({ token: z.string().max(400) });
export const linkParams = { token: "c3RvXzAxLnJldl8wMQ.2f7pX1c0mQ3n5s8v0aB4dE6gH9jK2lM5oP8rS1tU4w" };

export interface Linked {
  readonly tx: Tx;
  readonly env: Env;
  /** What the link is about. */
  readonly id: string;
}

/** Opens what a link names; 404 for a link that was not made here. Its store's own time holds. */
export async function onLink(
  ctx: OpenCtx,
  purpose: Purpose,
  token: string,
  work: (linked: Linked) => Promise<Reply<never>>,
): Promise<Reply<never>> {
  const target = openToken(ctx.ports, purpose, token);
  if (target === null) throw unknownLink();
  return ctx.runTx(target.part, async (tx) => {
    const now = (await readTestClock(tx)) ?? ctx.now;
    const env = { now, nowAt: toInstant(now), newId: ctx.newId, ports: ctx.ports, by: null };
    return work({ tx, env, id: target.id });
  });
}

/** A page that says one thing. */
export const say = (title: string, text: string, more: Html | null = null): Reply<never> =>
  page({
    title,
    body: html`<main>
      <h1>${title}</h1>
      <p role="status">${text}</p>
      ${more}
    </main>`,
  });

const link = {
  params: LinkParams,
  data: z.string(),
  rawType: "text/html",
  refusal,
  errors: [missing],
  hidden: true,
} as const;
const Pressed = z.strictObject({ action: z.string().max(20).default("") });

const UNSUBSCRIBED = () => say("Unsubscribed", "You will get no more mail that asks for reviews.");

const showUnsubscribe = defineOpenRoute({
  ...link,
  id: "public.reviews.unsubscribe",
  method: "GET",
  path: "/reviews/unsubscribe/:token",
  summary: "The page that asks before it unsubscribes: mail scanners follow links",
  example: { params: linkParams },
  handle: ({ params: { token } }, ctx) =>
    onLink(ctx, "reviews.unsubscribe", token, async ({ tx, id }) =>
      (await tx.get(suppressions, id)) === null
        ? page({
            title: "Unsubscribe",
            body: html`<main>
              <h1>Unsubscribe</h1>
              <p>You will get no more mail that asks for reviews.</p>
              <form method="post" action="/api/public/reviews/unsubscribe/${token}">
                <button name="List-Unsubscribe" value="One-Click">Unsubscribe</button>
              </form>
            </main>`,
          })
        : UNSUBSCRIBED(),
    ),
});

const unsubscribe = defineOpenRoute({
  ...link,
  id: "public.reviews.unsubscribe-now",
  method: "POST",
  path: "/reviews/unsubscribe/:token",
  summary: "Unsubscribe with one click, from the page or from a mail program (RFC 8058)",
  body: z.strictObject({ "List-Unsubscribe": z.literal("One-Click") }),
  form: true,
  example: { params: linkParams, body: { "List-Unsubscribe": "One-Click" } },
  handle: ({ params: { token } }, ctx) =>
    onLink(ctx, "reviews.unsubscribe", token, async ({ tx, env, id }) => {
      await suppress(tx, env, id, "unsubscribe");
      return UNSUBSCRIBED();
    }),
});

const showConfirm = defineOpenRoute({
  ...link,
  id: "public.reviews.confirm",
  method: "GET",
  path: "/reviews/confirm/:token",
  summary: "The page that asks whether a review is one's own",
  example: { params: linkParams },
  handle: ({ params: { token } }, ctx) =>
    onLink(ctx, "reviews.confirm", token, async ({ tx, id }) => {
      const review = (await tx.get(reviews, id))?.value ?? null;
      if (review === null || review.status !== "unconfirmed") return CONFIRMED();
      return page({
        title: "Is this review yours?",
        body: html`<main>
          <h1>Is this review yours?</h1>
          <p class="note"><strong>${review.title}</strong><br /><span class="pre">${review.body}</span></p>
          <form method="post" action="/api/public/reviews/confirm/${token}">
            <button name="action" value="confirm">Yes, it is mine</button>
          </form>
        </main>`,
      });
    }),
});

const CONFIRMED = () =>
  say("Thank you", "Your address is confirmed. The review appears once it was looked at.");

const confirm = defineOpenRoute({
  ...link,
  id: "public.reviews.confirm-now",
  method: "POST",
  path: "/reviews/confirm/:token",
  summary: "Confirm the address of a review",
  body: Pressed,
  form: true,
  example: { params: linkParams, body: { action: "confirm" } },
  handle: ({ params: { token } }, ctx) =>
    onLink(ctx, "reviews.confirm", token, async ({ tx, env, id }) => {
      const stored = await tx.get(reviews, id);
      const email = stored?.value.email ?? null;
      if (stored === null || email === null) return CONFIRMED();
      const { items } = await tx.page(orders, {
        index: "buyer",
        value: addressHash(email),
        limit: ORDERS_READ,
      });
      await confirmReview(
        tx,
        env,
        stored,
        verifyEmail(
          items.map(({ value }) => value),
          env.nowAt,
        ),
      );
      return CONFIRMED();
    }),
});
const ORDERS_READ = 20;

const showEdit = defineOpenRoute({
  ...link,
  id: "public.reviews.edit",
  method: "GET",
  path: "/reviews/edits/:token",
  summary: "The page on which an author sees what the shop changed, and may decline",
  example: { params: linkParams },
  handle: ({ params: { token } }, ctx) =>
    onLink(ctx, "reviews.edit", token, async ({ tx, id }) => {
      const review = (await tx.get(reviews, id))?.value ?? null;
      const edit = review?.edits.findLast(({ by, declined_at: at }) => by === "shop" && at === null);
      if (review === null || edit === undefined || !review.edited) {
        return say("Nothing to decline", "The review has the words that its author gave it.");
      }
      return page({
        title: "Your review was edited",
        body: html`<main>
          <h1>Your review was edited</h1>
          <p>Your words:</p>
          <p class="note"><strong>${edit.title}</strong><br /><span class="pre">${edit.body}</span></p>
          <p>As the shop changed them:</p>
          <p class="note"><strong>${review.title}</strong><br /><span class="pre">${review.body}</span></p>
          <form method="post" action="/api/public/reviews/edits/${token}">
            <p>If you do nothing, the change stays.</p>
            <button name="action" value="decline">Put my words back</button>
          </form>
        </main>`,
      });
    }),
});

const declineEdit = defineOpenRoute({
  ...link,
  id: "public.reviews.edit-decline",
  method: "POST",
  path: "/reviews/edits/:token",
  summary: "Put the author's words back",
  body: Pressed,
  form: true,
  example: { params: linkParams, body: { action: "decline" } },
  handle: ({ params: { token } }, ctx) =>
    onLink(ctx, "reviews.edit", token, async ({ tx, env, id }) => {
      const stored = await tx.get(reviews, id);
      const review = stored?.value ?? null;
      // The author's own words are those before the first change of the shop since they last wrote.
      const since = (review?.edits.findLastIndex(({ by }) => by === "author") ?? -1) + 1;
      const first = review?.edits.slice(since).find(({ by }) => by === "shop");
      if (stored === null || review === null || first === undefined || !review.edited) {
        return say("Nothing to decline", "The review has the words that its author gave it.");
      }
      await saveReview(tx, stored, {
        ...review,
        title: first.title,
        body: first.body,
        edited: false,
        edits: review.edits.map((edit, at) =>
          at >= since && edit.by === "shop" ? { ...edit, declined_at: env.nowAt } : edit,
        ),
        updated_at: env.nowAt,
      });
      return say("Your words are back", "The shop cannot change them again.");
    }),
});

const feed = defineOpenRoute({
  ...link,
  id: "public.reviews.feed",
  method: "GET",
  path: "/reviews/feeds/:token",
  summary: "The Google feed of a store under its signed link",
  rawType: "application/xml",
  example: { params: linkParams },
  async handle({ params: { token } }, ctx) {
    const target = openToken(ctx.ports, "reviews.feed", token);
    if (target === null) throw unknownLink();
    return raw("application/xml; charset=utf-8", await streamFeed(ctx.runTx, target.part, false));
  },
});

export const linkRoutes = [showUnsubscribe, unsubscribe, showConfirm, confirm, showEdit, declineEdit, feed];
