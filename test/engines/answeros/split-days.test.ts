import { describe, expect, it } from "vitest";

import { splitDays } from "../../../server/engines/answeros/rules/split-days.ts";

describe("the days of a series", () => {
  it.each([
    ["day", "2028-02-28", "2028-03-01", ["2028-02-28", "2028-02-29", "2028-03-01"]],
    // 2026-06-01 is a Monday.
    ["week", "2026-05-31", "2026-06-08", ["2026-05-31", "2026-06-01", "2026-06-08"]],
    ["month", "2026-12-15", "2027-03-01", ["2026-12-15", "2027-01-01", "2027-02-01", "2027-03-01"]],
    ["month", "2026-01-31", "2026-01-31", ["2026-01-31"]],
  ] as const)("start a new %s after %s until %s", (interval, from, to, starts) => {
    const pieces = splitDays({ from, to }, interval);
    expect(pieces.map((piece) => piece.from)).toEqual(starts);
    expect(pieces.at(-1)?.to).toBe(to);
  });
});
