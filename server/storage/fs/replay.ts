import { StoreError } from "../contract.ts";
import type { Documents } from "../documents.ts";
import type { KeyParts } from "../keys.ts";
import type { Io } from "./io.ts";
import { createDecoder, recoverLines } from "./line.ts";
import type { Decode, Line, MarkLine, WriteLine } from "./line.ts";
import { forget, openSegment, scanLines, segmentId, segmentName, toEntry } from "./segment.ts";
import type { Entry, Segment } from "./segment.ts";

/** A place that a salvage could not read: a number of bytes of a file, with the key if it was still legible. */
export interface Loss {
  readonly file: string;
  readonly offset: number;
  /** Null when it cannot be determined: the file is missing, or no line follows the offset. */
  readonly bytes: number | null;
  readonly key: string | null;
}

export interface Replayed {
  /** In the order of the log; the last one takes the next writes. */
  readonly segments: Segment[];
  readonly losses: Loss[];
  /** Segments whose files hold what is lost, or lead to a missing file: to be rewritten before anything else. */
  readonly damaged: ReadonlySet<Segment>;
}

interface Replay {
  readonly io: Io;
  readonly base: string;
  readonly documents: Documents<Entry>;
  readonly salvage: boolean;
}

const SCAN_CHUNK_BYTES = 2_097_152;

/**
 * Reads the log into the directory of documents. The segments form a chain: number 1 comes first, and the last line of
 * each names the next; the one without such a line is the tail, where writing stopped.
 *
 * At the tail's end a crash may leave anything. The `sync` lines distinguish it from damage: a batch of commits begins
 * with one, and is written only after the batch before it was durable. So what is unreadable behind the last sync line was
 * never acknowledged, and is cut off; what is unreadable before one was, and the store refuses to open.
 */
export async function replay(on: Replay): Promise<Replayed> {
  const ids = (await on.io.list(on.base)).flatMap((name) => segmentId(name) ?? []).sort((a, b) => a - b);
  const last = await lastWritten(on, ids);
  const segments: Segment[] = [];
  const losses: Loss[] = [];
  const damaged = new Set<Segment>();
  const shared = { decode: createDecoder(), removed: new Map<string, number>(), losses };
  const following = (id: number): number | null => ids.find((other) => other > id) ?? null;
  try {
    for (let id: number | null = 1; id !== null;) {
      if (!ids.includes(id)) {
        if (!on.salvage) throw corrupt(segmentName(id), 0, "the file is missing");
        losses.push({ file: segmentName(id), offset: 0, bytes: null, key: null });
        const before = segments.at(-1);
        if (before !== undefined) damaged.add(before);
        id = following(id);
        continue;
      }
      const segment = await openSegment(on.io, on.base, id, "existing");
      segments.push(segment);
      // A rotation makes the next file before it closes the one before: the last one that holds a byte is the tail.
      const isLast: boolean = id >= last;
      const { next, whole } = await replaySegment(on, { segment, isLast, ...shared });
      const endsEarly: boolean = next === null && !isLast;
      if ((endsEarly || (next ?? id + 1) <= id) && !on.salvage) {
        throw corrupt(segmentName(id), segment.size, "the segment is truncated");
      }
      if (!whole || endsEarly) damaged.add(segment);
      id = endsEarly ? following(id) : next;
    }
    await removeStrays(on, ids, segments);
  } catch (error) {
    await Promise.all(segments.map(({ file }) => file.close()));
    throw error;
  }
  return { segments, losses, damaged };
}

/** The highest segment that holds a byte; 0 when none does. */
async function lastWritten(on: Replay, ids: readonly number[]): Promise<number> {
  for (const id of ids.toReversed()) {
    const found = await on.io.stat(`${on.base}/${segmentName(id)}`);
    if (found !== null && found.size > 0) return id;
  }
  return 0;
}

