import { z } from "zod";

import { linkPages, linkParams, onLink as openLink, requireLink } from "../../../core/link-page.ts";
import { toInstant } from "../../../lib/instant.ts";
import type { Html } from "../../../lib/html.ts";
import { html } from "../../../lib/html.ts";
import type { OpenCtx, Reply } from "../../../core/route.ts";
import { defineOpenRoute, raw } from "../../../core/route.ts";
import type { Tx } from "../../../core/tx.ts";
import type { Env } from "../services/env.ts";
import { streamFeed } from "../services/feed.ts";
import { suppress } from "../services/invitations.ts";
import { saveReview } from "../services/save-review.ts";
import { confirmReview } from "../services/submit.ts";
import { addressHash, orders, reviews, suppressions } from "../repository.ts";
import { verifyEmail } from "../rules/verification.ts";
import type { Purpose } from "../../../core/link-token.ts";

const { link, page } = linkPages();
export { link, page };

export interface LinkContext {
  readonly tx: Tx;
  readonly env: Env;
  /** The subject of the link. */
  readonly id: string;
}

/** Opens a signed link; 404 if the signature is wrong. Uses the store's own time. */
export const onLink = (
  ctx: OpenCtx,
  purpose: Purpose,
  token: string,
  work: (linked: LinkContext) => Promise<Reply<never>>,
): Promise<Reply<never>> =>
  openLink(ctx, purpose, token, async (tx, { id, now }) => {
    const env = { now, nowAt: toInstant(now), newId: ctx.newId, ports: ctx.ports, by: null };
    return work({ tx, env, id });
  });

/** A page with a single message. */
export const say = (title: string, text: string, more: Html | null = null): Reply<never> =>
  page({
    title,
    body: html`<main>
      <h1>${title}</h1>
      <p role="status">${text}</p>
      ${more}
    </main>`,
  });

const Pressed = z.strictObject({ action: z.string().max(20).default("") });

const UNSUBSCRIBED = () => say("Unsubscribed", "You will receive no more review invitations.");

const showUnsubscribe = defineOpenRoute({
  ...link,
  id: "public.reviews.unsubscribe",
  method: "GET",
  path: "/reviews/unsubscribe/:token",
  summary: "Show the confirmation page for unsubscribing",
  example: { params: linkParams },
  handle: ({ params: { token } }, ctx) =>
    onLink(ctx, "reviews.unsubscribe", token, async ({ tx, id }) =>
      (await tx.get(suppressions, id)) === null
        ? page({
            title: "Unsubscribe",
            body: html`<main>
              <h1>Unsubscribe</h1>
              <p>You will receive no more review invitations.</p>
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
  summary: "Show the page that confirms the author of a review",
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
  say(
    "Thank you",
    "Your e-mail address is confirmed. Your review will be published after it has been checked.",
  );

const confirm = defineOpenRoute({
  ...link,
  id: "public.reviews.confirm-now",
  method: "POST",
  path: "/reviews/confirm/:token",
  summary: "Confirm the e-mail address of a review",
  body: Pressed,
  form: true,
  example: { params: linkParams, body: { action: "confirm" } },
  handle: ({ params: { token } }, ctx) =>
    onLink(ctx, "reviews.confirm", token, async ({ tx, env, id }) => {
      const stored = await tx.get(reviews, id);
      const email = stored?.value.email ?? null;
      if (stored === null || email === null) return CONFIRMED();
      const { items } = await tx.peekPage(orders, {
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
  summary: "Show the author what the store changed in a review",
  example: { params: linkParams },
  handle: ({ params: { token } }, ctx) =>
    onLink(ctx, "reviews.edit", token, async ({ tx, id }) => {
      const review = (await tx.get(reviews, id))?.value ?? null;
      const edit = review?.edits.findLast(({ by, declined_at: at }) => by === "shop" && at === null);
      if (review === null || edit === undefined || !review.edited) {
        return say("No change to decline", "The review has its original text.");
      }
      return page({
        title: "Your review was edited",
        body: html`<main>
          <h1>Your review was edited</h1>
          <p>Your text:</p>
          <p class="note"><strong>${edit.title}</strong><br /><span class="pre">${edit.body}</span></p>
          <p>Changed by the store to:</p>
          <p class="note"><strong>${review.title}</strong><br /><span class="pre">${review.body}</span></p>
          <form method="post" action="/api/public/reviews/edits/${token}">
            <p>If you do nothing, the change remains.</p>
            <button name="action" value="decline">Restore my text</button>
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
  summary: "Decline the store's change and restore the author's text",
  body: Pressed,
  form: true,
  example: { params: linkParams, body: { action: "decline" } },
  handle: ({ params: { token } }, ctx) =>
    onLink(ctx, "reviews.edit", token, async ({ tx, env, id }) => {
      const stored = await tx.get(reviews, id);
      const review = stored?.value ?? null;
      // The author's text before the store's first change since the author's last edit.
      const since = (review?.edits.findLastIndex(({ by }) => by === "author") ?? -1) + 1;
      const first = review?.edits.slice(since).find(({ by }) => by === "shop");
      if (stored === null || review === null || first === undefined || !review.edited) {
        return say("No change to decline", "The review has its original text.");
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
      return say("Your text has been restored", "The store cannot change it again.");
    }),
});

const feed = defineOpenRoute({
  ...link,
  id: "public.reviews.feed",
  method: "GET",
  path: "/reviews/feeds/:token",
  summary: "Show the Google feed of a store by its signed link",
  rawType: "application/xml",
  example: { params: linkParams },
  async handle({ params: { token } }, ctx) {
    const { part } = requireLink(ctx, "reviews.feed", token);
    return raw("application/xml; charset=utf-8", await streamFeed(ctx.runTx, part, false));
  },
});

export const linkRoutes = [showUnsubscribe, unsubscribe, showConfirm, confirm, showEdit, declineEdit, feed];
