import { showDate } from "../../../lib/show.ts";
import type { Contract } from "../schema.ts";
import type { PaymentMethod } from "../schema/payment.ts";

/** "every month", "every 2 weeks". */
export const showInterval = ({ interval_unit: unit, interval_count: count }: Contract["billing"]): string =>
  count === 1 ? `every ${unit}` : `every ${count} ${unit}s`;

/** "visa ending in 4242"; what is not known is left out. */
export function showMethod(method: Pick<PaymentMethod, "brand" | "last4" | "created_at">): string {
  const { brand, last4, created_at: createdAt } = method;
  if (last4 !== null) return `${brand ?? "card"} ending in ${last4}`;
  return `${brand ?? "payment method"} of ${showDate(createdAt.slice(0, 10))}`;
}
