import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { orderSize } from "../../../server/engines/catering/rules/resolve-headcount.ts";

const sizing = (more = {}) => ({ buffer_bps: 0, min: 0, max: 1000, pack_size: 1, ...more });

describe("orderSize (rule 5)", () => {
  it.each([
    [20, sizing(), 20],
    [21, sizing({ buffer_bps: 500 }), 23],
    [20, sizing({ buffer_bps: 500 }), 21],
    [3, sizing({ min: 10 }), 10],
    [200, sizing({ max: 50 }), 50],
    [21, sizing({ pack_size: 6 }), 24],
    [50, sizing({ max: 50, pack_size: 6 }), 54],
    [0, sizing({ min: 10 }), 0],
  ])("%s heads with %j", (count, given, expected) => expect(orderSize(count, given)).toBe(expected));

  it("is whole packs, and enough within the bound", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20_000 }),
        fc.integer({ min: 0, max: 10_000 }),
        fc.integer({ min: 1, max: 50 }),
        (count, buffer_bps, pack_size) => {
          const size = orderSize(count, { buffer_bps, min: 0, max: 100_000, pack_size });
          expect(size % pack_size).toBe(0);
          expect(size * 10_000).toBeGreaterThanOrEqual(count * (10_000 + buffer_bps));
        },
      ),
    );
  });
});
