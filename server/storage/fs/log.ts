import { StoreError } from "../contract.ts";
import { toStoreError, writeAll } from "./io.ts";
import type { Io } from "./io.ts";
import { createLineBuffer, endBody } from "./line.ts";
import { openSegment, segmentName } from "./segment.ts";
import type { Segment } from "./segment.ts";

/** The chain of segments and the one place that appends to it. Only the writer loop calls `append` and `rotate`. */
export interface Log {
  /** In the order of the log; the last one is the tail. */
  readonly segments: readonly Segment[];
  readonly tail: Segment;
  /**
   * Makes the bytes durable at the end of the tail. Throws FULL or UNAVAILABLE when nothing of them remains,
   * UNKNOWN_OUTCOME when that cannot be known: then writing is over until the store is opened again.
   */
  append(bytes: Uint8Array): Promise<void>;
  /** Starts a new tail once the present one is long enough; with `force` whenever it holds anything. */
  rotate(force: boolean): Promise<boolean>;
  /** Cuts off what was laid out ahead of the lines, for a file that ends with its last line. */
  trim(): Promise<void>;
  /** Puts one segment in the place of several neighbours, which have been rewritten into it. */
  replace(old: readonly Segment[], made: Segment): void;
  /** Ends all writing: after a failed sync the system may have dropped the bytes, and a second sync could report a false success. */
  fail(error: unknown): void;
  readonly failure: StoreError | null;
  readonly rotateFailures: number;
}

export interface LogOptions {
  readonly io: Io;
  readonly base: string;
  readonly segments: readonly Segment[];
  readonly tail: Segment;
  readonly segmentBytes: number;
}

/** Length of a batch up to which laying out is worth it: what is long takes its time anyway. */
const SHORT_BYTES = 32_768;

export function createLog({ io, base, segmentBytes, ...start }: LogOptions): Log {
  let segments = start.segments;
  let tail = start.tail;
  let failure: StoreError | null = null;
  let rotateAt = segmentBytes;
  let rotateFailures = 0;
  const blanks = Buffer.alloc(segmentBytes / 64, " ");
  /** Where the blanks of the tail's file end, and what lays out more behind them. */
  let blanksEnd = tail.size;
  let laying: Promise<void> | null = null;

  const fail = (error: unknown): void => {
    const reason = error instanceof Error ? error.message : String(error);
    failure ??= new StoreError("UNAVAILABLE", `writing has stopped until a restart: ${reason}`, {
      cause: error,
    });
  };

  const append = async (bytes: Uint8Array): Promise<void> => {
    if (failure !== null) throw failure;
    // The lines must not come before the blanks that are meant for behind them.
    if (tail.size + bytes.length > blanksEnd) await laying;
    await appendDurably(tail, bytes, { fail, trim });
    const isBusy = tail.size >= blanks.length && bytes.length <= SHORT_BYTES;
    if (isBusy && blanksEnd - tail.size < blanks.length / 2)
      laying ??= layOut(Math.max(blanksEnd, tail.size));
  };

  /**
   * Lines that replace blanks change neither the size nor the blocks of the file, so that syncing them takes less time. What a
   * crash leaves of the blanks is no line: it is cut off as a torn end is.
   */
  const layOut = async (from: number): Promise<void> => {
    blanksEnd = from;
    try {
      await writeAll(tail.file, blanks, from);
      // The next lines are synced with them: of two syncs at the same time, the second could receive the error of the first.
      blanksEnd = from + blanks.length;
    } catch {
      // Without room for it there may still be room for lines.
    }
    laying = null;
  };

  const trim = async (): Promise<void> => {
    await laying;
    await tail.file.truncate(tail.size);
    blanksEnd = tail.size;
  };

  const startNext = async (): Promise<void> => {
    const next = await openSegment(io, base, tail.id + 1, "create");
    try {
      await syncFolder(io, base, fail);
      await trim();
      if (failure !== null) throw failure;
      await appendDurably(tail, toEnd(tail, next), { fail, trim });
    } catch (error) {
      await next.file.close();
      throw error;
    }
    segments = [...segments, next];
    tail = next;
    blanksEnd = 0;
  };

  return {
    append,
    trim,
    fail,
    async rotate(force) {
      if (failure !== null || tail.size === 0 || (!force && tail.size < rotateAt)) return false;
      try {
        await startNext();
        rotateAt = segmentBytes;
        return true;
      } catch (error) {
        // A long tail is no harm: writing goes on in it, and the next attempt waits for an eighth of a segment.
        rotateFailures++;
        rotateAt = tail.size + segmentBytes / 8;
        if (force) throw toStoreError(error, "starting a segment");
        return false;
      }
    },
    replace(old, made) {
      const first = segments.findIndex(({ id }) => id === old[0]?.id);
      segments = segments.toSpliced(first, old.length, made);
    },
    get segments() {
      return segments;
    },
    get tail() {
      return tail;
    },
    get failure() {
      return failure;
    },
    get rotateFailures() {
      return rotateFailures;
    },
  };
}

async function appendDurably(
  tail: Segment,
  bytes: Uint8Array,
  { fail, trim }: Pick<Log, "fail" | "trim">,
): Promise<void> {
  const at = tail.size;
  try {
    await writeAll(tail.file, bytes, at);
  } catch (error) {
    await rollBack(tail, error, { fail, trim });
    throw toStoreError(error, `writing to ${segmentName(tail.id)}`);
  }
  try {
    await tail.file.sync();
  } catch (error) {
    fail(error);
    throw new StoreError("UNKNOWN_OUTCOME", `${segmentName(tail.id)} could not be synced`, { cause: error });
  }
  tail.size = at + bytes.length;
}

/** Removes what a failed write left, so that FULL means "it did not happen", also after a power loss. */
async function rollBack(
  tail: Segment,
  cause: unknown,
  { fail, trim }: Pick<Log, "fail" | "trim">,
): Promise<void> {
  try {
    await trim();
    await tail.file.sync();
  } catch (error) {
    fail(error);
    throw new StoreError("UNKNOWN_OUTCOME", "a failed write could not be rolled back", { cause });
  }
}

async function syncFolder(io: Io, base: string, fail: Log["fail"]): Promise<void> {
  try {
    await io.syncFolder(base);
  } catch (error) {
    fail(error);
    throw error;
  }
}

/**
 * The line that leads to the next file is written when that file is there, durably: so a missing one is damage.
 * It goes alone: it is a mark, and of what was written together with it a crash could leave the mark only.
 */
function toEnd(tail: Segment, next: Segment): Buffer {
  const lines = createLineBuffer();
  tail.keptBytes += lines.add(endBody(next.id)).length;
  return lines.bytes();
}
