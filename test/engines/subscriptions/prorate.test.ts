import { describe, expect, it } from "vitest";

import { prorate } from "../../../server/engines/subscriptions/rules/prorate.ts";

describe("proration", () => {
  const base = {
    timezone: "Europe/London",
    billingTime: "10:00",
    at: 0,
    mode: "day" as const,
  };
  it("A8 24995 for a period of 31 days of which 10 are unused gives 8063 back", () => {
    const period = { start: "2012-06-30", end: "2012-07-31" };
    const question = {
      ...base,
      oldAmount: 24_995,
      newAmount: 0,
      period,
      date: "2012-07-10",
      until: "2012-07-20",
    };
    expect(prorate(question).credit).toBe(8063);
  });

  it("A9 1000 to 2000 exactly half way: -500 and +1000", () => {
    const period = { start: "2026-06-01", end: "2026-07-01" };
    const half = prorate({ ...base, oldAmount: 1000, newAmount: 2000, period, date: "2026-06-16" });
    expect(half).toMatchObject({ credit: 500, debit: 1000, net: 500, unused: 15, whole: 30 });
  });

  it("counts seconds between the instants of the boundaries, over a change of the clocks", () => {
    const period = { start: "2026-03-28", end: "2026-03-30" };
    const at = Date.parse("2026-03-29T09:00:00Z");
    const result = prorate({
      ...base,
      mode: "second",
      oldAmount: 0,
      newAmount: 4700,
      period,
      date: "2026-03-29",
      at,
    });
    expect(result).toMatchObject({ unused: 24 * 3600, whole: 47 * 3600, debit: 2400, unit: "seconds" });
  });

  it("charges nothing in mode none", () => {
    const period = { start: "2026-06-01", end: "2026-07-01" };
    expect(
      prorate({ ...base, mode: "none", oldAmount: 1, newAmount: 2, period, date: "2026-06-16" }).net,
    ).toBe(0);
  });
});
