import type { Clock } from "../core/clock.ts";
import { systemClock } from "../core/clock.ts";
import type { Random } from "../core/ids.ts";
import { StoreError } from "./contract.ts";
import type { Doc, Key, StoreDriver, Usage } from "./contract.ts";
import { createCounters, toLimits } from "./counters.ts";
import { assertPage, assertPart, parseCommit, splitKey } from "./keys.ts";
import { createAdvance } from "./s3/advance.ts";
import { createApply } from "./s3/apply.ts";
import { createCache } from "./s3/cache.ts";
import { IN_FLIGHT, TIMEOUT_MS, createS3Client } from "./s3/client.ts";
import type { S3Account } from "./s3/client.ts";
import { createCommits } from "./s3/commits.ts";
import type { Commits } from "./s3/commits.ts";
import { readUsage, recount } from "./s3/count.ts";
import { mapSome } from "../lib/map-some.ts";
import { createQueue } from "./s3/limiter.ts";
import { createLoad } from "./s3/load.ts";
import type { Load } from "./s3/load.ts";
import { createObjects } from "./s3/objects.ts";
import type { EtagForm, Objects } from "./s3/objects.ts";
import type { Cached, Partition } from "./s3/partition.ts";
import { createPartitions } from "./s3/partitions.ts";
import type { Partitions } from "./s3/partitions.ts";
import { nameOf } from "./s3/plan.ts";
import { createReads } from "./s3/reads.ts";
import type { KeptPage, Reads } from "./s3/reads.ts";
import { adoptBucket, FORMAT_KEY, placeOf, readIdentity, startServer } from "./s3/start.ts";
import { TOMBSTONE_MS, createSweep } from "./s3/sweep.ts";
import type { Sweep } from "./s3/sweep.ts";
import { createTransport } from "./s3/transport.ts";
import type { Transport } from "./s3/transport.ts";
import { createWhole } from "./s3/whole.ts";
import type { Whole } from "./s3/whole.ts";
import { toUnstorage } from "./unstorage.ts";

export interface S3Options extends Omit<S3Account, "endpoint"> {
  /** `https://host[:port]`. Default: that of AWS in the region. */
  readonly endpoint?: string | undefined;
  /** Folder in the bucket, so that several stores share one. Default: the bucket itself. */
  readonly prefix?: string | undefined;
  /** Counts the windows of rate limits, as long as `counters` are not given. */
  readonly clock: Clock;
  readonly random: Random;
  /** Windows that all nodes share (`createRedisCounters`); without them one node only may serve this store. */
  readonly counters?: SharedCounters;
  /** Time that requests are signed with, and by which fences fall. */
  readonly wallClock?: Clock;
  readonly transport?: Transport;
  readonly timeoutMs?: number;
  readonly tombstoneMs?: number;
  /** Memory for documents that were read or written lately, and for pages of them. */
  readonly cacheBytes?: number;
}

export interface ObjectStoreOptions extends Pick<
  S3Options,
  "clock" | "random" | "counters" | "wallClock" | "tombstoneMs" | "cacheBytes"
> {
  readonly name: string;
}

export type SharedCounters = Pick<StoreDriver, "take" | "peek" | "resetCounter" | "relay" | "ping" | "close">;

export interface S3Driver extends StoreDriver {
  /** Deletes the tombstones that are old enough. */
  compact(): Promise<{ readonly bytesBefore: number; readonly bytesAfter: number }>;
}

const CACHE_BYTES = 67_108_864;
const PAGES_BYTES = 8_388_608;
/** Tombstones that a page must have skipped for its collection to be swept, and how seldom that is done. */
const SWEEP_FROM = 20;
const SWEEP_PAUSE_MS = 60_000;

/** A look at one partition is a request or two: with a hundred stores and five jobs some 800,000 of them a day. */
const POLL_FLOOR_MS = 60_000;

/** Where objects are, and its figures. */
export interface ObjectServer {
  readonly objects: Objects;
  readonly stats: () => Readonly<Record<string, number>>;
  readonly close: () => Promise<void>;
}

