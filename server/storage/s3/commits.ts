import { setTimeout as sleep } from "node:timers/promises";

import type { Clock } from "../../core/clock.ts";
import type { Random } from "../../core/ids.ts";
import { StoreError } from "../contract.ts";
import type { CommitResult } from "../contract.ts";
import type { ParsedCommit } from "../keys.ts";
import type { Advance } from "./advance.ts";
import type { Apply } from "./apply.ts";
import { bytesOf, countUsage } from "./count.ts";
import { isFenced, standing } from "./head.ts";
import type { StoredHead } from "./head.ts";
import { mapSome } from "../../lib/map-some.ts";
import type { Objects, Stored } from "./objects.ts";
import { docKey } from "./partition.ts";
import type { Partition } from "./partition.ts";
import { nameOf, planBatch, takeBatch } from "./plan.ts";
import type { Before, Plan } from "./plan.ts";

export interface Commits {
  commit(partition: Partition, commit: ParsedCommit): Promise<CommitResult>;
  readonly state: { readonly commits: number; readonly batches: number; readonly races: number };
}

export interface CommitsOptions {
  readonly objects: Objects;
  readonly advance: Advance;
  readonly apply: Apply;
  readonly random: Pick<Random, "next">;
  readonly wallClock: Clock;
}

interface Waiting {
  readonly commit: ParsedCommit;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
  readonly sinceMs: number;
}

/** A batch that other nodes kept from its turn for so long is given up: nothing of it happened. */
const GIVE_UP_MS = 15_000;
const BACKOFF_BASE_MS = 5;
const BACKOFF_CAP_MS = 250;

/**
 * Commits of one process on one partition share a head: one write of it decides them all. A commit is answered when its
 * documents are written too, so that other readers of the bucket find what was acknowledged.
 */
