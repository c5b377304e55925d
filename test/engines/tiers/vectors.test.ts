import { describe, expect, it } from "vitest";

import { replay } from "../../../server/engines/tiers/rules/replay.ts";
import { event, level, order, refundOf, rulesOf, spends, year } from "./fixture.ts";

// commerce-vectors.md, A33 to A37.
describe("vectors", () => {
  const byTerm = (term: object) =>
    rulesOf({ term: { type: "rolling", months: 12, round_to: "none", ...term } });

  it.each([
    ["A33", byTerm({ type: "calendar" }), "2018-11-14", "2020-01-01"],
    ["A34", byTerm({}), "2019-03-03", "2020-03-03"],
  ] as const)("%s: the end of a term", (_, rules, entered, expiresOn) => {
    const { standing } = replay(rules, [order(entered, 60_000)], { asOf: entered });
    expect(standing).toMatchObject({ level_id: "lvl_silver", since: entered, expires_on: expiresOn });
  });

  it("A35: points balance, term immediate: Silver, Basic, Gold", () => {
    const lifetime = { type: "lifetime" } as const;
    const rules = rulesOf({
      term: { type: "immediate", months: 12, round_to: "none" },
      levels: [
        level(0, "Basic"),
        level(1, "Silver", spends(100, lifetime, "points")),
        level(2, "Gold", spends(500, lifetime, "points")),
        level(3, "Platinum", spends(1000, lifetime, "points")),
      ],
    });
    const events = [
      event("points", "2026-01-01", { amount: 100 }),
      event("points", "2026-01-02", { amount: -50 }),
      event("points", "2026-01-03", { amount: 500 }),
    ];
    const { moves } = replay(rules, events, { asOf: "2026-01-04" });
    const seen = moves.filter(({ kind }) => kind !== "joined").map(({ to }) => to);
    expect(seen).toEqual(["lvl_silver", "lvl_basic", "lvl_gold"]);
  });

  it("A36: an upgrade restarts the term", () => {
    const events = [order("2024-04-15", 60_000), order("2024-10-25", 60_000)];
    const { standing, moves } = replay(rulesOf(), events, { asOf: "2024-10-25" });
    expect(moves.map(({ kind, on, to }) => [kind, on, to])).toEqual([
      ["joined", "2024-04-15", "lvl_base"],
      ["upgraded", "2024-04-15", "lvl_silver"],
      ["upgraded", "2024-10-25", "lvl_gold"],
    ]);
    expect(standing.expires_on).toBe("2025-10-25");
  });

  it("A37: a full refund five days later takes the upgrade back", () => {
    const rules = rulesOf({
      on_refund: "immediate",
      levels: [level(0, "Base"), level(1, "Silver", spends(500, year))],
    });
    const bought = order("2026-03-01", 600);
    const { standing, moves } = replay(rules, [bought, refundOf(bought, "2026-03-06", 600)], {
      asOf: "2026-03-06",
    });
    expect(standing).toMatchObject({ level_id: "lvl_base", rank: 0, expires_on: null });
    expect(moves.at(-1)).toMatchObject({ kind: "downgraded", cause: "refund", on: "2026-03-06" });
  });
});