/** Everything an open store consists of. */
interface Parts {
  readonly server: ObjectServer;
  readonly partitions: Partitions;
  readonly commits: Commits;
  readonly reads: Reads;
  readonly whole: Whole;
  readonly load: Load;
  readonly usage: (partition: Partition) => Promise<Usage>;
  /** Whether what is kept agrees with the documents. */
  readonly recount: (partition: Partition, fix: boolean) => Promise<boolean>;
  readonly sweep: Sweep;
  /** Resolves when nothing goes on in the background. */
  readonly idle: () => Promise<void>;
  readonly cacheBytes: () => number;
}

/**
 * A store in a bucket, for any number of nodes and few writes: one head object a partition decides commits, one object a
 * document holds what they wrote. Throws StoreError INVALID (bucket, credentials, clock, a server that ignores conditions,
 * newer format) or UNAVAILABLE (no answer).
 *
 * A commit is acknowledged when the head and all of its documents are written. A reader on any node sees every commit that
 * was acknowledged before it began and no part of any other; a commit whose writer died between head and documents is seen
 * whole, and the next commit finishes it.
 */
export async function openS3Driver(options: S3Options): Promise<S3Driver> {
  const { random, wallClock = systemClock, transport = createTransport(IN_FLIGHT) } = options;
  const { endpoint, prefix } = placeOf(options);
  const client = createS3Client({
    transport,
    timeoutMs: TIMEOUT_MS,
    ...options,
    wallClock,
    endpoint,
  });
  let etagForm: EtagForm = "quoted";
  const objects = createObjects(client, prefix, () => etagForm);
  const setForm = (form: EtagForm): void => {
    etagForm = form;
  };
  await startServer(objects, random, setForm).catch(async (error: unknown) => {
    await transport.close();
    throw error;
  });
  const server = { objects, stats: () => ({ ...client.state }), close: () => transport.close() };
  return openObjectStore(server, { name: "s3", ...options });
}

/** A store on objects whose server was checked already. */
export function openObjectStore(server: ObjectServer, options: ObjectStoreOptions): S3Driver {
  const { objects } = server;
  const { random, wallClock = systemClock, tombstoneMs = TOMBSTONE_MS, cacheBytes = CACHE_BYTES } = options;
  const cache = createCache<Cached>(cacheBytes, ({ value }) => value?.length ?? 0);
  const pages = createCache<KeptPage>(PAGES_BYTES, ({ page }) =>
    page.items.reduce((sum, { value }) => sum + value.length, 0),
  );
  const advance = createAdvance(objects, random);
  const apply = createApply(objects, wallClock);
  const sweep = createSweep({ objects, advance, apply, wallClock, tombstoneMs });
  const { onTombstones, idle } = createBackground(sweep, wallClock);
  return toDriver(
    {
      server,
      partitions: createPartitions(objects, cache),
      commits: createCommits({ objects, advance, apply, random, wallClock }),
      reads: createReads({ objects, pages, tombstoneMs, onTombstones }),
      whole: createWhole(objects),
      load: createLoad({ objects, advance, apply, wallClock }),
      usage: (partition) => readUsage({ objects, advance, apply }, partition),
      recount: async (partition, fix) => (await recount({ objects, advance, apply }, partition, fix)).agrees,
      sweep,
      idle,
      cacheBytes: () => cache.state.bytes + pages.state.bytes,
    },
    options,
  );
}

