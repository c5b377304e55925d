import { setImmediate } from "node:timers/promises";

import { StoreError } from "../contract.ts";
import type { CommitResult } from "../contract.ts";
import type { ParsedCommit, ParsedDoc } from "../keys.ts";
import type { Batches } from "./batch.ts";
import { toStoreError } from "./io.ts";
import type { Log } from "./log.ts";

/** Group commit: while one batch is written and synced, the next one grows by every commit that arrives. */
export interface Writer {
  /** `onStaged` is called when the commit is decided and only waits for the disk. */
  commit(commit: ParsedCommit, onStaged?: () => void): Promise<CommitResult>;
  /** Writes documents of one partition at the versions they carry; not more of them than fit in one batch. */
  load(part: string, docs: readonly ParsedDoc[]): Promise<void>;
  /** Writes a sync line, to learn whether the disk takes writes again. */
  probe(): Promise<void>;
  /** Seals the tail between two batches, so that a rewrite may reach all that was written before. */
  seal(): Promise<void>;
  /** Resolves when nothing waits any more; later commits are refused. */
  close(): Promise<void>;
  /** True while anything waits for the disk. */
  readonly isBusy: boolean;
  readonly state: {
    /** True when the last write found no room. */
    readonly full: boolean;
    readonly commits: number;
    readonly batches: number;
  };
}

export interface WriterOptions {
  readonly log: Log;
  readonly batches: Batches;
  /** Called after each rotation: a closed segment may be worth rewriting. */
  readonly onRotate: () => void;
}

interface Waiting<T> {
  readonly resolve: (result: T) => void;
  readonly reject: (error: unknown) => void;
}
interface WaitingCommit extends Waiting<CommitResult> {
  readonly commit: Work;
  readonly onStaged: (() => void) | undefined;
}
/** A commit in a batch. */
interface StagedCommit {
  readonly one: WaitingCommit;
  readonly result: CommitResult;
}

/** A commit, or documents of a load. */
type Work = ParsedCommit | Load;
interface Load {
  readonly part: string;
  readonly docs: readonly ParsedDoc[];
  readonly bytes: number;
}

export const BATCH_BYTES_MAX = 4_194_304;
const WAITING_BYTES_MAX = 67_108_864;
/** What a write counts in a batch in addition to its bytes: fifty thousand index entries have 4 MB, and took 350 ms of the event loop. */
const WRITE_BYTES = 1_024;
const NOTHING: ParsedCommit = { part: "", writes: [], checks: [], bytes: 0 };

const weightOf = (work: Work): number =>
  work.bytes + WRITE_BYTES * ("checks" in work ? work.writes : work.docs).length;

/**
 * Commits in the open batch, and those that wait for one with room: of a partition in the order of their arrival, and partitions take
 * turns, so that a crowd of large commits of one shop keeps no other waiting.
 */
