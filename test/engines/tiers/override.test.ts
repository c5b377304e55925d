import { expect, it } from "vitest";

import { activeOverride, shownTier } from "../../../server/engines/tiers/rules/override.ts";
import type { Override } from "../../../server/engines/tiers/schema/standing.ts";
import { heldSince, rulesOf } from "./fixture.ts";

const override = (level_id: string, more: Partial<Override> = {}): Override => ({
  id: "tov_1",
  level_id,
  from: "2026-01-01",
  until: "2026-02-01",
  exact: false,
  reason: "A friend of the house",
  by: null,
  created_at: "2026-01-01T00:00:00.000Z",
  ...more,
});
const silver = heldSince("lvl_silver", 1, "2025-06-01", "2026-06-01");
const shown = (overrides: Override[], day = "2026-01-15") =>
  shownTier(silver, overrides, { rules: rulesOf(), day });

it("lifts, and does not lower: a floor (T6)", () => {
  expect(shown([override("lvl_gold")])).toEqual({
    level_id: "lvl_gold",
    name: "Gold",
    rank: 2,
    since: "2026-01-01",
    expires_on: "2026-02-01",
    state: "manual",
  });
  expect(shown([override("lvl_base")])).toMatchObject({ level_id: "lvl_silver", state: "held" });
});

it("lowers when it is exact", () =>
  expect(shown([override("lvl_base", { exact: true })])).toMatchObject({
    level_id: "lvl_base",
    state: "manual",
  }));

it("holds from its first day to the day before its last", () => {
  const one = override("lvl_gold");
  const days = ["2025-12-31", "2026-01-01", "2026-01-31", "2026-02-01"];
  expect(days.map((day) => activeOverride([one], day) !== null)).toEqual([false, true, true, false]);
  expect(activeOverride([{ ...one, until: null }], "2036-01-01")).not.toBeNull();
});

it("takes the one made last, and none for a level that is gone", () => {
  const both = [override("lvl_gold"), override("lvl_silver", { id: "tov_2", exact: true })];
  expect(shown(both)).toMatchObject({ level_id: "lvl_silver", state: "manual" });
  expect(shown([override("lvl_gone")])).toMatchObject({ level_id: "lvl_silver", state: "held" });
});
