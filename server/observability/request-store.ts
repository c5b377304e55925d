import { decodeTime } from "ulid";
import { z } from "zod";

import type { ScheduledJob } from "../core/engine.ts";
import { DAY_MS, MINUTE_MS, toInstant } from "../lib/instant.ts";
import { defineCollection, newestFirst, timeOrder } from "../core/collection.ts";
import type { NewId } from "../core/ids.ts";
import { Instant } from "../core/schema.ts";
import type { RunTx, Tx } from "../core/tx.ts";
import { PLATFORM_PART } from "../core/partitions.ts";
import { RequestEntry } from "./request-entry.ts";

/** Requests that were written in one commit, in the order in which they finished. */
const Batch = z.strictObject({
  id: z.string(),
  created_at: Instant,
  entries: z.array(RequestEntry),
  /** Requests that came too fast to be kept. */
  skipped: z.int().nonnegative(),
  /** Entries ever written when this batch was: gives the number of those after it without reading them. */
  upto: z.int().nonnegative(),
});
type Batch = z.output<typeof Batch>;

/** The minute that a request id was made in; empty for a text that is none. */
function minuteOf(requestId: string): string {
  const [, ulid] = /^req_([0-7][0-9A-HJKMNP-TV-Z]{25})$/.exec(requestId) ?? [];
  return ulid === undefined ? "" : String(Math.floor(decodeTime(ulid) / MINUTE_MS));
}

export const requestBatches = defineCollection({
  name: "platform.request_log",
  schema: Batch,
  indexes: {
    new: { values: () => [""], order: ({ created_at }) => newestFirst(created_at) },
    oldest: { values: () => [""], order: ({ created_at }) => timeOrder(created_at) },
    /** Minutes in which its requests came in: a request id contains its own, so it needs no entry of its own. */
    minute: {
      values: ({ entries }) => [...new Set(entries.map(({ request_id }) => minuteOf(request_id)))],
    },
  },
});

/** Entries ever written, by all nodes together. */
export const tally = defineCollection({
  name: "platform.request_tally",
  unlisted: true,
  schema: z.strictObject({ id: z.string(), written: z.int().nonnegative() }),
});
const TALLY = "all";

/** Old batches that a write may take with it: more than it adds, so that a smaller bound is reached in the end. */
const TRIM_MAX = 3;

/** Writes a batch, and drops the oldest so that about `keep` entries are left. */
export async function writeBatch(
  { runTx, newId }: { readonly runTx: RunTx; readonly newId: NewId },
  batch: { entries: RequestEntry[]; skipped: number; atMs: number; keep: number },
): Promise<void> {
  const { entries, skipped, atMs, keep } = batch;
  const id = newId("rlb");
  await runTx(PLATFORM_PART, async (tx) => {
    const before = await tx.get(tally, TALLY);
    const written = (before?.value.written ?? 0) + entries.length;
    tx.create(requestBatches, { id, created_at: toInstant(atMs), entries, skipped, upto: written });
    tx.save(tally, before, { id: TALLY, written });
    const { items } = await tx.peekPage(requestBatches, { index: "oldest", limit: TRIM_MAX });
    for (const { id: old, value } of items) if (written - value.upto >= keep) await drop(tx, old);
  });
}

async function drop(tx: Tx, id: string): Promise<void> {
  const found = await tx.get(requestBatches, id);
  if (found !== null) tx.remove(requestBatches, found);
}

/** The stored entry of a request id, or null. */
export async function findStored(
  { runTx }: { readonly runTx: RunTx },
  requestId: string,
): Promise<RequestEntry | null> {
  const value = minuteOf(requestId);
  if (value === "") return null;
  let cursor: string | undefined;
  do {
    const at = cursor;
    const page = await runTx(PLATFORM_PART, (tx) =>
      tx.peekPage(requestBatches, { index: "minute", value, limit: 20, cursor: at }),
    );
    const entries = page.items.flatMap((batch) => batch.value.entries);
    const found = entries.find(({ request_id }) => request_id === requestId);
    if (found !== undefined) return found;
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return null;
}

/** Where a page of stored requests ended: inside which batch, and how many of its entries were passed. */
export interface StoredPlace {
  readonly batchAt: string;
  readonly batchId: string;
  readonly passed: number;
}

/** Batches that one page looks through for entries that a filter wants. */
const BATCHES_PER_PAGE = 50;

/**
 * A page of stored requests, newest first. A filter that few requests fit may make it short, and even empty, with more behind
 * `next`: the log is bounded, so looking through it is too.
 */
export async function pageStored(
  tx: Tx,
  query: { limit: number; from: StoredPlace | null; isWanted: (entry: RequestEntry) => boolean },
): Promise<{ readonly items: RequestEntry[]; readonly next: StoredPlace | null }> {
  const { limit, from, isWanted } = query;
  const items: RequestEntry[] = [];
  const start = from === null ? {} : { from: newestFirst(from.batchAt) };
  const page = await tx.peekPage(requestBatches, { index: "new", limit: BATCHES_PER_PAGE, ...start });
  let isSkipping = from !== null && page.items.some(({ id }) => id === from.batchId);
  let last: StoredPlace | null = null;
  for (const { id, value } of page.items) {
    if (isSkipping && id !== from?.batchId) continue;
    const passed = isSkipping ? (from?.passed ?? 0) : 0;
    isSkipping = false;
    const entries = value.entries.toReversed();
    for (const [index, entry] of entries.entries()) {
      if (index < passed) continue;
      if (items.length === limit) return { items: items.sort(byNewest), next: last };
      if (isWanted(entry)) items.push(entry);
      last = { batchAt: value.created_at, batchId: id, passed: index + 1 };
    }
  }
  return { items: items.sort(byNewest), next: page.next === null ? null : last };
}

/** Each node writes batches of its own, which overlap in time. */
const byNewest = (one: RequestEntry, other: RequestEntry): number =>
  one.at < other.at ? 1 : one.at > other.at ? -1 : 0;

const BATCHES_PER_COMMIT = 10;

/** Forgets stored requests by age; their number is bounded by every write. */
export const createForgetRequests = (days: number): ScheduledJob => ({
  id: "platform.forget-requests",
  summary: `Deletes logged requests after ${days} days`,
  schedule: "41 * * * *",
  on: "platform",
  async run({ now, signal, runTx }) {
    let batches = 0;
    while (!signal.aborted) {
      const dropped = await runTx(PLATFORM_PART, async (tx) => {
        const { items } = await tx.peekPage(requestBatches, { index: "oldest", limit: BATCHES_PER_COMMIT });
        const due = items.filter(({ value }) => Date.parse(value.created_at) + days * DAY_MS <= now);
        for (const { id } of due) await drop(tx, id);
        return due.length;
      });
      if (dropped === 0) break;
      batches += dropped;
    }
    return { batches };
  },
});
