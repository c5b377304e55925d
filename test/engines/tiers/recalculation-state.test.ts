import { expect, it } from "vitest";

import {
  programmeStates,
  recalculationStates,
} from "../../../server/engines/tiers/rules/recalculation-state.ts";

it("applies what is ready, rolls back what was applied, and cancels what is not over", () => {
  expect(recalculationStates.from("apply")).toEqual(["ready"]);
  expect(recalculationStates.from("roll_back")).toEqual(["applied"]);
  expect(recalculationStates.allows("cancel", "applying")).toBe(true);
  expect(recalculationStates.allows("cancel", "applied")).toBe(false);
  expect(programmeStates.moves.map(({ from, to }) => `${from} ${to}`)).toEqual([
    "draft active",
    "archived active",
    "active archived",
  ]);
});
