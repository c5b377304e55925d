import type { CommitResult, Doc, Key, Usage } from "../contract.ts";
import type { Documents } from "../documents.ts";
import type { KeyParts, ParsedCommit, ParsedDoc, Write } from "../keys.ts";
import { exceeds, newTally, tally } from "../usage.ts";
import type { ValueCache } from "./cache.ts";
import { createLineBuffer, syncBody, writeBody } from "./line.ts";
import type { LineBuffer } from "./line.ts";
import { forget, toEntry } from "./segment.ts";
import type { Entry, Segment } from "./segment.ts";

/**
 * Commits on their way to the disk. Each joins the open batch when it arrives; a batch is closed to be written, and the next
 * commits, which see what is in it, join the one behind it.
 */
export interface Batches {
  /** Evaluates a commit's checks against all that was staged before, and lays its writes out as lines of the open batch. */
  stage(commit: ParsedCommit): CommitResult;
  /** Lays documents out at the versions they carry, but for those that are there at this version or a later one. */
  stageLoad(part: string, docs: readonly ParsedDoc[]): void;
  /** The document as it will be when all that is staged is durable; undefined where nothing of it is staged. */
  ahead(key: Key): Doc | null | undefined;
  /** Closes the open batch. Its lines, behind a sync line for the offset `start`: when they are written, all before is durable. */
  close(start: number): Buffer;
  /** Shows the writes of the closed batch to readers; call it when they are durable in the segment from offset `start` on. */
  publish(segment: Segment, start: number): void;
  /** Forgets all that is staged; its versions are not used again. */
  drop(): void;
  /** True when the open batch would write nothing. */
  isEmpty(): boolean;
}

/** A write in a batch: the offset of its line from the batch's start. */
interface Staged {
  readonly write: Write;
  readonly version: number;
  readonly offset: number;
  readonly length: number;
}

/** A partition as it will be. */
interface Head {
  readonly sequence: number;
  readonly usage: Usage;
}

interface Batch {
  readonly lines: LineBuffer;
  readonly staged: Staged[];
  /** Of the partitions that it writes to, as it leaves them. */
  readonly heads: Map<string, Head>;
}

export function createBatches(documents: Documents<Entry>, cache: ValueCache): Batches {
  // What is staged and not published, the latest of each key and partition: the commits behind rest on it.
  const writes = new Map<Key, Staged>();
  const heads = new Map<string, Head>();
  const empty = (lines = createLineBuffer()): Batch => {
    lines.reset();
    lines.add(syncBody(0));
    return { lines, staged: [], heads: new Map() };
  };
  let open = empty();
  let closed = empty();

  const versionOf = (key: Key, at: KeyParts): number => {
    const staged = writes.get(key);
    if (staged === undefined) return documents.get(at)?.version ?? 0;
    return staged.write.value === null ? 0 : staged.version;
  };
  const headOf = (part: string): Head =>
    heads.get(part) ?? { sequence: documents.sequence(part), usage: documents.usage(part) };
  const usageAfter = (usage: Usage, added: readonly Write[]): Usage => {
    const after = newTally(usage);
    for (const { key, at, bytes } of added)
      tally(after, at, (writes.get(key)?.write ?? documents.get(at))?.bytes ?? 0, bytes);
    return after;
  };
  const add = (write: Write, version: number, place: string): void => {
    const line = open.lines.add(`${place} ${writeBody(version, write.key, write.value)}`);
    const staged: Staged = { write, version, offset: line.offset, length: line.length };
    open.staged.push(staged);
    writes.set(write.key, staged);
  };
  const move = (part: string, head: Head): void => {
    heads.set(part, head);
    open.heads.set(part, head);
  };
  return {
    stage({ part, writes: added, checks, quota }) {
      for (const { key, at, version } of checks)
        if (versionOf(key, at) !== version) return { ok: false, conflict: key };
      const { sequence, usage: full } = headOf(part);
      const [first] = added;
      if (first === undefined) return { ok: true, version: sequence };
      const usage = usageAfter(full, added);
      if (exceeds(full, usage, quota)) return { ok: false, conflict: first.key, full };
      const version = sequence + 1;
      added.forEach((write, i) => add(write, version, `${i + 1}/${added.length}`));
      move(part, { sequence: version, usage });
      return { ok: true, version };
    },
    stageLoad(part, docs) {
      let { sequence, usage } = headOf(part);
      for (const { key, at, version, value, bytes } of docs) {
        if (versionOf(key, at) >= version) continue;
        const write = { key, at, value, bytes };
        usage = usageAfter(usage, [write]);
        // Each is a commit of its own: a load that was cut short is repeated, and documents of one version may be far apart.
        add(write, version, "1/1");
        sequence = Math.max(sequence, version);
      }
      move(part, { sequence, usage });
    },
    ahead(key) {
      const staged = writes.get(key);
      if (staged === undefined) return undefined;
      const { version, write } = staged;
      return write.value === null ? null : { key, version, value: write.value };
    },
    close(start) {
      const { lines } = closed;
      closed = open;
      open = empty(lines);
      closed.lines.replaceFirst(syncBody(start));
      return closed.lines.bytes();
    },
    publish(segment, start) {
      for (const staged of closed.staged) {
        if (writes.get(staged.write.key) === staged) writes.delete(staged.write.key);
        publishWrite({ documents, cache, segment, start }, staged);
      }
      for (const [part, head] of closed.heads) {
        documents.advance(part, head.sequence);
        if (heads.get(part) === head) heads.delete(part);
      }
    },
    drop() {
      // A version that was shown ahead must not become that of other content: a check of it would pass.
      for (const [part, { sequence }] of heads) documents.advance(part, sequence);
      writes.clear();
      heads.clear();
      open = empty(open.lines);
    },
    isEmpty: () => open.staged.length === 0,
  };
}

/** Puts a write that is durable into the directory. */
function publishWrite(
  on: {
    readonly documents: Documents<Entry>;
    readonly cache: ValueCache;
    readonly segment: Segment;
    readonly start: number;
  },
  { write: { at, value, bytes }, version, offset, length }: Staged,
): void {
  const { documents, cache, segment, start } = on;
  let before: Entry | undefined;
  if (value === null) {
    before = documents.remove(at);
    segment.removalBytes += length;
  } else {
    const entry = toEntry({ version, segment, offset: start + offset, length, bytes });
    before = documents.set(at, entry);
    segment.liveBytes += length;
    if (!isIndex(at)) cache.keep(entry, value);
  }
  if (before === undefined) return;
  forget(before);
  cache.drop(before);
}

/** Index entries are followed, never read: they would only push documents out of the cache. */
const isIndex = ({ coll }: KeyParts): boolean => coll.startsWith("ix.");
