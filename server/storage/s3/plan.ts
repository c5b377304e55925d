import type { CommitResult, Version } from "../contract.ts";
import type { KeyParts, ParsedCommit } from "../keys.ts";
import type { Change } from "./head.ts";

/** Name of a document inside its partition. */
export const nameOf = ({ coll, id }: Pick<KeyParts, "coll" | "id">): string => `${coll}/${id}`;

export interface Plan {
  /** One for each commit, in their order. */
  readonly results: readonly CommitResult[];
  /** What all of them together write: the last change to each document. */
  readonly redo: readonly Change[];
  readonly seq: Version;
}

/**
 * Decides commits one after the other, each on what the ones before it leave, as if each had a head of its own.
 * `versionOf` tells the version of a document before the first of them, 0 for none.
 */
export function planBatch(
  batch: readonly ParsedCommit[],
  base: Version,
  versionOf: (name: string) => Version,
): Plan {
  const redo = new Map<string, Change>();
  let seq = base;
  const versionNow = (name: string): Version => {
    const change = redo.get(name);
    if (change === undefined) return versionOf(name);
    return change.value === null ? 0 : change.version;
  };
  const results = batch.map(({ writes, checks }): CommitResult => {
    const lost = checks.find(({ at, version }) => versionNow(nameOf(at)) !== version);
    if (lost !== undefined) return { ok: false, conflict: lost.key };
    if (writes.length > 0) seq++;
    for (const { at, value } of writes) {
      const name = nameOf(at);
      redo.set(name, { name, version: seq, value });
    }
    return { ok: true, version: seq };
  });
  return { results, redo: [...redo.values()], seq };
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
