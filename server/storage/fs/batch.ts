import type { CommitResult, Usage } from "../contract.ts";
import type { Documents } from "../documents.ts";
import type { KeyParts, ParsedCommit, ParsedDoc, Write } from "../keys.ts";
import { exceeds, newTally, tally } from "../usage.ts";
import type { ValueCache } from "./cache.ts";
import { createLineBuffer, syncBody, writeBody } from "./line.ts";
import { forget, toEntry } from "./segment.ts";
import type { Entry, Segment } from "./segment.ts";

/** Commits that are written and synced together. */
export interface Batch {
  /** Evaluates a commit's checks against the state with the batch so far, and lays its writes out as lines. */
  stage(commit: ParsedCommit): CommitResult;
  /** Lays documents out at the versions they carry, but for those that are there at this version or a later one. */
  stageLoad(part: string, docs: readonly ParsedDoc[]): void;
  /** The lines of the batch, behind a sync line: when this is written, all before it is durable. */
  bytes(): Buffer;
  /** Shows the writes to readers; call it when they are durable in the segment from offset `start` on. */
  publish(segment: Segment, start: number): void;
  /** Empties the batch for the next one, which will begin at this offset of the tail. */
  begin(start: number): void;
  readonly isEmpty: boolean;
}

/** A write in the batch: the offset of its line from the batch's start. */
interface Staged {
  readonly write: Write;
  readonly version: number;
  readonly offset: number;
  readonly length: number;
}

export function createBatch(documents: Documents<Entry>, cache: ValueCache): Batch {
  const lines = createLineBuffer();
  let staged: Staged[] = [];
  // What the batch would change, seen by the commits behind it in the same batch.
  const versions = new Map<string, number>();
  const sequences = new Map<string, number>();
  const sizes = new Map<string, number>();
  const usages = new Map<string, Usage>();

  /** What a partition holds after these writes, the batch before them included. */
  const usageAfter = (usage: Usage, writes: readonly Write[]): Usage => {
    const after = newTally(usage);
    for (const { key, at, bytes } of writes)
      if (!isIndex(at)) tally(after, at, sizes.get(key) ?? documents.get(at)?.bytes ?? 0, bytes);
    return after;
  };
  const publishWrite = (
    { write, version, length, ...line }: Staged,
    segment: Segment,
    start: number,
  ): void => {
    const { at, value, bytes } = write;
    let before: Entry | undefined;
    if (value === null) {
      before = documents.remove(at);
      segment.removalBytes += length;
    } else {
      const entry = toEntry({ version, segment, offset: start + line.offset, length, bytes });
      before = documents.set(at, entry);
      segment.liveBytes += length;
      if (!isIndex(at)) cache.keep(entry, value);
    }
    if (before === undefined) return;
    forget(before);
    cache.drop(before);
  };

  return {
    begin(start) {
      lines.reset();
      lines.add(syncBody(start));
      staged = [];
      versions.clear();
      sequences.clear();
      sizes.clear();
      usages.clear();
    },
    stage({ part, writes, checks, quota }) {
      for (const { key, at, version } of checks) {
        const current = versions.get(key) ?? documents.get(at)?.version ?? 0;
        if (current !== version) return { ok: false, conflict: key };
      }
      const sequence = sequences.get(part) ?? documents.sequence(part);
      const [first] = writes;
      if (first === undefined) return { ok: true, version: sequence };
      const full = usages.get(part) ?? documents.usage(part);
      const after = usageAfter(full, writes);
      if (exceeds(full, after, quota)) return { ok: false, conflict: first.key, full };
      usages.set(part, after);
      const version = sequence + 1;
      sequences.set(part, version);
      writes.forEach((write, i) => {
        const line = lines.add(`${i + 1}/${writes.length} ${writeBody(version, write.key, write.value)}`);
        staged.push({ write, version, ...line });
        versions.set(write.key, write.value === null ? 0 : version);
        sizes.set(write.key, write.bytes);
      });
      return { ok: true, version };
    },
    stageLoad(part, docs) {
      let sequence = sequences.get(part) ?? documents.sequence(part);
      for (const { key, at, version, value, bytes } of docs) {
        if ((versions.get(key) ?? documents.get(at)?.version ?? 0) >= version) continue;
        // Each is a commit of its own: a load that was cut short is repeated, and documents of one version may be far apart.
        const line = lines.add(`1/1 ${writeBody(version, key, value)}`);
        const write = { key, at, value, bytes };
        usages.set(part, usageAfter(usages.get(part) ?? documents.usage(part), [write]));
        staged.push({ write, version, ...line });
        versions.set(key, version);
        sizes.set(key, bytes);
        sequence = Math.max(sequence, version);
      }
      sequences.set(part, sequence);
    },
    publish(segment, start) {
      for (const write of staged) publishWrite(write, segment, start);
      for (const [part, sequence] of sequences) documents.advance(part, sequence);
    },
    bytes: () => lines.bytes(),
    get isEmpty() {
      return staged.length === 0;
    },
  };
}

/** Index entries are followed, never read: they would only push documents out of the cache. */
const isIndex = ({ coll }: KeyParts): boolean => coll.startsWith("ix.");
