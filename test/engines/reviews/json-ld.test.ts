import { describe, expect, it } from "vitest";

import { NO_STATS, addStats, numbersOf, statsOf } from "../../../server/engines/reviews/rules/aggregate.ts";
import { jsonLdOf, toScriptText } from "../../../server/engines/reviews/rules/json-ld.ts";
import type { Review } from "../../../server/engines/reviews/schema.ts";
import type { Target } from "../../../server/engines/reviews/schema/parts.ts";
import { makeReview } from "./make.ts";

const about = { name: "Loaf", sku: "LOAF", url: null };
const markup = (reviews: readonly Review[], target: Target = { type: "product", id: "loaf" }) => {
  const stats = reviews.reduce((sum, review) => addStats(sum, statsOf(review), 1), NO_STATS);
  const aggregate = {
    target,
    ...numbersOf(stats, { stats }),
    attributes: {},
    last_published_at: null,
    group_id: null,
  };
  return jsonLdOf(aggregate, reviews, about);
};

describe("JSON-LD", () => {
  it("A28: cannot end the script it stands in", () => {
    const body = "bad </script><script>alert(1)</script> & <b>";
    const text = toScriptText(markup([makeReview({ body })]));
    expect(text).toContain(
      "bad \\u003c/script\\u003e\\u003cscript\\u003ealert(1)\\u003c/script\\u003e \\u0026 \\u003cb\\u003e",
    );
    expect(text).not.toMatch(/[<>&]/);
    expect(JSON.parse(text).review[0].reviewBody).toBe(body);
  });

  it("tells the plain average, and what has to be told with a review", () => {
    const disclosure = "The reviewer was offered a coupon for this review.";
    const found = markup([
      makeReview({ rating: 4, disclosure }),
      makeReview({ author: { ...makeReview().author, is_anonymous: true } }),
    ]);
    expect(found).toMatchObject({
      "@type": "Product",
      name: "Loaf",
      sku: "LOAF",
      aggregateRating: { ratingValue: 4.5, ratingCount: 2, reviewCount: 2, bestRating: 5, worstRating: 1 },
      review: [
        { reviewBody: `[${disclosure}] Gone by noon.`, author: { name: "Ada" } },
        { author: { name: "Anonymous" }, datePublished: "2026-06-01" },
      ],
    });
  });

  it("dates a review as the page does, also one that was imported years later", () => {
    const submitted_at = "2019-03-04T23:30:00.000Z";
    const review = makeReview({ submitted_at, published_at: "2026-06-01T09:00:00.000Z" });
    expect(markup([review])).toMatchObject({ review: [{ datePublished: "2019-03-04" }] });
  });

  it.each<[string, Review[], Target]>([
    ["no review", [], { type: "product", id: "loaf" }],
    ["the store itself", [makeReview()], { type: "store", id: "s" }],
    ["a service", [makeReview()], { type: "service", id: "s" }],
    [
      "imported reviews alone",
      [makeReview({ collection_method: "import" })],
      { type: "product", id: "loaf" },
    ],
    [
      "those whose authors are being erased",
      [makeReview({ erase_asked: true })],
      { type: "product", id: "loaf" },
    ],
  ])("says nothing of %s", (_, reviews, target) => expect(markup(reviews, target)).toBeNull());

  it("shows ten at most, of other sites only what the page shows", () => {
    const source = { system: "x", external_id: null, displayed_on_page: true };
    const reviews = [
      makeReview({ collection_method: "syndicated", source }),
      ...Array.from({ length: 12 }, () => makeReview()),
    ];
    expect(markup(reviews)).toMatchObject({ review: { length: 10 } });
    expect(markup(reviews, { type: "menu_item", id: "soup" })).toMatchObject({ "@type": "Product" });
  });

  it("counts no texts where there are none", () => {
    const found = markup([makeReview({ body: "" })]);
    expect(found).toMatchObject({ aggregateRating: { ratingCount: 1 }, review: [{ author: {} }] });
    expect(JSON.stringify(found)).not.toMatch(/reviewCount|reviewBody/);
  });
});
