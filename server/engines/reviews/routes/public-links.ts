import { z } from "zod";

import type { Face } from "../../../core/face.ts";
import {
  linkPage as link,
  linkParams,
  onLink as openLink,
  requireLink,
  unknownLink,
} from "../../../core/link-page.ts";
import type { Html } from "../../../lib/html.ts";
import { html } from "../../../lib/html.ts";
import type { Reply } from "../../../core/reply.ts";
import type { OpenCtx } from "../../../core/route.ts";
import { raw } from "../../../core/reply.ts";
import { defineOpenRoute } from "../../../core/route.ts";
import type { Tx } from "../../../core/tx.ts";
import type { ReviewWork } from "../services/work.ts";
import { streamFeed } from "../services/feed.ts";
import { suppress } from "../services/invitations.ts";
import { saveReview } from "../services/save-review.ts";
import { confirmReview } from "../services/submit.ts";
import { addressHash, orders, reviews, suppressions } from "../repository.ts";
import type { Review } from "../schema.ts";
import { verifyEmail } from "../rules/verification.ts";
import type { Purpose } from "../../../core/link-token.ts";
import type { MessageKey } from "../../../core/words.ts";

export { link };

export interface LinkContext {
  readonly tx: Tx;
  readonly work: ReviewWork;
  /** The subject of the link. */
  readonly id: string;
  readonly face: Face;
}

/** Opens a signed link; 404 if the signature is wrong. Uses the store's own time. */
export const onLink = <R>(
  ctx: OpenCtx,
  purpose: Purpose,
  token: string,
  handle: (linked: LinkContext) => Promise<R>,
): Promise<R> =>
  openLink(ctx, purpose, token, (tx, { face, id, now, nowAt, part, newId, ports }) =>
    handle({ tx, work: { now, nowAt, part, newId, ports, by: null }, id, face }),
  );

/** A page with a single message. */
export const showMessage = (
  { page, say }: Face,
  [title, text]: readonly [title: MessageKey, text: MessageKey],
  more: Html | null = null,
): Reply<never> =>
  page({
    title: say(title),
    body: html`<main>
      <h1>${say(title)}</h1>
      <p role="status">${say(text)}</p>
      ${more}
    </main>`,
  });

const Pressed = z.strictObject({ action: z.string().max(20).default("") });

const UNSUBSCRIBED = ["cart_page.done", "review_page.no_more"] as const;

const showUnsubscribe = defineOpenRoute({
  ...link("reviews.unsubscribe"),
  id: "public.reviews.unsubscribe",
  method: "GET",
  path: "/reviews/unsubscribe/:token",
  summary: "Show the confirmation page for unsubscribing",
  example: { params: linkParams },
  handle: ({ params: { token } }, ctx) =>
    onLink(ctx, "reviews.unsubscribe", token, async ({ tx, id, face }) =>
      (await tx.get(suppressions, id)) === null
        ? face.page({
            title: face.say("cart_page.unsubscribe"),
            body: html`<main>
              <h1>${face.say("cart_page.unsubscribe")}</h1>
              <p>${face.say("review_page.no_more")}</p>
              <form method="post" action="/api/public/reviews/unsubscribe/${token}">
                <button name="List-Unsubscribe" value="One-Click">
                  ${face.say("cart_page.unsubscribe")}
                </button>
              </form>
            </main>`,
          })
        : showMessage(face, UNSUBSCRIBED),
    ),
});

const unsubscribe = defineOpenRoute({
  ...link("reviews.unsubscribe"),
  id: "public.reviews.unsubscribe-now",
  method: "POST",
  path: "/reviews/unsubscribe/:token",
  summary: "Unsubscribe with one click, from the page or from a mail program (RFC 8058)",
  body: z.strictObject({ "List-Unsubscribe": z.literal("One-Click") }),
  form: true,
  example: { params: linkParams, body: { "List-Unsubscribe": "One-Click" } },
  handle: ({ params: { token } }, ctx) =>
    onLink(ctx, "reviews.unsubscribe", token, async ({ tx, work, id, face }) => {
      await suppress(tx, work, id, "unsubscribe");
      return showMessage(face, UNSUBSCRIBED);
    }),
});

const showConfirm = defineOpenRoute({
  ...link("reviews.confirm"),
  id: "public.reviews.confirm",
  method: "GET",
  path: "/reviews/confirm/:token",
  summary: "Show the page that confirms the author of a review",
  example: { params: linkParams },
  handle: ({ params: { token } }, ctx) =>
    onLink(ctx, "reviews.confirm", token, async ({ tx, id, face }) => {
      const review = (await tx.get(reviews, id))?.value ?? null;
      if (review?.status === "erased") throw unknownLink();
      if (review === null || review.status !== "unconfirmed") return showMessage(face, CONFIRMED);
      return face.page({
        title: face.say("review_page.is_yours"),
        body: html`<main>
          <h1>${face.say("review_page.is_yours")}</h1>
          <p class="note"><strong>${review.title}</strong><br /><span class="pre">${review.body}</span></p>
          <form method="post" action="/api/public/reviews/confirm/${token}">
            <button name="action" value="confirm">${face.say("review_page.yes_mine")}</button>
          </form>
        </main>`,
      });
    }),
});

