import { z } from "zod";

import type { ScheduledJob } from "../../jobs/execute.ts";
import { DAY_MS, toInstant } from "../../kernel/clock.ts";
import { defineCollection } from "../../kernel/collection.ts";
import type { Collection } from "../../kernel/collection.ts";
import type { JobContext } from "../../kernel/engine.ts";
import { derivedId } from "../../kernel/ids.ts";
import { Instant } from "../../kernel/schema.ts";
import { customers, instantOrder, keys, PLATFORM_PART } from "../collections.ts";
import type { Customer, Key } from "../collections.ts";
import { endsAtMs } from "../key-rules.ts";
import { deliveries, replays } from "./collections.ts";
import type { Webhooks } from "./service.ts";

/** How long it can be looked up what was sent, and sent again. */
const KEEP_MS = 90 * DAY_MS;
const BATCH = 25;

export const createWebhookJobs = (webhooks: Webhooks, secret: Uint8Array): ScheduledJob[] => [
  {
    id: "webhooks.deliver",
    summary: "Sends events that wait, such as those of a process that died",
    schedule: "* * * * *",
    on: "everywhere",
    run: ({ part, signal }) => webhooks.work(part, { signal }),
  },
  {
    id: "webhooks.tidy",
    summary: "Forgets after 90 days what was sent, and finishes what removed endpoints left",
    schedule: "41 4 * * *",
    on: "everywhere",
    async run(work) {
      const { events, delivered } = await webhooks.work(work.part, { signal: work.signal, always: true });
      return { events, delivered, forgotten: await forget(work) };
    },
  },
  {
    id: "webhooks.watch",
    summary: "Emits the events that time alone brings: keys and trials that end",
    schedule: "*/15 * * * *",
    on: "platform",
    run: (work) => emitTimed(work, secret),
  },
];

async function forget({ now, part, runTx, signal }: JobContext): Promise<number> {
  let forgotten = 0;
  while (!signal.aborted) {
    const count = await runTx(part, async (tx) => {
      const { items } = await tx.page(deliveries, { index: "age", limit: BATCH });
      const old = items.filter(({ value }) => Date.parse(value.created_at) + KEEP_MS <= now);
      for (const { id } of old) {
        const stored = await tx.get(deliveries, id);
        if (stored !== null) tx.remove(deliveries, stored);
      }
      return old.length;
    });
    forgotten += count;
    if (count < BATCH) break;
  }
  await runTx(part, async (tx) => {
    const { items } = await tx.page(replays, { limit: BATCH });
    for (const { id, value } of items) {
      const stored = Date.parse(value.created_at) + KEEP_MS <= now ? await tx.get(replays, id) : null;
      if (stored !== null) tx.remove(replays, stored);
    }
  });
  return forgotten;
}

/** Until when each kind of timed event was emitted: moved in the commit of the events, so that none is told twice. */
const watches = defineCollection({
  name: "webhooks.watches",
  unlisted: true,
  schema: z.strictObject({ id: z.string(), until: Instant }),
});

interface Watch<T> {
  readonly type: string;
  /** Kind of event: one type may be told at several times. */
  readonly id: string;
  readonly collection: Collection<T>;
  /** Index in the order of the end, as `instantOrder` writes it. */
  readonly index: string;
  /** How long before the end it is told. */
  readonly leadMs: number;
  readonly endMs: (value: T) => number | null;
  /** Null: this one is not told about. */
  readonly data: (value: T) => Record<string, unknown> | null;
}

const keyWatch = (days: number): Watch<Key> => ({
  type: "key.expiring",
  id: `key.expiring.${days}`,
  collection: keys,
  index: "expiry",
  leadMs: days * DAY_MS,
  endMs: endsAtMs,
  data: ({ id, customer_id, store_id, status, replaced_by, expires_at }) =>
    status === "ACTIVE" && replaced_by === null
      ? { id, customer_id, store_id, expires_at, days_left: days }
      : null,
});

const trialWatch = (type: "trial.ending" | "trial.ended", days: number): Watch<Customer> => ({
  type,
  id: type,
  collection: customers,
  index: "trial",
  leadMs: days * DAY_MS,
  endMs: ({ trial_ends_at }) => (trial_ends_at === null ? null : Date.parse(trial_ends_at)),
  data: ({ id, trial_plan, trial_ends_at }) => ({
    id,
    customer_id: id,
    plan: trial_plan,
    ends_at: trial_ends_at,
  }),
});

async function emitTimed(work: JobContext, secret: Uint8Array): Promise<Record<string, number>> {
  const counts = {
    keys: (await emitWatch(work, secret, keyWatch(7))) + (await emitWatch(work, secret, keyWatch(1))),
    trials:
      (await emitWatch(work, secret, trialWatch("trial.ending", 3))) +
      (await emitWatch(work, secret, trialWatch("trial.ended", 0))),
  };
  return counts;
}

async function emitWatch<T extends { id: string }>(
  { now, runTx, signal }: JobContext,
  secret: Uint8Array,
  watch: Watch<T>,
): Promise<number> {
  let emitted = 0;
  for (let isMore = true; isMore && !signal.aborted;) {
    isMore = await runTx(PLATFORM_PART, async (tx) => {
      const stored = await tx.get(watches, watch.id);
      // What ended before anybody watched is no news.
      const fromMs = stored === null ? now : Date.parse(stored.value.until);
      const { index, leadMs, collection } = watch;
      const from = instantOrder(toInstant(fromMs + leadMs));
      const page = await tx.page(collection, { index, limit: BATCH, from });
      const due = page.items.filter(({ value }) => (watch.endMs(value) ?? Infinity) - leadMs <= now);
      for (const { id, value } of due) {
        const data = watch.data(value);
        if (data === null) continue;
        const eventId = derivedId("evt", secret, [watch.id, id, String(watch.endMs(value))]);
        tx.emit({ id: eventId, type: watch.type, at: toInstant(now), data });
        emitted += 1;
      }
      const last = due.at(-1);
      const isFull = due.length === BATCH && last !== undefined;
      // Several may end in one instant: it is begun again there, and their ids keep them from being told twice.
      const reachedMs = isFull ? Math.max(fromMs + 1, (watch.endMs(last.value) ?? now) - leadMs) : now + 1;
      const next = { id: watch.id, until: toInstant(reachedMs) };
      if (stored === null) tx.create(watches, next);
      else if (stored.value.until !== next.until) tx.put(watches, stored, next);
      return isFull;
    });
  }
  return emitted;
}
