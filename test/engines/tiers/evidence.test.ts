import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { evaluate } from "../../../server/engines/tiers/rules/evaluate.ts";
import { factsOf } from "../../../server/engines/tiers/rules/facts.ts";
import type { EventFacts } from "../../../server/engines/tiers/schema/event.ts";
import type { Rules } from "../../../server/engines/tiers/schema/programme.ts";
import type { Standing } from "../../../server/engines/tiers/schema/standing.ts";
import { heldSince, level, mapOf, order, refundOf, rulesOf, spends } from "./fixture.ts";

/** The standing after the events, evaluated on each of these days. */
function standingAfter(
  events: readonly EventFacts[],
  days: readonly string[],
  rules: Rules,
): Standing | null {
  const facts = factsOf(mapOf(events), rules);
  return days.reduce<Standing | null>(
    (current, asOf) => evaluate({ facts, rules, asOf, current }).standing,
    null,
  );
}
const fresh = rulesOf({ evidence: "fresh" });

describe("evidence: fresh", () => {
  it("one order buys one year, where a window alone would renew by it", () => {
    const events = [order("2026-02-01", 60_000)];
    const days = ["2026-02-01", "2027-02-01"];
    expect(standingAfter(events, days, rulesOf())).toMatchObject({ level_id: "lvl_silver", renewals: 1 });
    expect(standingAfter(events, days, fresh)).toMatchObject({ level_id: "lvl_base" });
  });

  it("a level that is earned again is renewed, and that order does not renew it once more", () => {
    const events = [order("2026-02-01", 60_000), order("2026-09-01", 50_000)];
    expect(standingAfter(events, ["2026-02-01", "2027-02-01"], fresh)).toMatchObject({
      level_id: "lvl_silver",
      renewals: 1,
      expires_on: "2028-02-01",
    });
    expect(standingAfter(events, ["2026-02-01", "2027-02-01", "2028-02-01"], fresh)?.level_id).toBe(
      "lvl_base",
    );
  });

  it("what reached Silver counts for Gold, and never for Silver again after a drop", () => {
    const wide = { type: "rolling", months: 36 } as const;
    const levels = [
      level(0, "Base"),
      level(1, "Silver", spends(50_000, wide)),
      level(2, "Gold", spends(100_000, wide)),
    ];
    const rules = rulesOf({ evidence: "fresh", levels, downgrade: "to_base" });
    const events = [order("2026-02-01", 60_000), order("2026-03-01", 40_000)];
    expect(standingAfter(events, ["2026-02-01", "2026-03-01"], rules)?.level_id).toBe("lvl_gold");
    const days = ["2026-02-01", "2026-03-01", "2027-03-01", "2027-03-02"];
    expect(standingAfter(events, days, rules)?.level_id).toBe("lvl_base");
    const more = [...events, order("2027-04-01", 50_000)];
    expect(standingAfter(more, [...days, "2027-04-01"], rules)?.level_id).toBe("lvl_silver");
  });

  it("a refund of a used order takes nothing from fresh ones", () => {
    const bought = order("2026-02-01", 60_000);
    const events = [bought, order("2026-09-01", 50_000), refundOf(bought, "2026-10-01", 60_000)];
    const rules = rulesOf({ evidence: "fresh", refund_dating: "refund_date" });
    expect(standingAfter(events, ["2026-02-01", "2027-02-01"], rules)?.renewals).toBe(1);
  });

  it("a member whose programme is changed to it must earn the running term", () => {
    const facts = factsOf(mapOf([order("2026-02-01", 60_000)]), fresh);
    const current = heldSince("lvl_silver", 1, "2026-02-01", "2027-02-01");
    expect(evaluate({ facts, rules: fresh, asOf: "2027-02-01", current }).standing.level_id).toBe("lvl_base");
  });

  it("keeps a level no longer than a window alone does, and the years held never exceed the orders", () => {
    const day = fc.integer({ min: 0, max: 1400 });
    fc.assert(
      fc.property(fc.array(day, { minLength: 1, maxLength: 8 }), (offsets) => {
        const dateOf = (offset: number) =>
          new Date(Date.parse("2026-01-01") + offset * 86_400_000).toISOString().slice(0, 10);
        const days = [...offsets].sort((a, b) => a - b).map(dateOf);
        const events = days.map((on) => order(on, 50_000));
        const facts = factsOf(mapOf(events), fresh);
        let current: Standing | null = null;
        let terms = 0;
        for (const asOf of [...days, "2036-01-01"]) {
          const { standing, moves } = evaluate({ facts, rules: fresh, asOf, current });
          terms += moves.filter(
            ({ kind, to }) => kind === "renewed" || (kind === "upgraded" && to !== "lvl_base"),
          ).length;
          current = standing;
        }
        expect(terms).toBeLessThanOrEqual(events.length);
        expect(current?.level_id).toBe("lvl_base");
      }),
    );
  });
});
