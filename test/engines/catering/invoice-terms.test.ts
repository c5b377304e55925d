import { describe, expect, it } from "vitest";

import { retainedUntil } from "../../../server/core/retention.ts";
import { ageingBucket, dueOn, lateInterest } from "../../../server/engines/catering/rules/invoice-terms.ts";

describe("dueOn (rule 11)", () => {
  it.each([
    ["net 30", "2026-01-31", { kind: "net" as const, days: 30 }, "2026-03-02"],
    ["end of month and 30", "2026-01-10", { kind: "eom" as const, days: 30 }, "2026-03-02"],
    ["end of month", "2028-02-01", { kind: "eom" as const, days: 0 }, "2028-02-29"],
    ["prepaid", "2026-01-31", { kind: "prepay" as const, days: 30 }, "2026-01-31"],
  ])("%s", (_, issued, terms, expected) => expect(dueOn(issued, terms)).toBe(expected));
});

describe("retainedUntil", () => {
  it.each([
    ["2026-01-01", 7, "2033-12-31"],
    ["2026-12-31", 8, "2034-12-31"],
    ["2026-06-01", 0, null],
    [null, 7, null],
  ])("%s for %i years: %s", (issued, years, expected) => expect(retainedUntil(issued, years)).toBe(expected));
});

describe("lateInterest (gov.uk)", () => {
  it("is £11.50 for 50 days on £1,000 at a base rate of 0.5%, as gov.uk's example says", () => {
    const found = lateInterest(100_000, { due_on: "2026-01-01", on: "2026-02-20" }, 50);
    expect(found).toEqual({ days: 50, rate_bps: 850, daily: 23, interest: 1150, fixed_sum: 7000 });
  });

  it.each([
    [99_999, 4000],
    [100_000, 7000],
    [999_999, 7000],
    [1_000_000, 10_000],
  ])("a debt of %s pence costs a fixed %s", (principal, expected) =>
    expect(lateInterest(principal, { due_on: "2026-01-01", on: "2026-01-02" }, 0).fixed_sum).toBe(expected),
  );

  it("begins on the day after it was due", () => {
    const on = (day: string) => lateInterest(100_000, { due_on: "2026-01-01", on: day }, 50).interest;
    expect([on("2025-12-01"), on("2026-01-01"), on("2026-01-02")]).toEqual([0, 0, 23]);
  });
});

it.each([
  ["2026-06-01", "current"],
  ["2026-05-31", "days_1_30"],
  ["2026-05-02", "days_1_30"],
  ["2026-05-01", "days_31_60"],
  ["2026-04-01", "days_61_90"],
  ["2026-03-03", "days_61_90"],
  ["2026-03-02", "days_over_90"],
])("due on %s is %s", (due, expected) => expect(ageingBucket(due, "2026-06-01")).toBe(expected));
