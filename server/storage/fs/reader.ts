import { StoreError } from "../contract.ts";
import type { Doc, Key } from "../contract.ts";
import type { Found } from "../documents.ts";
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
const RUNS_AT_ONCE = 16;

/** Neighbouring lines of one segment, fetched by one read. */
interface Run {
  readonly first: Entry;
  readonly wanted: Found<Entry>[];
  end: number;
}

/** A line is checked again whenever it is read: a disk that returns something else must not pass for a document. */
export function createReader(cache: ValueCache): ReadDocs {
  const decode = createDecoder();

  const readRun = async ({ first, wanted, end }: Run, values: Map<Entry, string>): Promise<void> => {
    const { segment, offset: start } = first;
    const bytes = Buffer.allocUnsafe(end - start);
    const count = await readAll(segment.file, bytes, start).catch((error: unknown) => {
      throw toStoreError(error, `reading ${segmentName(segment.id)}`);
    });
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
    }
  };

  return async (found) => {
    const values = new Map<Entry, string>();
    const missing: Found<Entry>[] = [];
    for (const one of found) {
      const value = cache.get(one.entry);
      if (value === null) missing.push(one);
      else values.set(one.entry, value);
    }
    // Every segment is held open from here on, before anything is awaited, so that a rewrite cannot close it.
    const runs = toRuns(missing);
    const reads = runs.map((run, i) => ({ run, turn: Math.floor(i / RUNS_AT_ONCE) }));
    const turns: Promise<unknown>[] = [];
    for (const { run, turn } of reads) {
      const before = turns[turn - 1] ?? Promise.resolve();
      const read = whileOpen(run.first.segment, async () => {
        await before;
        await readRun(run, values);
      });
      turns[turn] = Promise.all([turns[turn], read]);
    }
    await Promise.all(turns);
    return found.map(({ key, entry }) => ({ key, version: entry.version, value: values.get(entry) ?? "" }));
  };
}

/** Sorts by place and joins what lies close together: a page of documents written in a row is one read. */
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
