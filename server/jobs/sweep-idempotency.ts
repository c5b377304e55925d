import { idempotencyRecords } from "../http/idempotency.ts";
import { createSweep } from "./sweep.ts";

/** Deletes the answers kept for Idempotency-Keys once their time is over. */
export const sweepIdempotency = createSweep(idempotencyRecords, {
  id: "http.sweep-idempotency",
  summary: "Deletes expired Idempotency-Key records",
  schedule: "17 * * * *",
  on: "everywhere",
});
