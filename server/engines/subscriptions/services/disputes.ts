import { z } from "zod";

import { toInstant } from "../../../lib/instant.ts";
import { decide } from "../rules/apply-result.ts";
import type { Charge } from "../schema/charge.ts";
import type { ContractWork } from "./contract-work.ts";
import { chargeOf } from "./contract-work.ts";

/** What is read of a dispute of Stripe (https://docs.stripe.com/api/disputes/object). */
export const StripeDispute = z.object({
  id: z.string(),
  payment_intent: z.string().nullish(),
  amount: z.int(),
  reason: z.string(),
  status: z.string(),
  evidence_details: z.object({ due_by: z.int().nullish() }).nullish(),
});
type StripeDispute = z.output<typeof StripeDispute>;

const SECOND_MS = 1000;

/** States after which nothing follows: events come in any order, and an older one does not reopen a dispute. */
const CLOSED: ReadonlySet<string> = new Set(["won", "lost", "closed"]);

/** Notes that a customer disputes a charge at the bank, and how the dispute goes on. */
export function recordDispute(opened: ContractWork, chargeId: string, from: StripeDispute): void {
  const charge = chargeOf(opened, chargeId);
  const known = charge.dispute;
  if (known !== null && known.gateway_ref === from.id && CLOSED.has(known.status)) return;
  const status = statusOf(from.status);
  const dueBy = from.evidence_details?.due_by ?? null;
  const dispute: NonNullable<Charge["dispute"]> = {
    gateway_ref: from.id,
    amount: from.amount,
    reason: from.reason.slice(0, 80),
    status,
    respond_by: dueBy === null || CLOSED.has(status) ? null : toInstant(dueBy * SECOND_MS),
    updated_at: opened.nowAt,
  };
  const isNew = known?.gateway_ref !== from.id;
  const why = isNew ? `Disputed at the bank: ${dispute.reason}.` : `Dispute: ${status.replace("_", " ")}.`;
  opened.put(decide({ ...charge, dispute }, why, opened.now));
  const { amount, reason, respond_by } = dispute;
  opened.emit("charge.disputed", charge, { status, amount, reason, respond_by });
}

function statusOf(status: string): NonNullable<Charge["dispute"]>["status"] {
  if (status === "won" || status === "prevented") return "won";
  if (status === "lost") return "lost";
  if (status === "warning_closed") return "closed";
  return status.endsWith("under_review") ? "under_review" : "needs_response";
}
