import { defineTransitions } from "../../../core/states.ts";
import type { OrderStatus } from "../schema/order.ts";

const BOOKED: readonly OrderStatus[] = ["tentative", "confirmed", "locked", "in_production"];

export const orderStates = defineTransitions("Order", {
  collection: "catering.orders",
  steps: {
    edit: [["tentative", "confirmed"], null],
    // What guests cannot eat is news at any time.
    diet: [BOOKED, null],
    confirm: [["tentative"], "confirmed"],
    unconfirm: [["confirmed"], "tentative"],
    lock: [["confirmed"], "locked"],
    produce: [["confirmed", "locked"], "in_production"],
    dispatch: [["in_production"], "dispatched"],
    deliver: [["confirmed", "locked", "in_production", "dispatched"], "delivered"],
    count: [["tentative", "confirmed", "locked"], null],
    serve: [["dispatched", "delivered"], null],
    invoice: [["delivered", "cancelled"], "invoiced"],
    pay: [[...BOOKED, "dispatched", "delivered", "cancelled"], null],
    // What was paid beyond it, of which its invoice says nothing.
    refund_excess: [["invoiced", "paid"], null],
    // Until it is on its way.
    cancel: [BOOKED, "cancelled"],
    // Of its invoice.
    invoice_paid: [["invoiced"], "paid"],
    invoice_reopened: [["paid"], "invoiced"],
    invoice_voided: [
      ["invoiced", "paid"],
      ["delivered", "cancelled"],
    ],
  },
});
export type OrderAction = Parameters<typeof orderStates.from>[0];

/** Whether an order in this state takes this step. */
export const mayOrder = orderStates.allows;
