import { expect, it } from "vitest";

import { wordsIn } from "../../../server/core/words.ts";
import { showGap } from "../../../server/engines/tiers/rules/show.ts";
import type { Metric } from "../../../server/engines/tiers/schema/programme.ts";
import { year } from "./fixture.ts";

const finding = (metric: Metric, gap: number, key: string | null = null) => ({
  metric,
  key,
  window: year,
  from: "2025-06-02",
  to: "2026-06-01",
  have: 0,
  need: gap,
  gap,
  met: false,
});

it.each([
  ["spend", 4000, null, "spend £40.00 more"],
  ["category_spend", 4000, "tea", "spend £40.00 more on tea"],
  ["aov", 500, null, "increase the average order by £5.00"],
  ["orders", 1, null, "1 more order"],
  ["orders", 2, null, "2 more orders"],
  ["subscription_months", 3, null, "3 more months of subscription"],
  ["recency_days", 9, null, "an order"],
  ["custom", 2, "tasting", "2 more of tasting"],
] as const)("%s: %i of %s", (metric, gap, key, told) =>
  expect(showGap(wordsIn(null), [finding(metric, gap, key)], "GBP")).toBe(told),
);
