import type { Words } from "../../../core/words.ts";
import type { Contract } from "../schema.ts";
import type { PaymentMethod } from "../schema/payment.ts";

/** "every month", "every 2 weeks". */
export const showInterval = ({ say }: Words, billing: Contract["billing"]): string =>
  say(`subscription.every_${billing.interval_unit}`, { count: billing.interval_count });

/** "visa ending in 4242"; what is not known is left out. */
export function showMethod(
  { date, say }: Words,
  { brand, last4, created_at: createdAt }: Pick<PaymentMethod, "brand" | "last4" | "created_at">,
): string {
  if (last4 !== null)
    return say("subscription.card_ending", { brand: brand ?? say("subscription.card"), last4 });
  return say("subscription.method_of", {
    brand: brand ?? say("subscription.method"),
    date: date(createdAt.slice(0, 10)),
  });
}
