import { toInstant } from "../../../lib/instant.ts";
import { invalidField } from "../../../lib/errors.ts";
import { sum } from "../../../lib/money.ts";
import type { Stored } from "../../../core/tx.ts";
import type { PriceFee } from "../../../lib/pricing.ts";
import { localDateAt } from "../../../lib/local-time.ts";
import { cancelFee, increaseFee, reduceFee } from "../rules/change-fees.ts";
import { cancelShare, increaseMultiplier, reduceShare } from "../rules/deadlines.ts";
import { retainOnCancel } from "../rules/deposit-schedule.ts";
import { overCapacity, tooManyDiets } from "../rules/draft-quote.ts";
import { judgePayment } from "../rules/judge-payment.ts";
import { isSecured } from "../rules/new-order.ts";
import { mayOrder } from "../rules/order-state.ts";
import type { OrderAction } from "../rules/order-state.ts";
import { priceEvent } from "../rules/price-event.ts";
import type { Order } from "../schema/order.ts";
import { CATERING_LIMITS } from "../schema/parts.ts";
import type { Payment } from "../schema/parts.ts";
import { saveOrder } from "./save-order.ts";
import { emit, invalidState, refused } from "./work.ts";
import type { CateringWork } from "./work.ts";

/** Refuses a step that the state of the order does not allow. */
export function requireOrder(order: Order, action: OrderAction, what: string): void {
  if (mayOrder(action, order.status)) return;
  throw invalidState(`The order is ${order.status.replace("_", " ")} and cannot be ${what}.`);
}

const worldAt = (work: CateringWork, order: Order, now: number) => ({
  event: order.event,
  holidays: work.holidays,
  now,
});

export interface HeadcountChange {
  readonly before: number;
  readonly after: number;
  readonly is_locked: boolean;
  /** Of the reduction band, or what an extra head costs. */
  readonly rate_bps: number;
  readonly fee: number;
  readonly total: number;
  readonly refusal: { readonly code: string; readonly detail: string } | null;
}

/** What another guaranteed count would cost at an instant: the real change asks the same question (C7, rules 7 and 8). */
export function judgeHeadcount(work: CateringWork, order: Order, after: number, at: number): HeadcountChange {
  const { guaranteed: before, original } = order.headcount;
  const isLocked = at >= Date.parse(order.guarantee_at);
  const { lines, policy, tax_included } = order;
  const priceOf = (heads: number, fees: readonly Pick<PriceFee, "id" | "amount">[] = []) => {
    const extra = fees.map(({ amount, id }) => ({ id, amount, tax_rate_bps: policy.fee_tax_rate_bps }));
    return priceEvent({ lines, heads, tax_included, extra });
  };
  // A fee has its own tax on top where prices do not include it.
  const [old = 0, next = 0] = [before, after].map((heads) => {
    const { tax, total } = priceOf(heads);
    return tax_included ? total : total - tax;
  });
  const deadline = worldAt(work, order, at);
  const reduce = reduceShare(policy, original, deadline).bps;
  const increase = isLocked ? increaseMultiplier(policy, deadline).bps : 10_000;
  const fee = after < before ? reduceFee(old, next, reduce) : increaseFee(old, next, increase);
  const fees = [...order.fees, { id: "", amount: fee }];
  return {
    before,
    after,
    is_locked: isLocked,
    rate_bps: after < before ? reduce : increase,
    fee,
    total: priceOf(after, fees).total,
    refusal: headcountRefusal(order, after, isLocked),
  };
}

function headcountRefusal(order: Order, after: number, isLocked: boolean): HeadcountChange["refusal"] {
  if (isLocked && after < order.headcount.guaranteed) {
    return {
      code: "guarantee_locked",
      detail: `The guaranteed count can only rise since ${order.guarantee_at}.`,
    };
  }
  return overCapacity(order.policy, after);
}

/** Another guaranteed count, with the fee that the moment costs. */
export async function guarantee(work: CateringWork, stored: Stored<Order>, heads: number, force: boolean) {
  const order = stored.value;
  requireOrder(order, "count", "recounted");
  const change = judgeHeadcount(work, order, heads, work.now);
  if (change.refusal !== null) throw refused(change.refusal);
  const diets = tooManyDiets(order.dietary, heads);
  // What guests answered can be more needs than heads from the beginning.
  if (diets !== null && tooManyDiets(order.dietary, change.before) === null)
    throw refused({ code: "too_many_diets", detail: `${diets.detail} Change dietary first.` });
  if (change.before === change.after) return stored;
  if (order.fees.length >= CATERING_LIMITS.fees)
    throw refused({ code: "limit_reached", detail: "The order was changed too often." });
  const kind = heads < change.before ? ("reduction" as const) : ("surcharge" as const);
  const title = `${kind === "reduction" ? "Fewer" : "More"} guests: ${change.before} to ${change.after}`;
  const fees =
    change.fee === 0
      ? order.fees
      : [...order.fees, { id: work.newId("fee"), kind, title, amount: change.fee, at: work.nowAt }];
  const headcount = { ...order.headcount, guaranteed: heads };
  return saveOrder(work, stored, { ...order, fees, headcount }, { force });
}

