import { describe, expect, it } from "vitest";

import { createCounters } from "../../server/storage/counters.ts";
import { createTestClock } from "../harness.ts";
import { longestOf, many, TURN_MS } from "../support/longest-turn.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

function createRig() {
  const clock = createTestClock();
  const counters = createCounters(clock);
  const open = (name: string, count: number, windowMs = MINUTE_MS): void => {
    for (let n = 0; n < count; n += 1) counters.take(`${name}.${n}`, 1, windowMs);
  };
  return { clock, counters, open };
}

describe("counters in memory", () => {
  it("removes windows that have ended as others are opened", () => {
    const { clock, counters, open } = createRig();
    open("first", 10_000);
    clock.advance(MINUTE_MS);
    open("second", 4_000);
    expect(counters.size).toBe(4_000);
    expect(counters.save()).toHaveLength(4_000);
  });

  // Of a million, all of which had ended, one request removed all: half a second.
  it("does so a few at a time", async () => {
    const longest = await longestOf(
      () => {
        const rig = createRig();
        rig.open("first", 150_000, HOUR_MS);
        rig.clock.advance(HOUR_MS);
        return rig;
      },
      async ({ open }) => {
        for (const name of many(30, (n) => `second.${n}`)) {
          open(name, 1_000);
          await new Promise(setImmediate);
        }
      },
    );
    expect(longest).toBeLessThan(TURN_MS);
  });

  it("has a limit of windows of a minute, and of visitors, beyond which the oldest are forgotten, and none of budgets", () => {
    const { counters, open } = createRig();
    open("budget", 1_000, HOUR_MS);
    open("visitor", 400_000);
    expect(counters.size).toBeLessThan(251_000);
    expect(counters.peek("budget.0")?.count).toBe(1);
    expect(counters.peek("visitor.0")).toBeNull();
    expect(counters.peek("visitor.399999")?.count).toBe(1);
    open("open.forms", 400_000, HOUR_MS);
    expect(counters.size).toBeLessThan(251_000);
    expect(counters.peek("open.forms.0")).toBeNull();
    expect(counters.peek("budget.0")?.count).toBe(1);
  });
});
