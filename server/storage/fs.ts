import type { Clock } from "../core/clock.ts";
import { StoreError } from "./contract.ts";
import type { Doc, Key, StoreDriver } from "./contract.ts";
import { createCounters, toMemoryReads } from "./counters.ts";
import type { Counters } from "./counters.ts";
import { createDocuments } from "./documents.ts";
import type { Documents, Found } from "./documents.ts";
import { createBatches } from "./fs/batch.ts";
import type { Batches } from "./fs/batch.ts";
import { createValueCache } from "./fs/cache.ts";
import type { ValueCache } from "./fs/cache.ts";
import { createCompactor } from "./fs/compact.ts";
import type { Compactor } from "./fs/compact.ts";
import {
  adoptFolder,
  openFormat,
  prepareFolder,
  readIdentity,
  restoreCounters,
  saveCounters,
} from "./fs/folder.ts";
import { nodeIo, readAll, toStoreError, writeAll } from "./fs/io.ts";
import type { Io } from "./fs/io.ts";
import { acquireLock } from "./fs/lock.ts";
import { acquireReadLock, isReadOnly, readOnly, toReadOnly } from "./fs/read-only.ts";
import type { AcquireLock, Release } from "./fs/lock.ts";
import { createLog } from "./fs/log.ts";
import type { Log } from "./fs/log.ts";
import { createPageMemo } from "./fs/pages.ts";
import { createReader } from "./fs/reader.ts";
import { replay } from "./fs/replay.ts";
import type { Loss } from "./fs/replay.ts";
import { openSegment, retire } from "./fs/segment.ts";
import type { Entry, Segment } from "./fs/segment.ts";
import { demandSpace } from "./fs/space.ts";
import { createTransfer } from "./fs/transfer.ts";
import { createWriter } from "./fs/writer.ts";
import type { Writer } from "./fs/writer.ts";
import { assertKey, assertPage, cutKey, parseCommit } from "./keys.ts";
import { toUnstorage } from "./unstorage.ts";

export interface FsOptions {
  /** The store's own folder; made when it is not there. */
  readonly base: string;
  readonly clock: Clock;
  readonly io?: Io;
  readonly lock?: AcquireLock;
  /** A segment is sealed when it is this long. */
  readonly segmentBytes?: number;
  /** Memory for values that were read or written lately. */
  readonly cacheBytes?: number;
  /** Keep what can be read of a damaged log, instead of refusing to open it. */
  readonly salvage?: boolean;
}

export interface FsDriver extends StoreDriver {
  /** What a salvage could not read; empty otherwise. */
  readonly losses: readonly Loss[];
  /** Rewrites the log so that it holds the current documents only: erased data is removed from the folder. */
  compact(): Promise<{ readonly bytesBefore: number; readonly bytesAfter: number }>;
}

const SEGMENT_BYTES = 67_108_864;
export const CACHE_BYTES = 67_108_864;
/** Characters of documents kept as whole pages. */
const PAGE_CHARS = 16_777_216;

/** Everything an open store consists of. */
interface Parts {
  readonly log: Log;
  readonly documents: Documents<Entry>;
  readonly counters: Counters;
  readonly cache: ValueCache;
  readonly batches: Batches;
  readonly writer: Writer;
  readonly compactor: Compactor;
}

/**
 * The embedded store: an append log in text with group commit, and an ordered directory of keys in memory.
 * Throws StoreError LOCKED (another process holds the folder), CORRUPT (an acknowledged record is unreadable),
 * INVALID (newer format, open to other users) or UNAVAILABLE (the disk does not answer). A folder that this process cannot write
 * to is opened for reading: its commits are refused.
 */
export async function openFsDriver(options: FsOptions): Promise<FsDriver> {
  const { base } = options;
  const isFixed = options.io === undefined && (await isReadOnly(base));
  const { io = isFixed ? toReadOnly(nodeIo, base) : nodeIo } = options;
  const { lock = isFixed ? acquireReadLock : acquireLock } = options;
  let release: Release | undefined;
  let log: Log | undefined;
  try {
    await prepareFolder(io, base);
    release = await lock(base, (error) => log?.fail(error));
    const opened = await openParts(options, io);
    log = opened.parts.log;
    const driver = toDriver(opened.parts, { io, base, release, losses: opened.losses });
    return isFixed ? withoutWrites(driver, base) : driver;
  } catch (error) {
    await release?.();
    throw toStoreError(error, `opening ${base}`);
  }
}

