import { z } from "zod";

import { EventData, Id, Instant } from "../../../core/schema.ts";

export const EventType = z.enum([
  "quote.sent",
  "quote.viewed",
  "quote.accepted",
  "quote.declined",
  "quote.expired",
  "quote.converted",
  "order.confirmed",
  "order.locked",
  "order.cancelled",
  "order.delivered",
  "order.payment_unmatched",
  "order.answered_late",
  "occurrence.counted",
  "occurrence.moved",
  "occurrence.skipped",
  "headcount.stale",
  "invoice.issued",
  "invoice.overdue",
  "invoice.paid",
  "account.over_limit",
]);
export type EventType = z.output<typeof EventType>;

export const CateringEvent = z.strictObject({
  id: Id,
  created_at: Instant,
  type: EventType.meta({ description: "Webhooks add the prefix `catering.`" }),
  subject_id: Id.meta({ description: "The quote, order, recurring order, source, invoice or account" }),
  data: EventData,
});
export type CateringEvent = z.output<typeof CateringEvent>;
