import { describe, expect, it } from "vitest";

import {
  countLevels,
  discountCost,
  discountOf,
  noEffect,
} from "../../../server/engines/tiers/rules/effect.ts";
import { factsOf } from "../../../server/engines/tiers/rules/facts.ts";
import { level, mapOf, order, rulesOf, spends } from "./fixture.ts";

const gift = (kind: string, value: number) => ({ kind, value, ref: "", title: kind });
const rules = rulesOf({
  levels: [
    level(0, "Base"),
    level(1, "Silver", spends(50_000), {
      benefits: [gift("discount_offer", 10), gift("gift", 50), gift("discount_offer", 5)],
    }),
    level(2, "Gold", spends(90_000), { benefits: [gift("discount_offer", 500)] }),
  ],
});

describe("the effect of a recalculation", () => {
  it("counts members of each level, also of one that is removed", () => {
    const counted = countLevels(noEffect(rules).levels, "lvl_old", "lvl_gold");
    expect(
      countLevels(counted, "lvl_old", "lvl_old").filter(({ before, after }) => before + after > 0),
    ).toEqual([
      { level_id: "lvl_gold", before: 0, after: 1 },
      { level_id: "lvl_old", before: 2, after: 1 },
    ]);
  });

  it("adds the percentages of discounts, up to the whole price", () => {
    const levels = ["lvl_base", "lvl_silver", "lvl_gold", null];
    expect(levels.map((id) => discountOf(rules, id))).toEqual([0, 15, 100, 0]);
  });

  it("costs the share of what was spent in twelve months", () => {
    const facts = factsOf(mapOf([order("2026-01-01", 1000), order("2024-01-01", 9000)]), rules);
    expect(discountCost(facts, 15, "2026-06-01")).toBe(150);
    expect(discountCost(facts, 0, "2026-06-01")).toBe(0);
  });
});
