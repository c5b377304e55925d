import type { Doc, Page, PageOptions } from "../contract.ts";
import type { Cache } from "./cache.ts";
import { mapSome } from "../../lib/map-some.ts";
import type { Objects, Stored } from "./objects.ts";
import { findPage, toDoc } from "./page.ts";
import type { PageSource } from "./page.ts";
import { assertKnown, docKey, resolve } from "./partition.ts";
import type { Follow, Partition } from "./partition.ts";

/** A page that was put together, and the revisions of the collections that it was made of. */
export interface KeptPage {
  readonly page: Page;
  readonly stamp: string;
}

export interface Reads {
  /** Documents of one partition by their names `coll/id`; null where there is none. */
  docs(partition: Partition, names: readonly string[]): Promise<(Doc | null)[]>;
  page(partition: Partition, coll: string, options: PageOptions): Promise<Page>;
}

export interface ReadsOptions {
  readonly objects: Objects;
  readonly pages: Cache<KeptPage>;
  readonly tombstoneMs: number;
  /** Called when a listing skipped tombstones that could be swept. */
  readonly onTombstones: (partition: Partition, coll: string, count: number) => void;
}

interface Reading {
  readonly partition: Partition;
  readonly follow: Follow;
}

/**
 * How often a read of several objects starts again because other nodes commit faster than it reads. Then it returns what it
 * has: every document as some commit left it that was current during the read, though not all as the same commit did.
 */
const ROUNDS = 8;

/** Documents of a page that is to have few bytes: at 256 KB each 25 MB. */
const LARGE_PAGE_MAX = 100;

/**
 * Reading goes by the head: objects are read, and the head, by a read that begins after the call. What changed in between,
 * or is committed and not written to its document yet, comes from the heads themselves. So a read sees every commit that
 * was acknowledged before it began, on any node, and never a part of one; and what is in memory costs the head only,
 * which a server answers with 304 while nothing changed.
 */
export function createReads({ objects, pages, tombstoneMs, onTombstones }: ReadsOptions): Reads {
  const fetchOne = async (partition: Partition, name: string, listedEtag?: string): Promise<Stored> => {
    const current = partition.current(name);
    if (current !== undefined) return current;
    const seen = partition.lastSeen(name);
    if (seen !== undefined && listedEtag !== undefined && seen.etag === listedEtag) return seen;
    return objects.read(docKey(partition.part, name), seen);
  };
  /** Objects, and the head so that none of them is newer than it. */
  const fetchAll = async (
    { partition, follow }: Reading,
    names: readonly string[],
    etagOf?: (name: string) => string | undefined,
  ): Promise<Stored[]> => {
    const read = mapSome(names, (name) => fetchOne(partition, name, etagOf?.(name)));
    const [stored] = await Promise.all([read, partition.refresh()]);
    if (stored.some(({ version }) => version > follow.seq)) await partition.refresh();
    for (const { version } of stored) assertKnown(partition, follow, version);
    return stored;
  };

  return {
    docs: (partition, names) =>
      // One document is right in the second round, whatever was missed: as it was when the first round read the head.
      together(partition, names.length === 1 ? 2 : ROUNDS, async (follow) => {
        const stored = await fetchAll({ partition, follow }, names);
        const read = new Map(names.map((name, i) => [name, stored[i]]));
        if (!follow.broken) keepCurrent(partition, follow, read);
        return names.map((name) => toDoc(partition.part, name, resolve(read.get(name), follow.change(name))));
      }),
    async page(partition, coll, options) {
      const stamp = (): string => `${partition.revision(coll)} ${partition.revision(options.of ?? coll)}`;
      const { after = "", prefix = "", of = "" } = options;
      const limit = options.bytes === undefined ? options.limit : Math.min(options.limit, LARGE_PAGE_MAX);
      const pageKey = [partition.part, coll, limit, after, prefix, of].join(" ");
      if (pages.get(pageKey) !== undefined) await partition.refresh();
      const kept = pages.get(pageKey);
      if (kept?.stamp === stamp()) return kept.page;
      return together(partition, ROUNDS, async (follow) => {
        const source: PageSource = {
          objects,
          tombstoneMs,
          fetch: (names, etagOf) => fetchAll({ partition, follow }, names, etagOf),
        };
        const found = await findPage(source, follow, { ...options, limit, partition, coll });
        const { items, next, read, sweepable } = found;
        if (sweepable > 0) onTombstones(partition, coll, sweepable);
        const page = next === undefined ? { items } : { items, next };
        if (follow.broken) return page;
        keepCurrent(partition, follow, read);
        pages.set(pageKey, { page, stamp: stamp() });
        return page;
      });
    },
  };
}

/** Reads while it follows the head, and again when heads were missed meanwhile, so many times. */
export async function together<T>(
  partition: Partition,
  rounds: number,
  read: (follow: Follow) => Promise<T>,
): Promise<T> {
  for (let round = 1; ; round++) {
    const follow = await partition.follow();
    try {
      const result = await read(follow);
      if (!follow.broken || round >= rounds) return result;
    } finally {
      follow.end();
    }
  }
}

/** What was read without missing a head is current, unless the change to it is not in its document yet. */
function keepCurrent(
  partition: Partition,
  follow: Follow,
  read: ReadonlyMap<string, Stored | undefined>,
): void {
  for (const [name, stored] of read) {
    if (stored === undefined || stored.version > follow.seq) continue;
    if (stored.version >= (follow.change(name)?.version ?? 0)) partition.keep(name, stored);
  }
}
