import { expect, it } from "vitest";
import { z } from "zod";

import { defineCollection } from "../../server/core/collection.ts";
import { createCursorCodec } from "../../server/core/cursor.ts";
import type { ScheduledJob } from "../../server/core/engine.ts";
import { createNewId, createSystemRandom } from "../../server/core/ids.ts";
import { silentLog } from "../../server/core/log.ts";
import { createRunTx } from "../../server/core/run-tx.ts";
import { watch } from "../../server/core/watch.ts";
import { createJobs } from "../../server/jobs/runner.ts";
import { createFairSlots } from "../../server/lib/fair-slots.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { closedPorts, createTestClock } from "../harness.ts";

const tasks = defineCollection({
  name: "test.tasks",
  schema: z.strictObject({ id: z.string() }),
  indexes: { open: { values: () => [""] } },
});

it("works on four stores at a time where it looks through all of them, and leaves turns to other jobs", async () => {
  const clock = createTestClock("2026-06-01T09:00:30.000Z");
  const random = createSystemRandom();
  const cursors = createCursorCodec(random.bytes(32));
  const store = createMemoryDriver({ clock });
  const runTx = createRunTx({ store, cursors });
  for (let at = 0; at < 12; at += 1) await runTx(`sto_${at}`, async (tx) => tx.create(tasks, { id: "task" }));
  const about = { summary: "Looks for tasks", schedule: "17 3 * * *", on: "stores" } as const;
  let [running, most] = [0, 0];
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const long: ScheduledJob = {
    ...about,
    id: "test.long",
    async run() {
      running += 1;
      most = Math.max(most, running);
      await ended;
      running -= 1;
      return { looked: 1 };
    },
  };
  const watched: ScheduledJob = {
    ...about,
    id: "test.watched",
    watches: [watch(tasks, { index: "open" })],
    run: async () => ({ looked: 1 }),
  };
  const jobs = createJobs({
    jobs: [long, watched],
    store,
    runTx,
    clock,
    newId: createNewId(clock, random),
    log: silentLog,
    ports: closedPorts,
    turns: createFairSlots({ max: 8, perKey: 2 }),
  });
  const looks = jobs.run("test.long");
  await expect.poll(() => running).toBe(4);
  expect((await jobs.run("test.watched")).counts).toEqual({ looked: 12 });
  end();
  expect((await looks).counts).toEqual({ looked: 12 });
  expect(most).toBe(4);
});
