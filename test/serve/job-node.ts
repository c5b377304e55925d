import { z } from "zod";

import type { ScheduledJob } from "../../server/core/engine.ts";
import { createJobs } from "../../server/jobs/runner.ts";
import { defineCollection } from "../../server/core/collection.ts";
import { createCursorCodec } from "../../server/core/cursor.ts";
import { createNewId, createSystemRandom } from "../../server/core/ids.ts";
import { silentLog } from "../../server/core/log.ts";
import type { Ports } from "../../server/core/ports.ts";
import { createRunTx } from "../../server/core/run-tx.ts";
import { openStore } from "../../server/storage/open.ts";

// A node that runs one long job: JSON {url, offsetMs, pauseMs} as its argument. Prints `item <n>` for each
// item that it does and `done` when it has finished a run. Its clock is the system's plus `offsetMs`: the lease of a node
// that lives five minutes ago has run out when it dies.
const { url, offsetMs, pauseMs } = JSON.parse(process.argv[2] ?? "{}");
const clock = { now: () => Date.now() + offsetMs };
const random = createSystemRandom();
const store = await openStore({ driver: "redis", url }, { clock });
const runTx = createRunTx({ store, cursors: createCursorCodec(new Uint8Array(32)) });
const schema = z.strictObject({ id: z.string(), count: z.int() });
const items = defineCollection({ name: "test.items", schema, unlisted: true });

const ITEMS = 300;

/** Does what is not done yet, and counts each in the commit that does it. */
async function run({ part, signal }: Parameters<ScheduledJob["run"]>[0]) {
  let done = 0;
  for (let index = 0; index < ITEMS && !signal.aborted; index += 1) {
    const isNew = await runTx(part, async (tx) => {
      const item = `item-${index}`;
      if ((await tx.get(items, item)) !== null) return false;
      tx.create(items, { id: item, count: 1 });
      const total = await tx.get(items, "total");
      if (total === null) tx.create(items, { id: "total", count: 1 });
      else tx.put(items, total, { id: "total", count: total.value.count + 1 });
      return true;
    });
    if (isNew) console.log(`item ${index}`);
    done += Number(isNew);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return { done };
}

const job: ScheduledJob = {
  id: "test.long",
  summary: "A long job",
  schedule: "* * * * *",
  on: "platform",
  run,
};
const newId = createNewId(clock, random);
// The job asks nobody for anything.
const ports: Ports = Object.create(null);
const jobs = createJobs({ jobs: [job], store, runTx, clock, newId, log: silentLog, ports });
// A run by hand takes the same lease as a scheduled one, and needs no minute to pass.
const finished = await jobs.run(job.id).catch((error) => error);
console.log(
  finished instanceof Error ? `refused ${finished.message}` : `done ${JSON.stringify(finished.counts)}`,
);
await jobs.stop();
await store.close();
