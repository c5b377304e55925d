import { expect, it } from "vitest";

import { mayOrder } from "../../../server/engines/catering/rules/order-state.ts";
import { OrderStatus } from "../../../server/engines/catering/schema/order.ts";

it("leads nowhere from an end", () => {
  for (const end of ["paid", "invoiced"] as const) {
    for (const action of ["edit", "confirm", "count", "deliver", "invoice", "pay", "cancel"] as const) {
      expect(mayOrder(action, end), `${action} ${end}`).toBe(false);
    }
  }
});

it("is cancelled until it is on its way, and invoiced after", () => {
  const from = (action: "cancel" | "invoice") =>
    OrderStatus.options.filter((status) => mayOrder(action, status));
  expect(from("cancel")).toEqual(["tentative", "confirmed", "locked", "in_production"]);
  expect(from("invoice")).toEqual(["delivered", "cancelled"]);
});
