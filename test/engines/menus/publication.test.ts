import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  liveVersionAt,
  publish,
  settle,
  unpublish,
} from "../../../server/engines/menus/rules/publication.ts";
import type { LiveState } from "../../../server/engines/menus/rules/publication.ts";

const T = Date.parse("2026-06-01T12:00:00.000Z");
const DRAFT: LiveState = { status: "draft", published_version: null, published_at: null, scheduled: null };
const now = (nowMs: number) => ({ nowMs, atMs: nowMs });

describe("liveVersionAt", () => {
  it("MA16 a scheduled version is live from its instant on", () => {
    const state = publish(publish(DRAFT, 1, now(T - 60_000)), 2, { nowMs: T - 30_000, atMs: T });
    expect(liveVersionAt(state, T - 1_000)).toBe(1);
    expect(liveVersionAt(state, T - 1)).toBe(1);
    expect(liveVersionAt(state, T)).toBe(2);
    expect(state.status).toBe("published");
  });

  it("is none before the first", () => {
    const state = publish(DRAFT, 1, { nowMs: T, atMs: T + 1 });
    expect([liveVersionAt(state, T), liveVersionAt(state, T + 1)]).toEqual([null, 1]);
    expect(state.status).toBe("draft");
  });
});

describe("settle", () => {
  it("writes what is due into the state, and nothing else", () => {
    const state = publish(DRAFT, 3, { nowMs: T, atMs: T + 5 });
    expect(settle(state, T + 4)).toBe(state);
    expect(settle(state, T + 5)).toEqual({
      status: "published",
      published_version: 3,
      published_at: "2026-06-01T12:00:00.005Z",
      scheduled: null,
    });
  });
});

describe("publish and unpublish", () => {
  it("a rollback leaves what is scheduled alone, a new schedule takes its place", () => {
    const state = publish(publish(DRAFT, 2, now(T)), 3, { nowMs: T, atMs: T + 100 });
    const back = publish(state, 1, now(T + 10));
    expect([back.published_version, back.scheduled?.version]).toEqual([1, 3]);
    const other = publish(back, 4, { nowMs: T + 20, atMs: T + 50 });
    expect(other.scheduled).toEqual({ version: 4, at: "2026-06-01T12:00:00.050Z" });
    expect(unpublish(back, T + 20)).toMatchObject({
      status: "draft",
      published_version: null,
      scheduled: { version: 3 },
    });
  });

  it("any history shows the same as a list of what was asked for", () => {
    const step = fc.record({
      after: fc.integer({ min: 0, max: 50 }),
      does: fc.constantFrom("publish", "schedule", "unpublish", "settle", "cancel"),
      version: fc.integer({ min: 1, max: 9 }),
      delay: fc.integer({ min: 1, max: 80 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let state: LiveState = DRAFT;
        let time = T;
        // The model: what is live, and what waits, each as plain values.
        let live: number | null = null;
        let waiting: { version: number; at: number } | null = null;
        const pass = (): void => {
          if (waiting !== null && waiting.at <= time) {
            live = waiting.version;
            waiting = null;
          }
        };
        for (const { after, does, version, delay } of steps) {
          time += after;
          pass();
          if (does === "publish") {
            state = publish(state, version, now(time));
            live = version;
          } else if (does === "schedule") {
            state = publish(state, version, { nowMs: time, atMs: time + delay });
            waiting = { version, at: time + delay };
          } else if (does === "unpublish") {
            state = unpublish(state, time);
            live = null;
          } else if (does === "settle") state = settle(state, time);
          else {
            state = { ...settle(state, time), scheduled: null };
            waiting = null;
          }
          expect(liveVersionAt(state, time)).toBe(live);
          const [next]: ({ version: number; at: number } | null)[] = [waiting];
          if (next !== null && next !== undefined) {
            expect(liveVersionAt(state, next.at)).toBe(next.version);
            expect(liveVersionAt(state, next.at - 1)).toBe(live);
          }
        }
      }),
    );
  });
});
