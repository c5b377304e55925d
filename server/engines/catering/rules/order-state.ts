import type { OrderStatus } from "../schema/order.ts";

export type OrderAction =
  | "edit"
  | "confirm"
  | "unconfirm"
  | "lock"
  | "produce"
  | "dispatch"
  | "deliver"
  | "count"
  | "serve"
  | "invoice"
  | "pay"
  | "cancel";

const FROM: Readonly<Record<OrderAction, readonly OrderStatus[]>> = {
  edit: ["tentative", "confirmed"],
  confirm: ["tentative"],
  unconfirm: ["confirmed"],
  lock: ["confirmed"],
  produce: ["confirmed", "locked"],
  dispatch: ["in_production"],
  deliver: ["confirmed", "locked", "in_production", "dispatched"],
  count: ["tentative", "confirmed", "locked"],
  serve: ["dispatched", "delivered"],
  invoice: ["delivered", "cancelled"],
  pay: ["tentative", "confirmed", "locked", "in_production", "dispatched", "delivered", "cancelled"],
  // Until it is on its way.
  cancel: ["tentative", "confirmed", "locked", "in_production"],
};

/** Whether an order in this state takes this step. */
export const mayOrder = (action: OrderAction, status: OrderStatus): boolean => FROM[action].includes(status);
