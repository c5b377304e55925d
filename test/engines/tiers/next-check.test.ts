import { expect, it } from "vitest";

import { factsOf } from "../../../server/engines/tiers/rules/facts.ts";
import { nextCheck } from "../../../server/engines/tiers/rules/next-check.ts";
import type { Standing } from "../../../server/engines/tiers/schema/standing.ts";
import { heldSince, mapOf, order, rulesOf } from "./fixture.ts";

const silver = heldSince("lvl_silver", 1, "2026-01-01", "2027-01-01");
const next = (
  more: Partial<Standing>,
  { notices = [] as number[], facts = factsOf(mapOf([]), rulesOf()) } = {},
) => nextCheck({ ...silver, ...more }, facts, { overrides: [], rules: rulesOf({ notice_days: notices }) });

it("is the end of the term, or a notice before it", () => {
  expect(next({})).toBe("2027-01-01");
  expect(next({}, { notices: [30, 7] })).toBe("2026-12-02");
  expect(next({ as_of: "2026-12-02" }, { notices: [30, 7] })).toBe("2026-12-25");
  expect(next({ as_of: "2026-12-25" }, { notices: [30, 7] })).toBe("2027-01-01");
});

it("is the end of grace or protection while they last", () =>
  expect(next({ state: "grace", until: "2027-01-15", as_of: "2027-01-02" })).toBe("2027-01-15"));

it("is the day on which an order begins to count", () => {
  const rules = rulesOf({ order_counts_when: "after_return_window" });
  const facts = factsOf(mapOf([order("2026-01-10", 100, { state: "fulfilled" })]), rules);
  expect(next({}, { facts })).toBe("2026-01-24");
});

it("is the day on which an override begins or ends", () => {
  const override = {
    id: "tov_1",
    level_id: "lvl_gold",
    from: "2026-02-01",
    until: "2026-03-01",
    exact: false,
    reason: "x",
    by: null,
    created_at: "2026-01-01T00:00:00.000Z",
  };
  const on = (as_of: string) =>
    nextCheck({ ...silver, as_of }, { facts: [] }, { overrides: [override], rules: rulesOf() });
  expect([on("2026-01-01"), on("2026-02-01"), on("2026-03-01")]).toEqual([
    "2026-02-01",
    "2026-03-01",
    "2027-01-01",
  ]);
});

it("is never for the base", () => expect(next({ expires_on: null })).toBeNull());

it("is tomorrow where no term holds the level", () => {
  const rules = rulesOf({ term: { type: "immediate", months: 12, round_to: "none" } });
  const on = (rank: number) =>
    nextCheck({ ...silver, rank, expires_on: null }, { facts: [] }, { overrides: [], rules });
  expect([on(1), on(0)]).toEqual(["2026-01-02", null]);
});
