import { toInstant } from "../../../lib/instant.ts";
import { BPS, mulRatio, sum } from "../../../lib/money.ts";
import type { Order } from "../schema/order.ts";
import { addDays, toEpochMs } from "../../../lib/local-time.ts";
import { billedHeads } from "./change-fees.ts";
import type { Claim } from "./credit.ts";
import { deadlineAt } from "./deadlines.ts";
import { unpaidDeposits } from "./deposit-schedule.ts";
import { priceEvent } from "./price-event.ts";

/** What an order begins with; the rest of it follows. */
export type OrderDraft = Pick<
  Order,
  | "id"
  | "number"
  | "account_id"
  | "contact"
  | "title"
  | "currency"
  | "tax_included"
  | "lines"
  | "deposit_schedule"
  | "policy"
  | "payment_terms"
  | "event"
  | "dietary"
  | "po_number"
  | "cost_centre"
> &
  Partial<
    Pick<
      Order,
      "quote_id" | "quote_version" | "recurring_order_id" | "occurrence" | "status" | "notes" | "metadata"
    >
  > & { readonly heads: number };

export interface OrderInput {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly holidays: ReadonlySet<string>;
}

/** A new order with all that follows from its draft. */
export function newOrder({ heads, ...draft }: OrderDraft, input: OrderInput): Order {
  const nowAt = toInstant(input.now);
  return settledOrder(
    {
      quote_id: null,
      quote_version: null,
      recurring_order_id: null,
      occurrence: null,
      status: "tentative",
      notes: "",
      metadata: {},
      ...draft,
      created_at: nowAt,
      updated_at: nowAt,
      fees: [],
      totals: priceEvent({ lines: draft.lines, heads, tax_included: draft.tax_included }),
      total: 0,
      payments: [],
      paid: 0,
      balance: 0,
      starts_at: nowAt,
      guarantee_at: nowAt,
      headcount: { original: heads, guaranteed: heads, served: null, billed: heads, locked_at: null },
      invoice_id: null,
      cancellation: null,
      delivered_at: null,
      deposit_reminded_on: null,
      next_action_at: null,
    },
    input,
  );
}

/** An order with what follows from its other members: price, balance, instants, and when something is due next. */
export function settledOrder(order: Order, { holidays }: OrderInput): Order {
  const billed = billedHeads(order.headcount.guaranteed, order.headcount.served);
  const totals = priceEvent({
    lines: order.lines,
    heads: billed,
    tax_included: order.tax_included,
    extra: order.fees.map(({ id, amount }) => ({ id, amount, tax_rate_bps: order.policy.fee_tax_rate_bps })),
  });
  const total = order.cancellation === null ? totals.total : order.cancellation.retained;
  const paid = sum(order.payments.map(({ amount }) => amount));
  const { date, start, timezone } = order.event;
  const guaranteeAt = toInstant(deadlineAt(order.policy.guarantee, order.event, holidays));
  return {
    ...order,
    totals,
    total,
    paid,
    balance: total - paid,
    starts_at: toInstant(toEpochMs(date, start, timezone)),
    guarantee_at: guaranteeAt,
    headcount: { ...order.headcount, billed },
    next_action_at: nextActionAt({ ...order, paid, total }, guaranteeAt),
  };
}

/** Days between a deposit's reminder and the order falling back to tentative. */
export const DEPOSIT_GRACE_DAYS = 3;

/**
 * When the jobs look at an order next: it is locked at the guarantee deadline; a deposit that was not paid on its day is
 * reminded of on the next, and a few days later the order is tentative again.
 */
function nextActionAt(order: Order, guaranteeAt: string): string | null {
  const due = unpaidDeposits(order.deposit_schedule, order)[0]?.due_on ?? null;
  const reminded = order.deposit_reminded_on;
  const look = reminded === null ? due && addDays(due, 1) : addDays(reminded, DEPOSIT_GRACE_DAYS);
  const lookAt = due === null || look === null ? null : `${look}T00:00:00.000Z`;
  if (order.status === "confirmed") return lookAt === null || guaranteeAt < lookAt ? guaranteeAt : lookAt;
  return (order.status === "tentative" || order.status === "locked") && reminded === null ? lookAt : null;
}

/** True when nothing that is due is unpaid: on credit nothing is due before the invoice. */
export const isSecured = (order: Order, today: string): boolean =>
  !unpaidDeposits(order.deposit_schedule, order).some(({ due_on: on }) => on === null || on <= today);

/** What an order takes of its account: null when it takes nothing more. */
export function claimOf(order: Order): Claim | null {
  if (order.account_id === null) return null;
  // A customer who pays beforehand owes nothing; what is invoiced is in the books as an invoice.
  const isFree =
    order.payment_terms.kind === "prepay" || order.invoice_id !== null || order.status === "paid";
  return {
    ref: order.id,
    kind: "order",
    exposure: isFree ? 0 : Math.max(0, order.balance),
    spend: order.total,
    po_number: order.po_number,
    cost_centre: order.cost_centre,
    on: order.event.date,
  };
}

/** The tax in what a cancelled order retains: its share of the order's own. */
export const taxIn = (order: Order): number => {
  if (order.cancellation === null) return order.totals.tax;
  const rate = order.policy.fee_tax_rate_bps;
  return mulRatio(order.total, rate, BPS + rate);
};
