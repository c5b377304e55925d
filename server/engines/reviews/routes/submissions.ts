import { z } from "zod";
import { reviewResource } from "./reviews.ts";

import { toInstant } from "../../../lib/instant.ts";
import { conflictWhen, invalidField, unprocessableWhen } from "../../../lib/errors.ts";
import { FORM_TOKEN_MAX_AGE_S, formSigner, mintFormToken } from "../../../core/form-token.ts";
import type { Ctx } from "../../../core/route.ts";
import { made } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { Id, Instant } from "../../../core/schema.ts";
import { reviewWorkOf } from "../services/work.ts";
import { requestConfirmation } from "../services/mails.ts";
import { storeLanguage } from "../services/store-language.ts";
import { submitReview } from "../services/submit.ts";
import type { Content } from "../services/submit.ts";
import { orderId, orders, readSettings, statsId, reviews } from "../repository.ts";
import { makeToken } from "../../../core/link-token.ts";
import { productPage } from "../rules/google-feed.ts";
import { UNVERIFIED, verifyLogin } from "../rules/verification.ts";
import { Author, Body, Points, Rating, Review, REVIEW_STATUSES, Title } from "../schema.ts";
import { Country, Email, Incentive, Media, Relationship, Target, WebUrl } from "../schema/parts.ts";
import { checkMediaHost, FormTokenText, judgeForm, OwnLocale, readAnswers, refuseFromPublic } from "./env.ts";
import type { Tx } from "../../../core/tx.ts";
import { filedTarget } from "../rules/pick-places.ts";
import type { Settings } from "../schema/settings.ts";

const MEDIA_MAX = 10;
export const NewMedia = Media.pick({ type: true, url: true }).extend({
  alt: z.string().trim().max(200).default(""),
});

const Submission = z.strictObject({
  target: Target,
  rating: Rating,
  title: Title.default(""),
  body: Body.default(""),
  pros: Points.default([]),
  cons: Points.default([]),
  attributes: z
    .record(z.string().max(40), z.union([z.int(), z.string().trim().max(200)]))
    .default({})
    .meta({ description: "Answers to custom attributes, by key" }),
  recommends: z.boolean().nullable().default(null),
  media: z.array(NewMedia).max(MEDIA_MAX).default([]),
  author: z.strictObject({
    display_name: z.string().trim().min(1).max(100),
    is_anonymous: z.boolean().default(false),
    location: z.string().trim().max(100).nullable().default(null),
    customer_id: Author.shape.customer_id.default(null).meta({ description: "Only with a secret key" }),
  }),
  email: Email.nullable().default(null),
  locale: OwnLocale,
  country: Country.nullable().default(null),
  incentive: Incentive.meta({ description: "The incentive offered to the author; cannot be changed later" }),
  relationship: Relationship.default("none"),
  experienced_at: Instant.nullable().default(null),
  form_token: FormTokenText.optional(),
  // Only with a secret key.
  product_name: Review.shape.product_name.default(null),
  product_url: WebUrl.nullable().default(null),
  sku: Review.shape.sku.default(null),
  gtin: Review.shape.gtin.default(null),
  mpn: Review.shape.mpn.default(null),
  brand: Review.shape.brand.default(null),
  order_id: z.string().max(128).nullable().default(null).meta({
    description: "The order in which the logged-in customer bought it, as sent to POST /v1/reviews/orders",
  }),
  collection_method: z.enum(["unsolicited", "post_fulfillment", "point_of_sale"]).nullable().default(null),
  submitted_at: Instant.nullable().default(null),
  source: z
    .strictObject({ system: z.string().min(1).max(40), external_id: z.string().min(1).max(128) })
    .nullable()
    .default(null),
});
type Submission = z.output<typeof Submission>;

const Receipt = z.strictObject({
  id: Id,
  status: z.enum(REVIEW_STATUSES),
  is_update: z.boolean().meta({ description: "Whether it replaced an earlier review of the same author" }),
  author_token: z.string().meta({ description: "Allows the author to withdraw the review" }),
});

