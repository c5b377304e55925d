import { derivedId } from "../../../core/ids.ts";
import type { EnginePorts, LongWork } from "../../../core/ports.ts";
import { Problem } from "../../../lib/errors.ts";
import { localDateAt } from "../../../lib/local-time.ts";
import { depositDue } from "../rules/deposit-schedule.ts";
import { mayOrder } from "../rules/order-state.ts";
import { events, orders } from "../repository.ts";
import type { Order } from "../schema/order.ts";
import { payOrder } from "./order-steps.ts";
import { emit, openWork } from "./work.ts";
import type { CateringWork } from "./work.ts";

const SUBJECT = "catering.order";

/** What a customer can pay now of an order, in minor units. */
export const payableNow = (order: Order, now: number): number =>
  mayOrder("pay", order.status) ? depositDue(order, localDateAt(now, order.event.timezone)) : 0;

/** The address of the page on which the deposit of an order is paid; null where nothing is due, or no gateway has a page. */
export async function openDepositPage(
  work: LongWork,
  orderId: string,
  returnUrl: string,
): Promise<string | null> {
  const order = (await work.runTx(work.part, (tx) => tx.require(orders, orderId))).value;
  const amount = payableNow(order, work.now);
  if (amount === 0) return null;
  return work.ports.engines.openPaymentPage(work, {
    subject: SUBJECT,
    subject_id: order.id,
    amount,
    currency: order.currency,
    title: `Deposit for order ${order.number}: ${order.title}`,
    email: order.contact.email,
    return_url: returnUrl,
    // Two tabs open the same page, which can be paid once.
    key: `${order.id}-${order.paid}-${amount}`,
  });
}

/**
 * Records what was paid on a page, once by its reference. Money that the order cannot take (it was cancelled, or paid otherwise
 * meanwhile) is reported for a person to refund.
 */
export const takePagePayment: EnginePorts["takePagePayment"] = async (work, payment) => {
  if (payment.subject !== SUBJECT) return;
  const { amount, currency, reference, subject_id: id } = payment;
  await work.runTx(work.part, async (tx) => {
    const stored = await tx.get(orders, id);
    if (stored === null) return;
    const opened = await openWork(work, tx);
    const paid = { id: work.newId("pay"), at: work.nowAt, amount, method: "card" as const, reference };
    try {
      await payOrder(opened, stored, paid);
    } catch (error) {
      if (!(error instanceof Problem) || error.type === "internal_server_error") throw error;
      await reportUnmatched(opened, id, { amount, currency, reference });
    }
  });
};

async function reportUnmatched(
  work: CateringWork,
  orderId: string,
  data: { readonly amount: number; readonly currency: string; readonly reference: string },
): Promise<void> {
  const id = derivedId("evt", new Uint8Array(), [work.part, orderId, data.reference]);
  if ((await work.tx.get(events, id)) !== null) return;
  emit({ ...work, newId: () => id }, "order.payment_unmatched", orderId, data);
}
