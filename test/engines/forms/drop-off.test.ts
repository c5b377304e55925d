import { describe, expect, it } from "vitest";

import {
  addCounts,
  conversionBps,
  dropOff,
  NO_COUNTS,
} from "../../../server/engines/forms/rules/drop-off.ts";
import { field } from "./make.ts";

describe("counts of a form", () => {
  const one = { views: 10, starts: 4, submissions: 2, spam: 1, reached: { a: 4, b: 2 }, left: { a: 2 } };

  it("add up", () => {
    expect(addCounts(one, NO_COUNTS)).toEqual(one);
    expect(addCounts(one, one)).toEqual({
      views: 20,
      starts: 8,
      submissions: 4,
      spam: 2,
      reached: { a: 8, b: 4 },
      left: { a: 4 },
    });
  });

  it("come to a conversion, never of nothing and never above all", () => {
    expect(conversionBps(one)).toBe(2_000);
    expect(conversionBps(NO_COUNTS)).toBeNull();
    expect(conversionBps({ ...NO_COUNTS, views: 1, submissions: 3 })).toBe(10_000);
  });

  it("show where visitors leave, in the order of the form", () => {
    expect(dropOff([field("t", { type: "heading" }), field("a"), field("b")], one)).toEqual([
      { key: "a", reached: 4, left_after: 2 },
      { key: "b", reached: 2, left_after: 0 },
    ]);
  });

  it("count a field that has the name of a member of every object", () => {
    expect(dropOff([field("constructor")], one)).toEqual([{ key: "constructor", reached: 0, left_after: 0 }]);
  });
});
