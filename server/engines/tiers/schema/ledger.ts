import { z } from "zod";

import { Currency, Instant, LocalDate } from "../../../core/schema.ts";
import { Amount, Key, TIER_LIMITS } from "./programme.ts";

/** A slot of the ledger: of several writers the highest version wins, of two equal ones the greater id. */
const slot = { v: z.int().nonnegative(), id: z.string() };

export const OrderSlot = z.strictObject({
  ...slot,
  at: Instant,
  state: z.enum(["placed", "paid", "fulfilled"]),
  fulfilled_at: Instant.nullable(),
  amount: Amount,
  shipping: Amount,
  tax: Amount,
  discount: Amount,
  currency: Currency,
  channel: Key.nullable(),
  categories: z.record(Key, Amount),
});
export type OrderSlot = z.output<typeof OrderSlot>;

const RefundSlot = z.strictObject({ ...slot, at: Instant, amount: Amount, currency: Currency });
type RefundSlot = z.output<typeof RefundSlot>;
const CancelSlot = z.strictObject({ ...slot, at: Instant });

/** Everything known about one order. A refund or a cancellation may arrive before its order: it is stored here. */
export const OrderEntry = z.strictObject({
  ref: z.string(),
  order: OrderSlot.nullable(),
  cancel: CancelSlot.nullable(),
  refunds: z.record(z.string(), RefundSlot),
});
export type OrderEntry = z.output<typeof OrderEntry>;

const MarkType = z.enum(["points", "review", "referral", "subscription_month", "form", "custom"]);
type MarkType = z.output<typeof MarkType>;

/** An event other than an order. */
export const Mark = z.strictObject({
  ...slot,
  type: MarkType,
  at: Instant,
  key: Key.nullable(),
  amount: z.int().min(-TIER_LIMITS.amount).max(TIER_LIMITS.amount),
});
export type Mark = z.output<typeof Mark>;

/** What orders of a day and a channel come to, after refunds: the day, the channel, their number, their spend, and that of categories. */
const FoldedDay = z.tuple([LocalDate, Key.nullable(), z.int().nonnegative(), Amount, z.record(Key, Amount)]);
export type FoldedDay = z.output<typeof FoldedDay>;

/** What other events of a day come to: the day, their type and key, and the sum of their amounts. */
const FoldedMark = z.tuple([LocalDate, MarkType, Key.nullable(), z.int()]);
export type FoldedMark = z.output<typeof FoldedMark>;

/**
 * The ledger: orders by a hash of their reference, marks by a hash of their id. A join of slots, so events may arrive
 * twice and in any order (invariants T1 and T2).
 */
export const Ledger = z.strictObject({
  orders: z.record(z.string(), OrderEntry),
  marks: z.record(z.string(), Mark),
  /** Older orders and marks as sums; events about them are ignored. */
  folded: z.strictObject({
    orders: z.int().nonnegative(),
    spend: Amount,
    refunds: Amount,
    /** Of the amounts; absent in sums of earlier versions, which are taken to be in that of the programme. */
    currency: Currency.optional(),
    first_at: Instant.nullable(),
    last_at: Instant.nullable(),
    /** Short hashes of the references of what was folded, the latest last. */
    refs: z.array(z.string()),
    /** Orders by day, month or year; absent where none is folded. The sums above do not include their number and spend. */
    days: z.array(FoldedDay).optional(),
    marks: z.array(FoldedMark).optional(),
  }),
});
export type Ledger = z.output<typeof Ledger>;

export const EMPTY_LEDGER: Ledger = {
  orders: {},
  marks: {},
  folded: { orders: 0, spend: 0, refunds: 0, first_at: null, last_at: null, refs: [] },
};
