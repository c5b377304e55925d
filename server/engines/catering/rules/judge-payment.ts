import type { Payment } from "../schema/parts.ts";

/** A payment or refund as a caller records it. */
export type NewPayment = Pick<Payment, "amount" | "method" | "reference">;

/** What a payment is compared with. */
export interface Ledger {
  readonly payments: readonly Payment[];
  /** Still owed; negative is to be refunded. */
  readonly balance: number;
  /** What can be refunded here. */
  readonly received: number;
}

/**
 * `repeat`: a payment with this reference, method and amount is recorded already. A fault when more than is owed would be paid,
 * or more than was paid refunded.
 */
export function judgePayment(
  { payments, balance, received }: Ledger,
  { amount, method, reference }: NewPayment,
): { readonly kind: "new" | "repeat" } | { readonly kind: "fault"; readonly detail: string } {
  if (amount === 0) return { kind: "fault", detail: "Must not be 0." };
  const isRecorded = payments.some(
    (one) => one.reference === reference && one.method === method && one.amount === amount,
  );
  if (reference !== "" && isRecorded) return { kind: "repeat" };
  const owed = Math.max(0, balance);
  if (amount > owed) return { kind: "fault", detail: `\`amount\` is ${amount}, but only ${owed} is owed.` };
  return received + amount < 0
    ? { kind: "fault", detail: `\`amount\` refunds ${-amount}, but only ${received} was paid.` }
    : { kind: "new" };
}
