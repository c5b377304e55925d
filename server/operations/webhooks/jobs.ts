import type { ScheduledJob } from "../../core/engine.ts";
import { DAY_MS } from "../../lib/instant.ts";
import { removeOld } from "../../core/batches.ts";
import type { JobContext } from "../../core/engine.ts";
import { domainEvents } from "../../core/events.ts";
import { watch } from "../../core/watch.ts";
import { deliveries, notices, replays } from "./collections.ts";
import { removeAbandoned } from "./endpoints.ts";
import type { Webhooks } from "./service.ts";

/** How long it can be looked up what was sent, and sent again. */
const KEEP_MS = 90 * DAY_MS;
const BATCH = 25;

export const createWebhookJobs = (webhooks: Webhooks): ScheduledJob[] => [
  {
    id: "webhooks.deliver",
    summary: "Sends pending events, such as those of a process that crashed",
    schedule: "* * * * *",
    watches: [
      watch(domainEvents, { index: "time" }),
      watch(deliveries, { index: "due", due: ({ next_at: at }) => at }),
      watch(replays, { index: "open" }),
      watch(notices, { index: "waiting" }),
    ],
    on: "everywhere",
    run: ({ part, signal, hasTime }) => webhooks.work(part, { signal, hasTime }),
  },
  {
    id: "webhooks.tidy",
    summary: "Deletes deliveries after 90 days and the remaining data of deleted endpoints",
    schedule: "41 4 * * *",
    on: "everywhere",
    async run(work) {
      const { hasTime, part, signal } = work;
      const { events, delivered } = await webhooks.work(part, { signal, hasTime, always: true });
      return { events, delivered, forgotten: await forget(work) };
    },
  },
];

async function forget(work: JobContext): Promise<number> {
  const { now, part, runTx } = work;
  const isOver = ({ created_at: at }: { readonly created_at: string }): boolean =>
    Date.parse(at) + KEEP_MS <= now;
  const forgotten = await removeOld(work, deliveries, { index: "age", isOver });
  await runTx(part, (tx) => removeAbandoned(tx, now));
  await runTx(part, async (tx) => {
    const { items } = await tx.peekPage(replays, { limit: BATCH });
    for (const { id, value } of items) {
      const stored = isOver(value) ? await tx.get(replays, id) : null;
      if (stored !== null) tx.remove(replays, stored);
    }
  });
  return forgotten;
}
