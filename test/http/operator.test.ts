import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { toInstant } from "../../server/lib/instant.ts";
import { JOBS_PART, jobStates } from "../../server/jobs/state.ts";
import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness.close());

const JOB = "http.sweep-idempotency";
const run = () => harness.admin("POST", `/api/platform/admin/jobs/${JOB}/run`, { body: {} });

describe("running a job", () => {
  it("409 job_running while another runner has it, 200 once that has gone silent", async () => {
    const leaseMs = 60_000;
    await harness.services.runTx(JOBS_PART, async (tx) => {
      tx.create(jobStates, {
        id: JOB,
        next_at: null,
        holder: "another",
        lease_until: toInstant(harness.clock.now() + leaseMs),
        last_started_at: null,
        last_finished_at: null,
        last_outcome: null,
      });
    });
    const refused = await run();
    expect([refused.status, refused.json.error.code]).toEqual([409, "job_running"]);
    harness.clock.advance(leaseMs);
    const done = await run();
    expect([done.status, done.json.data.status]).toEqual([200, "ok"]);
  });
});