const CONFIRMED = ["review_page.thanks", "review_page.confirmed"] as const;

const confirm = defineOpenRoute({
  ...link("reviews.confirm"),
  id: "public.reviews.confirm-now",
  method: "POST",
  path: "/reviews/confirm/:token",
  summary: "Confirm the e-mail address of a review",
  body: Pressed,
  form: true,
  example: { params: linkParams, body: { action: "confirm" } },
  handle: ({ params: { token } }, ctx) =>
    onLink(ctx, "reviews.confirm", token, async ({ tx, work, id, face }) => {
      const stored = await tx.get(reviews, id);
      if (stored?.value.status === "erased") throw unknownLink();
      const email = stored?.value.email ?? null;
      if (stored === null || email === null) return showMessage(face, CONFIRMED);
      const { items } = await tx.peekPage(orders, {
        index: "buyer",
        value: addressHash(email),
        limit: ORDERS_READ,
      });
      await confirmReview(
        tx,
        work,
        stored,
        verifyEmail(
          items.map(({ value }) => value),
          work.nowAt,
        ),
      );
      return showMessage(face, CONFIRMED);
    }),
});
const ORDERS_READ = 20;

const UNCHANGED = ["review_page.nothing_title", "review_page.nothing_text"] as const;

/** Place of the first edit after the author's last. */
const sinceOwn = ({ edits }: Review): number => edits.findLastIndex(({ by }) => by === "author") + 1;
/** The store's first change since: it has the author's text. */
const firstEdit = (review: Review): Review["edits"][number] | undefined =>
  review.edits.slice(sinceOwn(review)).find(({ by }) => by === "shop");

const showEdit = defineOpenRoute({
  ...link("reviews.edit"),
  id: "public.reviews.edit",
  method: "GET",
  path: "/reviews/edits/:token",
  summary: "Show the author what the store changed in a review",
  example: { params: linkParams },
  handle: ({ params: { token } }, ctx) =>
    onLink(ctx, "reviews.edit", token, async ({ tx, id, face }) => {
      const review = (await tx.get(reviews, id))?.value ?? null;
      const edit = review === null ? undefined : firstEdit(review);
      if (review === null || edit === undefined || !review.edited) {
        return showMessage(face, UNCHANGED);
      }
      return face.page({
        title: face.say("review_page.edited"),
        body: html`<main>
          <h1>${face.say("review_page.edited")}</h1>
          <p>${face.say("review_page.your_text")}</p>
          <p class="note"><strong>${edit.title}</strong><br /><span class="pre">${edit.body}</span></p>
          <p>${face.say("review_page.changed_to")}</p>
          <p class="note"><strong>${review.title}</strong><br /><span class="pre">${review.body}</span></p>
          <form method="post" action="/api/public/reviews/edits/${token}">
            <p>${face.say("review_page.change_remains")}</p>
            <button name="action" value="decline">${face.say("review_page.restore")}</button>
          </form>
        </main>`,
      });
    }),
});

const declineEdit = defineOpenRoute({
  ...link("reviews.edit"),
  id: "public.reviews.edit-decline",
  method: "POST",
  path: "/reviews/edits/:token",
  summary: "Decline the store's change and restore the author's text",
  body: Pressed,
  form: true,
  example: { params: linkParams, body: { action: "decline" } },
  handle: ({ params: { token } }, ctx) =>
    onLink(ctx, "reviews.edit", token, async ({ tx, work, id, face }) => {
      const stored = await tx.get(reviews, id);
      const review = stored?.value ?? null;
      const first = review === null ? undefined : firstEdit(review);
      if (stored === null || review === null || first === undefined || !review.edited) {
        return showMessage(face, UNCHANGED);
      }
      await saveReview(tx, stored, {
        ...review,
        title: first.title,
        body: first.body,
        edited: false,
        edits: review.edits.map((edit, at) =>
          at >= sinceOwn(review) && edit.by === "shop" ? { ...edit, declined_at: work.nowAt } : edit,
        ),
        updated_at: work.nowAt,
      });
      return showMessage(face, ["review_page.restored_title", "review_page.restored_text"]);
    }),
});

const feed = defineOpenRoute({
  ...link("reviews.feed"),
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
