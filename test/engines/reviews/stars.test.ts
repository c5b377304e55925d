import { describe, expect, it } from "vitest";

import {
  mean,
  rankingScore,
  starLowerBound,
  storeMean,
} from "../../../server/engines/reviews/rules/aggregate.ts";
import type { Histogram } from "../../../server/engines/reviews/schema/aggregate.ts";

describe("averages", () => {
  it.each<[Histogram, number, number, number | null, number | null]>([
    [[1, 0, 2, 5, 42], 50, 237, 4.74, 4.7],
    // Exactly between: half up, where binary rounding would give 4.2.
    [[2, 1, 0, 4, 13], 20, 85, 4.25, 4.3],
    [[0, 0, 0, 0, 0], 0, 0, null, null],
    [[1, 1, 1, 0, 0], 3, 6, 2, 2],
  ])("A16: %j", (histogram, count, sum, ...means) => {
    expect(histogram.reduce((all, own) => all + own, 0)).toBe(count);
    expect(histogram.reduce((all, own, at) => all + own * (at + 1), 0)).toBe(sum);
    expect([mean(sum, count, 4), mean(sum, count, 1)]).toEqual(means);
  });

  it.each([
    [5, 1, 4.272727],
    [230, 50, 4.533333],
    [0, 0, 4.2],
  ])("A14: Σ%d of %d leans to %d", (sum, count, score) => expect(rankingScore(sum, count, 4.2)).toBe(score));

  it.each<[Histogram, number]>([
    [[0, 0, 0, 0, 1], 2.406481],
    [[0, 0, 0, 0, 10], 3.820414],
    [[1, 0, 2, 5, 42], 4.373525],
  ])("A15: %j has the lower bound %d", (histogram, bound) => expect(starLowerBound(histogram)).toBe(bound));

  it("takes 3.5 for the store's mean until it has fifty ratings", () => {
    expect(storeMean({ rating_sum: 245, rating_count: 49 })).toBe(3.5);
    expect(storeMean({ rating_sum: 250, rating_count: 50 })).toBe(5);
  });
});