/** Files outside of the chain are left-overs of a merge (their records are in the merged file) or of a rotation. */
async function removeStrays(on: Replay, ids: readonly number[], segments: readonly Segment[]): Promise<void> {
  const used = new Set(segments.map(({ id }) => id));
  const strays = ids.filter((id) => !used.has(id));
  for (const id of strays) await on.io.remove(`${on.base}/${segmentName(id)}`);
  if (strays.length > 0) await on.io.syncFolder(on.base);
}

interface SegmentReplay {
  readonly segment: Segment;
  readonly isLast: boolean;
  readonly decode: Decode;
  /** Versions of removals, so that an older record of the same key stays removed wherever it turns up. */
  readonly removed: Map<string, number>;
  readonly losses: Loss[];
}

/** A line with its place in the file and its length, line feed included. */
interface Placed<L = Line> {
  readonly line: L;
  readonly offset: number;
  readonly length: number;
}

interface Progress {
  /** Lines of a commit that is not complete yet. */
  group: Placed<WriteLine>[];
  /** End of the last whole commit or mark: where a torn log is cut. */
  good: number;
  /** Number of the next segment, once the last line was read. */
  next: number | null;
}

/** Applies one file; cuts its torn end off, or throws CORRUPT, or (salvaging) notes what cannot be read. */
async function replaySegment(
  on: Replay,
  file: SegmentReplay,
): Promise<{ readonly next: number | null; readonly whole: boolean }> {
  const { segment, decode } = file;
  const progress: Progress = { group: [], good: 0, next: null };
  let bad: number | null = null;
  await scanLines(
    segment.file,
    { to: segment.size, chunkBytes: SCAN_CHUNK_BYTES },
    (chunk, start, end, offset) => {
      const line = decode(chunk, start, end);
      if (line !== null && isMark(line)) segment.lastMark = offset;
      if (bad === null && !take(on, file, progress, toPlaced(line, offset, end - start))) bad = offset;
    },
  );
  if (bad === null && progress.group.length === 0) return { next: progress.next, whole: true };

  // Before the last mark, and everywhere in a segment that others follow, all was durable once.
  const durableTo = file.isLast ? segment.lastMark : segment.size;
  if (durableTo <= progress.good) {
    await cutTail(segment, progress.good);
    return { next: progress.next, whole: true };
  }
  if (!on.salvage) throw corrupt(segmentName(segment.id), bad ?? progress.good, "unreadable record");
  return { next: await salvageSegment(on, file, { from: progress.good, durableTo }), whole: false };
}

/** Takes every record that can be read, also from commits that are no longer whole, and notes the gaps. */
async function salvageSegment(
  on: Replay,
  file: SegmentReplay,
  { from, durableTo }: { readonly from: number; readonly durableTo: number },
): Promise<number | null> {
  const { segment, decode, losses } = file;
  const progress: Progress = { group: [], good: from, next: null };
  let torn = false;
  const options = { from, to: segment.size, chunkBytes: SCAN_CHUNK_BYTES };
  await scanLines(segment.file, options, (chunk, start, end, offset) => {
    const line = decode(chunk, start, end);
    if (offset > durableTo) {
      torn ||= !take(on, file, progress, toPlaced(line, offset, end - start));
      return;
    }
    const found = line === null ? recoverLines(decode, chunk, start, end) : [{ line, start, end }];
    for (const one of found) {
      const length = one.end - one.start + 1;
      const place = { offset: offset + one.start - start, length };
      if (one.line.kind === "write") applyWrite(on, file, { line: one.line, ...place });
      else progress.next = applyMark(on, segment, one.line, length) ?? progress.next;
    }
    if (line === null) losses.push(toLoss(segment, offset, chunk.subarray(start, end)));
    progress.good = offset + (end - start) + 1;
  });
  if (file.isLast) await cutTail(segment, Math.min(progress.good, segment.size));
  return progress.next;
}

