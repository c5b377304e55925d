import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { basisOf, factsOf } from "../../../server/engines/tiers/rules/facts.ts";
import { metricValue } from "../../../server/engines/tiers/rules/metric-value.ts";
import type { EventFacts } from "../../../server/engines/tiers/schema/event.ts";
import type { Rules } from "../../../server/engines/tiers/schema/programme.ts";
import { cancelOf, event, mapOf, order, refundOf, rulesOf } from "./fixture.ts";

const spend = (events: EventFacts[], to: string, rules: Rules = rulesOf(), from = "2000-01-01"): number =>
  metricValue(
    factsOf(mapOf(events), rules),
    { metric: "spend", key: null, window: { type: "rolling", months: 12 } },
    { from, to },
  );

describe("factsOf", () => {
  it("takes a refund from its order, on the order's own day", () => {
    const bought = order("2026-01-10", 1000);
    const events = [bought, refundOf(bought, "2026-03-01", 300)];
    expect(spend(events, "2026-03-01")).toBe(700);
    expect(spend(events, "2026-02-28")).toBe(1000);
    expect(spend(events, "2026-04-01", rulesOf(), "2026-02-01")).toBe(0);
  });

  it("or on the day of the refund, as the programme says", () => {
    const bought = order("2026-01-10", 1000);
    const other = order("2026-03-02", 500);
    const rules = rulesOf({ refund_dating: "refund_date" });
    const events = [bought, other, refundOf(bought, "2026-03-01", 300)];
    expect(spend(events, "2026-04-01", rules, "2026-02-01")).toBe(200);
  });

  it("never counts an order below zero, whatever is refunded in whatever order", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 900 }), { maxLength: 6 }), fc.boolean(), (refunds, isCancelled) => {
        const bought = order("2026-01-10", 1000);
        const events = [
          bought,
          ...refunds.map((amount, at) => refundOf(bought, `2026-02-0${at + 1}`, amount)),
          ...(isCancelled ? [cancelOf(bought, "2026-02-03")] : []),
        ];
        const total = refunds.reduce((all, one) => all + one, 0);
        expect(spend(events, "2026-03-01")).toBe(isCancelled ? 0 : Math.max(0, 1000 - total));
      }),
    );
  });

  it("a cancelled order is no order; a higher version of it revives it", () => {
    const bought = order("2026-01-10", 1000, { order_ref: "x" });
    const again = order("2026-01-10", 1000, { order_ref: "x", source_version: 2 });
    const cancelled = cancelOf(bought, "2026-01-11", { source_version: 0 });
    expect(spend([bought, cancelled], "2026-02-01")).toBe(0);
    expect(spend([bought, cancelled, again], "2026-02-01")).toBe(1000);
  });

  it("a cancellation without a version cancels every version of the order", () => {
    const bought = order("2026-01-10", 1000, { order_ref: "x", source_version: 7 });
    expect(spend([bought, cancelOf(bought, "2026-01-11")], "2026-02-01")).toBe(0);
    expect(spend([cancelOf(bought, "2026-01-11"), bought], "2026-02-01")).toBe(0);
  });

  it("refunds in parts leave nothing of a category", () => {
    const share = fc.integer({ min: 1, max: 1000 });
    fc.assert(
      fc.property(fc.array(share, { minLength: 1, maxLength: 9 }), share, share, (parts, tea, cake) => {
        const amount = parts.reduce((sum, part) => sum + part, 0);
        const bought = order("2026-01-10", amount, { categories: { tea, cake } });
        const refunds = parts.map((part) => refundOf(bought, "2026-01-12", part));
        const facts = factsOf(mapOf([bought, ...refunds]), rulesOf());
        const left = (key: string) =>
          facts.facts.reduce((sum, { categories }) => sum + (categories[key] ?? 0), 0);
        expect([left("tea"), left("cake")]).toEqual([0, 0]);
      }),
    );
  });

  it("counts an order once the programme says so, at its own date", () => {
    const fulfilled = { state: "fulfilled", fulfilled_at: "2026-01-12T09:00:00.000Z" };
    const bought = order("2026-01-10", 1000, fulfilled);
    const when = (order_counts_when: Rules["order_counts_when"]) =>
      rulesOf({ order_counts_when, return_window_days: 14 });
    expect(spend([bought], "2026-01-10", when("paid"))).toBe(1000);
    expect(spend([bought], "2026-01-11", when("fulfilled"))).toBe(0);
    expect(spend([bought], "2026-01-12", when("fulfilled"))).toBe(1000);
    expect(spend([bought], "2026-01-25", when("after_return_window"))).toBe(0);
    expect(spend([bought], "2026-01-26", when("after_return_window"))).toBe(1000);
    expect(spend([bought], "2026-01-26", when("after_return_window"), "2026-01-11")).toBe(0);
    expect(spend([order("2026-01-10", 1000)], "2026-02-26", when("fulfilled"))).toBe(0);
    expect(spend([order("2026-01-10", 1000, { state: "placed" })], "2026-02-26")).toBe(0);
  });

  it("knows what an order is worth by each basis", () => {
    const [entry] = Object.values(
      mapOf([order("2026-01-10", 1000, { shipping: 300, tax: 200, discount: 50 })]).orders,
    );
    if (entry?.order === null || entry === undefined) throw new Error("no order");
    const { order: slot } = entry;
    const worth = (["net_goods", "net_incl_shipping_tax", "gross"] as const).map((spend_basis) =>
      basisOf(slot, { spend_basis }),
    );
    expect(worth).toEqual([1000, 1500, 1550]);
  });

  it("leaves out what is in another currency", () => {
    expect(spend([order("2026-01-10", 1000, { currency: "EUR" })], "2026-02-01")).toBe(0);
  });

  it("dates by the programme's zone", () => {
    const late = order("2026-06-30", 1000, { occurred_at: "2026-06-30T23:30:00.000Z" });
    expect(factsOf(mapOf([late]), rulesOf()).joinedOn).toBe("2026-07-01");
    expect(factsOf(mapOf([late]), rulesOf({ timezone: "America/New_York" })).joinedOn).toBe("2026-06-30");
  });

  it("joins on the first happening of any kind", () => {
    const events = [order("2026-03-01", 1), event("form", "2026-01-05")];
    expect(factsOf(mapOf(events), rulesOf()).joinedOn).toBe("2026-01-05");
    expect(factsOf(mapOf([]), rulesOf()).joinedOn).toBeNull();
  });
});
