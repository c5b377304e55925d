import type { Engine, ScheduledJob } from "../core/engine.ts";
import { formNonces } from "../core/form-token.ts";
import { idempotencyRecords } from "../http/idempotency.ts";
import { createSweep } from "./sweep.ts";

/** Every job of the service: the engines' own, which run for each store, and those of the platform. */
export const scheduledJobs = (engines: readonly Engine[]): ScheduledJob[] => [
  ...engines.flatMap(({ jobs }) => jobs.map((job): ScheduledJob => ({ ...job, on: "stores" }))),
  createSweep(idempotencyRecords, {
    id: "http.sweep-idempotency",
    summary: "Deletes expired Idempotency-Key records",
    schedule: "17 * * * *",
    on: "everywhere",
  }),
  // A token that is older than its record would be refused for its age.
  createSweep(formNonces, {
    id: "kernel.sweep-form-nonces",
    summary: "Deletes the records of used form tokens that have expired",
    schedule: "23 * * * *",
    on: "stores",
  }),
];
