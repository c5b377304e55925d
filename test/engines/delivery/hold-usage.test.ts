import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  emptyUsage,
  isLive,
  remainingOf,
  usesZone,
  withConfirmed,
  withHold,
  withoutConfirmed,
  withoutHold,
} from "../../../server/engines/delivery/rules/hold-usage.ts";
import type { SlotUsage } from "../../../server/engines/delivery/schema/slot.ts";
import { seeded } from "../../seeded.ts";
import { ms } from "./fixture.ts";

const NOON = ms("2026-07-01T12:00:00Z");
const hold = (id: string, more: { quantity?: number; zone_id?: string | null; ttl?: number } = {}) => ({
  id,
  zone_id: more.zone_id === undefined ? "zon_1" : more.zone_id,
  quantity: more.quantity ?? 1,
  expires_at_ms: NOON + (more.ttl ?? 900) * 1000,
});
const empty = emptyUsage("2026-07-04@win_1", "2026-07-04");

describe("remainingOf", () => {
  it("DA23 a hold of 900 s made at 12:00:00 counts at 12:14:59 and is dead at 12:15:00", () => {
    const usage = withHold(empty, hold("hld_1"), NOON);
    expect(remainingOf(usage, 10, ms("2026-07-01T12:14:59Z"))).toBe(9);
    expect(remainingOf(usage, 10, ms("2026-07-01T12:14:59.999Z"))).toBe(9);
    expect(remainingOf(usage, 10, ms("2026-07-01T12:15:00Z"))).toBe(10);
    expect(isLive(hold("hld_1"), NOON + 900_000)).toBe(false);
  });

  it("is the whole capacity without a usage, and never below 0", () => {
    expect(remainingOf(null, 7, NOON)).toBe(7);
    expect(remainingOf(withHold(empty, hold("hld_1", { quantity: 5 }), NOON), 3, NOON)).toBe(0);
  });

  it("counts holds and bookings by quantity", () => {
    let usage = withHold(empty, hold("hld_1", { quantity: 3 }), NOON);
    usage = withHold(usage, hold("hld_2", { quantity: 2 }), NOON);
    usage = withConfirmed(usage, hold("hld_1", { quantity: 3 }), NOON);
    expect(remainingOf(usage, 10, NOON)).toBe(5);
    expect(usage.holds.map(({ id }) => id)).toEqual(["hld_2"]);
    expect(remainingOf(withoutHold(usage, "hld_2", NOON), 10, NOON)).toBe(7);
    expect(remainingOf(withoutConfirmed(usage, hold("hld_1", { quantity: 3 })), 10, NOON)).toBe(8);
  });
});

describe("usage", () => {
  it("drops dead holds when it is written next", () => {
    const old = withHold(empty, hold("hld_1", { ttl: 60 }), NOON);
    expect(withHold(old, hold("hld_2", { ttl: 600 }), NOON + 60_000).holds.map(({ id }) => id)).toEqual([
      "hld_2",
    ]);
  });

  it("keeps one entry per zone, and none that is used up", () => {
    let usage = withConfirmed(empty, hold("hld_1"), NOON);
    usage = withConfirmed(usage, hold("hld_2"), NOON);
    usage = withConfirmed(usage, hold("hld_3", { zone_id: null }), NOON);
    expect(usage.confirmed).toEqual([
      { zone_id: "zon_1", quantity: 2 },
      { zone_id: null, quantity: 1 },
    ]);
    expect(withoutConfirmed(usage, hold("hld_3", { zone_id: null })).confirmed).toHaveLength(1);
  });

  it("extending replaces a hold", () => {
    const usage = withHold(withHold(empty, hold("hld_1"), NOON), hold("hld_1", { ttl: 1800 }), NOON);
    expect(usage.holds).toEqual([hold("hld_1", { ttl: 1800 })]);
  });

  it("knows the zones it serves; what names none may be anybody's", () => {
    const held = withHold(empty, hold("hld_1"), NOON);
    expect(usesZone(held, "zon_1", NOON)).toBe(true);
    expect(usesZone(held, "zon_2", NOON)).toBe(false);
    expect(usesZone(held, "zon_1", NOON + 900_000)).toBe(false);
    const booked = withConfirmed(empty, hold("hld_1", { zone_id: null }), NOON);
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
              usage = withHold(
                usage,
                { id: entry.id, quantity, zone_id: null, expires_at_ms: entry.until },
                now,
              );
              model.push(entry);
            }
            if (target === undefined) continue;
            const entry = {
              id: target.id,
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
              usage = withoutHold(usage, entry.id, now);
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
