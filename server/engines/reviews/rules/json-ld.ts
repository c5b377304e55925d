import type { Review } from "../schema.ts";
import type { Aggregate } from "../schema/aggregate.ts";
import { withDisclosure } from "./disclose.ts";
import { shownName } from "./project.ts";

/** Maximum of reviews in the markup. */
export const SHOWN_MAX = 10;

/**
 * Targets whose reviews may be in markup, as a Product: a MenuItem of schema.org has no ratings. Reviews of a business on its own site are
 * self-serving and not eligible for rich results (Google, review snippet guidelines), so a store, a menu or a service has none.
 */
const PRODUCTS: readonly string[] = ["product", "variant", "menu_item"];

/** Whether a review may be in the markup of its target. */
export const isInMarkup = (review: Review): boolean =>
  review.status === "published" && !review.erase_asked && isShowable(review);

/** Reviews of other sites count only if they are shown on the page itself. */
export const isShowable = ({ source, collection_method: method }: Review): boolean =>
  (method !== "import" && method !== "syndicated") || source?.displayed_on_page === true;

/**
 * schema.org markup of a target with its rating; null if not eligible: for other types, and without reviews.
 * `name` is the product's name as shown on the page.
 */
export function jsonLdOf(
  aggregate: Aggregate,
  reviews: readonly Review[],
  product: { readonly name: string | null; readonly sku: string | null; readonly url: string | null },
): Readonly<Record<string, unknown>> | null {
  const isProduct = PRODUCTS.includes(aggregate.target.type);
  const shown = reviews.filter(isInMarkup).slice(0, SHOWN_MAX);
  if (!isProduct || aggregate.rating_value === null || shown.length === 0) return null;
  return {
    "@context": "https://schema.org",
    "@type": "Product",
    name: product.name ?? aggregate.target.id,
    ...(product.sku === null ? {} : { sku: product.sku }),
    ...(product.url === null ? {} : { url: product.url }),
    aggregateRating: {
      "@type": "AggregateRating",
      ratingValue: aggregate.rating_value,
      // 0 is no valid count.
      ...(aggregate.review_count === 0 ? {} : { reviewCount: aggregate.review_count }),
      ratingCount: aggregate.rating_count,
      bestRating: 5,
      worstRating: 1,
    },
    review: shown.map((review) => ({
      "@type": "Review",
      author: { "@type": "Person", name: shownName(review) },
      // As the page shows it: an imported review was published here on the day of its import.
      datePublished: review.submitted_at.slice(0, 10),
      reviewRating: { "@type": "Rating", ratingValue: review.rating, bestRating: 5, worstRating: 1 },
      ...(review.title === "" ? {} : { name: review.title }),
      ...bodyOf(review),
    })),
  };
}

function bodyOf({ body, disclosure }: Review): { readonly reviewBody?: string } {
  const text = withDisclosure(body, disclosure);
  return text === "" ? {} : { reviewBody: text };
}

/** JSON for a script element: nothing in it can end the element or start a comment. */
export const toScriptText = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll("<", "\\u003c")
    .replaceAll(">", "\\u003e")
    .replaceAll("&", "\\u0026")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
