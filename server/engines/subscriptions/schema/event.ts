import { z } from "zod";

import { EventData, Id, Instant } from "../../../core/schema.ts";

export const EventType = z.enum([
  "contract.created",
  "contract.updated",
  "contract.paused",
  "contract.resumed",
  "contract.cancelled",
  "contract.expired",
  "cycle.skipped",
  "cycle.missed",
  "charge.due",
  "charge.succeeded",
  "charge.failed",
  "charge.exhausted",
  "charge.refunded",
  "charge.refund_failed",
  "charge.disputed",
  "invoice.issued",
  "credit_note.issued",
  "attempt.needs_review",
  "notice.sent",
]);
export type EventType = z.output<typeof EventType>;

export const EngineEvent = z.strictObject({
  id: Id,
  created_at: Instant,
  type: EventType.meta({ description: "Webhooks add the prefix `subscriptions.`" }),
  contract_id: Id,
  charge_id: Id.nullable(),
  data: EventData,
});
export type EngineEvent = z.output<typeof EngineEvent>;
