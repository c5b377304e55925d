import { fromInstant } from "../../../lib/instant.ts";
import { localDateAt } from "../../../lib/local-time.ts";
import type { Contract } from "../schema.ts";

/** Whether a refund, when the contract ended, set off what was owed: voiding that must not bring its credit back. */
export function isSetOff({
  cancellation,
  ended_at: endedAt,
  timezone,
}: Pick<Contract, "cancellation" | "ended_at" | "timezone">): boolean {
  if (cancellation === null || endedAt === null || cancellation.refund === "none") return false;
  // A full refund is made at once, a prorated one on the day on which the cancellation takes effect.
  const refundedAt = cancellation.refund === "full" ? cancellation.requested_at : endedAt;
  return localDateAt(fromInstant(refundedAt), timezone) >= cancellation.effective_on;
}
