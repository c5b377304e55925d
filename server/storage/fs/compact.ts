import { setImmediate } from "node:timers/promises";

import { StoreError } from "../contract.ts";
import type { Documents } from "../documents.ts";
import type { KeyParts } from "../keys.ts";
import type { ValueCache } from "./cache.ts";
import { toStoreError, writeAll } from "./io.ts";
import type { Io } from "./io.ts";
import { createDecoder, createLineBuffer, endBody, recoverLines, seqBody } from "./line.ts";
import type { Recovered, WriteLine } from "./line.ts";
import type { Log } from "./log.ts";
import { forget, retire, scanLines, segmentName, toEntry, toSegment } from "./segment.ts";
import type { Entry, Segment } from "./segment.ts";

export interface Compactor {
  /** Rewrites sealed segments of which less than half is live, one after the other, until none is left. */
  tidy(): Promise<void>;
  /** Rewrites every sealed segment that holds anything but current documents. */
  all(): Promise<void>;
  /** Rewrites given segments whatever they hold, leaving out what is unreadable, and lets the last lead to `next`. */
  repair(damaged: ReadonlySet<Segment>): Promise<void>;
  /** Starts nothing new; resolves when the rewrite that is under way has ended. */
  close(): Promise<void>;
  readonly state: { readonly rewrites: number; readonly failures: number };
}

export interface CompactorOptions {
  readonly io: Io;
  readonly base: string;
  readonly log: Log;
  readonly documents: Documents<Entry>;
  readonly cache: ValueCache;
  readonly segmentBytes: number;
}

interface Moved {
  readonly at: KeyParts;
  readonly entry: Entry;
  readonly offset: number;
  readonly length: number;
}

/** Neighbours to be rewritten into the first one's file, and the number their last line leads to. */
interface Job {
  readonly group: readonly Segment[];
  readonly next: number;
  /** True when no older segment holds a dead record: then no removal in the group is needed any more. */
  readonly clean: boolean;
  readonly lenient: boolean;
}

// Small enough that a request which comes between two chunks does not wait for longer than a millisecond or two.
const CHUNK_BYTES = 262_144;
const RELOCATE_AT_ONCE = 1000;

/**
 * Rewriting: the current records of some neighbouring sealed segments go to a temporary file, which is synced and renamed
 * over the first of them; its last line leads past the others, which are then removed. A crash leaves the old chain or the
 * new one, both complete. The order of records stays, so "older" always means an earlier segment.
 */
export function createCompactor(on: CompactorOptions): Compactor {
  let queue: Promise<void> = Promise.resolve();
  const state = { closed: false, rewrites: 0, failures: 0 };

  const exclusive = (work: () => Promise<void>): Promise<void> => {
    const done = queue.then(() => (state.closed ? undefined : work()));
    queue = done.catch(() => {});
    return done;
  };
  const run = async (job: Job): Promise<void> => {
    if (on.log.failure !== null) throw on.log.failure;
    try {
      await rewrite(on, job);
      state.rewrites++;
    } catch (error) {
      state.failures++;
      throw toStoreError(error, "rewriting the log");
    }
  };

  return {
    tidy: () =>
      exclusive(async () => {
        for (let job = findWasteful(on); job !== null && !state.closed; job = findWasteful(on))
          await run(job);
      }),
    all: () =>
      exclusive(async () => {
        for (let at = 0; !state.closed; at++) {
          const job = findUnclean(on, at);
          if (job === null) return;
          if (job.group.length > 1 || isUnclean(job)) await run(job);
        }
      }),
    repair: (damaged) =>
      exclusive(async () => {
        for (const segment of on.log.segments.filter((segment) => damaged.has(segment))) {
          await keepDamaged(on, segment);
          await run({ ...toJob(on, on.log.segments.indexOf(segment), 1), lenient: true });
        }
      }),
    async close() {
      state.closed = true;
      await queue;
    },
    state,
  };
}

function toJob({ log }: CompactorOptions, first: number, count: number): Job {
  const group = log.segments.slice(first, first + count);
  const next = log.segments[first + count]?.id ?? log.tail.id;
  return {
    group,
    next,
    clean: log.segments.slice(0, first).every(({ deadPuts }) => deadPuts === 0),
    lenient: false,
  };
}

/** The first closed segment of which less than half is worth keeping, with the neighbours that fit in with it. */
function findWasteful(on: CompactorOptions): Job | null {
  const sealed = on.log.segments.slice(0, -1);
  let clean = true;
  for (const [first, segment] of sealed.entries()) {
    let size = segment.size;
    let wanted = wantedBytes(segment, clean);
    if (wanted * 2 < size) {
      let count = 1;
      for (const neighbour of sealed.slice(first + 1)) {
        const more = wantedBytes(neighbour, clean);
        if (wanted + more > on.segmentBytes || (wanted + more) * 2 >= size + neighbour.size) break;
        size += neighbour.size;
        wanted += more;
        count++;
      }
      return toJob(on, first, count);
    }
    clean &&= segment.deadPuts === 0;
  }
  return null;
}