function createQueue(batches: Batches) {
  let open: StagedCommit[] = [];
  /** By partition, the next one first. */
  let waiting = new Map<string, WaitingCommit[]>();
  let openBytes = 0;
  let openWeight = 0;
  let waitingBytes = 0;

  const empty = (): StagedCommit[] => {
    const taken = open;
    open = [];
    openBytes = 0;
    openWeight = 0;
    return taken;
  };
  const append = (one: WaitingCommit): void => {
    const own = waiting.get(one.commit.part);
    if (own === undefined) waiting.set(one.commit.part, [one]);
    else own.push(one);
  };
  /** Stages what waits, as far as the open batch has room. */
  const fill = (): void => {
    for (;;) {
      const [next] = waiting;
      const one = next?.[1][0];
      if (next === undefined || one === undefined) return;
      const weight = weightOf(one.commit);
      if (open.length > 0 && openWeight + weight > BATCH_BYTES_MAX) return;
      const [part, own] = next;
      waiting.delete(part);
      own.shift();
      if (own.length > 0) waiting.set(part, own);
      const result = stage(batches, one.commit);
      open.push({ one, result });
      openBytes += one.commit.bytes;
      openWeight += weight;
      waitingBytes -= one.commit.bytes;
      if (result.ok) one.onStaged?.();
    }
  };

  return {
    add(one: WaitingCommit): void {
      if (openBytes + waitingBytes + one.commit.bytes > WAITING_BYTES_MAX) {
        throw new StoreError("UNAVAILABLE", "too many commits are waiting for the disk");
      }
      append(one);
      waitingBytes += one.commit.bytes;
      fill();
    },
    /** Closes the open batch: its commits, and its lines, null where it has none; the next batch is open then. */
    close(start: number): { readonly taken: readonly StagedCommit[]; readonly lines: Buffer | null } {
      // A batch of mere conflicts writes nothing; a probe does, although it changes nothing.
      const isWritten = !batches.isEmpty() || open.some(({ one }) => one.commit === NOTHING);
      const lines = batches.close(start);
      const taken = empty();
      fill();
      return { taken, lines: isWritten ? lines : null };
    },
    /** After a batch that failed: what was staged after it may depend on it, so it is evaluated again. */
    stageAgain(): void {
      batches.drop();
      waitingBytes += openBytes;
      const later = [...waiting.values()].flat();
      waiting = new Map();
      for (const one of [...empty().map((staged) => staged.one), ...later]) append(one);
      fill();
    },
    get isEmpty(): boolean {
      return open.length === 0;
    },
  };
}

export function createWriter({ log, batches, onRotate }: WriterOptions): Writer {
  const queue = createQueue(batches);
  let seals: Waiting<void>[] = [];
  let running: Promise<void> | null = null;
  const state = { closed: false, full: false, commits: 0, batches: 0 };

  const enqueue = async (commit: Work, onStaged?: () => void): Promise<CommitResult> => {
    assertWriting();
    return new Promise((resolve, reject) => {
      queue.add({ commit, onStaged, resolve, reject });
      running ??= run();
    });
  };
  const assertWriting = (): void => {
    if (log.failure !== null) throw log.failure;
    if (state.closed) throw new StoreError("UNAVAILABLE", "the store has been closed", { retryable: false });
  };

  const run = async (): Promise<void> => {
    while (!queue.isEmpty || seals.length > 0) {
      // One turn of the event loop lets everyone who was just answered, or is just arriving, join the batch.
      await setImmediate();
      await rotate();
      if (!queue.isEmpty) await write();
    }
    // In the same turn as the last look at the queue, so that the next caller starts the loop again.
    running = null;
  };

  const write = async (): Promise<void> => {
    const start = log.tail.size;
    const { taken, lines } = queue.close(start);
    try {
      if (lines !== null) {
        await log.append(lines);
        batches.publish(log.tail, start);
        state.batches++;
        state.full = false;
      }
      state.commits += taken.length;
      for (const { one, result } of taken) one.resolve(result);
    } catch (error) {
      // Also for the conflicts among them: they may rest on a commit of this batch that did not happen.
      const failure = toStoreError(error, "committing");
      state.full = failure.code === "FULL";
      for (const { one } of taken) one.reject(failure);
      queue.stageAgain();
    }
  };

  const rotate = async (): Promise<void> => {
    const asked = seals;
    seals = [];
    try {
      if (await log.rotate(asked.length > 0)) onRotate();
      for (const { resolve } of asked) resolve();
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  };

  return {
    commit: enqueue,
    async load(part, docs) {
      await enqueue({ part, docs, bytes: docs.reduce((sum, { bytes }) => sum + bytes, 0) });
    },
    async probe() {
      await enqueue(NOTHING);
    },
    async seal() {
      assertWriting();
      await new Promise<void>((resolve, reject) => {
        seals.push({ resolve, reject });
        running ??= run();
      });
    },
    async close() {
      state.closed = true;
      await running;
    },
    get isBusy() {
      return running !== null;
    },
    state,
  };
}

function stage(batches: Batches, work: Work): CommitResult {
  if ("checks" in work) return batches.stage(work);
  batches.stageLoad(work.part, work.docs);
  return LOADED;
}

/** Result of a load, which no caller reads. */
const LOADED: CommitResult = { ok: true, version: 0 };
