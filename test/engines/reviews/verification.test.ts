import { describe, expect, it } from "vitest";

import {
  verifyEmail,
  verifyInvitation,
  verifyLogin,
} from "../../../server/engines/reviews/rules/verification.ts";
import type { Order } from "../../../server/engines/reviews/schema/invitation.ts";
import type { Target } from "../../../server/engines/reviews/schema/parts.ts";
import { makeOrder } from "./make.ts";

const AT = "2026-06-01T09:00:00.000Z";
const loaf = { type: "product" as const, id: "loaf" };

describe("how far a review is verified", () => {
  it.each<[string, string | null, Target, Order | null, string]>([
    ["the customer's order has the target", "cus-1", loaf, makeOrder(), "verified_purchase"],
    [
      "it has something else",
      "cus-1",
      { type: "product" as const, id: "rye" },
      makeOrder(),
      "verified_buyer",
    ],
    [
      "the same id of another type",
      "cus-1",
      { type: "menu_item" as const, id: "loaf" },
      makeOrder(),
      "verified_buyer",
    ],
    ["it is somebody else's order", "cus-2", loaf, makeOrder(), "none"],
    ["nobody is logged in", null, loaf, makeOrder(), "none"],
    ["there is no such order", "cus-1", loaf, null, "none"],
    ["it was not delivered", "cus-1", loaf, makeOrder({ fulfilled_at: null }), "none"],
    ["it was refunded", "cus-1", loaf, makeOrder({ refunded: true }), "none"],
    [
      "an order without customer",
      null,
      loaf,
      makeOrder({ customer: { id: null, email: "a@b.example", name: "" } }),
      "none",
    ],
  ])("by login: %s", (_, customer_id, target, ...[order, level]) =>
    expect(verifyLogin({ target, customer_id }, order, AT).level).toBe(level),
  );

  it.each([
    [
      "an order that counts",
      [makeOrder({ refunded: true }), makeOrder({ order_id: "2" })],
      "verified_buyer",
      "2",
    ],
    ["none that counts", [makeOrder({ fulfilled_at: null })], "email_confirmed", null],
    ["no order", [], "email_confirmed", null],
  ])("by a confirmed address: %s", (_, orders, level, order_id) =>
    expect(verifyEmail(orders, AT)).toMatchObject({ level, order_id, method: "email" }),
  );

  it("by invitation: always a purchase", () =>
    expect(verifyInvitation("1042", AT)).toEqual({
      level: "verified_purchase",
      method: "invitation",
      order_id: "1042",
      at: AT,
    }));
});
