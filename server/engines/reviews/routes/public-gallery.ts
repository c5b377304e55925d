import { createHash } from "node:crypto";

import { z } from "zod";

import { readFace } from "../../../core/face.ts";
import type { Face } from "../../../core/face.ts";
import { LinkParams, linkParams, linkPart, requireLink } from "../../../core/link-page.ts";
import { publicPart, storeParams, toPublic } from "../../../core/public-store.ts";
import { showRefusal } from "../../../core/refusal.ts";
import type { Reply } from "../../../core/reply.ts";
import type { OpenCtx } from "../../../core/route.ts";
import { raw } from "../../../core/reply.ts";
import { defineOpenRoute } from "../../../core/route.ts";
import type { Tx } from "../../../core/tx.ts";
import type { MessageKey } from "../../../core/words.ts";
import { fail } from "../../../lib/errors.ts";
import type { Html } from "../../../lib/html.ts";
import { html } from "../../../lib/html.ts";
import { mapInSlices } from "../../../lib/slices.ts";
import { aggregates, readPolicy, readSettings, reviews, statsId } from "../repository.ts";
import { numbersOf } from "../rules/aggregate.ts";
import { filedTarget } from "../rules/pick-places.ts";
import { disclosureOf } from "../rules/disclose.ts";
import { toPublicReview } from "../rules/project.ts";
import { renderBadge, starText } from "../rules/render-badge.ts";
import type { PublicReview } from "../schema.ts";
import { Target, TARGET_TYPES } from "../schema/parts.ts";
import type { Policy } from "../schema/settings.ts";
import { readPhoto } from "../services/photos.ts";
import { NO_TOTALS } from "../services/save-review.ts";

const params = { store: "sto_01jd8z5t9qk3m4n5p6r7s8t9v0", type: "product", target_id: "oat-bar" };
const Params = storeParams.extend({ type: z.enum(TARGET_TYPES), target_id: Target.shape.id });
const PAGE = 20;

