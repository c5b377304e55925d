import { expect, it } from "vitest";

import { afterPause, asResumed } from "../../../server/engines/subscriptions/rules/after-pause.ts";
import { contractOf, ms } from "./fixture.ts";

const paused = contractOf(
  { interval: { unit: "week", count: 1 } },
  {
    status: "paused",
    next_cycle: 1,
    pause: {
      since: "2026-06-02T09:00:00.000Z",
      resume_on: "2026-06-20",
      mode: "keep_calendar",
      reason: "requested",
      was: "active",
    },
  },
);

it("leaves out the cycles that passed, or counts them from the day of resuming", () => {
  const now = ms("2026-06-20T00:00:00Z");
  const after = afterPause(paused, now);
  expect(after).toEqual({ ...paused, status: "active", pause: null, next_cycle: 3 });
  const { pause } = paused;
  if (pause === null) throw new Error("The contract is not paused.");
  const shifted = afterPause({ ...paused, pause: { ...pause, mode: "shift" } }, now);
  expect(shifted).toMatchObject({ next_cycle: 1, billing: { anchor_date: "2026-06-20", anchor_index: 1 } });
});

it("goes on when the pause ends, and at once where it has no end", () => {
  const now = ms("2026-06-03T09:00:00Z");
  expect(asResumed(paused, now).next_cycle).toBe(3);
  const { pause } = paused;
  if (pause === null) throw new Error("The contract is not paused.");
  expect(asResumed({ ...paused, pause: { ...pause, resume_on: null } }, now).next_cycle).toBe(1);
  const running = { ...paused, status: "active" as const, pause: null };
  expect(asResumed(running, now)).toBe(running);
});
