import { describe, expect, it } from "vitest";

import { bandOf, totalScore } from "../../../server/engines/answeros/rules/score-page.ts";
import type { Check } from "../../../server/engines/answeros/schema.ts";

type ObservationInput = Pick<Check, "component" | "points" | "max" | "status">;
const of = (
  component: Check["component"],
  ...marks: (readonly [points: number | null, max: number])[]
): ObservationInput[] =>
  marks.map(([points, max]) => ({
    component,
    points: points ?? 0,
    max,
    status: points === null ? "na" : "ok",
  }));

const A31 = [
  ...of("access", [5, 5], [4, 4], [3.2, 4], [2, 2]),
  ...of("answerability", [10, 10], [3, 6], [4.5, 6], [4, 4], [4, 4]),
  ...of("evidence", [4, 8], [0, 5], [3, 6], [null, 6]),
  ...of("freshness", [7, 10]),
  ...of("coverage", [null, 10]),
  ...of("structured_data", [3, 3], [3, 3], [4, 4]),
];

describe("A31: the total of a page", () => {
  it("is 63.7 of 84 points: 76", () => {
    const { total, band, components } = totalScore(A31, [], null);
    expect([total, band]).toEqual([76, "fair"]);
    expect(components).toEqual({
      access: 14.2,
      answerability: 25.5,
      evidence: 7,
      freshness: 7,
      coverage: 0,
      structured_data: 10,
    });
    expect(A31.filter(({ status }) => status !== "na").reduce((sum, { max }) => sum + max, 0)).toBe(84);
  });

  it("is less the penalties, and never below 0", () => {
    expect(totalScore(A31, [{ points: 10 }, { points: 10 }], null).total).toBe(56);
    expect(totalScore(of("access", [0, 5]), [{ points: 10 }], null)).toMatchObject({
      total: 0,
      band: "poor",
    });
  });

  it("is 20 at most behind a gate, and less where it was less", () => {
    expect(totalScore(A31, [], "noindex").total).toBe(20);
    expect(totalScore(of("access", [1, 10]), [], "nosnippet").total).toBe(10);
  });

  it("is 0 where nothing applies", () =>
    expect(totalScore(of("coverage", [null, 10]), [], null).total).toBe(0));
});

it.each([
  [80, "good"],
  [79, "fair"],
  [50, "fair"],
  [49, "poor"],
] as const)("%i is %s", (total, band) => expect(bandOf(total)).toBe(band));
