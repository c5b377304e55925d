import { describe, expect, it } from "vitest";

import { DEFAULT_POLICY } from "../../../server/engines/subscriptions/data/default-policy.ts";
import {
  nextPaidCycle,
  previewCyclesSteps,
  previewDunning,
  upcomingCycle,
} from "../../../server/engines/subscriptions/rules/preview.ts";
import { runAtOnce } from "../../../server/lib/slices.ts";
import { contractOf, NOW } from "./fixture.ts";

describe("previewCyclesSteps", () => {
  it("uses credit up as the worker will, and stops at the last cycle", () => {
    const contract = contractOf({ max_cycles: 3 }, { credit: 1500 });
    const cycles = runAtOnce(previewCyclesSteps(contract, 10, { now: NOW }));
    expect(cycles.map(({ amount_due: due }) => due)).toEqual([0, 500, 1000]);
  });

  it("shows a skip as what it is, and keeps the credit for the next", () => {
    const overrides = { "0": { skip: true, date: null, lines: null } };
    const cycles = runAtOnce(previewCyclesSteps(contractOf({}, { overrides, credit: 400 }), 2, { now: NOW }));
    expect(cycles.map(({ status, amount_due: due }) => [status, due])).toEqual([
      ["skip_planned", 0],
      ["upcoming", 600],
    ]);
  });
});

describe("nextPaidCycle", () => {
  const skip = { skip: true, date: null, lines: null };
  it("passes over the cycles that are skipped", () => {
    const contract = contractOf({}, { overrides: { "0": skip, "1": skip } });
    expect(nextPaidCycle(contract, { now: NOW })).toMatchObject({ index: 2, amount_due: 1000 });
  });

  it("is null where all that is left is skipped", () => {
    const contract = contractOf({}, { max_cycles: 1, overrides: { "0": skip } });
    expect(nextPaidCycle(contract, { now: NOW })).toBeNull();
  });
});

describe("upcomingCycle", () => {
  it("names the day that it was moved to", () => {
    const overrides = { "1": { skip: false, date: "2026-07-04", lines: null } };
    expect(upcomingCycle(contractOf({}, { overrides }), 1, { now: NOW })).toMatchObject({
      start: "2026-07-01",
      billing_date: "2026-07-04",
    });
  });
});

describe("previewDunning", () => {
  it("is the ladder of the policy, and no more than the ceiling", () => {
    const dates = (policy: typeof DEFAULT_POLICY) =>
      previewDunning(policy, { firstFailedAt: NOW, timezone: "UTC" }).map(({ at }) => at.slice(5, 10));
    expect(dates(DEFAULT_POLICY)).toEqual(["06-02", "06-04", "06-06", "06-08", "06-11", "06-15"]);
    expect(dates({ ...DEFAULT_POLICY, max_attempts: 3 })).toEqual(["06-02", "06-04"]);
  });
});
