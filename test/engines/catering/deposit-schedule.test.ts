import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  acceptedSchedule,
  depositSchedule,
  retainOnCancel,
  unpaidDeposits,
} from "../../../server/engines/catering/rules/deposit-schedule.ts";

const onAcceptance = (bps: number) => ({ bps, due: { kind: "acceptance" as const } });
const before = (bps: number, days: number) => ({ bps, due: { kind: "days_before" as const, days } });

describe("deposits", () => {
  it("takes the rounded percentage first: 30% of 12345 is 3704", () => {
    const schedule = depositSchedule(12_345, [onAcceptance(3000), before(7000, 7)], "2026-06-19");
    expect(schedule.map(({ amount, due_on }) => [amount, due_on])).toEqual([
      [3704, null],
      [8641, "2026-06-12"],
    ]);
  });

  it("dates what is due on acceptance, and what should have been due before it", () => {
    const schedule = depositSchedule(
      10_000,
      [onAcceptance(2500), before(2500, 30), before(2500, 7)],
      "2026-06-19",
    );
    const accepted = acceptedSchedule(schedule, "2026-06-01");
    expect(accepted.map(({ due_on }) => due_on)).toEqual(["2026-06-01", "2026-06-01", "2026-06-12"]);
    expect(unpaidDeposits(accepted, { paid: 2500, total: 10_000 }).map(({ n }) => n)).toEqual([2, 3]);
    expect(unpaidDeposits(accepted, { paid: 2499, total: 10_000 }).map(({ n }) => n)).toEqual([1, 2, 3]);
  });

  it("never adds up to more than the total (C2), and exactly to it at 100%", () => {
    const shares = fc.array(fc.integer({ min: 1, max: 10_000 }), { maxLength: 6 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000_000_000 }), shares, (total, parts) => {
        let left = 10_000;
        const rules = parts.flatMap((part) => {
          const bps = Math.min(part, left);
          left -= bps;
          return bps > 0 ? [onAcceptance(bps)] : [];
        });
        const sum = depositSchedule(total, rules, "2026-06-19").reduce((all, { amount }) => all + amount, 0);
        expect(sum).toBeLessThanOrEqual(total);
        if (left === 0) expect(sum).toBe(total);
      }),
    );
  });
});

describe("retainOnCancel (rule 10)", () => {
  it.each([
    [
      "the fee when it is more",
      { paid: 10_000, deposits: 10_000, fee: 8000, retain: 5000, credit: true },
      [8000, 2000, 0],
    ],
    [
      "the deposits when they are more",
      { paid: 10_000, deposits: 10_000, fee: 0, retain: 5000, credit: true },
      [5000, 5000, 0],
    ],
    [
      "of more than the deposits only their share",
      { paid: 10_000, deposits: 4000, fee: 0, retain: 5000, credit: true },
      [2000, 8000, 0],
    ],
    ["no more than was paid", { paid: 1000, deposits: 0, fee: 8000, retain: 0, credit: false }, [1000, 0, 0]],
    [
      "more than was paid, on account",
      { paid: 1000, deposits: 0, fee: 8000, retain: 0, credit: true },
      [8000, 0, 7000],
    ],
  ])("keeps %s", (_, { credit, deposits, fee, paid, retain }, expected) => {
    const kept = retainOnCancel(paid, fee, { deposits, retain_bps: retain, may_invoice: credit });
    expect([kept.retained, kept.refund_due, kept.still_due]).toEqual(expected);
  });

  it("gives back or keeps exactly what was paid", () => {
    const amount = fc.integer({ min: 0, max: 1_000_000_000 });
    fc.assert(
      fc.property(
        amount,
        amount,
        fc.integer({ min: 0, max: 10_000 }),
        fc.boolean(),
        (paid, fee, bps, may) => {
          const kept = retainOnCancel(paid, fee, { deposits: fee, retain_bps: bps, may_invoice: may });
          expect(kept.retained + kept.refund_due - kept.still_due).toBe(paid);
          if (!may) expect(kept.still_due).toBe(0);
        },
      ),
    );
  });
});
