import { describe, expect, it } from "vitest";
import * as fc from "fast-check";

import { prorate, shareLeft } from "../../../server/engines/subscriptions/rules/prorate.ts";
import type { ShareQuestion } from "../../../server/engines/subscriptions/rules/prorate.ts";
import { seeded } from "../../seeded.ts";

describe("proration", () => {
  const base = { timezone: "Europe/London", billingTime: "10:00", at: 0, mode: "day" as const };
  const june = { start: "2026-06-01", end: "2026-07-01" };
  const half: ShareQuestion = { ...base, period: june, date: "2026-06-16" };

  it("A8 24995 for a period of 31 days of which 10 are unused gives 8063 back", () => {
    const part = { oldAmount: 24_995, newAmount: 0, share: { unused: 10, whole: 31 } };
    expect(prorate([part], { mode: "day" }).proration.credit).toBe(8063);
  });

  it("A9 1000 to 2000 exactly half way: -500 and +1000", () => {
    const part = { oldAmount: 1000, newAmount: 2000, share: shareLeft(half) };
    expect(prorate([part], { mode: "day" }).proration).toMatchObject({
      credit: 500,
      debit: 1000,
      net: 500,
      unused: 15,
      whole: 30,
    });
  });

  it("counts seconds between the instants of the boundaries, over a change of the clocks", () => {
    const period = { start: "2026-03-28", end: "2026-03-30" };
    const at = Date.parse("2026-03-29T09:00:00Z");
    const share = shareLeft({ ...base, mode: "second", period, date: "2026-03-29", at });
    expect(prorate([{ oldAmount: 0, newAmount: 4700, share }], { mode: "second" }).proration).toMatchObject({
      unused: 24 * 3600,
      whole: 47 * 3600,
      debit: 2400,
      unit: "seconds",
    });
  });

  it("charges nothing in mode none", () => {
    const part = { oldAmount: 1, newAmount: 2, share: shareLeft(half) };
    expect(prorate([part], { mode: "none" }).proration.net).toBe(0);
  });

  it("never strays by more than one minor unit, however often the price changes", () => {
    const step = fc.tuple(fc.nat(100_000), fc.integer({ min: 0, max: 31 }));
    fc.assert(
      fc.property(fc.nat(100_000), fc.array(step, { maxLength: 40 }), (first, drawn) => {
        const steps = drawn.toSorted(([, a], [, b]) => b - a);
        let [paid, used, rounding, price, left] = [first, 0, 0, first, 31];
        for (const [next, unused] of steps) {
          const share = { unused, whole: 31 };
          const result = prorate([{ oldAmount: price, newAmount: next, share }], { mode: "day", rounding });
          used += (price * (left - unused)) / 31;
          paid += result.proration.net;
          [rounding, price, left] = [result.rounding, next, unused];
          expect(Math.abs(paid - used - (price * left) / 31)).toBeLessThanOrEqual(1.000_001);
        }
      }),
      seeded(),
    );
  });
});
