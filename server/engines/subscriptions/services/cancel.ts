import { charges } from "../repository.ts";
import { prorate } from "../rules/prorate.ts";
import { chargeIdOf } from "../rules/open-charge.ts";
import type { Charge } from "../schema/charge.ts";
import type { Book } from "./book.ts";
import { addRefund, refundable } from "./refunds.ts";

/** Id of the charge of the current cycle; null before the first. */
const currentChargeId = ({ contract }: Pick<Book, "contract">): string | null =>
  contract.current_cycle === null
    ? null
    : chargeIdOf({
        contractId: contract.id,
        cycle: contract.current_cycle,
        kind: "recurring",
      });

/** Reads the charge of the current cycle into the book, where it may be refunded. */
export async function loadCurrentCharge(book: Book): Promise<void> {
  const id = currentChargeId(book);
  if (id === null || book.charges.has(id)) return;
  const found = await book.tx.get(charges, id);
  if (found !== null) book.adopt(found);
}

/** Puts a refund of the current cycle on its way; 0 when there is nothing to give back. */
export function refundCurrent(book: Book, how: "none" | "prorated" | "full"): number {
  const id = currentChargeId(book);
  const charge = id === null ? undefined : book.charges.get(id);
  if (how === "none" || charge === undefined) return 0;
  const amount = Math.min(refundable(charge), how === "full" ? charge.amount_due : unusedShare(book, charge));
  if (amount > 0) addRefund(book, charge, amount, "cancelled");
  return amount;
}

function unusedShare({ contract, env, today }: Book, charge: Charge): number {
  return prorate({
    mode: "day",
    oldAmount: charge.amount_due,
    newAmount: 0,
    period: charge.period,
    at: env.now,
    date: today,
    timezone: contract.timezone,
    billingTime: contract.billing_time,
  }).credit;
}
