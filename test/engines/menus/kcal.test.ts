import { describe, expect, it } from "vitest";

import { kcalStatement, kcalText, roundUs, sumKcal } from "../../../server/engines/menus/rules/kcal.ts";

const part = (min: number, max: number | null = null, quantity = 1, scale = 1) => ({
  kcal: { min, max },
  quantity,
  scale,
});

describe("sumKcal", () => {
  it("adds ranges by their ends, by quantity and portion", () => {
    expect(sumKcal([part(540)])).toEqual({ min: 540, max: null });
    expect(sumKcal([part(480, 610), part(85, null, 2)])).toEqual({ min: 650, max: 780 });
    expect(sumKcal([part(100), part(85, null, 1, 0.5)])).toEqual({ min: 143, max: null });
    expect(sumKcal([])).toEqual({ min: 0, max: null });
  });

  it("is unknown when a part of it is, unless there is none of that", () => {
    expect(sumKcal([part(540), { kcal: null, quantity: 1, scale: 1 }])).toBeNull();
    expect(sumKcal([part(540), { kcal: null, quantity: 0, scale: 1 }])).toEqual({ min: 540, max: null });
  });
});

describe("kcalText and kcalStatement", () => {
  it("MA18 540 kcal with the statement of England", () => {
    expect(kcalText({ min: 540, max: null }, "england")).toBe("540 kcal");
    expect(kcalStatement("england", "all")).toBe("adults need around 2000 kcal a day");
  });

  it("leaves the statement out of menus for children in England, and elsewhere", () => {
    expect(kcalStatement("england", "children")).toBeNull();
    expect(kcalStatement("none", "all")).toBeNull();
    for (const audience of ["all", "children"] as const)
      expect(kcalStatement("us", audience)).toBe(
        "2,000 calories a day is used for general nutrition advice, but calorie needs vary.",
      );
  });

  it("shows ranges, and one figure where both ends are rounded to it", () => {
    expect(kcalText({ min: 480, max: 610 }, "none")).toBe("480–610 kcal");
    expect(kcalText({ min: 541, max: 544 }, "us")).toBe("540 Calories");
    expect(kcalText(null, "us")).toBeNull();
  });
});

describe("roundUs, 21 CFR 101.9(c)(1)", () => {
  it.each([
    [0, 0],
    [4, 0],
    [5, 5],
    [7, 5],
    [8, 10],
    [50, 50],
    [52, 50],
    [55, 60],
    [114, 110],
    [115, 120],
  ])("%d is told as %d", (kcal, expected) => expect(roundUs(kcal)).toBe(expected));
});
