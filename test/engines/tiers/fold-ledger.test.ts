import { describe, expect, it } from "vitest";

import { factsOf } from "../../../server/engines/tiers/rules/facts.ts";
import type { Facts } from "../../../server/engines/tiers/rules/facts.ts";
import { foldLedger, isFolded } from "../../../server/engines/tiers/rules/fold-ledger.ts";
import { addDays, addMonths } from "../../../server/lib/local-time.ts";
import { joinLedgers, ledgerOf, orderKey } from "../../../server/engines/tiers/rules/ledger.ts";
import { metricValue } from "../../../server/engines/tiers/rules/metric-value.ts";
import { TIER_LIMITS } from "../../../server/engines/tiers/schema/programme.ts";
import { Ledger } from "../../../server/engines/tiers/schema/ledger.ts";
import type { Window } from "../../../server/engines/tiers/schema/programme.ts";
import { DOC_BYTES_MAX } from "../../../server/storage/contract.ts";
import { event, mapOf, order, refundOf, rulesOf } from "./fixture.ts";

const rules = rulesOf();
const spend = (ledger: Ledger, window: Window, from: string) =>
  metricValue(factsOf(ledger, rules), { metric: "spend", key: null, window }, { from, to: "2026-06-01" });

// One order in five days, back from June 2026 for more than five years.
const orders = Array.from({ length: TIER_LIMITS.orders + 10 }, (_, at) =>
  order(addDays("2026-06-01", -5 * at), 100 + at),
);
const [oldest] = orders.slice(-1);
if (oldest === undefined) throw new Error("no orders");
const full = mapOf([...orders, refundOf(oldest, "2026-05-01", 7)]);