export const createReview = reviewResource.custom.create({
  open: "submit",
  summary: "Submit a review",
  description:
    "An author has one review per target and order: a later one updates it. With a publishable key the form token is " +
    "evaluated, and the e-mail address is confirmed first (see settings). Verification is determined by the service " +
    "from the order of a logged-in customer, an invitation, or the confirmed address; it cannot be set.",
  body: Submission,
  data: Receipt,
  errors: [
    unprocessableWhen(
      "media_host_not_allowed",
      "The host of an image or video is not in media_hosts of the settings",
    ),
    conflictWhen("review_closed", "The review with that external_id was rejected, withdrawn or erased"),
  ],
  example: {
    body: {
      target: { type: "product", id: "oat-bar" },
      rating: 5,
      title: "Good crumb",
      body: "Gone by noon, and worth the queue.",
      author: { display_name: "Ada" },
      email: "ada@shop.example",
      incentive: { type: "none" },
    },
  },
  async handle({ body }, ctx) {
    refuseFromPublic(ctx, {
      product_name: body.product_name,
      product_url: body.product_url,
      sku: body.sku,
      gtin: body.gtin,
      mpn: body.mpn,
      brand: body.brand,
      order_id: body.order_id,
      collection_method: body.collection_method,
      submitted_at: body.submitted_at,
      source: body.source,
      "author.customer_id": body.author.customer_id,
    });
    if (body.submitted_at !== null && body.submitted_at > ctx.nowAt) {
      throw invalidField(["submitted_at"], "Must not be in the future.");
    }
    const form = await judgeForm(ctx, body.target, body.form_token);
    const { stored, is_update } = await submitReview(ctx.tx, reviewWorkOf(ctx), await contentOf(ctx, body), {
      verification: await loginOf(ctx, body),
      invitation_id: null,
      is_trusted: !ctx.isPublic,
      address: ctx.isPublic ? ctx.visitor().address_hash : null,
      form,
      submitted_at: body.submitted_at,
    });
    const review = stored.value;
    if (review.status === "unconfirmed")
      await requestConfirmation(ctx.tx, reviewWorkOf(ctx), review, await readSettings(ctx.tx));
    return made(
      {
        id: review.id,
        // A sender of spam does not learn that it was detected.
        status: ctx.isPublic && review.status === "spam" ? ("pending" as const) : review.status,
        is_update,
        author_token: makeToken(ctx.ports, "reviews.author", ctx.tx.part, review.id),
      },
      `/${review.id}`,
    );
  },
});

async function contentOf(ctx: Ctx, body: Submission): Promise<Content> {
  const settings = await readSettings(ctx.tx);
  for (const [at, { url }] of body.media.entries()) checkMediaHost(url, settings, ["media", at, "url"]);
  const { form_token: _, order_id: __, submitted_at: ___, ...input } = body;
  return {
    ...input,
    ...(await readAnswers(ctx.tx, body.attributes, body.target.type)),
    ...(await productOf(ctx.tx, body, settings)),
    locale: body.locale ?? (await storeLanguage(ctx.tx)),
    media: body.media.map((media) => ({ ...media, id: ctx.newId("med"), status: "pending" as const })),
    collection_method: body.collection_method ?? "unsolicited",
    source: body.source === null ? null : { ...body.source, displayed_on_page: true },
    translations: {},
  };
}

/**
 * The store's server identifies the logged-in customer: a verified purchase if that customer's order has the target.
 */
async function loginOf(ctx: Ctx, { target, author, order_id: id }: Submission) {
  if (ctx.isPublic || id === null) return UNVERIFIED;
  const order = (await ctx.tx.get(orders, orderId(id)))?.value ?? null;
  return verifyLogin({ target, customer_id: author.customer_id }, order, ctx.nowAt);
}

export const mintToken = defineRoute({
  id: "reviews.tokens.create",
  method: "POST",
  path: "/tokens",
  open: "submit",
  dryRun: true,
  scope: "read",
  status: 201,
  summary: "Create a token for the form of a review or question",
  description:
    "Request it when the form is shown and send it with the submission. It measures how long that took, and can be " +
    "used once.",
  body: z.strictObject({ target: Target }),
  data: z.strictObject({ token: z.string(), expires_at: Instant }),
  example: {
    body: { target: { type: "product", id: "oat-bar" } },
  },
  async handle({ body: { target } }, ctx) {
    const iat = Math.floor(ctx.ports.realNow() / 1000);
    const token = mintFormToken(
      { f: statsId(target), v: 1, o: ctx.visitor().origin ?? "", iat, n: ctx.newId("n").slice(2) },
      formSigner(ctx.ports, ctx.tx.part),
    );
    return made({ token, expires_at: toInstant((iat + FORM_TOKEN_MAX_AGE_S) * 1000) }, "/tokens");
  },
});

type Product = Pick<Review, "product_name" | "product_url" | "sku" | "gtin" | "mpn" | "brand">;

/**
 * Data of the product: as submitted, otherwise from the latest published review of it, otherwise from the store's
 * template.
 */
async function productOf(
  tx: Tx,
  input: Product & Pick<Review, "target">,
  settings: Pick<Settings, "product_url_template">,
): Promise<Product> {
  const { items } = await tx.peekPage(reviews, {
    index: "published",
    value: filedTarget(input.target),
    limit: 1,
  });
  const last = items[0]?.value;
  const page = productPage(settings.product_url_template, input.target.id);
  return {
    product_name: input.product_name ?? last?.product_name ?? null,
    product_url: input.product_url ?? last?.product_url ?? page,
    sku: input.sku ?? last?.sku ?? null,
    gtin: input.gtin ?? last?.gtin ?? null,
    mpn: input.mpn ?? last?.mpn ?? null,
    brand: input.brand ?? last?.brand ?? null,
  };
}
