import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { ENOUGH, metricOf, metricsOf } from "../../../server/engines/answeros/rules/metrics.ts";
import { addSums, noSums } from "../../../server/engines/answeros/rules/tally.ts";
import { wilson } from "../../../server/lib/wilson.ts";
import { A30, CRUMB, LOAFLY, sumsOfAll, sumsOfAnswer } from "./fixture.ts";
import type { Said } from "./fixture.ts";

describe("A12: Wilson", () => {
  it.each([
    [0, 0, 0, 0],
    [1, 1, 0.206549, 1],
    [2, 2, 0.34238, 1],
    [100, 101, 0.946033, 0.99825],
    [209, 259, 0.754538, 0.85039],
    [118, 143, 0.754649, 0.878687],
    [0, 3, 0, 0.561497],
  ])("%i of %i", (successes, trials, lower, upper) => {
    const interval = wilson(successes, trials);
    expect(interval.lower).toBeCloseTo(lower, 6);
    expect(interval.upper).toBeCloseTo(upper, 6);
  });
});

describe("A30: figures over five observations", () => {
  const metrics = metricsOf(sumsOfAll(A30), CRUMB.id);

  it.each([
    ["visibility", 3, 5, 0.6],
    ["sov_answers", 3, 4, 0.75],
    ["sov_mentions", 4, 11, 0.3636],
    ["citation_rate", 1, 4, 0.25],
    ["citation_rate_all", 1, 5, 0.2],
    ["citation_share", 1, 6, 0.1667],
    ["avg_position", 4, 3, 1.3333],
    ["first_mention_rate", 2, 5, 0.4],
    ["sentiment", 1.5, 3, 50],
  ] as const)("%s is %d / %d = %d", (name, numerator, denominator, value) => {
    expect(metrics[name]).toMatchObject({ numerator, denominator, low_confidence: true });
    expect(metrics[name].value).toBeCloseTo(value, 4);
    expect(metrics[name].definition).not.toBe("");
  });

  it("gives the interval of visibility", () => {
    expect(metrics.visibility.ci95?.lower).toBeCloseTo(0.2307, 4);
    expect(metrics.visibility.ci95?.upper).toBeCloseTo(0.8824, 4);
  });

  it("gives no interval where a figure is no proportion", () => {
    for (const name of ["avg_position", "sentiment", "visibility_index", "pawc"] as const) {
      expect([name, metrics[name].ci95]).toEqual([name, null]);
    }
  });

  it("counts appearances, places and citations into the index", () => {
    // Crumb appears in three of five answers; its place is 2, 1, 1, and its citation is the first of one answer.
    const expected = 100 * Math.sqrt(3 / 5) * (0.25 * (1 / 3) + 0.75 * (2.5 / 3));
    expect(metrics.visibility_index.value).toBeCloseTo(expected, 4);
  });
});

describe("figures", () => {
  it("are null, never 0, where there is nothing to divide by", () => {
    for (const [name, metric] of Object.entries(metricsOf(noSums(), CRUMB.id))) {
      expect([name, metric]).toEqual([
        name,
        expect.objectContaining({
          value: null,
          ci95: null,
          numerator: 0,
          denominator: 0,
          low_confidence: true,
        }),
      ]);
    }
  });

  it("are 0 where there was something and the brand was not in it", () => {
    const metrics = metricsOf(
      sumsOfAll([{ text: "Try Loafly.", cites: [], sentiment: "neutral" }]),
      CRUMB.id,
    );
    expect(metrics.visibility.value).toBe(0);
    expect(metrics.sov_answers.value).toBe(0);
    expect(metrics.avg_position.value).toBeNull();
    expect(metrics.citation_rate.value).toBeNull();
  });

  it(`are trusted from ${ENOUGH} cases on`, () => {
    const one: Said = { text: "Crumb.", cites: [], sentiment: "neutral" };
    const of = (count: number) =>
      metricOf("visibility", sumsOfAll(Array.from({ length: count }, () => one)), CRUMB.id);
    expect(of(ENOUGH - 1).low_confidence).toBe(true);
    expect(of(ENOUGH).low_confidence).toBe(false);
  });

  const answer = fc.record({
    text: fc.constantFrom(
      "Crumb.",
      "Loafly and Crumb.",
      "Bakehaus, Crumb, Loafly.",
      "Nobody.",
      "Crumb [1]. More [2].",
    ),
    cites: fc.array(
      fc.constantFrom("https://crumb.example/a", "https://loafly.example/", "https://guide.example/"),
      {
        maxLength: 3,
      },
    ),
    sentiment: fc.constantFrom("positive" as const, "neutral" as const, "negative" as const),
  });

  it("do not depend on the order of the observations, nor on how they are grouped into days", () => {
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 12 }), fc.nat(12), (answers, cut) => {
        const straight = metricsOf(sumsOfAll(answers), CRUMB.id);
        const reversed = metricsOf(sumsOfAll(answers.toReversed()), CRUMB.id);
        const days = addSums(sumsOfAll(answers.slice(cut)), sumsOfAll(answers.slice(0, cut)));
        expect(reversed).toEqual(straight);
        expect(metricsOf(days, CRUMB.id)).toEqual(straight);
      }),
    );
  });

  it("stay within their bounds", () => {
    fc.assert(
      fc.property(fc.array(answer, { minLength: 1, maxLength: 12 }), (answers) => {
        const sums = sumsOfAll(answers);
        for (const brand of [CRUMB, LOAFLY]) {
          for (const [name, metric] of Object.entries(metricsOf(sums, brand.id))) {
            if (metric.value === null) continue;
            const max =
              name === "sentiment" || name === "visibility_index" ? 100 : name === "avg_position" ? 3 : 1;
            expect(metric.value).toBeGreaterThanOrEqual(0);
            expect(metric.value).toBeLessThanOrEqual(max);
            if (metric.ci95 !== null) {
              expect(metric.ci95.lower).toBeLessThanOrEqual(metric.value);
              expect(metric.ci95.upper).toBeGreaterThanOrEqual(metric.value);
            }
          }
        }
      }),
    );
  });

  it("of all brands' mentions add up to all mentions", () => {
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 10 }), (answers) => {
        const sums = sumsOfAll(answers);
        const shares = Object.keys(sums.brands).map((id) => metricOf("sov_mentions", sums, id).numerator);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(sums.mentions);
      }),
    );
  });

  it("reads one answer as it stands alone", () => {
    expect(
      metricOf("visibility", sumsOfAnswer({ text: "Crumb.", cites: [], sentiment: null }), CRUMB.id).value,
    ).toBe(1);
  });
});
