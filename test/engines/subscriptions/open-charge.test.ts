import { describe, expect, it } from "vitest";

import {
  attemptId,
  attemptNumber,
  chargeIdOf,
  chargeIdOfAttempt,
  cycleCharge,
  dueCycles,
} from "../../../server/engines/subscriptions/rules/open-charge.ts";
import { contractOf, ms, NOW } from "./fixture.ts";

describe("charges", () => {
  it("I1 the same cycle and kind is always the same charge, anything else another one", () => {
    const key = { contractId: "sub_1", cycle: 3, kind: "recurring" as const };
    expect(chargeIdOf(key)).toBe(chargeIdOf({ ...key }));
    const others = [
      { ...key, cycle: 4 },
      { ...key, contractId: "sub_2" },
      { ...key, kind: "adjustment" as const },
      { ...key, kind: "adjustment" as const, changeId: "chn_1" },
    ];
    expect(new Set([key, ...others].map(chargeIdOf)).size).toBe(5);
  });

  it("an attempt's id leads back to its charge", () => {
    const id = attemptId("chg_01", 12);
    expect([chargeIdOfAttempt(id), attemptNumber(id)]).toEqual(["chg_01", 12]);
  });

  it("I2 total, credit and what is due", () => {
    const contract = contractOf(
      { shipping_price: 300 },
      { credit: 500, carried: [{ id: "chn_1", title: "x", amount: 200, tax: 33 }] },
    );
    expect(cycleCharge(contract, 0, { now: NOW })).toMatchObject({
      total: 1500,
      credit_applied: 500,
      amount_due: 1000,
    });
    expect(cycleCharge({ ...contract, credit: 9000 }, 0, { now: NOW })).toMatchObject({
      credit_applied: 1500,
      amount_due: 0,
    });
  });
});

describe("dueCycles", () => {
  const weekly = contractOf({ interval: { unit: "week", count: 1 } });
  const at = ms("2026-06-30T12:00:00Z");

  it("bills the newest of what is overdue, and misses the rest", () => {
    expect(dueCycles(weekly, at, 1)).toEqual({ bill: [4], missed: [0, 1, 2, 3], skipped: [], next: 5 });
    expect(dueCycles(weekly, at, 2)).toMatchObject({ bill: [3, 4], missed: [0, 1, 2] });
  });

  it("leaves out what was skipped, and stops at the last cycle", () => {
    const overrides = { "4": { skip: true, date: null, lines: null } };
    expect(dueCycles({ ...weekly, overrides }, at, 1)).toMatchObject({ bill: [3], skipped: [4] });
    expect(dueCycles({ ...weekly, max_cycles: 2 }, at, 1)).toMatchObject({ bill: [1], next: 2 });
  });

  it("nothing before its time", () => expect(dueCycles({ ...weekly, next_cycle: 5 }, at, 1).next).toBe(5));
});
