import { StoreError } from "../contract.ts";
import type { Doc, Key } from "../contract.ts";
import type { Found } from "../documents.ts";
import { createFairSlots } from "../../lib/fair-slots.ts";
import { giveWay } from "../../lib/slices.ts";
import { cutKey } from "../keys.ts";
import type { ValueCache } from "./cache.ts";
import { readAll, toStoreError } from "./io.ts";
import { createDecoder, valueOf } from "./line.ts";
import { segmentName, whileOpen } from "./segment.ts";
import type { Entry } from "./segment.ts";

/** Reads documents by their entries: from the cache, else from the log, in the order asked for. */
export type ReadDocs = (found: readonly Found<Entry>[]) => Promise<Doc[]>;

/** Lines this close in a file are read together, up to so many bytes at once. */
const GAP_BYTES = 4096;
const RUN_BYTES_MAX = 524_288;
const READS_AT_ONCE = 16;
/** Of lines that are checked and decoded at once: about a millisecond. */
const SLICE_BYTES = 131_072;
/**
 * Larger readings of a partition are made one after another, and two at a time in all: what 60 lists of 24 MB read side by side would
 * all be in memory, and arrive in one turn of the event loop.
 */
const LARGE_BYTES = 262_144;
const LARGE_AT_ONCE = 2;

/** Neighbouring lines of one segment, fetched by one read. */
interface Run {
  readonly first: Entry;
  readonly wanted: Found<Entry>[];
  end: number;
}

/** A line is checked again whenever it is read: a disk that returns something else must not pass for a document. */
export function createReader(cache: Pick<ValueCache, "get" | "keep">): ReadDocs {
  const decode = createDecoder();
  const slots = createFairSlots({ max: LARGE_AT_ONCE, perKey: 1 });

  const readRun = async ({ first, wanted, end }: Run, values: Map<Entry, string>): Promise<void> => {
    const { segment, offset: start } = first;
    const bytes = Buffer.allocUnsafe(end - start);
    const count = await readAll(segment.file, bytes, start).catch((error: unknown) => {
      throw toStoreError(error, `reading ${segmentName(segment.id)}`);
    });
    const part = partOf(wanted);
    // A run that others were read before, in the same turn of the event loop, waits too.
    await giveWay(part);
    let seen = 0;
    for (const { key, entry } of wanted) {
      const from = entry.offset - start;
      const to = from + entry.length - 1;
      const line = to < count ? decode(bytes, from, to) : null;
      if (
        line?.kind !== "write" ||
        line.removal ||
        line.version !== entry.version ||
        keyOf(line.at) !== key
      ) {
        throw new StoreError(
          "CORRUPT",
          `${segmentName(segment.id)} at offset ${entry.offset}: ${key} is unreadable`,
        );
      }
      const value = valueOf(bytes, from, to);
      cache.keep(entry, value);
      values.set(entry, value);
      seen += entry.length;
      if (seen < SLICE_BYTES) continue;
      seen = 0;
      await giveWay(part);
    }
  };

  const readRuns = async (missing: readonly Found<Entry>[], atOnce: number, values: Map<Entry, string>) => {
    const runs = toRuns(missing);
    const waiting = runs.values();
    const readWaiting = async (): Promise<void> => {
      for (const run of waiting) await readRun(run, values);
    };
    await Promise.all(Array.from({ length: Math.min(runs.length, atOnce) }, readWaiting));
  };

  /** Moves what the cache has to `values`; returns the rest. */
  const takeCached = (found: readonly Found<Entry>[], values: Map<Entry, string>): Found<Entry>[] =>
    found.filter(({ entry }) => {
      const value = cache.get(entry);
      if (value !== null) values.set(entry, value);
      return value === null;
    });

  const readLarge = async (missing: readonly Found<Entry>[], values: Map<Entry, string>): Promise<void> => {
    const part = partOf(missing);
    await slots.take(part);
    try {
      // Who was in line before may have read the same.
      await readRuns(takeCached(missing, values), 1, values);
    } finally {
      slots.release(part);
    }
  };

  return async (found) => {
    const cached = allCached(cache, found);
    if (cached !== null) return cached;
    const values = new Map<Entry, string>();
    const missing = takeCached(found, values);
    if (missing.length > 0) {
      const bytes = missing.reduce((sum, { entry }) => sum + entry.length, 0);
      // The segments are held open before anything is awaited, so that a rewrite cannot close them meanwhile.
      const segments = [...new Set(missing.map(({ entry }) => entry.segment))];
      await whileOpen(segments, () =>
        bytes > LARGE_BYTES ? readLarge(missing, values) : readRuns(missing, READS_AT_ONCE, values),
      );
    }
    return found.map(({ key, entry }) => ({ key, version: entry.version, value: values.get(entry) ?? "" }));
  };
}

/** The documents, if memory has them all, as it mostly has: nothing needs to be put in order then. */
function allCached(cache: Pick<ValueCache, "get">, found: readonly Found<Entry>[]): Doc[] | null {
  const docs: Doc[] = [];
  for (const { key, entry } of found) {
    const value = cache.get(entry);
    if (value === null) return null;
    docs.push({ key, version: entry.version, value });
  }
  return docs;
}

/** Sorts by place and joins adjacent ones: a page of documents written in a row is one read. */
function toRuns(missing: readonly Found<Entry>[]): Run[] {
  const runs: Run[] = [];
  const places = missing.toSorted(
    ({ entry: a }, { entry: b }) => a.segment.id - b.segment.id || a.offset - b.offset,
  );
  for (const one of places) {
    const { segment, offset, length } = one.entry;
    const run = runs.at(-1);
    const joins =
      run !== undefined &&
      run.first.segment === segment &&
      offset - run.end <= GAP_BYTES &&
      offset + length - run.first.offset <= RUN_BYTES_MAX;
    if (joins) {
      run.wanted.push(one);
      run.end = Math.max(run.end, offset + length);
    } else runs.push({ first: one.entry, wanted: [one], end: offset + length });
  }
  return runs;
}

const keyOf = ({ part, coll, id }: { part: string; coll: string; id: string }): Key =>
  `${part}:${coll}:${id}`;

/** The partition of what is read together. */
const partOf = ([first]: readonly Found<Entry>[]): string =>
  first === undefined ? "" : cutKey(first.key).part;
