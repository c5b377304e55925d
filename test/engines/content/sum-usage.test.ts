import { expect, it } from "vitest";

import { sumUsage } from "../../../server/engines/content/rules/sum-usage.ts";
import type { UsageDay } from "../../../server/core/ai-ledger.ts";

const day = (members: Partial<UsageDay>): UsageDay => ({
  id: "x",
  day: "2026-06-01",
  engine: "content",
  operation: "draft",
  provider: "p",
  model: "m",
  key_id: null,
  calls: 1,
  blocked: 0,
  errors: 0,
  cancelled: 0,
  fallbacks: 0,
  estimated_calls: 0,
  unpriced_calls: 0,
  input_tokens: 10,
  output_tokens: 5,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  total_tokens: 15,
  cost_micros: 7,
  currency: "USD",
  ...members,
});
const days = [
  day({}),
  day({ model: "n", key_id: "key_1", day: "2026-06-02" }),
  day({ currency: "GBP", engine: "answeros" }),
];

it.each([
  [
    null,
    [
      [null, 2],
      [null, 1],
    ],
  ],
  [
    "model",
    [
      ["m", 1],
      ["n", 1],
      ["m", 1],
    ],
  ],
  [
    "key",
    [
      ["none", 1],
      ["key_1", 1],
      ["none", 1],
    ],
  ],
  [
    "day",
    [
      ["2026-06-01", 1],
      ["2026-06-02", 1],
      ["2026-06-01", 1],
    ],
  ],
  [
    "engine",
    [
      ["content", 2],
      ["answeros", 1],
    ],
  ],
] as const)("adds up by %s and currency", (group, expected) => {
  const sums = sumUsage(days, group);
  expect(sums.map((sum) => [sum.group, sum.calls])).toEqual(expected);
  expect(sums.reduce((sum, one) => sum + one.cost_micros, 0)).toBe(21);
  expect(sums.reduce((sum, one) => sum + one.total_tokens, 0)).toBe(45);
});
