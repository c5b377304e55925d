import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { rfmCuts, rfmOf, SEGMENTS } from "../../../server/engines/tiers/rules/rfm.ts";

const figures = fc.record({
  recency: fc.nat({ max: 40 }),
  frequency: fc.integer({ min: 1, max: 9 }),
  monetary: fc.nat({ max: 500 }),
});

describe("rfmOf", () => {
  it("scores as the definition does: 1 + floor(5 * strictly worse / N)", () => {
    fc.assert(
      fc.property(fc.array(figures, { minLength: 1, maxLength: 60 }), (population) => {
        const cuts = rfmCuts(population);
        const score = (isWorse: (other: (typeof population)[number]) => boolean): number =>
          1 + Math.floor((5 * population.filter(isWorse).length) / population.length);
        for (const own of population) {
          expect(rfmOf(own, cuts, 1)).toMatchObject({
            r: score(({ recency }) => recency > own.recency),
            f: score(({ frequency }) => frequency < own.frequency),
            m: score(({ monetary }) => monetary < own.monetary),
          });
        }
      }),
    );
  });

  it("names the segments of a known population", () => {
    const population = Array.from({ length: 25 }, (_, at) => ({
      recency: at,
      frequency: 25 - at,
      monetary: 100,
    }));
    const cuts = rfmCuts(population);
    const segmentOf = (recency: number, frequency: number) =>
      rfmOf({ recency, frequency, monetary: 100 }, cuts, 25);
    expect(segmentOf(0, 25)).toEqual({ r: 5, f: 5, m: 1, segment: "champions" });
    expect(segmentOf(0, 1)?.segment).toBe("new");
    expect(segmentOf(24, 25)?.segment).toBe("cant_lose");
    expect(segmentOf(24, 1)?.segment).toBe("hibernating");
    expect(segmentOf(12, 13)?.segment).toBe("needs_attention");
    expect(SEGMENTS).toContain(segmentOf(20, 14)?.segment);
  });

  it("says nothing of a shop that is too small, or of a member without orders", () => {
    const one = { recency: 1, frequency: 1, monetary: 1 };
    const cuts = rfmCuts([one]);
    expect(rfmOf(one, cuts, 2)).toBeNull();
    expect(rfmOf(null, cuts, 1)).toBeNull();
    expect(rfmOf(one, null, 1)).toBeNull();
    expect(rfmOf(one, rfmCuts([]), 1)).toBeNull();
  });
});
