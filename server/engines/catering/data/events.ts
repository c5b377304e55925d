import type { EventType } from "../../../core/engine.ts";

const about = (prefix: string) => ({ subject_id: `${prefix}_01JD8Z5T9QK3M4N5P6R7S8T9V0` });

/** Events of the engine; the feed at `/v1/catering/events` keeps the same. */
export const cateringEvents: readonly EventType[] = [
  {
    type: "catering.quote.sent",
    summary: "A quote went to the customer.",
    example: { ...about("cqt"), v: 1, total: 48_000, currency: "GBP" },
  },
  {
    type: "catering.quote.viewed",
    summary: "The customer opened a quote.",
    example: { ...about("cqt"), v: 1 },
  },
  {
    type: "catering.quote.accepted",
    summary: "A quote was accepted.",
    example: { ...about("cqt"), v: 1, total: 48_000, by: "customer" },
  },
  {
    type: "catering.quote.declined",
    summary: "A quote was declined.",
    example: { ...about("cqt"), v: 1 },
    optional: { by: "approver" },
  },
  {
    type: "catering.quote.expired",
    summary: "A quote was not answered in time.",
    example: { ...about("cqt"), v: 1 },
  },
  {
    type: "catering.quote.converted",
    summary: "A quote became an order.",
    example: { ...about("cqt"), order_id: "cor_01JD8Z5T9QK3M4N5P6R7S8T9V1" },
  },
  {
    type: "catering.order.confirmed",
    summary: "Order confirmed.",
    example: { ...about("cor"), total: 48_000, currency: "GBP" },
  },
  {
    type: "catering.order.payment_unmatched",
    summary: "A card payment arrived that the order no longer takes. Refund it at the gateway.",
    example: { ...about("cor"), amount: 14_400, currency: "GBP", reference: "pi_3PkQ7sLz0aBcDeF1" },
  },
  {
    type: "catering.order.answered_late",
    summary:
      "A guest answered an invitation after the order was made. Its dietary needs follow, its number of guests does not: `heads` is the difference.",
    example: { ...about("cor"), date: "2026-09-01", heads: 1 },
  },
  {
    type: "catering.order.locked",
    summary: "The number of guests of an order is final.",
    example: { ...about("cor"), guaranteed: 40 },
  },
  {
    type: "catering.order.cancelled",
    summary: "An order was cancelled.",
    example: { ...about("cor"), fee: 12_000, retained: 12_000, refund_due: 0 },
  },
  {
    type: "catering.order.delivered",
    summary: "An order was served.",
    example: { ...about("cor"), heads: 42 },
  },
  {
    type: "catering.occurrence.counted",
    summary: "The guests of a day of a recurring order were counted.",
    example: { ...about("crc"), date: "2026-09-01", count: 38, size: 40, origin: "calendar_feed" },
  },
  {
    type: "catering.occurrence.moved",
    summary: "A day of a recurring order was moved.",
    example: { ...about("crc"), from: "2026-09-01", to: "2026-09-02" },
  },
  {
    type: "catering.occurrence.skipped",
    summary: "A day of a recurring order was left out.",
    example: { ...about("crc"), date: "2026-09-01" },
  },
  {
    type: "catering.headcount.stale",
    summary: "A calendar has not been readable for too long to count by it.",
    example: { ...about("chs"), date: "2026-09-01", last_ok_at: "2026-08-28T06:00:00.000Z" },
  },
  {
    type: "catering.invoice.issued",
    summary: "An invoice was issued.",
    example: { ...about("civ"), number: 7, total: 48_000, due_on: "2026-10-01" },
  },
  {
    type: "catering.invoice.overdue",
    summary: "An invoice was not paid in time.",
    example: { ...about("civ"), number: 7, balance: 48_000 },
  },
  {
    type: "catering.invoice.paid",
    summary: "An invoice is paid.",
    example: { ...about("civ"), number: 7, total: 48_000 },
  },
  {
    type: "catering.account.over_limit",
    summary:
      "An order would go past what an account may owe, or a recurring one past the capacity of its policy.",
    example: { ...about("cac"), quote_id: "cqt_01JD8Z5T9QK3M4N5P6R7S8T9V1", reason: "credit_limit" },
    optional: {
      quote_id: "cqt_01JD8Z5T9QK3M4N5P6R7S8T9V1",
      recurring_order_id: "crc_01JD8Z5T9QK3M4N5P6R7S8T9V2",
    },
  },
];