/** Commits without operations only evaluate their checks. */
function withoutWrites(driver: FsDriver, base: string): FsDriver {
  const refuse = async (): Promise<never> => {
    throw readOnly(base);
  };
  return {
    ...driver,
    commit: (part, ops, checks) => (ops.length > 0 ? refuse() : driver.commit(part, ops, checks)),
    load: refuse,
    adopt: refuse,
    compact: refuse,
    ping: refuse,
  };
}

async function openParts(options: FsOptions, io: Io): Promise<{ parts: Parts; losses: readonly Loss[] }> {
  const { base, clock, salvage = false, segmentBytes = SEGMENT_BYTES, cacheBytes = CACHE_BYTES } = options;
  const documents = createDocuments<Entry>();
  const counters = createCounters(clock);
  const cache = createValueCache(cacheBytes);
  await openFormat(io, base, salvage);
  // The last process may have been killed before it could sync. What is read here is shown to callers, so names and
  // bytes must be as durable as if they had been acknowledged, before anything rests on them: see `confirm`.
  await io.syncFolder(base);
  const found = await replay({ io, base, documents, salvage });
  const segments = [...found.segments];
  try {
    const damaged = await completeChain(io, base, segments, found.damaged);
    const tail = segments.at(-1);
    if (tail === undefined) throw new StoreError("CORRUPT", `${base} contains no segments`);
    await confirm(segments);
    const log = createLog({ io, base, segments, tail, segmentBytes });
    const compactor = createCompactor({ io, base, log, documents, cache, segmentBytes });
    await compactor.repair(damaged);
    await restoreCounters(io, base, counters);
    // In the background: a failed rewrite changes nothing, is counted, and is tried again after the next rotation.
    const tidy = (): void => void compactor.tidy().catch(() => {});
    const batches = createBatches(documents, cache);
    const writer = createWriter({ log, batches, onRotate: tidy });
    tidy();
    return { parts: { log, documents, counters, cache, batches, writer, compactor }, losses: found.losses };
  } catch (error) {
    await Promise.all(segments.map(retire));
    throw error;
  }
}

/**
 * Makes durable what was read. Only behind the last mark of the last two segments can there be bytes that were never
 * synced; these are written once more, because after a sync that failed the system may show bytes which it has given up.
 */
async function confirm(segments: readonly Segment[]): Promise<void> {
  for (const { file, lastMark, size } of segments.slice(-2)) {
    const bytes = Buffer.alloc(Math.max(0, size - lastMark));
    await readAll(file, bytes, lastMark);
    // A file system that never overwrites may have no room for this; a full store must open all the same.
    await writeAll(file, bytes, lastMark).catch((error: unknown) => {
      if (!(error instanceof StoreError) && toStoreError(error, "").code !== "FULL") throw error;
    });
    await file.truncate(size);
  }
  await Promise.all(segments.map(({ file }) => file.sync()));
}

/**
 * After a salvage the chain may lack its first segment, or end in a damaged one, which is never written to again: adds
 * empty ones. Returns the segments that a repair must rewrite.
 */
async function completeChain(
  io: Io,
  base: string,
  segments: Segment[],
  damaged: ReadonlySet<Segment>,
): Promise<ReadonlySet<Segment>> {
  const repair = new Set(damaged);
  if (segments[0]?.id !== 1) {
    segments.unshift(await openSegment(io, base, 1, "create"));
    if (segments.length > 1 && segments[0] !== undefined) repair.add(segments[0]);
  }
  const last = segments.at(-1);
  if (last !== undefined && damaged.has(last))
    segments.push(await openSegment(io, base, last.id + 1, "create"));
  if (repair.size > 0) await io.syncFolder(base);
  return repair;
}

