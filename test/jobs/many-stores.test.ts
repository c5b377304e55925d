import { describe, expect, it } from "vitest";

import { defineCollection } from "../../server/core/collection.ts";
import { createCursorCodec } from "../../server/core/cursor.ts";
import type { JobContext, ScheduledJob } from "../../server/core/engine.ts";
import { createNewId, createSystemRandom } from "../../server/core/ids.ts";
import { silentLog } from "../../server/core/log.ts";
import { createRunTx } from "../../server/core/run-tx.ts";
import { createJobs } from "../../server/jobs/runner.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { closedPorts, createTestClock } from "../harness.ts";
import { longestOf, TURN_MS } from "../support/longest-turn.ts";
import { z } from "zod";

const STORES = 5_000;

const tasks = defineCollection({
  name: "test.tasks",
  schema: z.strictObject({ id: z.string() }),
  indexes: { open: { values: () => [""] } },
});
const job = (id: string): ScheduledJob => ({
  id,
  summary: "Looks for tasks",
  schedule: "17 3 * * *",
  on: "stores",
  async run({ part, runTx }: JobContext) {
    const { items } = await runTx(part, (tx) => tx.peekPage(tasks, { index: "open", limit: 1 }));
    return { found: items.length };
  },
});

async function createRig() {
  const clock = createTestClock("2026-06-01T09:00:30.000Z");
  const random = createSystemRandom();
  const cursors = createCursorCodec(random.bytes(32));
  const store = createMemoryDriver({ clock });
  const runTx = createRunTx({ store, cursors });
  for (let at = 0; at < STORES; at += 1)
    await runTx(`sto_${at}`, async (tx) => tx.create(tasks, { id: "task" }));
  const jobs = createJobs({
    jobs: [job("test.one"), job("test.two")],
    store,
    runTx,
    clock,
    newId: createNewId(clock, random),
    log: silentLog,
    ports: closedPorts,
  });
  return jobs;
}

// In one turn, two jobs that looked at five thousand stores took 3 seconds, and all jobs of a night more than a minute.
describe("a job that looks at thousands of stores", () => {
  it("leaves the event loop to requests between two of them", async () => {
    const jobs = await createRig();
    const counts: unknown[] = [];
    const longest = await longestOf(
      () => undefined,
      async () => {
        const both = await Promise.all([jobs.run("test.one"), jobs.run("test.two")]);
        counts.push(...both.map((run) => run.counts));
      },
    );
    expect(longest).toBeLessThan(TURN_MS);
    expect(counts.slice(0, 2)).toEqual([{ found: STORES }, { found: STORES }]);
  });
});
