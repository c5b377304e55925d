import type { Key, PageOptions, Usage } from "./contract.ts";
import type { KeyParts } from "./keys.ts";
import { createSortedMap } from "./sorted-map.ts";
import type { Slice, SortedMap } from "./sorted-map.ts";
import { newTally, tally } from "./usage.ts";
import type { Tally } from "./usage.ts";

interface Partition<E> {
  readonly usage: Tally;
  /** Version of the partition's last commit; it never decreases, also when every document is deleted. */
  sequence: number;
  readonly collections: Map<string, Listing<E>>;
}

interface Listing<E> {
  readonly map: SortedMap<E>;
  revision: number;
}

/** Indexes are read in order only; documents are also looked up by id, on every request. */
const isIndex = (coll: string): boolean => coll.startsWith("ix.");

/** An entry found by a page: the document's own id, its key and what the driver keeps about it. */
export interface Found<E> {
  readonly key: Key;
  readonly entry: E;
}

/**
 * What an entry holds for the directory itself. An index entry remembers the document that it points at: following it
 * by id costs four times as many steps through memory that is rarely warm. A document that was replaced or removed says
 * so itself, and is then looked up again.
 */
export interface Linked {
  /** Bytes of key and value, in UTF-8. */
  readonly bytes: number;
  target: Linked | null;
  isGone: boolean;
}

export interface FoundPage<E> {
  readonly items: readonly Found<E>[];
  readonly next?: string;
}

/** A slice of a collection, as it was when the partition was copied. */
export interface Copied<E> extends Slice<E> {
  readonly coll: string;
}

/** The ordered directory of documents that both drivers keep in memory; `E` is what a driver needs to know of one. */
export interface Documents<E extends Linked> {
  get(at: KeyParts): E | undefined;
  /** Adds or replaces; returns what was there. */
  set(at: KeyParts, entry: E): E | undefined;
  /** Removes; returns what was there. */
  remove(at: KeyParts): E | undefined;
  page(part: string, coll: string, options: PageOptions): FoundPage<E>;
  /** Another number after every change to a collection, and never an earlier one again; 0 while it holds nothing. */
  revision(part: string, coll: string): number;
  sequence(part: string): number;
  /** Raises a partition's sequence; a lower one is ignored. */
  advance(part: string, sequence: number): void;
  partitions(): string[];
  collections(part: string): { readonly name: string; readonly count: number }[];
  usage(part: string): Usage;
  /** The whole partition as it is now, by collection and id. Costs two words a document; nothing is read. */
  copy(part: string): readonly Copied<E>[];
  readonly size: number;
}

/**
 * Partition -> collection -> sorted map by id. Ids are ASCII, so the order of JavaScript texts is the order of their bytes,
 * and a map holds the id alone, not the key: a million documents stay near 100 MB.
 */
export function createDocuments<E extends Linked>(): Documents<E> {
  const partitions = new Map<string, Partition<E>>();
  let size = 0;
  let changes = 0;
  const partitionOf = (name: string): Partition<E> => {
    const found = partitions.get(name);
    if (found !== undefined) return found;
    const made: Partition<E> = { sequence: 0, usage: newTally(), collections: new Map() };
    partitions.set(name, made);
    return made;
  };
  const idsOf = (part: string, coll: string): SortedMap<E> | undefined =>
    partitions.get(part)?.collections.get(coll)?.map;

  return {
    get: ({ part, coll, id }) => idsOf(part, coll)?.get(id),
    set({ part, coll, id }, entry) {
      const { collections, usage } = partitionOf(part);
      let listing = collections.get(coll);
      if (listing === undefined) {
        listing = { map: createSortedMap<E>({ lookup: !isIndex(coll) }), revision: 0 };
        collections.set(coll, listing);
      }
      listing.revision = ++changes;
      const before = listing.map.set(id, entry);
      tally(usage, { coll, id }, before?.bytes ?? 0, entry.bytes);
      if (before === undefined) size++;
      else before.isGone = true;
      entry.isGone = false;
      return before;
    },
    remove({ part, coll, id }) {
      const partition = partitions.get(part);
      const listing = partition?.collections.get(coll);
      const before = listing?.map.remove(id);
      if (partition === undefined || listing === undefined || before === undefined) return undefined;
      before.isGone = true;
      tally(partition.usage, { coll, id }, before.bytes, 0);
      const { map } = listing;
      listing.revision = ++changes;
      size--;
      if (map.size === 0) partition.collections.delete(coll);
      return before;
    },
    page: (part, coll, options) => {
      const target = options.of === undefined ? undefined : idsOf(part, options.of);
      return readPage(idsOf(part, coll), `${part}:${options.of ?? coll}`, options, target);
    },
    revision: (part, coll) => partitions.get(part)?.collections.get(coll)?.revision ?? 0,
    sequence: (part) => partitions.get(part)?.sequence ?? 0,
    advance(part, sequence) {
      const partition = partitionOf(part);
      if (sequence > partition.sequence) partition.sequence = sequence;
    },
    partitions: () =>
      [...partitions].flatMap(([name, { collections }]) => (collections.size > 0 ? [name] : [])).sort(),
    collections: (part) =>
      [...(partitions.get(part)?.collections ?? [])]
        .map(([name, { map }]) => ({ name, count: map.size }))
        .sort((a, b) => compareIds(a.name, b.name)),
    usage: (part) => ({ ...(partitions.get(part)?.usage ?? newTally()) }),
    copy: (part) =>
      [...(partitions.get(part)?.collections ?? [])]
        .sort(([a], [b]) => compareIds(a, b))
        .flatMap(([coll, { map }]) => map.copy().map((slice) => ({ coll, ...slice }))),
    get size() {
      return size;
    },
  };
}

function readPage<E extends Linked>(
  map: SortedMap<E> | undefined,
  base: `${string}:${string}`,
  options: PageOptions,
  target: SortedMap<E> | undefined,
): FoundPage<E> {
  if (map === undefined) return { items: [] };
  const { after = "", prefix = "", limit, bytes = Infinity, of } = options;
  const items: Found<E>[] = [];
  let seen = 0;
  let held = 0;
  let last = "";
  let isMore = false;
  map.walk(after > prefix ? after : prefix, (id, entry) => {
    if (after !== "" && id <= after) return true;
    if (!id.startsWith(prefix)) return false;
    if (seen === limit || held >= bytes) {
      isMore = true;
      return false;
    }
    seen++;
    last = id;
    const found = of === undefined ? { id, entry } : followEntry(target, id, entry);
    if (found === undefined) return true;
    items.push({ key: `${base}:${found.id}`, entry: found.entry });
    held += found.entry.bytes;
    return true;
  });
  return isMore ? { items, next: last } : { items };
}

/** An index entry's id ends in `~<document id>`; one that points nowhere is left out (`verifyStore` reports it). */
function followEntry<E extends Linked>(
  target: SortedMap<E> | undefined,
  entryId: string,
  link: E,
): { id: string; entry: E } | undefined {
  const id = entryId.slice(entryId.lastIndexOf("~") + 1);
  // What was linked here came out of the same map, so it is of the same type.
  if (link.target !== null && !link.target.isGone) return { id, entry: link.target as E };
  const entry = target?.get(id);
  link.target = entry ?? null;
  return entry === undefined ? undefined : { id, entry };
}

function compareIds(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
