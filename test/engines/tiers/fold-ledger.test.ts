import { describe, expect, it } from "vitest";

import { factsOf } from "../../../server/engines/tiers/rules/facts.ts";
import { foldLedger, isFolded } from "../../../server/engines/tiers/rules/fold-ledger.ts";
import { addDays } from "../../../server/lib/local-time.ts";
import { joinLedgers, ledgerOf, orderKey } from "../../../server/engines/tiers/rules/ledger.ts";
import { metricValue } from "../../../server/engines/tiers/rules/metric-value.ts";
import { TIER_LIMITS } from "../../../server/engines/tiers/schema/programme.ts";
import { Ledger } from "../../../server/engines/tiers/schema/ledger.ts";
import type { Window } from "../../../server/engines/tiers/schema/programme.ts";
import { DOC_BYTES_MAX } from "../../../server/storage/contract.ts";
import { mapOf, order, refundOf, rulesOf } from "./fixture.ts";

const rules = rulesOf();
const spend = (ledger: Ledger, window: Window, from: string) =>
  metricValue(factsOf(ledger, rules), { metric: "spend", key: null, window }, { from, to: "2026-06-01" });

// One order in five days, back from June 2026 for more than five years.
const orders = Array.from({ length: TIER_LIMITS.orders + 10 }, (_, at) =>
  order(addDays("2026-06-01", -5 * at), 100 + at),
);
const [oldest] = orders.slice(-1);
if (oldest === undefined) throw new Error("no orders");
const full = [...orders, refundOf(oldest, "2026-05-01", 7)].reduce(
  (ledger, one) => {
    Object.assign(ledger.orders, joinLedgers(ledger, ledgerOf(one)).orders);
    return ledger;
  },
  structuredClone(mapOf([])),
);

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

  it("knows what it folded", () => {
    const folded = foldLedger(full, rules, "2026-06-01");
    const refs = [oldest, orders[0]].map((one) =>
      orderKey(one !== undefined && "order_ref" in one ? one.order_ref : ""),
    );
    expect(refs.map((key) => isFolded(folded, key))).toEqual([true, false]);
    expect(isFolded(full, refs[0] ?? "")).toBe(false);
  });
});