describe("foldLedger", () => {
  it("leaves a map alone that is not full", () => {
    const small = mapOf(orders.slice(-5));
    expect(foldLedger(small, rules, "2026-06-01")).toBe(small);
  });

  it("folds what no rolling window sees, and loses nothing of a lifetime", () => {
    const folded = foldLedger(full, rules, "2026-06-01");
    expect(Ledger.parse(folded)).toEqual(folded);
    expect(Object.keys(folded.orders).length).toBeLessThan(250);
    const lifetime = { type: "lifetime" } as const;
    expect(spend(folded, lifetime, "2000-01-01")).toBe(spend(full, lifetime, "2000-01-01"));
    const rolling = { type: "rolling", months: 36 } as const;
    expect(spend(folded, rolling, "2023-06-02")).toBe(spend(full, rolling, "2023-06-02"));
    expect(folded.folded.refunds).toBe(7);
    expect(factsOf(folded, rules).joinedOn).toBe(factsOf(full, rules).joinedOn);
    expect(Buffer.byteLength(JSON.stringify(full))).toBeLessThan(DOC_BYTES_MAX);
  });

  it("counts no amounts of before where the programme has another currency since", () => {
    const folded = foldLedger(full, rules, "2026-06-01");
    const inEuros = rulesOf({ currency: "EUR" });
    const euros = [...orders.keys()].map((at) =>
      order(addDays("2026-06-01", -at), 100, { order_ref: `e${at}`, currency: "EUR" }),
    );
    const both = joinLedgers(folded, mapOf(euros));
    const of = (ledger: Ledger) =>
      metricValue(
        factsOf(ledger, inEuros),
        { metric: "spend", key: null, window: { type: "lifetime" } },
        { from: "2000-01-01", to: "2026-06-01" },
      );
    const refolded = foldLedger(both, inEuros, "2026-06-01");
    expect([of(folded), of(both), of(refolded)]).toEqual([0, euros.length * 100, euros.length * 100]);
    expect(refolded.folded).toMatchObject({ currency: "EUR", refunds: 0 });
    expect(Ledger.parse(refolded)).toEqual(refolded);
  });

  it("knows what it folded", () => {
    const folded = foldLedger(full, rules, "2026-06-01");
    const refs = [oldest, orders[0]].map((one) =>
      orderKey(one !== undefined && "order_ref" in one ? one.order_ref : ""),
    );
    expect(refs.map((key) => isFolded(folded, key))).toEqual([true, false]);
    expect(isFolded(full, refs[0] ?? "")).toBe(false);
  });

  it("folds the orders of a regular by days, which every window sees as before", () => {
    const more = { channel: "web", categories: { bread: 30 } };
    // Two orders on each of 700 days.
    const regular = Array.from({ length: 1_400 }, (_, at) =>
      order(addDays("2026-06-01", -Math.floor(at / 2)), 100 + at, more),
    ).toReversed();
    const [first] = regular;
    let ledger = mapOf([]);
    let days = 0;
    for (const [at, one] of regular.entries()) {
      ledger = { ...ledger, orders: { ...ledger.orders, ...ledgerOf(one).orders } };
      if (at % 5 !== 4) continue;
      const folded = foldLedger(ledger, rules, one.occurred_at.slice(0, 10));
      if (folded !== ledger) days += 1;
      ledger = folded;
    }
    expect(Ledger.parse(ledger)).toEqual(ledger);
    // Not each time.
    expect([days > 3, days < 30]).toEqual([true, true]);
    expect(Object.keys(ledger.orders).length).toBeLessThanOrEqual(TIER_LIMITS.orders);
    expect(Buffer.byteLength(JSON.stringify(ledger))).toBeLessThan(DOC_BYTES_MAX);
    const all: Ledger = {
      ...mapOf([]),
      orders: Object.assign({}, ...regular.map((one) => ledgerOf(one).orders)),
    };
    const [known, whole] = [factsOf(ledger, rules), factsOf(all, rules)];
    for (const months of [3, 12, 24, 36])
      for (const metric of [
        "spend",
        "orders",
        "aov",
        "recency_days",
        "channel_spend",
        "category_spend",
      ] as const) {
        const key = metric === "channel_spend" ? "web" : metric === "category_spend" ? "bread" : null;
        const of = (facts: Facts) =>
          metricValue(
            facts,
            { metric, key, window: { type: "rolling", months } },
            { from: addMonths("2026-06-01", -months), to: "2026-06-01" },
          );
        expect([metric, months, of(known)]).toEqual([metric, months, of(whole)]);
      }
    if (first === undefined || !("order_ref" in first)) throw new Error("no orders");
    expect(isFolded(ledger, orderKey(first.order_ref))).toBe(true);
    // Four years later they are sums of months.
    const later = order("2030-01-01", 1);
    const now = joinLedgers({ ...mapOf([]), orders: all.orders }, ledgerOf(later));
    const old = foldLedger(now, rules, "2030-01-01");
    expect(Object.keys(old.orders)).toHaveLength(1);
    expect(old.folded.days).toHaveLength(24);
    for (const metric of ["spend", "orders", "channel_spend", "category_spend"] as const) {
      const key = metric === "channel_spend" ? "web" : metric === "category_spend" ? "bread" : null;
      const asked = { metric, key, window: { type: "lifetime" } } as const;
      const of = (from: Ledger) =>
        metricValue(factsOf(from, rules), asked, { from: "2000-01-01", to: "2030-01-01" });
      expect([metric, of(old)]).toEqual([metric, of(now)]);
    }
  });

  it("counts what is folded from the first day of the programme on, and dates a level by it", () => {
    const started = rulesOf({ start_date: "2022-03-10" });
    const folded = foldLedger(full, started, "2026-06-01");
    const since = { type: "since_tier" } as const;
    for (const [window, from] of [
      [{ type: "lifetime" } as const, "2022-03-10"],
      [since, "2022-05-01"],
    ] as const) {
      const of = (ledger: Ledger) =>
        metricValue(
          factsOf(ledger, started),
          { metric: "spend", key: null, window },
          { from, to: "2026-06-01" },
        );
      expect(of(folded)).toBe(of(full));
    }
  });

  it("folds points as well: their number is limited, not their time", () => {
    const often = Array.from({ length: 600 }, (_, at) => {
      const on = addDays("2026-06-01", 3 * (at - 600));
      return at % 50 === 0 ? event("review", on) : event("points", on, { amount: 1 + at });
    });
    let ledger = mapOf([]);
    for (let at = 0; at < often.length; at += 20) {
      const some = often.slice(at, at + 20);
      ledger = foldLedger(
        joinLedgers(ledger, mapOf(some)),
        rules,
        some.at(-1)?.occurred_at.slice(0, 10) ?? "",
      );
    }
    expect(Object.keys(ledger.marks).length).toBeLessThan(TIER_LIMITS.marks);
    expect(Ledger.parse(ledger)).toEqual(ledger);
    const all = mapOf(often);
    for (const [metric, window, from] of [
      ["points", { type: "rolling", months: 12 }, "2025-06-02"],
      ["reviews", { type: "rolling", months: 36 }, "2023-06-02"],
      ["points", { type: "lifetime" }, "2000-01-01"],
    ] as const) {
      const of = (one: Ledger) =>
        metricValue(factsOf(one, rules), { metric, key: null, window }, { from, to: "2026-06-01" });
      expect([metric, of(ledger)]).toEqual([metric, of(all)]);
    }
    expect(factsOf(ledger, rules).joinedOn).toBe(factsOf(all, rules).joinedOn);
  });

  it("stays within a document, and loses nothing, however much an order has", () => {
    const names = Array.from({ length: 12 }, (_, at) => `a-category-of-the-shop-with-a-name-${at}`);
    const rich = Array.from({ length: 1_000 }, (_, at) =>
      order(addDays("2026-06-01", at - 1_000), 1_200, {
        channel: at % 3 === 0 ? "web" : "shop",
        categories: Object.fromEntries(names.map((name) => [name, 100])),
      }),
    );
    let ledger = mapOf([]);
    for (const [at, one] of rich.entries()) {
      ledger = { ...ledger, orders: { ...ledger.orders, ...ledgerOf(one).orders } };
      if (at % 20 === 19) ledger = foldLedger(ledger, rules, one.occurred_at.slice(0, 10));
    }
    expect(Buffer.byteLength(JSON.stringify(ledger))).toBeLessThan(200_000);
    const asked = { key: names[0] ?? "", window: { type: "lifetime" } } as const;
    const of = (metric: "orders" | "category_spend") =>
      metricValue(
        factsOf(ledger, rules),
        { ...asked, metric, key: metric === "orders" ? null : asked.key },
        { from: "2000-01-01", to: "2026-06-01" },
      );
    expect([of("orders"), of("category_spend")]).toEqual([1_000, 100_000]);
  });

  it("adds the days of two customers who are merged", () => {
    const [a, b] = [day("web", 2), day(null, 1)];
    const joined = joinLedgers(a, b);
    expect(joined.folded.days).toEqual([
      ["2026-01-01", null, 1, 100, {}],
      ["2026-01-01", "web", 2, 200, { bread: 20 }],
    ]);
    expect(joinLedgers(a, { ...day("web", 3), orders: {} }).folded.days).toEqual([
      ["2026-01-01", "web", 5, 500, { bread: 50 }],
    ]);
  });
});

/** A ledger with orders of a day that were folded. */
function day(channel: string | null, orders: number): Ledger {
  const ledger = mapOf([]);
  const categories = channel === null ? {} : { bread: 10 * orders };
  const days: Ledger["folded"]["days"] = [["2026-01-01", channel, orders, 100 * orders, categories]];
  return { ...ledger, folded: { ...ledger.folded, refs: [`${channel} ${orders}`], days } };
}
