import { array, assert, constantFrom, dictionary, integer, oneof, property, record } from "fast-check";
import { describe, expect, it } from "vitest";

import {
  addAttributes,
  addStats,
  attributesOf,
  NO_STATS,
  numbersOf,
  sameStats,
  statsOf,
} from "../../../server/engines/reviews/rules/aggregate.ts";
import { seeded } from "../../seeded.ts";
import { makeReview } from "./make.ts";

describe("sums of reviews", () => {
  it("count what is published and nothing else", () => {
    for (const status of ["pending", "rejected", "spam", "withdrawn", "erased", "unconfirmed"] as const) {
      expect(statsOf(makeReview({ status })), status).toEqual(NO_STATS);
      expect(attributesOf(makeReview({ status, attributes: { crumb: 3 } }))).toEqual({});
    }
    expect(statsOf(makeReview({ body: "", recommends: true }))).toMatchObject({
      rating_count: 1,
      review_count: 0,
      recommend_yes: 1,
    });
  });

  it("are what they were when a review comes and goes", () => {
    const review = record({
      rating: integer({ min: 1, max: 5 }),
      body: constantFrom("", "words"),
      recommends: constantFrom(true, false, null),
      attributes: dictionary(
        constantFrom("a", "b"),
        oneof(integer({ min: 1, max: 5 }), constantFrom("x", "y")),
      ),
    });
    assert(
      property(array(review), review, (others, one) => {
        const before = others.map((more) => makeReview(more));
        const stats = before.reduce((sum, own) => addStats(sum, statsOf(own), 1), NO_STATS);
        const answers = before.reduce((sum, own) => addAttributes(sum, attributesOf(own), 1), {});
        const added = makeReview(one);
        expect(addStats(addStats(stats, statsOf(added), 1), statsOf(added), -1)).toEqual(stats);
        const back = addAttributes(addAttributes(answers, attributesOf(added), 1), attributesOf(added), -1);
        expect(back).toEqual(answers);
      }),
      seeded(200),
    );
  });

  it("give shares of those who answered, and nulls where nobody did", () => {
    const stats = [true, false, null].reduce(
      (sum, recommends) => addStats(sum, statsOf(makeReview({ recommends })), 1),
      NO_STATS,
    );
    expect(numbersOf(stats, { stats })).toMatchObject({ recommended_share: 0.5, verified_share: 0 });
    expect(numbersOf(NO_STATS, { stats: NO_STATS })).toMatchObject({
      rating_mean: null,
      rating_value: null,
      star_lower_bound: null,
      ranking_score: 3.5,
    });
  });

  it("are the same whatever the order of their members", () => {
    const one = {
      id: "agg_1",
      target: { type: "product" as const, id: "x" },
      stats: NO_STATS,
      attributes: { a: { count: 1, sum: 2, options: {} }, b: { count: 1, sum: 1, options: {} } },
      last_published_at: null,
    };
    const { a, b } = one.attributes;
    expect(sameStats(one, { ...one, attributes: { b, a } })).toBe(true);
    expect(sameStats(one, { ...one, attributes: { a } })).toBe(false);
  });
});
