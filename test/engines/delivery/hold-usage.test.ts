import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  emptyUsage,
  isLive,
  nextExpiry,
  remainingOf,
  usesZone,
  withConfirmed,
  withHold,
  withoutConfirmed,
  withoutHold,
} from "../../../server/engines/delivery/rules/hold-usage.ts";
import { fromText } from "../../../server/core/collection.ts";
import { slotUsages } from "../../../server/engines/delivery/repository.ts";
import type { SlotUsage } from "../../../server/engines/delivery/schema/slot.ts";
import { seeded } from "../../seeded.ts";
import { ms } from "./fixture.ts";

const NOON = ms("2026-07-01T12:00:00Z");
const hold = (more: { quantity?: number; zone_id?: string | null; ttl?: number } = {}) => ({
  zone_id: more.zone_id === undefined ? "zon_1" : more.zone_id,
  quantity: more.quantity ?? 1,
  expires_at_ms: NOON + (more.ttl ?? 900) * 1000,
});
const empty = emptyUsage("2026-07-04@win_1", "2026-07-04");

describe("nextExpiry", () => {
  it("is that of the active hold which expires first", () => {
    const usage = [hold({ ttl: 900 }), hold({ ttl: 60 }), hold({ ttl: 60, zone_id: null })].reduce(
      (before, next) => withHold(before, next, NOON),
      empty,
    );
    expect([nextExpiry(usage, NOON), nextExpiry(usage, NOON + 59_999)]).toEqual([
      NOON + 60_000,
      NOON + 60_000,
    ]);
    expect(nextExpiry(usage, NOON + 60_000)).toBe(NOON + 900_000);
    expect([nextExpiry(usage, NOON + 900_000), nextExpiry(empty, NOON), nextExpiry(null, NOON)]).toEqual([
      Infinity,
      Infinity,
      Infinity,
    ]);
  });
});

describe("remainingOf", () => {
  it("DA23 a hold of 900 s made at 12:00:00 counts at 12:14:59 and is dead at 12:15:00", () => {
    const usage = withHold(empty, hold(), NOON);
    expect(remainingOf(usage, 10, ms("2026-07-01T12:14:59Z"))).toBe(9);
    expect(remainingOf(usage, 10, ms("2026-07-01T12:14:59.999Z"))).toBe(9);
    expect(remainingOf(usage, 10, ms("2026-07-01T12:15:00Z"))).toBe(10);
    expect(isLive([NOON + 900_000, 1], NOON + 900_000)).toBe(false);
  });

  it("is the whole capacity without a usage, and never below 0", () => {
    expect(remainingOf(null, 7, NOON)).toBe(7);
    expect(remainingOf(withHold(empty, hold({ quantity: 5 }), NOON), 3, NOON)).toBe(0);
  });

  it("counts holds and bookings by quantity", () => {
    let usage = withHold(empty, hold({ quantity: 3 }), NOON);
    usage = withHold(usage, hold({ quantity: 2 }), NOON);
    usage = withConfirmed(usage, hold({ quantity: 3 }), NOON);
    expect(remainingOf(usage, 10, NOON)).toBe(5);
    expect(usage.held).toEqual([{ zone_id: "zon_1", until: [[NOON + 900_000, 2]] }]);
    expect(remainingOf(withoutHold(usage, hold({ quantity: 2 }), NOON), 10, NOON)).toBe(7);
    expect(remainingOf(withoutConfirmed(usage, hold({ quantity: 3 })), 10, NOON)).toBe(8);
  });
});

