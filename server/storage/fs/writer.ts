import { setImmediate } from "node:timers/promises";

import { StoreError } from "../contract.ts";
import type { CommitResult } from "../contract.ts";
import type { ParsedCommit, ParsedDoc } from "../keys.ts";
import type { Batch } from "./batch.ts";
import { toStoreError } from "./io.ts";
import type { Log } from "./log.ts";

/** Group commit: one loop takes every waiting commit, writes them together and syncs once. */
export interface Writer {
  commit(commit: ParsedCommit): Promise<CommitResult>;
  /** Writes documents of one partition at the versions they carry; not more of them than fit in one batch. */
  load(part: string, docs: readonly ParsedDoc[]): Promise<void>;
  /** Writes a sync line, to learn whether the disk takes writes again. */
  probe(): Promise<void>;
  /** Seals the tail between two batches, so that a rewrite may reach all that was written before. */
  seal(): Promise<void>;
  /** Resolves when nothing waits any more; later commits are refused. */
  close(): Promise<void>;
  readonly state: {
    /** True when the last write found no room. */
    readonly full: boolean;
    readonly commits: number;
    readonly batches: number;
  };
}

export interface WriterOptions {
  readonly log: Log;
  readonly batch: Batch;
  /** Called after each rotation: a closed segment may be worth rewriting. */
  readonly onRotate: () => void;
}

interface Waiting<T> {
  readonly resolve: (result: T) => void;
  readonly reject: (error: unknown) => void;
}
interface WaitingCommit extends Waiting<CommitResult> {
  readonly commit: Work;
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
const NOTHING: ParsedCommit = { part: "", writes: [], checks: [], bytes: 0 };

export function createWriter({ log, batch, onRotate }: WriterOptions): Writer {
  let waiting: WaitingCommit[] = [];
  let waitingBytes = 0;
  let seals: Waiting<void>[] = [];
  let running: Promise<void> | null = null;
  const state = { closed: false, full: false, commits: 0, batches: 0 };

  const enqueue = async (commit: Work): Promise<CommitResult> => {
    assertWriting();
    if (waitingBytes + commit.bytes > WAITING_BYTES_MAX) {
      throw new StoreError("UNAVAILABLE", "too many commits are waiting for the disk");
    }
    return new Promise((resolve, reject) => {
      waiting.push({ commit, resolve, reject });
      waitingBytes += commit.bytes;
      running ??= run();
    });
  };
  const assertWriting = (): void => {
    if (log.failure !== null) throw log.failure;
    if (state.closed) throw new StoreError("UNAVAILABLE", "the store has been closed", { retryable: false });
  };

  const run = async (): Promise<void> => {
    while (waiting.length > 0 || seals.length > 0) {
      // One turn of the event loop lets everyone who was just answered, or is just arriving, join the batch.
      await setImmediate();
      await rotate();
      const { taken, bytes } = takeBatch(waiting);
      waiting = waiting.slice(taken.length);
      waitingBytes -= bytes;
      if (taken.length > 0) await write(taken);
    }
    // In the same turn as the last look at the queue, so that the next caller starts the loop again.
    running = null;
  };

  const write = async (taken: readonly WaitingCommit[]): Promise<void> => {
    const start = log.tail.size;
    batch.begin(start);
    try {
      const answers = taken.map(({ commit, resolve }) => ({ resolve, result: stage(batch, commit) }));
      // A batch of mere conflicts writes nothing; a probe does, although it changes nothing.
      if (!batch.isEmpty || taken.some(({ commit }) => commit === NOTHING)) {
        await log.append(batch.bytes());
        batch.publish(log.tail, start);
        state.batches++;
        state.full = false;
      }
      state.commits += taken.length;
      for (const { resolve, result } of answers) resolve(result);
    } catch (error) {
      // Also for the conflicts among them: they may rest on a commit of this batch that did not happen.
      const failure = toStoreError(error, "committing");
      state.full = failure.code === "FULL";
      for (const { reject } of taken) reject(failure);
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
    state,
  };
}

function stage(batch: Batch, work: Work): CommitResult {
  if ("checks" in work) return batch.stage(work);
  batch.stageLoad(work.part, work.docs);
  return LOADED;
}

/** Result of a load, which no caller reads. */
const LOADED: CommitResult = { ok: true, version: 0 };

function takeBatch(waiting: readonly WaitingCommit[]): { taken: WaitingCommit[]; bytes: number } {
  let count = 0;
  let bytes = 0;
  for (const { commit } of waiting) {
    if (count > 0 && bytes + commit.bytes > BATCH_BYTES_MAX) break;
    bytes += commit.bytes;
    count++;
  }
  return { taken: waiting.slice(0, count), bytes };
}
