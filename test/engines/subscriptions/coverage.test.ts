import { describe, expect, it } from "vitest";

import { amountToReturn, coveringAt, spanOf } from "../../../server/engines/subscriptions/rules/coverage.ts";
import { cycleCharge } from "../../../server/engines/subscriptions/rules/open-charge.ts";
import type { Contract } from "../../../server/engines/subscriptions/schema.ts";
import type { Charge } from "../../../server/engines/subscriptions/schema/charge.ts";
import { chargeOf, contractOf, NOW } from "./fixture.ts";

const clock = { mode: "day" as const, at: NOW, timezone: "Europe/London", billingTime: "10:00" };
const on = (date: string) => ({ ...clock, date });
const none: Pick<Contract, "credit" | "carried" | "rounding"> = { credit: 0, carried: [], rounding: 0 };
const paid: Partial<Charge> = { status: "succeeded", attempts: [] };
const first = chargeOf(paid);
const second = { ...cycleCharge(contractOf(), 1, { now: NOW }), ...paid };
const changed = (price: number, unused: number, adjusted: number): Charge => ({
  ...first,
  coverage: {
    change_id: "chn_1",
    lines_price: price,
    adjusted,
    refunds_set_off: 0,
    unused,
    whole: 30,
    ends_on: "2026-07-01",
  },
});

describe("the cycles that are not over", () => {
  it("are the running one and those billed ahead, in order", () => {
    const cycles = (date: string) => coveringAt([second, first], date).map(({ cycle_index: index }) => index);
    expect([cycles("2026-06-30"), cycles("2026-07-01"), cycles("2026-08-01")]).toEqual([[0, 1], [1], []]);
  });

  it("are worth nothing when they were waived, until a change is charged for them", () => {
    expect(spanOf({ ...first, status: "voided" })).toMatchObject({ lines: 0, delivery: 0 });
    expect(spanOf({ ...changed(700, 20, 467), status: "voided" })).toMatchObject({ lines: 700 });
  });
});

describe("the amount to return", () => {
  const prorated = (charges: Charge[], date: string, contract = none) =>
    amountToReturn({ contract, charges, clock: on(date) }, "prorated");

  it("is the time that is left, at the price in force", () => {
    expect(prorated([first], "2026-06-16")).toBe(500);
    expect(prorated([first, second], "2026-06-16")).toBe(1500);
    expect(prorated([changed(2000, 20, 667)], "2026-06-16")).toBe(1000);
  });

  it("sets off what is owed, what waits for the next charge and what was refunded", () => {
    const carried = [{ id: "chn_1", title: "Change", amount: 300, tax: 0 }];
    expect(prorated([first], "2026-06-16", { ...none, carried })).toBe(200);
    expect(prorated([{ ...first, status: "retrying" }], "2026-06-16")).toBe(-500);
  });

  it("in full is what was charged for them, with all changes", () => {
    const full = (charges: Charge[], contract = none) =>
      amountToReturn({ contract, charges, clock: on("2026-06-16") }, "full");
    expect(full([changed(2000, 20, 667)])).toBe(1667);
    expect(full([changed(100, 20, -600)], { ...none, credit: 600 })).toBe(1000);
  });
});
