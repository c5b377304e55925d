import { StoreError } from "../contract.ts";
import type { Version } from "../contract.ts";
import type { Cache } from "./cache.ts";
import { NO_HEAD, decodeHead } from "./head.ts";
import type { Change, StoredHead } from "./head.ts";
import { createQueue } from "./limiter.ts";
import type { Queue } from "./limiter.ts";
import { ABSENT } from "./objects.ts";
import type { Content, Objects, Stored } from "./objects.ts";

/**
 * The changes since some head, its own redo included, while a read goes on. Where an object is older than its change here,
 * the change is the truth: it is committed, and not written to its document yet.
 */
export interface Follow {
  /** A head was missed, so there may be changes that are not here. */
  readonly broken: boolean;
  /** Sequence of the last head that was seen. */
  readonly seq: number;
  change(name: string): Change | undefined;
  changes(): Change[];
  end(): void;
}

/** A document as this process last saw it. */
export interface Cached extends Stored {
  /** When it was known to be current: until heads were missed, and another epoch of the partition began. */
  readonly epoch: number;
}

/** What this process knows of one partition. */
export interface Partition {
  readonly part: string;
  /** The newest head that was seen; null before the first look. */
  readonly known: StoredHead | null;
  /** The newest head whose redo is surely in its documents, by its `rev`. */
  applied: number;
  /** The head, by a read that begins after this call; calls of one turn of the event loop share it. */
  refresh(): Promise<StoredHead>;
  /** Takes notice of a head; one that is older than the known one is ignored. */
  observe(head: StoredHead): void;
  /** Takes nothing that is in memory for current any more. */
  forget(): void;
  /** Begins to gather changes from the known head on. */
  follow(): Promise<Follow>;
  /** Keeps an object that is known to be current. */
  keep(name: string, stored: Stored): void;
  /** A document as it is under the known head; undefined when it has to be read. */
  current(name: string): Stored | undefined;
  /** The object as it was seen at some time: spares its transfer when its ETag is still the same. */
  lastSeen(name: string): Stored | undefined;
  /** Another number after every change to a collection of this partition that was seen or may have been missed. */
  revision(coll: string): string;
  /** Writes of this process to the head, one after the other. */
  readonly writes: Queue;
  readonly busy: boolean;
}

interface OpenFollow extends Follow {
  broken: boolean;
  seq: number;
  readonly heads: ReadonlyMap<string, Change>[];
}

export const headKey = (part: string): string => `heads/${part}`;
export const docKey = (part: string, name: string): string => `docs/${part}/${name}`;

export interface PartitionOptions {
  readonly part: string;
  readonly objects: Objects;
  readonly cache: Cache<Cached>;
  /** Never the same number twice in a process, so an entry of the cache can't be taken for a later one. */
  readonly nextEpoch: () => number;
}

export function createPartition({ part, objects, cache, nextEpoch }: PartitionOptions): Partition {
  const follows = new Set<OpenFollow>();
  const revisions = new Map<string, number>();
  const writes = createQueue();
  let known: StoredHead | null = null;
  let epoch = nextEpoch();
  let nextRead: Promise<StoredHead> | null = null;

  const forget = (): void => {
    epoch = nextEpoch();
    for (const follow of follows) follow.broken = true;
  };

  const observe = (head: StoredHead): void => {
    if (known !== null && head.rev <= known.rev) return;
    const missed = known === null || head.rev !== known.rev + 1;
    known = head;
    if (missed) forget();
    for (const follow of follows) {
      follow.seq = head.seq;
      follow.heads.push(head.changes);
    }
    for (const { name, version, value } of head.redo) {
      const coll = name.slice(0, name.indexOf("/"));
      revisions.set(coll, (revisions.get(coll) ?? 0) + 1);
      cache.set(docKey(part, name), { version, value, etag: undefined, epoch });
    }
  };

  const read = async (): Promise<StoredHead> => {
    const before = known;
    const found = await objects.readText(headKey(part), before?.etag ?? undefined);
    const head =
      found.found === "text"
        ? decodeHead(found.text, found.etag, part)
        : found.found === "unchanged" && before !== null
          ? before
          : NO_HEAD;
    observe(head);
    return known ?? head;
  };
  const refresh = (): Promise<StoredHead> =>
    (nextRead ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        nextRead = null;
        read().then(resolve, reject);
      });
    }));

  return {
    part,
    applied: 0,
    refresh,
    observe,
    forget,
    get known() {
      return known;
    },
    async follow() {
      if (known === null) await refresh();
      const follow = openFollow(known ?? NO_HEAD, (ended) => follows.delete(ended));
      follows.add(follow);
      return follow;
    },
    keep(name, stored) {
      cache.set(docKey(part, name), { ...stored, epoch });
    },
    current(name) {
      const cached = cache.get(docKey(part, name));
      return cached?.epoch === epoch ? cached : undefined;
    },
    lastSeen: (name) => cache.get(docKey(part, name)),
    revision: (coll) => `${epoch}.${revisions.get(coll) ?? 0}`,
    writes,
    get busy() {
      return writes.busy || follows.size > 0;
    },
  };
}

function openFollow(base: StoredHead, end: (follow: OpenFollow) => void): OpenFollow {
  const heads = [base.changes];
  const follow: OpenFollow = {
    broken: false,
    seq: base.seq,
    heads,
    change: (name) => heads.findLast((changes) => changes.has(name))?.get(name),
    changes: () => [...new Map(heads.flatMap((changes) => [...changes])).values()],
    end: () => end(follow),
  };
  return follow;
}

/** The newer of an object and a change that may not be written to it yet. */
export function resolve(stored: Content | undefined, change: Change | undefined): Content {
  const object = stored ?? ABSENT;
  return change !== undefined && change.version >= object.version ? change : object;
}

/** After a look at the head, no document can be newer than it: unless someone replaced or removed the head. */
export function assertKnown({ part }: Partition, follow: Follow, version: Version): void {
  if (version > follow.seq)
    throw new StoreError(
      "CORRUPT",
      `partition ${part} has a document of version ${version}, but its head is at ${follow.seq}`,
    );
}
