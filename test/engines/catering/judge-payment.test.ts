import { describe, expect, it } from "vitest";

import { judgePayment } from "../../../server/engines/catering/rules/judge-payment.ts";

const payment = { amount: 300, method: "bank_transfer" as const, reference: "TX-1" };
const recorded = { ...payment, id: "pay_1", at: "2026-06-01T09:00:00.000Z" };
const kindOf = (more: object, payments = [recorded], balance = 700, received = 300) =>
  judgePayment({ payments, balance, received }, { ...payment, ...more }).kind;

describe("a payment", () => {
  it("is a repeat when reference, method and amount are recorded, also once nothing is owed", () => {
    expect(kindOf({})).toBe("repeat");
    expect(kindOf({}, [recorded], 0)).toBe("repeat");
    expect([kindOf({ amount: 200 }), kindOf({ method: "cash" }), kindOf({ reference: "TX-2" })]).toEqual([
      "new",
      "new",
      "new",
    ]);
  });

  it("without a reference is never a repeat", () =>
    expect(kindOf({ reference: "" }, [{ ...recorded, reference: "" }])).toBe("new"));

  it("is at most what is owed, and a refund at most what was paid", () => {
    expect([700, 701].map((amount) => kindOf({ amount, reference: "" }))).toEqual(["new", "fault"]);
    expect([-300, -301, 0].map((amount) => kindOf({ amount, reference: "" }))).toEqual([
      "new",
      "fault",
      "fault",
    ]);
    expect(kindOf({ amount: 1, reference: "" }, [], -50)).toBe("fault");
  });
});
