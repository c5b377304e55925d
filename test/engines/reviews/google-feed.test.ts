import { describe, expect, it } from "vitest";

import {
  escapeXml,
  FEED_END,
  REVIEWS_END,
  REVIEWS_START,
  feedHead,
  feedReview,
  pageInFeed,
} from "../../../server/engines/reviews/rules/google-feed.ts";
import type { Review } from "../../../server/engines/reviews/schema.ts";
import { feedFaults } from "./feed-structure.ts";
import { makeReview } from "./make.ts";

const body = (text: string): string => (text === "" ? "" : REVIEWS_START + text + REVIEWS_END);
const whole = (reviews: readonly Review[], favicon_url = "") =>
  feedHead({ shop_name: "Bread & Butter", favicon_url }) +
  body(reviews.map((review) => feedReview(review, "")).join("")) +
  FEED_END;

const full = makeReview({
  gtin: "5417102384250",
  mpn: "M-1",
  brand: "Bakery",
  country: "GB",
  pros: ["Crust", "<b>"],
  cons: ["Price & size"],
  author: { display_name: "A < B", customer_id: "cus-1", is_anonymous: false, location: null },
  media: [
    { id: "1", type: "image", url: "https://cdn.example/1.jpg", alt: "", status: "published" },
    { id: "2", type: "image", url: "https://cdn.example/2.jpg", alt: "", status: "pending" },
  ],
  verification: { level: "verified_purchase", method: "invitation", order_id: "1042", at: null },
  incentive: { type: "coupon", note: "" },
  disclosure: "The reviewer was offered a coupon for this review.",
  collection_method: "post_fulfillment",
  body: "]]> & </content> \u0000\u001F\uFFFE fine",
});

describe("Google's feed", () => {
  it.each<[string, Review[]]>([
    ["no review", []],
    ["a plain one", [makeReview()]],
    ["one with everything", [full]],
    [
      "an anonymous one",
      [makeReview({ author: { display_name: "", customer_id: "c", is_anonymous: true, location: null } })],
    ],
    ["an import", [makeReview({ collection_method: "import" })]],
    [
      "texts that are empty once XML took its part",
      [makeReview({ title: "\u0000", pros: ["\u0001"], product_name: "\u0002" })],
    ],
    ["many", [makeReview(), full, makeReview({ title: "" })]],
  ])("is as published with %s", (_, reviews) =>
    expect(feedFaults(whole(reviews, "https://x.example/f.png"))).toEqual([]),
  );

  it("tells what was offered, shows approved pictures alone, and hides who is anonymous", () => {
    const xml = feedReview(full, "");
    expect(xml).toContain("<is_incentivized_review>true</is_incentivized_review>");
    expect(xml).toContain("<content>[The reviewer was offered a coupon for this review.] ]]&gt; &amp;");
    expect(xml).toContain("1.jpg");
    expect(xml).not.toContain("2.jpg");
    const anonymous = feedReview(
      makeReview({ author: { display_name: "Ada", customer_id: "c9", is_anonymous: true, location: null } }),
      "",
    );
    expect(anonymous).toContain('<name is_anonymous="true">Anonymous</name>');
    expect(anonymous).not.toContain("c9");
  });

  it.each<[string, Partial<Review>]>([
    ["is not published", { status: "pending" }],
    ["is of the store", { target: { type: "store", id: "s" } }],
    ["has no words", { body: "" }],
    ["has no page", { product_url: null }],
    ["was syndicated", { collection_method: "syndicated" }],
    ["is being erased", { erase_asked: true }],
  ])("leaves out what %s", (_, more) => {
    expect(pageInFeed(makeReview(more), "")).toBeNull();
    expect(feedReview(makeReview(more), "")).toBe("");
  });

  it("takes the page from the store's template where a review was stored without one", () => {
    const template = "https://shop.example/p/{id}";
    expect(pageInFeed(makeReview(), template)).toBe("https://bakery.example/products/loaf");
    const invited = makeReview({ product_url: null, target: { type: "product", id: "oat $& bar" } });
    expect(pageInFeed(invited, template)).toBe("https://shop.example/p/oat%20%24%26%20bar");
    expect(pageInFeed({ ...invited, status: "pending" }, template)).toBeNull();
  });

  it("drops what XML cannot hold", () =>
    expect(escapeXml("a\u0000\ud800<\u{1F35E}\n")).toBe("a&lt;\u{1F35E}\n"));

  it("is told from feeds that are not as published (negative control)", () => {
    const good = whole([makeReview()]);
    for (const [from, to] of [
      ["<version>2.4</version>", "<version>2.3</version>"],
      ["<version>2.4</version>", ""],
      ['max="5"', 'max="10"'],
      [/<product_url>.*?<\/product_url>/, ""],
      [/(<title>.*?<\/title>)(<content>.*?<\/content>)/, "$2$1"],
      ["<is_spam>false</is_spam>", "<is_spam>no</is_spam>"],
      ["<review_id>", "<id>x</id><review_id>"],
    ] as const) {
      expect(feedFaults(good.replace(from, to)), String(from)).not.toEqual([]);
    }
    for (const [from, to] of [
      ["</publisher>", "</publishers>"],
      ["</feed>", ""],
      ["&amp;", "&"],
    ] as const) {
      expect(feedFaults(good.replace(from, to)), from).toHaveLength(1);
    }
  });
});