/** Takes the next line; false when it cannot follow. A commit's writes are applied with its last line. */
function take(on: Replay, file: SegmentReplay, progress: Progress, placed: Placed | null): boolean {
  if (placed === null || progress.next !== null) return false;
  const { line, offset, length } = placed;
  if (line.kind === "write") {
    if (!continues(progress.group, line)) return false;
    progress.group.push({ line, offset, length });
    if (line.i < line.n) return true;
    for (const write of progress.group) applyWrite(on, file, write);
    progress.group = [];
  } else {
    if (progress.group.length > 0 || (line.kind === "sync" && line.offset !== offset)) return false;
    progress.next = applyMark(on, file.segment, line, length);
  }
  progress.good = offset + length;
  return true;
}

/** The newest version of a key wins, whatever order its records come in. */
function applyWrite(on: Replay, file: SegmentReplay, placed: Placed<WriteLine>): void {
  const { at, version, removal } = placed.line;
  on.documents.advance(at.part, version);
  if (removal) applyRemoval(on, file, placed);
  else applyPut(on, file, placed);
}

function applyPut(
  { documents }: Replay,
  { segment, removed }: SegmentReplay,
  placed: Placed<WriteLine>,
): void {
  const { line, offset, length } = placed;
  const { at, version, bytes } = line;
  if (removed.size > 0 && (removed.get(nameOf(at)) ?? 0) > version) {
    segment.deadPuts++;
    return;
  }
  const before = documents.set(at, toEntry({ version, segment, offset, length, bytes }));
  if (before !== undefined && before.version >= version) {
    documents.set(at, before);
    segment.deadPuts++;
    return;
  }
  segment.liveBytes += length;
  if (before !== undefined) forget(before);
}

function applyRemoval(
  { documents }: Replay,
  { segment, removed }: SegmentReplay,
  placed: Placed<WriteLine>,
): void {
  const { at, version } = placed.line;
  const name = nameOf(at);
  segment.removalBytes += placed.length;
  if ((removed.get(name) ?? 0) < version) removed.set(name, version);
  const before = documents.get(at);
  if (before === undefined || before.version > version) return;
  documents.remove(at);
  forget(before);
}

/** Returns the next segment's number when the mark has one. */
function applyMark(on: Replay, segment: Segment, line: MarkLine, length: number): number | null {
  if (line.kind === "sync") return null;
  segment.keptBytes += length;
  if (line.kind === "end") return line.next;
  on.documents.advance(line.part, line.version);
  return null;
}

async function cutTail(segment: Segment, size: number): Promise<void> {
  if (size < segment.size) await segment.file.truncate(size);
  segment.size = size;
}

const toPlaced = (line: Line | null, offset: number, chars: number): Placed | null =>
  line === null ? null : { line, offset, length: chars + 1 };

/** A commit's lines follow each other: 1/n, 2/n, ... n/n, with one version and in one partition. */
function continues(group: readonly Placed<WriteLine>[], line: WriteLine): boolean {
  const before = group.at(-1)?.line;
  if (before === undefined) return line.i === 1 && line.n >= 1;
  return (
    line.i === before.i + 1 &&
    line.n === before.n &&
    line.version === before.version &&
    line.at.part === before.at.part
  );
}

/**
 * A line before which all was durable. A sync line holds its own offset: one at another offset shows that bytes before
 * it were inserted or lost, which no crash does, so it counts as well and the log is refused.
 */
const isMark = (line: Line): boolean => line.kind === "end" || line.kind === "sync";

const nameOf = ({ part, coll, id }: KeyParts): string => `${part}:${coll}:${id}`;

function toLoss(segment: Segment, offset: number, bytes: Buffer): Loss {
  const key =
    /^\S+ \d+\/\d+ \d+ -?([a-z0-9_]+:[a-z0-9._]+:[\w.~@-]+)(?: |$)/.exec(bytes.toString("latin1"))?.[1] ??
    null;
  return { file: segmentName(segment.id), offset, bytes: bytes.length === 0 ? null : bytes.length + 1, key };
}

function corrupt(file: string, offset: number, what: string): StoreError {
  return new StoreError(
    "CORRUPT",
    `${file} at offset ${offset}: ${what}. Run platform storage salvage to keep the readable records`,
  );
}