export function createCommits(options: CommitsOptions): Commits {
  const { random, wallClock } = options;
  const waiting = new Map<Partition, Waiting[]>();
  const state = { commits: 0, batches: 0, races: 0 };

  const run = async (partition: Partition): Promise<void> => {
    let batch = takeBatch(waiting.get(partition) ?? []);
    if (waiting.get(partition)?.length === 0) waiting.delete(partition);
    else void partition.writes.run(() => run(partition));
    const startMs = wallClock.now();
    try {
      for (let races = 0; ; races++) {
        const head = await readHead(options, partition, races > 0);
        const fence = standing(head.fence, wallClock);
        const fenced = batch.filter(({ commit: { writes } }) => isFenced(fence, writes.map(placeName)));
        // The fence may be down since the head was seen.
        if (fenced.length > 0 && races === 0) continue;
        batch = batch.filter((one) => !fenced.includes(one));
        for (const one of fenced) defer(partition, one);
        if (batch.length === 0) return;
        const plan = await tryBatch(options, partition, batch, head);
        if (plan !== null) {
          for (const [i, { resolve }] of batch.entries()) resolve(resultOf(plan, i));
          state.batches++;
          state.commits += batch.length;
          return;
        }
        if (wallClock.now() - startMs > GIVE_UP_MS) throw busy(partition);
        state.races++;
        await sleep(random.next() * Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** races));
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  function enqueue(partition: Partition, one: Waiting): void {
    const queue = waiting.get(partition);
    if (queue !== undefined) {
      queue.push(one);
      return;
    }
    waiting.set(partition, [one]);
    void partition.writes.run(() => run(partition));
  }

  /** What is fenced off waits by itself: the fence may stand for a while, and other commits need not. */
  function defer(partition: Partition, one: Waiting): void {
    if (wallClock.now() - one.sinceMs > GIVE_UP_MS) one.reject(busy(partition));
    else void sleep(random.next() * BACKOFF_CAP_MS).then(() => enqueue(partition, one));
  }

  return {
    state,
    commit: (partition, commit) =>
      new Promise((resolve, reject) => {
        enqueue(partition, { commit, resolve, reject, sinceMs: wallClock.now() });
      }),
  };
}

const placeName = ({ at }: ParsedCommit["writes"][number]): string => nameOf(at);

/** The head that a batch is decided on, with its redo in its documents. */
async function readHead(
  { apply }: CommitsOptions,
  partition: Partition,
  again: boolean,
): Promise<StoredHead> {
  // The head as it was last seen will do: if it is stale, it can't be replaced.
  const head = again || partition.known === null ? await partition.refresh() : partition.known;
  await apply(partition, head).catch((error: unknown) => {
    throw notBegun(partition, error);
  });
  return head;
}

/** One attempt at a batch; null when another node was faster, and it must be decided again. */
async function tryBatch(
  { objects, advance, apply, wallClock }: CommitsOptions,
  partition: Partition,
  batch: readonly Waiting[],
  head: StoredHead,
): Promise<Plan | null> {
  const commits = batch.map(({ commit }) => commit);
  const isLimited = commits.some(({ quota }) => quota !== undefined);
  const usage = head.usage ?? (isLimited ? await countUsage(objects, partition) : null);
  const before = await readBefore(objects, partition, { head, commits, counts: usage !== null });
  const plan = planBatch(commits, { seq: head.seq, usage }, (name) => before.get(name) ?? NOTHING);
  if (plan.redo.length === 0) {
    // Nothing to write, so no write proves that the head was current: a look at it must.
    return (await partition.refresh()).rev === head.rev ? plan : null;
  }
  const guesses = new Map(plan.redo.map(({ name }) => [name, guessOf(partition.lastSeen(name))]));
  const { seq, redo } = plan;
  const next = await advance(partition, head, {
    seq,
    redo,
    fence: standing(head.fence, wallClock),
    usage: plan.usage,
  });
  if (next === null) return null;
  await apply(partition, next, (name) => guesses.get(name)).catch((error: unknown) => {
    throw unfinished(partition, error);
  });
  return plan;
}

const guessOf = (seen: Stored | undefined): string | null | undefined =>
  seen === undefined ? null : seen.etag;

const NOTHING: Before = { version: 0, bytes: 0 };

/** The documents that are checked, and those that are replaced and count, from memory where that is current. */
async function readBefore(
  objects: Objects,
  partition: Partition,
  {
    head,
    commits,
    counts,
  }: { readonly head: StoredHead; readonly commits: readonly ParsedCommit[]; readonly counts: boolean },
): Promise<Map<string, Before>> {
  const places = commits.flatMap(({ checks, writes }) => [
    ...checks.map(({ at }) => at),
    ...(counts ? writes.map(({ at }) => at) : []),
  ]);
  const names = new Set(places.map(nameOf));
  const stands = (): boolean => partition.known?.rev === head.rev;
  const found = await mapSome([...names], async (name): Promise<[string, Before]> => {
    const current = partition.current(name);
    const stood = stands();
    const stored = current ?? (await objects.read(docKey(partition.part, name), partition.lastSeen(name)));
    // The redo of this head is in its documents, so what is there is current, unless a later head came in between.
    if (current === undefined && stood && stands()) partition.keep(name, stored);
    const { value, version } = stored;
    return [name, value === null ? NOTHING : { version, bytes: bytesOf(partition, name, value) }];
  });
  return new Map(found);
}

function resultOf({ results }: Plan, index: number): CommitResult {
  const result = results[index];
  if (result === undefined) throw new StoreError("CORRUPT", "a commit without a result");
  return result;
}

const busy = ({ part }: Partition): StoreError =>
  new StoreError("UNAVAILABLE", `too many concurrent writes to partition ${part} by other nodes`);

const notBegun = ({ part }: Partition, cause: unknown): StoreError =>
  new StoreError(
    "UNAVAILABLE",
    `the last commit of partition ${part} cannot be completed, so no new commit can start`,
    {
      cause,
    },
  );

const unfinished = ({ part }: Partition, cause: unknown): StoreError =>
  new StoreError(
    "UNKNOWN_OUTCOME",
    `a commit of partition ${part} succeeded, but some of its documents are not yet written; the next commit completes it`,
    { cause },
  );
