import type { Engine } from "../core/engine.ts";
import type { ScheduledJob } from "../core/engine.ts";
import { sweepFormNonces } from "./sweep-form-nonces.ts";
import { sweepIdempotency } from "./sweep-idempotency.ts";

/** Every job of the service: the engines' own, which run for each store, and those of the platform. */
export const scheduledJobs = (engines: readonly Engine[]): ScheduledJob[] => [
  ...engines.flatMap(({ jobs }) => jobs.map((job): ScheduledJob => ({ ...job, on: "stores" }))),
  sweepIdempotency,
  sweepFormNonces,
];
