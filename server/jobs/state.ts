import { z } from "zod";

import { defineCollection } from "../core/collection.ts";
import { Id, Instant } from "../core/schema.ts";

/** All of it is in the platform's partition, so that every node sees the same. */
export const JOBS_PART = "platform";

const Counts = z.record(z.string(), z.number());

/** What is known of a job in addition to its definition: who runs it now, and how it went last. */
export const JobState = z.strictObject({
  /** Id of the job. */
  id: z.string(),
  /** When it is due; null until a runner has seen it. */
  next_at: Instant.nullable(),
  /** Runner that has it now, until `lease_until`: another takes over when that has passed without a renewal. */
  holder: z.string().nullable(),
  lease_until: Instant.nullable(),
  last_started_at: Instant.nullable(),
  last_finished_at: Instant.nullable(),
  last_outcome: z.enum(["ok", "failed"]).nullable(),
});
export type JobState = z.output<typeof JobState>;

export const jobStates = defineCollection({ name: "jobs.state", unlisted: true, schema: JobState });

/** One run that did something, failed, or was asked for. */
export const JobRun = z.strictObject({
  id: Id,
  job_id: z.string(),
  trigger: z.enum(["schedule", "manual"]),
  outcome: z.enum(["ok", "failed"]),
  started_at: Instant,
  finished_at: Instant,
  /** The time that the run went by; differs from `started_at` only where a run was given another. */
  now: Instant,
  /** Partitions that were worked on. */
  partitions: z.int().nonnegative(),
  /** What the job counted, summed over the partitions. */
  counts: Counts,
  /** First error, in the words of the log; null when all went well. */
  error: z.string().nullable(),
});
export type JobRun = z.output<typeof JobRun>;

export const jobRuns = defineCollection({
  name: "jobs.history",
  schema: JobRun,
  indexes: { job: { values: (run) => [run.job_id] } },
});

/** Runs that are kept for each job. */
export const RUNS_KEPT = 50;