function toDriver(
  parts: Parts,
  on: { readonly io: Io; readonly base: string; readonly release: Release; readonly losses: readonly Loss[] },
): FsDriver {
  const { log, documents, counters, cache, batches, writer, compactor } = parts;
  let closing: Promise<void> | null = null;
  const assertOpen = (): void => {
    if (closing !== null)
      throw new StoreError("UNAVAILABLE", "the store has been closed", { retryable: false });
  };
  const bytes = (): number => log.segments.reduce((sum, { size }) => sum + size, 0);
  const compact: FsDriver["compact"] = async () => {
    assertOpen();
    const bytesBefore = bytes();
    await sealIfPossible(writer);
    await compactor.all();
    return { bytesBefore, bytesAfter: bytes() };
  };

  const store = {
    caps: { nodes: "one", exactLimits: true },
    ...toReads(parts, assertOpen),
    ahead: (key) => batches.ahead(key),
    async commit(part, ops, checks = [], ...[quota, onStaged]) {
      assertOpen();
      const commit = parseCommit(part, ops, checks, quota);
      if (ops.length > 0 || writer.isBusy) return writer.commit(commit, onStaged);
      const lost = commit.checks.find(({ at, version }) => (documents.get(at)?.version ?? 0) !== version);
      return lost === undefined
        ? { ok: true, version: documents.sequence(part) }
        : { ok: false, conflict: lost.key };
    },
    ...toMemoryReads(documents, counters, assertOpen),
    async ping() {
      assertOpen();
      if (log.failure !== null) throw log.failure;
      if (writer.state.full) await writer.probe();
      await demandSpace(on.io, on.base);
    },
    async stats() {
      return {
        documents: documents.size,
        counters: counters.size,
        segments: log.segments.length,
        bytes: bytes(),
        live_bytes: log.segments.reduce((sum, { liveBytes }) => sum + liveBytes, 0),
        cache_bytes: cache.bytes,
        cache_hits: cache.hits,
        cache_misses: cache.misses,
        commits: writer.state.commits,
        batches: writer.state.batches,
        rewrites: compactor.state.rewrites,
        rewrite_failures: compactor.state.failures,
        rotate_failures: log.rotateFailures,
      };
    },
    ...createTransfer({ documents, log, writer, compact, assertOpen }),
    identity: () => readIdentity(on.io, on.base),
    adopt: () => adoptFolder(on.io, on.base),
    close: () => (closing ??= closeParts(parts, on)),
  } satisfies Omit<StoreDriver, "hasItem" | "getKeys" | "getItem">;

  return {
    name: "fs",
    ...store,
    ...toUnstorage(store),
    losses: on.losses,
    compact,
  };
}

function toReads(
  { documents, cache }: Parts,
  assertOpen: () => void,
): Pick<StoreDriver, "get" | "getMany" | "page"> {
  const readDocs = createReader(cache);
  const pages = createPageMemo(documents, PAGE_CHARS);
  const find = (key: Key): Entry | null => {
    const entry = documents.get(cutKey(key));
    if (entry === undefined) assertKey(key);
    return entry ?? null;
  };
  return {
    async get(key) {
      assertOpen();
      const entry = find(key);
      if (entry === null) return null;
      const value = cache.get(entry);
      if (value === null) return (await readDocs([{ key, entry }]))[0] ?? null;
      return { key, version: entry.version, value };
    },
    async getMany(keys) {
      assertOpen();
      const docs: (Doc | null)[] = [];
      const missing: (Found<Entry> & { readonly index: number })[] = [];
      for (const [index, key] of keys.entries()) {
        const entry = find(key);
        const value = entry === null ? null : cache.get(entry);
        if (entry !== null && value === null) missing.push({ key, entry, index });
        docs.push(entry === null || value === null ? null : { key, version: entry.version, value });
      }
      if (missing.length === 0) return docs;
      const read = await readDocs(missing);
      for (const [at, { index }] of missing.entries()) docs[index] = read[at] ?? null;
      return docs;
    },
    async page(part, coll, options) {
      assertOpen();
      const looked = pages.look(part, coll, options);
      if (looked.page !== null) return looked.page;
      assertPage(part, coll, options);
      const { items, next } = documents.page(part, coll, options);
      const docs = await readDocs(items);
      const page = next === undefined ? { items: docs } : { items: docs, next };
      looked.keep(page);
      return page;
    },
  };
}

/** On a full disk the tail stays as it is, and the sealed segments may still give room. */
async function sealIfPossible(writer: Writer): Promise<void> {
  try {
    await writer.seal();
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "FULL") throw error;
  }
}

async function closeParts(
  { log, counters, writer, compactor }: Parts,
  { io, base, release }: { readonly io: Io; readonly base: string; readonly release: Release },
): Promise<void> {
  try {
    // A last sync line: later damage to the closed log can then be distinguished from a torn end.
    if (log.failure === null && log.tail.size > 0) await writer.probe().catch(() => {});
    await writer.close();
    await log.trim().catch(() => {});
    await compactor.close();
    await saveCounters(io, base, counters).catch(() => {});
    await Promise.all(log.segments.map(retire));
  } finally {
    await release();
  }
}
