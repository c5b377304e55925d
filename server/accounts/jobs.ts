import type { ScheduledJob } from "../core/engine.ts";
import { DAY_MS } from "../lib/instant.ts";
import { eachDue, removeOld } from "../core/batches.ts";
import type { JobContext } from "../core/engine.ts";
import type { Collection } from "../core/collection.ts";
import { runChange } from "./change.ts";
import type { Actor, Change } from "./change.ts";
import type { AccountsDeps } from "./deps.ts";
import { customers, erasures, keys, links, mailErasures } from "./collections.ts";
import { PLATFORM_PART } from "../core/partitions.ts";
import type { Customer } from "./collections.ts";
import { dropKey, eraseCustomer, eraseStoreData, forgetMail, removeIfThere } from "./customers/erase.ts";
import { endsAtMs } from "./collections.ts";
import { expireKey } from "./keys/keys.ts";
import { usageDays } from "./usage/usage.ts";
import { createWatchJob } from "./watch-endings.ts";

const HOUR_MS = 3_600_000;
/** A closed customer can still be exported for this long. */
const KEEP_CLOSED_MS = 30 * DAY_MS;
/** An ended key stays on record this long, so that support can identify it. */
const KEEP_ENDED_KEY_MS = 90 * DAY_MS;
/** An expired link is remembered this long, so that it answers 410 and not 404. */
const KEEP_LINK_MS = 30 * DAY_MS;
const KEEP_USAGE_MS = 395 * DAY_MS;
/** Documents per commit; a key with its audit entry is a dozen operations. */
const BATCH = 10;

/** Scheduled work on the platform's own records; each run does what is due by then, and repeating it does no harm. */
export const createPlatformJobs = (deps: AccountsDeps): ScheduledJob[] => [
  {
    id: "platform.purge-pending",
    summary: "Deletes unverified signups after their retention",
    schedule: "11 * * * *",
    on: "platform",
    run: async (work) => ({ purged: await purgePending(deps, work) }),
  },
  {
    id: "platform.sweep-keys",
    summary: "Records expired keys, and deletes keys 90 days after they ended",
    schedule: "23 * * * *",
    on: "platform",
    run: async (work) => ({
      expired: await expireDueKeys(deps, work),
      forgotten: await forgetKeys(deps, work),
    }),
  },
  {
    id: "platform.erase",
    summary: "Erases customers closed 30 days ago and the data of deleted stores",
    schedule: "37 3 * * *",
    on: "platform",
    run: async (work) => {
      const customers = await eraseClosed(deps, work);
      try {
        return { customers, documents: await eraseRemovedStores(deps, work) };
      } finally {
        await forgetMails(deps, work);
      }
    },
  },
  {
    id: "platform.purge-records",
    summary: "Deletes verification links 30 days after they expire, and usage counts after 13 months",
    schedule: "51 3 * * *",
    on: "platform",
    run: async (work) => ({
      links: await purge(work, links, "due", (link) => Date.parse(link.expires_at) + KEEP_LINK_MS),
      usage: await purge(
        work,
        usageDays,
        "oldest",
        (usage) => Date.parse(usage.last_used_at) + KEEP_USAGE_MS,
      ),
    }),
  },
  createWatchJob(deps),
];

/** Deletes customers that stayed pending for the configured hours since their latest link. Resolves to their number. */
const purgePending = (deps: AccountsDeps, work: JobContext): Promise<number> =>
  eraseIdle(deps, work, {
    status: "pending",
    action: "customer.purged",
    afterMs: deps.config.signup.purgePendingHours * HOUR_MS,
  });

const eraseClosed = (deps: AccountsDeps, work: JobContext): Promise<number> =>
  eraseIdle(deps, work, { status: "closed", action: "customer.erased", afterMs: KEEP_CLOSED_MS });

