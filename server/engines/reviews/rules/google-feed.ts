import type { Review } from "../schema.ts";
import type { Settings } from "../schema/settings.ts";
import { withDisclosure } from "./disclose.ts";
import { ANONYMOUS, shownName } from "./project.ts";

/**
 * Google's product review feed, schema 2.4 (developers.google.com/product-review-feeds/schema): elements in the
 * published
 * order. Streamed in parts, since a feed is always complete: Google deletes reviews that are missing.
 */
export const feedHead = (settings: Pick<Settings, "shop_name" | "favicon_url">): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns:vc="http://www.w3.org/2007/XMLSchema-versioning" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="http://www.google.com/shopping/reviews/schema/product/2.4/product_reviews.xsd">
<version>2.4</version>
<publisher>${element("name", settings.shop_name === "" ? "Shop" : settings.shop_name)}${
    settings.favicon_url === "" ? "" : element("favicon", settings.favicon_url)
  }</publisher>
`;

/** Around the reviews; `reviews` has at least one, so a feed without any leaves it out. */
export const REVIEWS_START = "<reviews>\n";
export const REVIEWS_END = "</reviews>\n";
export const FEED_END = "</feed>\n";

const FEED_TYPES: readonly string[] = ["product", "variant", "menu_item"];

/** The page of a product by the store's template; null without one. */
export const productPage = (template: string, id: string): string | null =>
  template === "" ? null : template.replaceAll("{id}", encodeURIComponent(id));

/** The product page of a review that is part of the feed: of a product, with a text and a page. Null for any other. */
export const pageInFeed = (review: Review, template: string): string | null =>
  review.status === "published" &&
  !review.erase_asked &&
  FEED_TYPES.includes(review.target.type) &&
  hasText(review.body) &&
  review.collection_method !== "syndicated"
    ? (review.product_url ?? productPage(template, review.target.id))
    : null;

/** The public form of a review: Google's optional ids of customers and orders are internal to the store. */
export const withoutIds = (review: Review): Review => ({
  ...review,
  author: { ...review.author, customer_id: null },
  verification: { ...review.verification, order_id: null },
});

/** One `review` element; "" for one that is not part of the feed. `template`: of product pages, for reviews that were stored without one. */
export function feedReview(review: Review, template: string): string {
  const url = pageInFeed(review, template);
  if (url === null) return "";
  const { author, media, verification } = review;
  const images = media.filter(({ status, type }) => status === "published" && type === "image");
  return [
    "<review>",
    element("review_id", review.id),
    "<reviewer>",
    `<name${author.is_anonymous || !hasText(author.display_name) ? ' is_anonymous="true"' : ""}>${escapeXml(hasText(shownName(review)) ? shownName(review) : ANONYMOUS)}</name>`,
    author.customer_id === null || author.is_anonymous ? "" : element("reviewer_id", author.customer_id),
    "</reviewer>",
    element("is_verified_purchase", String(verification.level === "verified_purchase")),
    element("is_incentivized_review", String(review.incentive.type !== "none")),
    element("review_timestamp", review.submitted_at),
    hasText(review.title) ? element("title", review.title) : "",
    element("content", withDisclosure(review.body, review.disclosure)),
    element("review_language", review.locale.split("-")[0] ?? "en"),
    review.country === null ? "" : element("review_country", review.country),
    group(
      "pros",
      review.pros.filter(hasText).map((pro) => element("pro", pro)),
    ),
    group(
      "cons",
      review.cons.filter(hasText).map((con) => element("con", con)),
    ),
    `<review_url type="group">${escapeXml(url)}</review_url>`,
    group(
      "reviewer_images",
      images.map((image) => `<reviewer_image>${element("url", image.url)}</reviewer_image>`),
    ),
    `<ratings><overall min="1" max="5">${review.rating}</overall></ratings>`,
    `<products><product>${productOf(review, url)}</product></products>`,
    "<is_spam>false</is_spam>",
    methodOf(review),
    verification.order_id === null ? "" : element("transaction_id", verification.order_id),
    "</review>\n",
  ].join("");
}

function productOf(review: Review, url: string): string {
  const ids = [
    review.gtin === null ? "" : `<gtins>${element("gtin", review.gtin)}</gtins>`,
    review.mpn === null ? "" : `<mpns>${element("mpn", review.mpn)}</mpns>`,
    `<skus>${element("sku", review.sku ?? review.target.id)}</skus>`,
    review.brand === null ? "" : `<brands>${element("brand", review.brand)}</brands>`,
  ].join("");
  const name = hasText(review.product_name ?? "") ? element("product_name", review.product_name ?? "") : "";
  return `<product_ids>${ids}</product_ids>${name}${element("product_url", url)}`;
}

/** Google defines three methods; for an import the method is unknown and omitted. */
function methodOf({ collection_method: method }: Review): string {
  if (method === "unsolicited" || method === "post_fulfillment" || method === "point_of_sale") {
    return element("collection_method", method);
  }
  return "";
}

const group = (name: string, parts: readonly string[]): string =>
  parts.length === 0 ? "" : `<${name}>${parts.join("")}</${name}>`;

/** Google's nonEmptyStringType: at least one character that is no white space, after what XML forbids is removed. */
const hasText = (text: string): boolean => SHOWN.test(text);

const element = (name: string, text: string): string => `<${name}>${escapeXml(text)}</${name}>`;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Control characters, lone surrogates, and the two noncharacters: those that XML does not allow, and those in `ALLOWED`. */
const CONTROLS = /[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu;
const ALLOWED = "\t\n\r";
/** A character that XML allows and that is no white space. */
const SHOWN = /[^\s\p{Cc}\p{Cs}\uFFFE\uFFFF]/u;

/** Text of an element or attribute; characters that XML 1.0 does not allow are removed. */
export const escapeXml = (text: string): string =>
  text
    .replaceAll(CONTROLS, (char) => (ALLOWED.includes(char) ? char : ""))
    .replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