describe("usage", () => {
  it("drops dead holds when it is written next", () => {
    const old = withHold(empty, hold({ ttl: 60 }), NOON);
    expect(withHold(old, hold({ ttl: 600 }), NOON + 60_000).held).toEqual([
      { zone_id: "zon_1", until: [[NOON + 600_000, 1]] },
    ]);
  });

  it("keeps one entry per zone, and none that is used up", () => {
    let usage = withConfirmed(empty, hold(), NOON);
    usage = withConfirmed(usage, hold(), NOON);
    usage = withConfirmed(usage, hold({ zone_id: null }), NOON);
    expect(usage.confirmed).toEqual([
      { zone_id: "zon_1", quantity: 2 },
      { zone_id: null, quantity: 1 },
    ]);
    expect(withoutConfirmed(usage, hold({ zone_id: null })).confirmed).toHaveLength(1);
  });

  it("counts holds that expire together as one entry, and releases them one by one", () => {
    const two = withHold(withHold(empty, hold(), NOON), hold({ quantity: 2 }), NOON);
    expect(two.held).toEqual([{ zone_id: "zon_1", until: [[NOON + 900_000, 3]] }]);
    const one = withoutHold(two, hold({ quantity: 2 }), NOON);
    expect(one).toEqual(withHold(empty, hold(), NOON));
    expect(withoutHold(one, hold(), NOON)).toEqual(empty);
  });

  it("releases nothing for a hold that has expired and was removed", () => {
    const others = withHold(withHold(empty, hold({ ttl: 60 }), NOON), hold(), NOON + 60_000);
    expect(withoutHold(others, hold({ ttl: 60 }), NOON + 60_000)).toEqual(others);
    expect(withoutHold(others, hold({ zone_id: "zon_2" }), NOON)).toEqual(others);
  });

  it("reads the form in which each hold had an entry", () => {
    const holds = [
      { id: "hld_1", ...hold() },
      { id: "hld_2", ...hold({ ttl: 60, zone_id: null }) },
    ];
    const { held: _, ...old } = empty;
    const usage = withHold(withHold(empty, hold(), NOON), hold({ ttl: 60, zone_id: null }), NOON);
    const text = JSON.stringify({ schema_version: 1, ...old, holds });
    expect(fromText(slotUsages, text)).toEqual(usage);
  });

  it("knows the zones it serves; what names none may be anybody's", () => {
    const held = withHold(empty, hold(), NOON);
    expect(usesZone(held, "zon_1", NOON)).toBe(true);
    expect(usesZone(held, "zon_2", NOON)).toBe(false);
    expect(usesZone(held, "zon_1", NOON + 900_000)).toBe(false);
    const booked = withConfirmed(empty, hold({ zone_id: null }), NOON);
    expect(usesZone(booked, "zon_2", NOON + 900_000)).toBe(true);
  });

  it("never oversells, whatever happens in whatever order", () => {
    const action = fc.record({
      kind: fc.constantFrom("hold", "confirm", "release", "cancel", "wait"),
      pick: fc.nat(5),
      quantity: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(
        fc.array(action, { maxLength: 60 }),
        fc.integer({ min: 1, max: 8 }),
        (actions, capacity) => {
          let usage: SlotUsage = empty;
          let now = NOON;
          // The model: every hold with its own state, counted from scratch.
          const model: {
            id: string;
            quantity: number;
            state: "held" | "confirmed" | "gone";
            until: number;
          }[] = [];
          const taken = (): number =>
            model
              .filter(({ state, until }) => state === "confirmed" || (state === "held" && now < until))
              .reduce((sum, { quantity }) => sum + quantity, 0);
          for (const { kind, pick, quantity } of actions) {
            const target = model[pick % Math.max(1, model.length)];
            if (kind === "wait") now += 300_000;
            if (kind === "hold" && remainingOf(usage, capacity, now) >= quantity) {
              const entry = {
                id: `hld_${model.length}`,
                quantity,
                state: "held" as const,
                until: now + 900_000,
              };
              usage = withHold(usage, { quantity, zone_id: null, expires_at_ms: entry.until }, now);
              model.push(entry);
            }
            if (target === undefined) continue;
            const entry = {
              quantity: target.quantity,
              zone_id: null,
              expires_at_ms: target.until,
            };
            if (kind === "confirm" && target.state === "held") {
              if (now < target.until || remainingOf(usage, capacity, now) >= target.quantity) {
                usage = withConfirmed(usage, entry, now);
                target.state = "confirmed";
              }
            }
            if (kind === "release" && target.state === "held") {
              usage = withoutHold(usage, entry, now);
              target.state = "gone";
            }
            if (kind === "cancel" && target.state === "confirmed") {
              usage = withoutConfirmed(usage, entry);
              target.state = "gone";
            }
            expect(taken()).toBeLessThanOrEqual(capacity);
            expect(remainingOf(usage, capacity, now)).toBe(capacity - taken());
          }
        },
      ),
      seeded(500),
    );
  });
});