function toDriver(parts: Parts, { name, clock, counters: shared }: ObjectStoreOptions): S3Driver {
  const { partitions, commits, reads, whole } = parts;
  const { objects } = parts.server;
  const own = createCounters(clock);
  let closing: Promise<void> | null = null;
  const assertOpen = (): void => {
    if (closing !== null)
      throw new StoreError("UNAVAILABLE", "the store has been closed", { retryable: false });
  };
  const partition = (part: string) => {
    assertOpen();
    assertPart(part);
    return partitions.of(part);
  };

  const store = {
    caps: { nodes: shared === undefined ? "one" : "many", exactLimits: true, pollFloorMs: POLL_FLOOR_MS },
    async get(key) {
      const at = splitKey(key);
      return (await reads.docs(partition(at.part), [nameOf(at)]))[0] ?? null;
    },
    async getMany(keys) {
      assertOpen();
      return getMany(parts, keys);
    },
    async page(part, coll, options) {
      assertOpen();
      assertPage(part, coll, options);
      return reads.page(partition(part), coll, options);
    },
    async commit(part, ops, checks = [], quota) {
      assertOpen();
      return commits.commit(partition(part), parseCommit(part, ops, checks, quota));
    },
    usage: async (part) => parts.usage(partition(part)),
    recount: async (part, fix) => !(await parts.recount(partition(part), fix)),
    ...toLimits(own, assertOpen),
    async partitions() {
      assertOpen();
      return partitions.list(whole);
    },
    collections: async (part) => whole.collections(partition(part)),
    async *snapshot(part) {
      yield* whole.snapshot(partition(part));
    },
    load: async (part, docs) => parts.load(partition(part), docs),
    async identity() {
      assertOpen();
      return readIdentity(objects);
    },
    adopt: () => adoptBucket(objects),
    async ping() {
      assertOpen();
      // A look only: a server that answers takes writes, and asking with a write each time would cost money.
      await Promise.all([objects.readText(FORMAT_KEY), shared?.ping()]);
    },
    async stats() {
      const { commits: done, batches, races } = commits.state;
      const cacheBytes = parts.cacheBytes();
      return {
        ...parts.server.stats(),
        commits: done,
        batches,
        races,
        cache_bytes: cacheBytes,
        counters: own.size,
      };
    },
    close: () => (closing ??= closeParts(parts, shared)),
  } satisfies Omit<StoreDriver, "hasItem" | "getKeys" | "getItem">;

  return {
    name,
    ...store,
    ...(shared === undefined ? {} : toSharedLimits(shared, assertOpen)),
    ...toUnstorage(store),
    async compact() {
      assertOpen();
      const swept = await mapSome(await partitions.all(), (part) => parts.sweep(partitions.of(part), ""));
      const bytesBefore = swept.reduce((sum, { bytes }) => sum + bytes, 0);
      return {
        bytesBefore,
        bytesAfter: swept.reduce((sum, { bytesSwept }) => sum - bytesSwept, bytesBefore),
      };
    },
  };
}

async function closeParts({ partitions, idle, server }: Parts, shared?: SharedCounters): Promise<void> {
  await idle();
  await partitions.idle();
  await server.close();
  await shared?.close();
}

/** The documents of each partition are read as one commit left them. */
async function getMany({ partitions, reads }: Parts, keys: readonly Key[]): Promise<(Doc | null)[]> {
  const found = new Map<string, Doc | null>();
  const byPart = new Map<string, Key[]>();
  for (const key of new Set(keys)) {
    const { part } = splitKey(key);
    byPart.set(part, [...(byPart.get(part) ?? []), key]);
  }
  await Promise.all(
    [...byPart].map(async ([part, own]) => {
      const docs = await reads.docs(
        partitions.of(part),
        own.map((key) => nameOf(splitKey(key))),
      );
      for (const [i, key] of own.entries()) found.set(key, docs[i] ?? null);
    }),
  );
  return keys.map((key) => found.get(key) ?? null);
}

function toSharedLimits(
  shared: SharedCounters,
  assertOpen: () => void,
): Pick<StoreDriver, "take" | "peek" | "resetCounter" | "relay"> {
  return {
    ...(shared.relay === undefined ? {} : { relay: shared.relay }),
    async take(counter, limit, windowMs, amount) {
      assertOpen();
      return shared.take(counter, limit, windowMs, amount);
    },
    async peek(counter) {
      assertOpen();
      return shared.peek(counter);
    },
    async resetCounter(counter) {
      assertOpen();
      return shared.resetCounter(counter);
    },
  };
}

/** Sweeps collections in the background, one after the other; the next sweep makes up for a failure. */
function createBackground(sweep: Sweep, clock: Clock) {
  const queue = createQueue();
  const last = new Map<string, number>();
  const onTombstones = (partition: Partition, coll: string, count: number): void => {
    const nowMs = clock.now();
    const name = `${partition.part}/${coll}`;
    if (count < SWEEP_FROM || nowMs - (last.get(name) ?? -Infinity) < SWEEP_PAUSE_MS) return;
    last.set(name, nowMs);
    void queue.run(() => sweep(partition, `${coll}/`)).catch(() => {});
  };
  return { onTombstones, idle: () => queue.idle() };
}
