import { expect, it } from "vitest";

import { exceedsGuard } from "../../../server/engines/tiers/rules/guard.ts";

const guard = { down_bps: 500, down_count: 50 };

it.each([
  [5, 100, false],
  [6, 100, true],
  [50, 100_000, false],
  [51, 100_000, true],
  [0, 0, false],
])("%i down of %i: %s", (down, members, expected) =>
  expect(exceedsGuard({ down, members }, guard)).toBe(expected),
);
