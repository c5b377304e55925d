import { expect, it } from "vitest";

import { createPace } from "../../server/serve/pace.ts";

const MB = 1_000_000;

it("a customer is sent 8 MB at once, and 16 MB a second from then on", () => {
  const pace = createPace();
  const waits = Array.from({ length: 10 }, () => pace("cus_1", 2 * MB, 1_000));
  expect(waits).toEqual([0, 0, 0, 0, 0, 125, 250, 375, 500, 625]);
  expect(pace("cus_1", 2 * MB, 1_750)).toBe(0);
});

it("each customer has a pace of its own, and none is in debt for long", () => {
  const pace = createPace({ bytesPerMs: 1_000, burstMs: 100 });
  expect(pace("cus_1", 5 * MB, 1_000)).toBe(0);
  expect(pace("cus_1", 1, 1_000)).toBe(4_900);
  expect(pace("cus_2", 1, 1_000)).toBe(0);
  expect(pace("cus_1", 1, 5_900)).toBeCloseTo(0.001);
  expect(pace("cus_1", 1, 60_000)).toBe(0);
});