/** Heads that came: more than were promised are paid for, fewer are not taken off (rule 9). */
export async function serve(
  work: CateringWork,
  stored: Stored<Order>,
  heads: number,
): Promise<Stored<Order>> {
  requireOrder(stored.value, "serve", "counted as served");
  const headcount = { ...stored.value.headcount, served: heads };
  return saveOrder(work, stored, { ...stored.value, headcount }, { check: false });
}

export interface CancelPreview {
  readonly fee_bps: number;
  readonly fee: number;
  readonly until: string | null;
  readonly retained: number;
  readonly refund_due: number;
  readonly still_due: number;
}

/** What cancelling at an instant would cost: the real cancellation asks the same question (rules 7 and 10). */
export function judgeCancel(work: CateringWork, order: Order, at: number): CancelPreview {
  const { bps, until } = cancelShare(order.policy, order.headcount.original, worldAt(work, order, at));
  const fee = cancelFee(order.total, bps);
  const retention = retainOnCancel(order.paid, fee, {
    deposits: sum(order.deposit_schedule.map(({ amount }) => amount)),
    retain_bps: order.policy.retain_deposit_bps,
    may_invoice: order.account_id !== null && order.payment_terms.kind !== "prepay",
  });
  return { fee_bps: bps, fee, until: until === null ? null : toInstant(until), ...retention };
}

export async function cancelOrder(
  work: CateringWork,
  stored: Stored<Order>,
  reason: string,
): Promise<Stored<Order>> {
  const order = stored.value;
  if (order.status === "cancelled") return stored;
  requireOrder(order, "cancel", "cancelled");
  const { fee, fee_bps, refund_due, retained } = judgeCancel(work, order, work.now);
  emit(work, "order.cancelled", order.id, { fee, retained, refund_due, reason });
  const cancellation = { at: work.nowAt, reason, fee_bps, fee, retained, refund_due };
  return saveOrder(work, stored, { ...order, status: "cancelled", cancellation }, { check: false });
}

export async function deliver(
  work: CateringWork,
  stored: Stored<Order>,
  served: number | null,
): Promise<Stored<Order>> {
  const order = stored.value;
  if (order.status === "delivered") return stored;
  requireOrder(order, "deliver", "delivered");
  emit(work, "order.delivered", order.id, { heads: served ?? order.headcount.guaranteed });
  const headcount = {
    ...order.headcount,
    served: served ?? order.headcount.served,
    locked_at: order.headcount.locked_at ?? work.nowAt,
  };
  const delivered: Order = { ...order, status: "delivered", headcount, delivered_at: work.nowAt };
  return saveOrder(work, stored, delivered, { check: false });
}

/** Takes a payment or refund of an order that is not invoiced; what is due being paid, a tentative order is confirmed. */
export async function payOrder(
  work: CateringWork,
  stored: Stored<Order>,
  payment: Payment,
): Promise<Stored<Order>> {
  const order = stored.value;
  const { payments: recorded, balance, paid: received } = order;
  const verdict = judgePayment({ payments: recorded, balance, received }, payment);
  if (verdict.kind === "repeat") return stored;
  const isExcess = payment.amount < 0 && payment.amount >= balance && mayOrder("refund_excess", order.status);
  if (!isExcess) requireOrder(order, "pay", "paid. Record payments of its invoice");
  if (order.payments.length >= CATERING_LIMITS.payments)
    throw refused({ code: "limit_reached", detail: "The order has too many payments." });
  if (verdict.kind === "fault") throw invalidField(["amount"], verdict.detail);
  const payments = [...order.payments, payment];
  const paid = { ...order, payments, paid: order.paid + payment.amount };
  const today = localDateAt(work.now, order.event.timezone);
  const isNowSecured = order.status === "tentative" && isSecured(paid, today);
  if (isNowSecured) emit(work, "order.confirmed", order.id, { total: order.total, currency: order.currency });
  return saveOrder(
    work,
    stored,
    { ...paid, status: isNowSecured ? "confirmed" : order.status, deposit_reminded_on: null },
    { check: false },
  );
}

/** tentative → confirmed by hand: what is due must be paid, unless the caller may look past that. */
export async function confirm(
  work: CateringWork,
  stored: Stored<Order>,
  force: boolean,
): Promise<Stored<Order>> {
  const order = stored.value;
  if (order.status === "confirmed") return stored;
  requireOrder(order, "confirm", "confirmed");
  if (!force && !isSecured(order, localDateAt(work.now, order.event.timezone))) {
    throw refused({ code: "deposit_due", detail: "A deposit is due and was not paid." });
  }
  emit(work, "order.confirmed", order.id, { total: order.total, currency: order.currency });
  return saveOrder(work, stored, { ...order, status: "confirmed" }, { force });
}
