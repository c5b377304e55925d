import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { EventFacts } from "../../../server/engines/tiers/schema/event.ts";
import { eventKey, joinLedgers, ledgerOf, orderKey } from "../../../server/engines/tiers/rules/ledger.ts";
import { EMPTY_LEDGER, Ledger } from "../../../server/engines/tiers/schema/ledger.ts";
import { cancelOf, event, mapOf, order, refundOf } from "./fixture.ts";

const instant = fc.integer({ min: 0, max: 900 }).map((day) => new Date(1.7e12 + day * 864e5).toISOString());
const common = {
  source: fc.constantFrom("shop", "till"),
  external_id: fc.constantFrom("a", "b", "c", "d"),
  source_version: fc.nat({ max: 3 }),
  occurred_at: instant,
};
const order_ref = fc.constantFrom("o1", "o2", "o3");
const amount = fc.nat({ max: 90_000 });
const anyEvent = fc
  .oneof(
    fc.record({ ...common, order_ref, amount, currency: fc.constant("GBP"), type: fc.constant("order") }),
    fc.record({ ...common, order_ref, amount, currency: fc.constant("GBP"), type: fc.constant("refund") }),
    fc.record({ ...common, order_ref, type: fc.constant("cancel") }),
    fc.record({ ...common, amount: fc.integer({ min: -500, max: 500 }), type: fc.constant("points") }),
    fc.record({ ...common, type: fc.constant("review") }),
  )
  .map((drawn) => EventFacts.parse(drawn));

/** As the service does it: of events with one name only the first is taken. */
const history = fc
  .array(anyEvent, { maxLength: 14 })
  .map((events) => [...new Map(events.map((one) => [eventKey(one), one])).values()]);

describe("the per-order map", () => {
  it("is the same whatever order events come in, and however often (T1, T2)", () => {
    const shuffled = history.chain((events) =>
      fc.tuple(
        fc.constant(events),
        fc.shuffledSubarray([...events, ...events], { minLength: events.length * 2 }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([events, mixed]) => {
        expect(JSON.stringify(mapOf(mixed))).toBe(JSON.stringify(mapOf(events)));
      }),
      { numRuns: 400 },
    );
  });

  it("is a join: associative, commutative, idempotent", () => {
    fc.assert(
      fc.property(history, history, history, (a, b, c) => {
        const [x, y, z] = [mapOf(a), mapOf(b), mapOf(c)];
        expect(joinLedgers(x, joinLedgers(y, z))).toEqual(joinLedgers(joinLedgers(x, y), z));
        expect(joinLedgers(x, x)).toEqual(x);
        expect(joinLedgers(x, EMPTY_LEDGER)).toEqual(x);
      }),
    );
  });

  it("fits its schema", () => {
    fc.assert(
      fc.property(history, (events) => {
        expect(Ledger.parse(mapOf(events))).toEqual(mapOf(events));
      }),
    );
  });

  it("sets an order, does not add it; a lower version comes too late", () => {
    const first = order("2026-01-01", 100, { order_ref: "x", source_version: 2 });
    const late = order("2026-01-01", 999, { order_ref: "x", source_version: 1 });
    const next = order("2026-01-01", 80, { order_ref: "x", source_version: 3 });
    const amountOf = (events: EventFacts[]) => mapOf(events).orders[orderKey("x")]?.order?.amount;
    expect(amountOf([first, late])).toBe(100);
    expect(amountOf([late, first, next])).toBe(80);
  });

  it("of equal versions takes the order that got further, then the later one, in whatever order they come", () => {
    for (const n of Array.from({ length: 12 }, (_, at) => `x${at}`)) {
      const of = (state: string, on: string, amount: number) => order(on, amount, { order_ref: n, state });
      const events = [
        of("fulfilled", "2026-01-01", 90),
        of("paid", "2026-01-02", 100),
        of("fulfilled", "2026-01-03", 80),
        of("placed", "2026-01-04", 110),
      ];
      for (const some of [events, events.toReversed()])
        expect(mapOf(some).orders[orderKey(n)]?.order).toMatchObject({ state: "fulfilled", amount: 80 });
    }
  });

  it("keeps a refund and a cancellation that come before their order", () => {
    const bought = order("2026-01-01", 100);
    const early = mapOf([
      refundOf(bought, "2026-01-02", 30),
      cancelOf(bought, "2026-01-03", { source_version: 0 }),
    ]);
    expect(Object.values(early.orders)).toMatchObject([{ order: null, cancel: { v: 0 } }]);
    expect(Object.values(joinLedgers(early, ledgerOf(bought)).orders)[0]?.order?.amount).toBe(100);
  });

  it("counts money of another currency by the rate that the event carries, half away from zero", () => {
    const rate = { currency: "GBP", micros: 855_000 };
    const bought = order("2026-01-01", 1001, {
      currency: "EUR",
      rate,
      shipping: 10,
      categories: { tea: 101 },
    });
    expect(Object.values(mapOf([bought]).orders)[0]?.order).toMatchObject({
      currency: "GBP",
      amount: 856,
      shipping: 9,
      categories: { tea: 86 },
    });
  });

  it.each([
    ["JPY", 10_000, { currency: "GBP", micros: 5_200 }, 5_200],
    ["KWD", 10_000, { currency: "GBP", micros: 2_500_000 }, 2_500],
    ["GBP", 5_200, { currency: "JPY", micros: 192_000_000 }, 9_984],
  ])("counts %s by a rate of whole units", (currency, amount, rate, expected) => {
    const bought = order("2026-01-01", amount, { currency, rate });
    expect(Object.values(mapOf([bought]).orders)[0]?.order?.amount).toBe(expected);
  });

  it("tells one external id from another, and of another type or version", () => {
    const review = event("review", "2026-01-01", { external_id: "r1" });
    const keys = [
      review,
      event("review", "2026-01-01", { external_id: "r2" }),
      event("referral", "2026-01-01", { external_id: "r1" }),
      event("review", "2026-01-01", { external_id: "r1", source_version: 1 }),
    ].map(eventKey);
    expect(new Set(keys).size).toBe(4);
    expect(eventKey(event("review", "2026-02-02", { external_id: "r1" }))).toBe(eventKey(review));
  });
});