async function eraseIdle(
  deps: AccountsDeps,
  { now, signal, runTx }: JobContext,
  which: { readonly status: Customer["status"]; readonly action: string; readonly afterMs: number },
): Promise<number> {
  const isDue = (customer: Customer): boolean =>
    customer.status === which.status && Date.parse(customer.updated_at) + which.afterMs <= now;
  let erased = 0;
  while (!signal.aborted) {
    const idle = { index: "idle", value: which.status, limit: BATCH };
    const { items } = await runTx(PLATFORM_PART, (tx) => tx.peekPage(customers, idle));
    const due = items.filter(({ value }) => isDue(value));
    for (const { id } of due) {
      if (await eraseCustomer(deps, systemAt(now), { customerId: id, action: which.action, isDue }))
        erased += 1;
    }
    if (due.length === 0) break;
  }
  return erased;
}

/** Notes the keys whose time has come, which were refused since then anyway. Resolves to their number. */
export function expireDueKeys(deps: AccountsDeps, work: Pick<JobContext, "now" | "signal">): Promise<number> {
  return inBatches(deps, work, async (change) => {
    const { items } = await change.tx.peekPage(keys, { index: "expiry", limit: BATCH });
    const due = items.filter(({ value }) => (endsAtMs(value) ?? Number.POSITIVE_INFINITY) <= change.now);
    for (const { id } of due) expireKey(change, await change.tx.require(keys, id));
    return due.length;
  });
}

function forgetKeys(deps: AccountsDeps, work: JobContext): Promise<number> {
  return inBatches(deps, work, async (change) => {
    const { items } = await change.tx.peekPage(keys, { index: "ended", limit: BATCH });
    const due = items.filter(({ value }) => Date.parse(value.updated_at) + KEEP_ENDED_KEY_MS <= change.now);
    for (const key of due) await dropKey(change, key);
    return due.length;
  });
}

/** One that fails, as where its files cannot be deleted, keeps no other waiting; the next run tries it again. */
async function eraseRemovedStores(
  deps: AccountsDeps,
  { log, now, signal, runTx }: JobContext,
): Promise<number> {
  const due = {
    collection: erasures,
    index: "due",
    isDue: ({ due_at: at }: { readonly due_at: string }) => Date.parse(at) <= now,
    max: Infinity,
  };
  const { done, failed } = await eachDue({ log, part: PLATFORM_PART, runTx, signal }, due, async (id) => {
    const erased = await eraseStoreData(deps, id, signal);
    if (!signal.aborted) await runTx(PLATFORM_PART, (tx) => removeIfThere(tx, erasures, id));
    return erased;
  });
  if (failed > 0) throw new Error(`The data of ${failed} removed stores could not be erased. See the log.`);
  return done;
}

/** Deletes the mail of erased customers that a process which ended left. */
async function forgetMails(deps: AccountsDeps, { log, signal, runTx }: JobContext): Promise<void> {
  const left = { collection: mailErasures, index: "due", isDue: () => true, max: Infinity };
  const { failed } = await eachDue({ log, part: PLATFORM_PART, runTx, signal }, left, async (id) => {
    await forgetMail(deps, id);
    return 1;
  });
  if (failed > 0)
    throw new Error(`The mail of ${failed} erased customers could not be deleted. See the log.`);
}

/** Deletes the documents of an ordered index whose time is over. Resolves to their number. */
const purge = <T extends { id: string }>(
  work: JobContext,
  collection: Collection<T>,
  index: string,
  endMs: (value: T) => number,
): Promise<number> =>
  removeOld({ ...work, part: PLATFORM_PART }, collection, {
    index,
    isOver: (value) => endMs(value) <= work.now,
  });

/** Repeats a change, a bounded commit each time, until it finds nothing more to do. */
async function inBatches(
  deps: AccountsDeps,
  { now, signal }: Pick<JobContext, "now" | "signal">,
  step: (change: Change) => Promise<number>,
): Promise<number> {
  let total = 0;
  while (!signal.aborted) {
    const count = await runChange(deps, systemAt(now), step);
    if (count === 0) break;
    total += count;
  }
  return total;
}

const systemAt = (now: number): Actor => ({ actor: "system", now });
