import type { Io, IoFile } from "./io.ts";
import type { Linked } from "../documents.ts";
import { LINE_BYTES_MAX } from "./line.ts";

/** One file of the log, open for as long as someone may read from it. */
export interface Segment {
  readonly id: number;
  readonly file: IoFile;
  /** Bytes up to the end of the last durable line. */
  size: number;
  /** Offset of the last mark that was found at the start: what follows it was perhaps never synced. */
  lastMark: number;
  /** Bytes of lines that hold a current document. */
  liveBytes: number;
  /** Records of documents that were since replaced or removed. */
  deadPuts: number;
  /** Bytes of removals: garbage only once no older segment holds a record that they undo. */
  removalBytes: number;
  /** Bytes of lines that a rewrite would keep although they hold no document. */
  keptBytes: number;
  readers: number;
  retired: boolean;
}

/** Where a document is stored. A rewrite or a newer version replaces the entry. */
export interface Entry extends Linked {
  readonly version: number;
  readonly segment: Segment;
  readonly offset: number;
  /** Length of the line, with its line feed. */
  readonly length: number;
  /** Bytes of key and value. */
  readonly bytes: number;
  /** The value, while the cache keeps it. */
  cached: { value: string | null; hot: boolean; readonly bytes: number } | null;
}

export const toEntry = ({
  version,
  segment,
  offset,
  length,
  bytes,
}: Pick<Entry, "version" | "segment" | "offset" | "length" | "bytes">): Entry => ({
  version,
  segment,
  offset,
  length,
  bytes,
  cached: null,
  target: null,
  isGone: false,
});

export const segmentName = (id: number): string => `seg-${String(id).padStart(8, "0")}.log`;

/** The id in a segment's file name, or null for any other file. */
export function segmentId(name: string): number | null {
  const found = /^seg-(\d{8,})\.log$/.exec(name)?.[1];
  return found === undefined ? null : Number(found);
}

export async function openSegment(
  io: Io,
  base: string,
  id: number,
  how: "existing" | "create",
): Promise<Segment> {
  const file = await io.open(`${base}/${segmentName(id)}`, how);
  return toSegment(id, file, how === "create" ? 0 : await file.size());
}

export function toSegment(id: number, file: IoFile, size: number): Segment {
  return {
    id,
    file,
    size,
    lastMark: 0,
    liveBytes: 0,
    deadPuts: 0,
    removalBytes: 0,
    keptBytes: 0,
    readers: 0,
    retired: false,
  };
}

/** Runs reads while none of the segments can be closed. */
export async function whileOpen<T>(segments: readonly Segment[], read: () => Promise<T>): Promise<T> {
  const release = holdOpen(segments);
  try {
    return await read();
  } finally {
    await release();
  }
}

/** Keeps the segments' files open, also when they are rewritten meanwhile, until the returned function is called. */
export function holdOpen(segments: readonly Segment[]): () => Promise<void> {
  for (const segment of segments) segment.readers++;
  return async () => {
    for (const segment of segments) segment.readers--;
    await Promise.all(segments.map(closeWhenIdle));
  };
}

/** Closes the file once its last reader is done; its name may be gone already. */
export async function retire(segment: Segment): Promise<void> {
  segment.retired = true;
  await closeWhenIdle(segment);
}

async function closeWhenIdle(segment: Segment): Promise<void> {
  if (!segment.retired || segment.readers !== 0) return;
  // The count below zero keeps a second closer out.
  segment.readers = Number.NEGATIVE_INFINITY;
  await segment.file.close();
}

/** Notes that a record no longer holds the current document. */
export function forget(entry: Entry): void {
  entry.segment.liveBytes -= entry.length;
  entry.segment.deadPuts++;
}

/** A line as it was found: the bytes `[start, end)` of the chunk, which begin at `offset` of the file. */
export type OnLine = (chunk: Buffer, start: number, end: number, offset: number) => void;

export interface ScanOptions {
  readonly from?: number;
  readonly to: number;
  /** Bytes read at once: small where other work must get its turn between two chunks. */
  readonly chunkBytes: number;
  /** Called after every chunk, when all of its lines have been handed out. */
  readonly afterChunk?: () => Promise<void>;
}

/**
 * Hands out every line of a file that ends in a line feed, without it. For what is longer than any record, and for
 * what follows the last line feed, an empty line is handed out: that is no record.
 */
export async function scanLines(file: IoFile, options: ScanOptions, onLine: OnLine): Promise<void> {
  const { to, chunkBytes } = options;
  let offset = options.from ?? 0;
  const chunk = Buffer.allocUnsafe(Math.min(to - offset, chunkBytes + LINE_BYTES_MAX));
  let held = 0;
  while (offset + held < to) {
    const wanted = Math.min(chunk.length - held, to - offset - held);
    const count = await file.read(chunk.subarray(held, held + wanted), offset + held);
    if (count === 0) break;
    const length = held + count;
    let start = 0;
    for (let end = chunk.indexOf(0x0a, 0); end >= 0 && end < length; end = chunk.indexOf(0x0a, start)) {
      onLine(chunk, start, end, offset + start);
      start = end + 1;
    }
    if (start === 0 && length === chunk.length) {
      onLine(chunk, 0, 0, offset);
      start = length;
    }
    chunk.copyWithin(0, start, length);
    offset += start;
    held = length - start;
    await options.afterChunk?.();
  }
  if (held > 0) onLine(chunk, 0, 0, offset);
}
