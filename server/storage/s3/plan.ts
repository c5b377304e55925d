import type { CommitResult, Usage, Version } from "../contract.ts";
import type { KeyParts, ParsedCommit } from "../keys.ts";
import { exceeds, newTally, tally } from "../usage.ts";
import type { Change, Head } from "./head.ts";

/** Name of a document inside its partition. */
export const nameOf = ({ coll, id }: Pick<KeyParts, "coll" | "id">): string => `${coll}/${id}`;

export interface Plan {
  /** One for each commit, in their order. */
  readonly results: readonly CommitResult[];
  /** What all of them together write: the last change to each document. */
  readonly redo: readonly Change[];
  readonly seq: Version;
  readonly usage: Usage | null;
}

/** A document before a batch: version 0 and no bytes for none. */
export interface Before {
  readonly version: Version;
  /** Of key and value. */
  readonly bytes: number;
}

/** Decides commits one after the other, each on what the ones before it leave, as if each had a head of its own. */
export function planBatch(
  batch: readonly ParsedCommit[],
  base: Pick<Head, "seq" | "usage">,
  before: (name: string) => Before,
): Plan {
  const redo = new Map<string, Change>();
  const changed = new Map<string, Before>();
  let { seq, usage } = base;
  const now = (name: string): Before => changed.get(name) ?? before(name);
  const results = batch.map(({ writes, checks, quota }): CommitResult => {
    const lost = checks.find(({ at, version }) => now(nameOf(at)).version !== version);
    if (lost !== undefined) return { ok: false, conflict: lost.key };
    const [first] = writes;
    if (first === undefined) return { ok: true, version: seq };
    if (usage !== null) {
      const after = newTally(usage);
      for (const { at, bytes } of writes) tally(after, at, now(nameOf(at)).bytes, bytes);
      if (exceeds(usage, after, quota)) return { ok: false, conflict: first.key, full: usage };
      usage = after;
    }
    seq++;
    for (const { at, value, bytes } of writes) {
      const name = nameOf(at);
      redo.set(name, { name, version: seq, value });
      changed.set(name, { version: value === null ? 0 : seq, bytes });
    }
    return { ok: true, version: seq };
  });
  return { results, redo: [...redo.values()], seq, usage };
}

/** As many of the waiting commits as fit into one head, at least one. */
export function takeBatch<T extends { readonly commit: ParsedCommit }>(waiting: T[]): T[] {
  let bytes = 0;
  let writes = 0;
  let count = 0;
  for (const { commit } of waiting) {
    bytes += commit.bytes;
    writes += commit.writes.length;
    if (count > 0 && (bytes > BATCH_BYTES_MAX || writes > BATCH_WRITES_MAX)) break;
    count++;
  }
  return waiting.splice(0, count);
}

/** A head is read by every node after every batch, so it stays within what one commit may be anyway. */
const BATCH_BYTES_MAX = 1_048_576;
const BATCH_WRITES_MAX = 400;
