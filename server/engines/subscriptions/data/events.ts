import type { EventType } from "../../../core/engine.ts";

const contract = { contract_id: "sub_01JD8Z5T9QK3M4N5P6R7S8T9V0", charge_id: null };
const charge = { ...contract, charge_id: "chg_01JD8Z5T9QK3M4N5P6R7S8T9V1" };

const RETRY = "The first payment: tried again before the contract expires.";

/** Events of the engine; the feed at `/v1/subscriptions/events` keeps the same. */
export const subscriptionEvents: readonly EventType[] = [
  {
    type: "subscriptions.contract.created",
    summary: "A contract was created.",
    example: { ...contract, status: "active" },
  },
  {
    type: "subscriptions.contract.updated",
    summary: "A contract changed; see `change`.",
    example: { ...contract, change: "skip", cycle_index: 4 },
    optional: { cycle_index: 4, net: -350 },
  },
  {
    type: "subscriptions.contract.paused",
    summary: "A contract was paused.",
    example: { ...contract, reason: "requested", resume_on: "2026-09-01" },
    optional: { resume_on: "2026-09-01" },
  },
  {
    type: "subscriptions.contract.resumed",
    summary: "A contract was resumed.",
    example: { ...contract, mode: "until" },
  },
  {
    type: "subscriptions.contract.cancelled",
    summary: "A contract was cancelled.",
    example: { ...contract, by: "customer", reason_code: "too_expensive" },
  },
  {
    type: "subscriptions.contract.expired",
    summary: "A contract ended: after its last cycle, or because it was never paid.",
    example: { ...contract, reason: "max_cycles" },
  },
  {
    type: "subscriptions.cycle.skipped",
    summary: "A cycle was skipped.",
    example: { ...charge, cycle_index: 4 },
  },
  {
    type: "subscriptions.cycle.missed",
    summary: "A cycle passed without being billed.",
    example: { ...charge, cycle_index: 4 },
  },
  {
    type: "subscriptions.charge.due",
    summary: "A cycle is to be paid.",
    example: { ...charge, amount: 2400, currency: "GBP" },
  },
  {
    type: "subscriptions.charge.succeeded",
    summary: "A charge was paid.",
    example: {
      ...charge,
      amount: 2400,
      currency: "GBP",
      cycle_index: 4,
      order_ref: "ord_01JD8Z5T9QK3M4N5P6R7S8T9V2",
      recovered: false,
    },
  },
  {
    type: "subscriptions.charge.failed",
    summary: "An attempt to collect a charge failed.",
    example: {
      ...charge,
      category: "soft",
      code: "insufficient_funds",
      stage: 1,
      next_retry_at: "2026-09-04T08:00:00.000Z",
      why: RETRY,
    },
    optional: { next_retry_at: "2026-09-04T08:00:00.000Z", why: RETRY },
  },
  {
    type: "subscriptions.charge.exhausted",
    summary: "A charge has used up its attempts.",
    example: { ...charge, outcome: "paused", why: "All 4 retries have failed." },
  },
  {
    type: "subscriptions.charge.refunded",
    summary: "A refund succeeded.",
    example: {
      ...charge,
      refund_id: `${charge.charge_id}-r1`,
      amount: 2400,
      currency: "GBP",
      reason: "goodwill",
    },
  },
  {
    type: "subscriptions.charge.refund_failed",
    summary: "A refund was refused, or failed after it had been accepted: the shop has the money.",
    example: {
      ...charge,
      refund_id: `${charge.charge_id}-r1`,
      amount: 2400,
      reason: "expired_or_canceled_card",
    },
  },
  {
    type: "subscriptions.charge.disputed",
    summary: "The customer disputes a charge at the bank, or the state of the dispute changed.",
    example: {
      ...charge,
      status: "needs_response",
      amount: 2400,
      reason: "fraudulent",
      respond_by: "2026-09-20T23:59:59.000Z",
    },
  },
  {
    type: "subscriptions.invoice.issued",
    summary: "An invoice was issued.",
    example: {
      ...charge,
      invoice_id: "inv_1RZ5M1VBN6Y2C5TZ3XKAQ0H8WE",
      number: "S-1",
      total: 2400,
      currency: "GBP",
    },
  },
  {
    type: "subscriptions.credit_note.issued",
    summary: "A credit note was issued: its total is negative.",
    example: {
      ...charge,
      credit_note_id: "inv_4G7DQK0S9T1M8R2P6B3NWYXJCA",
      invoice_id: "inv_1RZ5M1VBN6Y2C5TZ3XKAQ0H8WE",
      number: "SC-1",
      total: -500,
      currency: "GBP",
    },
  },
  {
    type: "subscriptions.attempt.needs_review",
    summary: "The result of an attempt is unknown.",
    example: { ...charge, reason: "unresolved", attempt_id: `${charge.charge_id}-a2` },
  },
  {
    type: "subscriptions.notice.sent",
    summary: "A notice was sent to the customer.",
    example: { ...contract, kind: "renewal", due_on: "2026-09-01" },
  },
];