/** From the sealed segment at this place on, as many as fit in one file. */
function findUnclean(on: CompactorOptions, first: number): Job | null {
  const sealed = on.log.segments.slice(first, -1);
  let count = 0;
  let wanted = 0;
  for (const segment of sealed) {
    wanted += wantedBytes(segment, true);
    if (count > 0 && wanted > on.segmentBytes) break;
    count++;
  }
  return count === 0 ? null : toJob(on, first, count);
}

const isUnclean = ({ group, clean }: Job): boolean =>
  group.some(({ deadPuts, removalBytes }) => deadPuts > 0 || (clean && removalBytes > 0));

const wantedBytes = (segment: Segment, clean: boolean): number =>
  segment.liveBytes + segment.keptBytes + (clean ? 0 : segment.removalBytes);

async function rewrite(on: CompactorOptions, job: Job): Promise<void> {
  const { io, base, log } = on;
  const id = job.group[0]?.id ?? 0;
  const temporary = `${base}/${segmentName(id)}.tmp`;
  const file = await io.open(temporary, "create");
  const made = toSegment(id, file, 0);
  let moved: Moved[];
  try {
    moved = await copyWanted(on, job, made);
    await file.sync();
    await io.rename(temporary, `${base}/${segmentName(id)}`);
  } catch (error) {
    await file.close();
    await io.remove(temporary).catch(() => {});
    throw error;
  }
  log.replace(job.group, made);
  await relocate(on, made, moved);
  try {
    // The names in this order: were the others gone before the new file is in place, their records would be lost.
    await io.syncFolder(base);
    for (const old of job.group.slice(1)) await io.remove(`${base}/${segmentName(old.id)}`);
    if (job.group.length > 1) await io.syncFolder(base);
  } catch (error) {
    log.fail(error);
    throw error;
  } finally {
    await Promise.all(job.group.map(retire));
  }
}

/** Copies what must stay, as commits of one line each: they were whole when they were first read. */
async function copyWanted(on: CompactorOptions, job: Job, made: Segment): Promise<Moved[]> {
  const moved: Moved[] = [];
  const lines = createLineBuffer();
  const decode = createDecoder();
  const reached = new Map<string, number>();
  const kept = new Map<string, number>();
  const flush = async (): Promise<void> => {
    await writeAll(made.file, lines.bytes(), made.size);
    made.size += lines.length;
    lines.reset();
  };
  const copy = (line: WriteLine, bytes: Buffer): { offset: number; length: number } => {
    raise(kept, line.at.part, line.version);
    if (line.n === 1) return lines.addRaw(bytes);
    const text = bytes.toString();
    return lines.add(`1/1${text.slice(text.indexOf(" ", 9))}`);
  };
  const take = ({ line, start, end }: Recovered, segment: Segment, chunk: Buffer, offset: number): void => {
    if (line.kind === "seq") raise(reached, line.part, line.version);
    if (line.kind !== "write") return;
    raise(reached, line.at.part, line.version);
    const entry = on.documents.get(line.at);
    const bytes = chunk.subarray(start, end);
    if (line.removal) {
      if (entry === undefined && !job.clean) made.removalBytes += copy(line, bytes).length;
    } else if (entry?.segment === segment && entry.offset === offset) {
      const { offset: within, length } = copy(line, bytes);
      moved.push({ at: line.at, entry, offset: made.size + within, length });
    }
  };

  for (const segment of job.group) {
    const options = { to: segment.size, chunkBytes: CHUNK_BYTES, afterChunk: flush };
    await scanLines(segment.file, options, (chunk, start, end, offset) => {
      const line = decode(chunk, start, end);
      if (line !== null) take({ line, start, end }, segment, chunk, offset);
      else if (job.lenient) {
        for (const one of recoverLines(decode, chunk, start, end))
          take(one, segment, chunk, offset - start + one.start);
      } else {
        const place = `${segmentName(segment.id)} at offset ${offset}`;
        throw new StoreError("CORRUPT", `${place}: unreadable record`);
      }
    });
  }
  for (const [part, version] of reached) {
    if (version > (kept.get(part) ?? 0)) made.keptBytes += lines.add(seqBody(version, part)).length;
  }
  made.keptBytes += lines.add(endBody(job.next)).length;
  await flush();
  return moved;
}

/** Points the directory at the new places, a slice at a time; what changed meanwhile is dead in the new file. */
async function relocate(
  { documents, cache }: CompactorOptions,
  made: Segment,
  moved: readonly Moved[],
): Promise<void> {
  for (const [i, { at, entry, offset, length }] of moved.entries()) {
    if (i % RELOCATE_AT_ONCE === RELOCATE_AT_ONCE - 1) await setImmediate();
    const placed = toEntry({ version: entry.version, segment: made, offset, length, bytes: entry.bytes });
    made.liveBytes += length;
    if (documents.get(at) === entry) {
      documents.set(at, placed);
      cache.move(entry, placed);
    } else forget(placed);
  }
}

/** A salvage leaves the damaged file next to the log, for someone with better tools. */
async function keepDamaged({ io, base }: CompactorOptions, segment: Segment): Promise<void> {
  const path = `${base}/${segmentName(segment.id)}`;
  if ((await io.stat(`${path}.damaged`)) === null) await io.link(path, `${path}.damaged`);
  await io.syncFolder(base);
}

function raise(versions: Map<string, number>, part: string, version: number): void {
  if (version > (versions.get(part) ?? 0)) versions.set(part, version);
}
