import type { Doc, PageOptions } from "../contract.ts";
import { createLister } from "./lister.ts";
import type { Lister } from "./lister.ts";
import { LIST_MAX } from "./objects.ts";
import type { Content, Objects, Stored } from "./objects.ts";
import { docKey, resolve } from "./partition.ts";
import type { Follow, Partition } from "./partition.ts";

export interface PageSource {
  readonly objects: Objects;
  readonly tombstoneMs: number;
  /**
   * Reads documents, and the head after this call began. What is in memory costs no request: as long as it is current, or
   * has the ETag of the listing.
   */
  fetch(names: readonly string[], etagOf: (name: string) => string | undefined): Promise<Stored[]>;
}

export interface PageRequest extends PageOptions {
  readonly partition: Partition;
  readonly coll: string;
}

export interface FoundPage {
  readonly items: readonly Doc[];
  readonly next?: string;
  readonly sweepable: number;
  /** The documents that were read for it. */
  readonly read: ReadonlyMap<string, Stored>;
}

/** What the listing so far and the changes since say: ids of the page, and whether that is all that is needed. */
interface View {
  readonly whole: boolean;
  readonly next?: string;
  /** Names of the documents, in the order of the page. */
  readonly names: readonly string[];
}

/**
 * One page: a LIST, then the documents that are not in memory and, with them, the head. Whatever the head or a document
 * shows to have changed since the LIST is merged in; that needs another round only when it brought new names into the page.
 */
export async function findPage(source: PageSource, follow: Follow, request: PageRequest): Promise<FoundPage> {
  const { partition, coll, of, prefix = "", after = "", limit } = request;
  const lister = createLister(source.objects, {
    folder: docKey(partition.part, `${coll}/`),
    prefix,
    after,
    tombstoneMs: source.tombstoneMs,
  });
  const read = new Map<string, Stored>();
  let fresh = false;
  for (;;) {
    let view = viewOf(lister, follow, request);
    for (let pieces = 0; !view.whole; pieces++) {
      // The first piece usually has it all; where it does not, there are many tombstones.
      await lister.more(pieces === 0 ? limit + 1 : LIST_MAX);
      fresh = false;
      view = viewOf(lister, follow, request);
    }
    const wanted = new Set(view.names.filter((name) => !read.has(name) && follow.change(name) === undefined));
    if (fresh && wanted.size === 0) return toPage(view, { follow, read, partition, lister });
    const names = [...wanted];
    const stored = await source.fetch(names, (name) =>
      of === undefined ? lister.etag(name.slice(coll.length + 1)) : undefined,
    );
    for (const [i, one] of stored.entries()) read.set(names[i] ?? "", one);
    fresh = true;
  }
}

function viewOf(lister: Lister, follow: Follow, request: PageRequest): View {
  const { coll, of, prefix = "", after = "", limit } = request;
  const ids = new Set(lister.names);
  for (const { name, value } of follow.changes()) {
    const id = name.slice(coll.length + 1);
    if (!name.startsWith(`${coll}/`) || !id.startsWith(prefix) || id <= after || !lister.covers(id)) continue;
    if (value === null) ids.delete(id);
    else ids.add(id);
  }
  const sorted = [...ids].sort();
  const shown = sorted.slice(0, limit);
  const names = shown.map((id) =>
    of === undefined ? `${coll}/${id}` : `${of}/${id.slice(id.lastIndexOf("~") + 1)}`,
  );
  const next = sorted.length > limit ? shown.at(-1) : undefined;
  const whole = lister.done || sorted.length > limit;
  return next === undefined ? { whole, names } : { whole, names, next };
}

interface Gathered {
  readonly follow: Follow;
  readonly read: ReadonlyMap<string, Stored>;
  readonly partition: Partition;
  readonly lister: Lister;
}

function toPage({ names, next }: View, { follow, read, partition, lister }: Gathered): FoundPage {
  const items = names.flatMap(
    (name) => toDoc(partition.part, name, resolve(read.get(name), follow.change(name))) ?? [],
  );
  const rest = { items, read, sweepable: lister.sweepable.size };
  return next === undefined ? rest : { ...rest, next };
}

/** A document's key is its name with colons; null for a tombstone and for nothing. */
export function toDoc(part: string, name: string, { version, value }: Content): Doc | null {
  const slash = name.indexOf("/");
  return value === null
    ? null
    : { key: `${part}:${name.slice(0, slash)}:${name.slice(slash + 1)}`, version, value };
}