const photo = defineOpenRoute({
  id: "public.reviews.photo",
  method: "GET",
  path: "/reviews/photos/:token",
  paidBy: linkPart("reviews.photo"),
  open: "public",
  summary: "Show a photo of a review",
  params: LinkParams,
  data: z.string(),
  rawType: "image/webp",
  errors: [{ type: "not_found", when: "The review is not shown, or the link is invalid" }],
  hidden: true,
  example: { params: linkParams },
  async handle({ params: { token } }, ctx) {
    const { id, part } = requireLink(ctx, "reviews.photo", token);
    const bytes = await ctx.runTx(part, (tx) => readPhoto(tx, ctx.ports, id));
    if (bytes === null) throw fail("not_found", "This photo is not shown any more.");
    return raw("image/webp", bytes, {
      headers: {
        "Cache-Control": "public, max-age=300",
        ETag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`,
        "Content-Disposition": `inline; filename="${id}.webp"`,
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Resource-Policy": "cross-origin",
      },
    });
  },
});

const gallery = defineOpenRoute({
  id: "public.reviews.gallery",
  method: "GET",
  path: "/stores/:store/reviews/:type/:target_id",
  paidBy: publicPart,
  open: "public",
  summary: "Show a page with the published reviews of a target",
  params: Params,
  query: z.object({ cursor: z.string().max(400).optional() }),
  data: z.string(),
  rawType: "text/html",
  refusal: (refused) => showRefusal(refused),
  errors: [{ type: "not_found", when: "The target has no published reviews" }],
  hidden: true,
  example: { params },
  handle: ({ params: { store, type, target_id: id }, query }, ctx) =>
    onTarget(ctx, store, { type, id }, async (face, numbers, tx) => {
      const page = await tx.peekPage(reviews, {
        index: "published",
        value: filedTarget({ type, id }),
        limit: PAGE,
        cursor: query.cursor,
      });
      const { media_hosts: hosts } = await readSettings(tx);
      const images = ["'self'", new URL(ctx.baseUrl).origin, ...hosts.map((host) => `https://${host}`)];
      const all = await mapInSlices(page.items, tx.part, ({ value }) => toPublicReview(value) ?? []);
      const policy = await readPolicy(tx);
      return galleryPage(face, { numbers, shown: all.flat(), next: page.next, images, id, policy });
    }),
});

const badge = defineOpenRoute({
  id: "public.reviews.badge",
  method: "GET",
  path: "/stores/:store/reviews/:type/:target_id/badge.svg",
  paidBy: publicPart,
  open: "public",
  summary: "Show the average of a target as an image",
  params: Params,
  data: z.string(),
  rawType: "image/svg+xml",
  errors: [{ type: "not_found", when: "The target has no published reviews" }],
  hidden: true,
  example: { params },
  handle: ({ params: { store, type, target_id: id } }, ctx) =>
    onTarget(ctx, store, { type, id }, async (face, { rating_count: count, rating_value: value }) => {
      const text = face.say("review_page.count", { count });
      const svg = renderBadge({
        value: value ?? 0,
        label: face.say("review_page.average", { value: value ?? 0 }),
        text,
      });
      return raw("image/svg+xml; charset=utf-8", svg, {
        headers: {
          "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
          "Cross-Origin-Resource-Policy": "cross-origin",
        },
      });
    }),
});

type Numbers = ReturnType<typeof numbersOf>;

async function onTarget(
  ctx: OpenCtx,
  part: string,
  target: Target,
  show: (face: Face, numbers: Numbers, tx: Tx) => Promise<Reply<never>>,
): Promise<Reply<never>> {
  return ctx.runTx(part, async (tx) => {
    const stats = (await tx.get(aggregates, statsId(target)))?.value.stats ?? null;
    if (stats === null || stats.rating_count === 0)
      throw fail("not_found", "No published reviews of this target in this store.");
    const face = (await readFace(ctx, tx)).with({ name: (await readSettings(tx)).shop_name });
    return toPublic(await show(face, numbersOf(stats, NO_TOTALS), tx), { isSpoken: true });
  });
}

interface Gallery {
  readonly numbers: Numbers;
  readonly shown: readonly PublicReview[];
  /** Cursor of the next page; null on the last. */
  readonly next: string | null;
  readonly images: readonly string[];
  readonly id: string;
  readonly policy: Policy;
}

function galleryPage(face: Face, { id, images, next, numbers, policy, shown }: Gallery): Reply<never> {
  const { say } = face;
  const name = shown.find(({ product_name: one }) => one !== null)?.product_name ?? id;
  const pictures = shown.flatMap(({ author, media }) =>
    media.filter(({ type }) => type === "image").map(({ alt, url }) => ({ alt, url, author })),
  );
  return face.page({
    title: say("review_page.gallery", { name }),
    images,
    policy: "form-action 'none'",
    body: html`<main>
      <h1>${name}</h1>
      <p class="lead">
        ${stars(face, numbers.rating_value ?? 0)}
        ${say("review_page.average", { value: numbers.rating_value ?? 0 })} ·
        ${say("review_page.count", { count: numbers.rating_count })}
      </p>
      ${histogram(face, numbers)} ${handling(face, policy)}
      ${
        pictures.length === 0
          ? null
          : html`<h2>${say("review_page.photos_title")}</h2>
              <ul class="photos">
                ${pictures.map(
                  ({ alt, author, url }) =>
                    html`<li>
                      <a href="${url}"
                        ><img
                          src="${url}"
                          alt="${alt === "" ? say("review_page.photo_by", { name: author.display_name }) : alt}"
                          loading="lazy"
                      /></a>
                    </li>`,
                )}
              </ul>`
      }
      <ul class="rows">
        ${shown.map((review) => html`<li>${oneReview(face, review)}</li>`)}
      </ul>
      ${
        next === null
          ? null
          : html`<p>
              <a href="?cursor=${encodeURIComponent(next)}">${say("review_page.next_page")}</a>
            </p>`
      }
    </main>`,
  });
}

const stars = ({ say }: Face, value: number): Html =>
  html`<span class="rating" role="img" aria-label="${say("review_page.average", { value })}"
    >${starText(value)}</span
  >`;

const histogram = ({ say }: Face, { histogram: counts, rating_count: all }: Numbers): Html =>
  html`<table class="histogram">
    <tbody>
      ${(["5", "4", "3", "2", "1"] as const).map(
        (star) =>
          html`<tr>
            <th scope="row">${say("review_page.stars", { stars: Number(star) })}</th>
            <td><progress aria-hidden="true" value="${counts[star]}" max="${all}"></progress></td>
            <td class="n">${counts[star]}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;

/** Who has bought something else has not bought the product (Directive 2005/29/EC, annex I, 23b). */
const VERIFIED: ReadonlyMap<PublicReview["verification"]["level"], MessageKey> = new Map([
  ["verified_purchase", "review_page.verified"],
  ["verified_buyer", "review_page.verified_buyer"],
]);

/** Whether and how it is ensured that reviews are of customers (Directive 2005/29/EC, article 7 (6)). */
const handling = ({ say }: Face, { text, updated_at: at }: Policy): Html =>
  html`<details>
    <summary>${say("review_page.policy")}</summary>
    <p class="pre" dir="auto" ${at === null ? html`lang="en"` : null}>${text}</p>
  </details>`;

function oneReview(face: Face, review: z.output<typeof PublicReview>): Html {
  const {
    author,
    body,
    collection_method: method,
    incentive,
    locale,
    rating,
    relationship,
    reply,
    source,
    submitted_at: at,
    title,
    verification,
  } = review;
  const disclosure = disclosureOf(face, incentive, relationship);
  const label = VERIFIED.get(verification.level);
  const by = [
    author.display_name,
    face.date(at.slice(0, 10)),
    label === undefined ? "" : face.say(label),
    // Not by customers of the store, as far as it knows.
    method === "syndicated" && source !== null
      ? face.say("review_page.syndicated", { system: source.system })
      : "",
  ];
  return html`${stars(face, rating)}
    ${title === "" ? null : html`<strong dir="auto" lang="${locale}">${title}</strong>`}
    <p class="pre" dir="auto" lang="${locale}">${body}</p>
    ${disclosure === null ? null : html`<p class="hint">${disclosure}</p>`}
    <span class="meta">${by.filter(Boolean).join(" · ")}</span>
    ${
      reply === null
        ? null
        : html`<p class="note">
            <strong>${face.say("review_page.reply_by", { name: reply.by })}</strong><br /><span dir="auto"
              >${reply.body}</span
            >
          </p>`
    }`;
}

export const publicGalleryRoutes = [photo, gallery, badge];
