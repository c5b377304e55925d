import { StoreError } from "../contract.ts";
import type { Key, StoreDriver } from "../contract.ts";
import type { Copied, Documents, Found } from "../documents.ts";
import { assertPart, parseLoad } from "../keys.ts";
import type { ParsedDoc } from "../keys.ts";
import type { Log } from "./log.ts";
import { createReader } from "./reader.ts";
import type { ReadDocs } from "./reader.ts";
import { holdOpen } from "./segment.ts";
import type { Entry, Segment } from "./segment.ts";
import { BATCH_BYTES_MAX } from "./writer.ts";
import type { Writer } from "./writer.ts";

export interface TransferOptions {
  readonly documents: Documents<Entry>;
  readonly log: Log;
  readonly writer: Writer;
  /** Rewrites the log so that it holds the current documents only. */
  readonly compact: () => Promise<unknown>;
  /** Throws once the store is closed. */
  readonly assertOpen: () => void;
}

/** Whole partitions, out of the store and into it. */
export function createTransfer(on: TransferOptions): Pick<StoreDriver, "snapshot" | "load"> {
  const { documents, log, writer, compact, assertOpen } = on;
  // A copy of everything must not push out what is in use, so it reads past the cache.
  const readDocs = createReader({ get: (entry) => entry.cached?.value ?? null, keep: () => {} });
  return {
    async *snapshot(part) {
      assertOpen();
      assertPart(part);
      // A commit shows in one turn, so what is copied in one is the state that one commit left. Entries never change, and
      // the files that hold them stay open for as long as this is read, whatever is rewritten meanwhile.
      const copied = documents.copy(part);
      const release = holdOpen(segmentsOf(copied));
      try {
        for (const found of toReads(part, copied)) {
          assertOpen();
          yield* await readDocs(found);
        }
      } finally {
        await release();
      }
    },
    async load(part, docs) {
      assertOpen();
      const parsed = parseLoad(part, docs);
      // A removal in the log has a version of this store's own, maybe a higher one than a document that is to come: the
      // next start would take the removal for the newer. A log that was rewritten holds none.
      if (holdsRemovals(log)) await compact();
      if (holdsRemovals(log)) throw new StoreError("FULL", "removals cannot be rewritten before a load");
      for (const slice of toBatches(parsed)) await writer.load(part, slice);
    },
  };
}

function segmentsOf(copied: readonly Copied<Entry>[]): Segment[] {
  const segments = new Set<Segment>();
  let last: Segment | undefined;
  for (const { entries } of copied) {
    for (const { segment } of entries) {
      if (segment !== last) segments.add(segment);
      last = segment;
    }
  }
  return [...segments];
}

const READ_COUNT_MAX = 1000;
const READ_BYTES_MAX = 4_194_304;

/** The copied entries in pieces that are read together. */
function* toReads(part: string, copied: readonly Copied<Entry>[]): Generator<Parameters<ReadDocs>[0]> {
  let piece: Found<Entry>[] = [];
  let bytes = 0;
  for (const { coll, ids, entries } of copied) {
    for (const [i, entry] of entries.entries()) {
      const key: Key = `${part}:${coll}:${ids[i] ?? ""}`;
      piece.push({ key, entry });
      bytes += entry.length;
      if (piece.length < READ_COUNT_MAX && bytes < READ_BYTES_MAX) continue;
      yield piece;
      piece = [];
      bytes = 0;
    }
  }
  if (piece.length > 0) yield piece;
}

const holdsRemovals = ({ segments }: Log): boolean => segments.some(({ removalBytes }) => removalBytes > 0);

/** Slices that are written and synced at once. */
function toBatches(docs: readonly ParsedDoc[]): ParsedDoc[][] {
  const slices: ParsedDoc[][] = [];
  let bytes = BATCH_BYTES_MAX;
  for (const doc of docs) {
    if (bytes + doc.bytes > BATCH_BYTES_MAX) {
      slices.push([]);
      bytes = 0;
    }
    slices.at(-1)?.push(doc);
    bytes += doc.bytes;
  }
  return slices;
}
