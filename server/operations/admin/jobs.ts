import { z } from "zod";

import { jobRuns } from "../../jobs/state.ts";
import type { JobRun } from "../../jobs/state.ts";
import { fromInstant } from "../../lib/instant.ts";
import { conflict, conflictWhen } from "../../lib/errors.ts";
import { ok, values } from "../../core/reply.ts";
import { Instant, listFields } from "../../core/schema.ts";
import { defineOperationsRoute } from "../context.ts";
import { sliceById } from "./slice.ts";

const JobStatus = z.enum(["ok", "failed"]);

const JobView = z.strictObject({
  id: z.string(),
  summary: z.string(),
  schedule: z.string().meta({ description: "Cron pattern, UTC" }),
  on: z.enum(["platform", "stores", "everywhere"]),
  running: z.boolean(),
  next_at: Instant.nullable(),
  last_at: Instant.nullable(),
  last_status: JobStatus.nullable(),
});

const RunView = z.strictObject({
  id: z.string(),
  job_id: z.string(),
  trigger: z.enum(["schedule", "manual"]),
  status: JobStatus,
  started_at: Instant,
  finished_at: Instant,
  duration_ms: z.int(),
  now: Instant.meta({ description: "Time used by the run" }),
  partitions: z.int(),
  counts: z.record(z.string(), z.number()),
  error: z.string().nullable(),
});

const listJobs = defineOperationsRoute({
  id: "admin.jobs.list",
  method: "GET",
  path: "/jobs",
  summary: "List jobs with their schedules",
  query: z.object({
    ...listFields,
    search: z.string().max(100).optional().meta({ description: "Text contained in the id or the summary" }),
    status: JobStatus.optional().meta({ description: "Outcome of the latest run" }),
  }),
  data: z.array(JobView),
  example: { query: {} },
  async handle({ query: { limit, cursor, search = "", status } }, ctx) {
    const words = search.toLowerCase();
    const jobs = (await ctx.deps.jobs.list()).filter(
      ({ id, summary, last_outcome }) =>
        `${id} ${summary}`.toLowerCase().includes(words) && (status === undefined || last_outcome === status),
    );
    const page = sliceById(ctx, jobs, { place: "jobs", idOf: ({ id }) => id, limit, cursor });
    const views = page.items.map(({ id, summary, schedule, on, next_at, ...state }) => ({
      id,
      summary,
      schedule,
      on,
      running: state.lease_until !== null && fromInstant(state.lease_until) > ctx.now,
      next_at,
      last_at: state.last_finished_at,
      last_status: state.last_outcome,
    }));
    return values(views, { limit, next: page.next });
  },
});

const runJob = defineOperationsRoute({
  id: "admin.jobs.run",
  method: "POST",
  path: "/jobs/:id/run",
  summary: "Run a job",
  params: z.object({ id: z.string() }),
  body: z.strictObject({
    now: Instant.optional().meta({ description: "Run the job as of this time. In development only" }),
  }),
  data: RunView,
  errors: [
    { type: "not_found", when: "No job has this id" },
    conflictWhen("job_running", "The job is already running"),
    conflictWhen("production", "`now` was specified outside `platform dev`"),
  ],
  example: { params: { id: "http.sweep-idempotency" }, body: {} },
  async handle({ params, body }, { deps }) {
    if (body.now !== undefined && !deps.lifecycle.dev) {
      throw conflict("production", "`now` can only be specified in development (`platform dev`). Remove it.");
    }
    const run = await deps.jobs.run(params.id, {
      nowMs: body.now === undefined ? undefined : fromInstant(body.now),
    });
    return ok(toRunView(run));
  },
});

const listRuns = defineOperationsRoute({
  id: "admin.jobs.history",
  method: "GET",
  path: "/jobs/history",
  summary: "List job runs that did work, failed or were started manually, newest first",
  query: z.object({ ...listFields, job_id: z.string().optional() }),
  data: z.array(RunView),
  example: { query: {} },
  async handle({ query: { limit, cursor, job_id } }, { tx }) {
    const of = job_id === undefined ? {} : { index: "job", value: job_id };
    const page = await tx.peekPage(jobRuns, { ...of, limit, cursor });
    return values(
      page.items.map(({ value }) => toRunView(value)),
      { limit, next: page.next },
    );
  },
});

function toRunView({ outcome, ...run }: JobRun): z.input<typeof RunView> {
  const { id, job_id, trigger, started_at, finished_at, ...rest } = run;
  const duration_ms = fromInstant(finished_at) - fromInstant(started_at);
  return { id, job_id, trigger, status: outcome, started_at, finished_at, duration_ms, ...rest };
}

export const jobRoutes = [listJobs, listRuns, runJob];
