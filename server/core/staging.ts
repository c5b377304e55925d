import { fail } from "../lib/errors.ts";
import { COMMIT_BYTES_MAX, COMMIT_CHECKS_MAX, COMMIT_OPS_MAX, DOC_BYTES_MAX } from "../storage/contract.ts";
import type { Check, Key, Op } from "../storage/contract.ts";
import { indexChanges, toMembers, toText } from "./collection.ts";
import type { Collection } from "./collection.ts";
import type { DomainEvent } from "./events.ts";
import type { Stored } from "./stored.ts";

/** What one run of a transaction has read and staged. */
export interface TxState {
  /** Versions of the documents that the commit checks; 0 = absent. */
  readonly read: Map<Key, number>;
  readonly writes: Map<Key, Op>;
  /** Staged values by key, so that `get` sees them; null = removed. */
  readonly overlay: Map<Key, Stored<unknown> | null>;
  readonly drafts: Stored<unknown>[];
  readonly checks: Check[];
  readonly events: DomainEvent[];
}

export const emptyState = (): TxState => ({
  read: new Map(),
  writes: new Map(),
  overlay: new Map(),
  drafts: [],
  checks: [],
  events: [],
});

/** Has the commit check the version of a document: of two that were read, the older, so that the change between is noticed. */
export function checkAtCommit({ read }: TxState, key: Key, version: number): void {
  const earlier = read.get(key);
  // A draft has version 0; what is under its key was read or created before.
  if (earlier === undefined || (version !== 0 && version < earlier)) read.set(key, version);
}

interface Change<T> {
  readonly before: T | null;
  readonly after: T | null;
}

export function stageValue<T extends { id: string }>(
  state: TxState,
  part: string,
  collection: Collection<T>,
  change: { before: T | null; after: T },
): Stored<T> {
  const value = collection.isComputed ? change.after : collection.schema.parse(change.after);
  const key: Key = `${part}:${collection.name}:${value.id}`;
  const text = toText(collection, value);
  // A character is at most three bytes: most documents need not be counted.
  if (text.length * 3 > DOC_BYTES_MAX) requireDocFits(Buffer.byteLength(text));
  const draft: Stored<T> = { id: value.id, version: 0, value, members: toMembers(collection, text) };
  state.writes.set(key, { put: key, value: text });
  state.overlay.set(key, draft);
  state.drafts.push(draft);
  stageIndexes(state, part, collection, { before: change.before, after: value });
  return draft;
}

/** Throws 413 for a document of at least so many bytes that no commit takes. Call it before a large one is checked and written. */
export function requireDocFits(bytes: number): void {
  if (bytes <= DOC_BYTES_MAX) return;
  throw fail("content_too_large", `The resource would exceed the limit of ${DOC_BYTES_MAX} bytes.`);
}

export function stageRemoval<T extends { id: string }>(
  state: TxState,
  part: string,
  collection: Collection<T>,
  before: Stored<T>,
): void {
  const key: Key = `${part}:${collection.name}:${before.id}`;
  state.writes.set(key, { del: key });
  state.overlay.set(key, null);
  stageIndexes(state, part, collection, { before: before.value, after: null });
}

/** Removes the entries that no longer hold and adds the new ones; those that stay are not written again. */
function stageIndexes<T extends { id: string }>(
  { writes }: TxState,
  part: string,
  collection: Collection<T>,
  { before, after }: Change<T>,
): void {
  const { gone, added } = indexChanges(collection, before, after);
  for (const [coll, id] of gone) {
    const key: Key = `${part}:${coll}:${id}`;
    writes.set(key, { del: key });
  }
  for (const [coll, id] of added) {
    const key: Key = `${part}:${coll}:${id}`;
    writes.set(key, { put: key, value: "1" });
  }
}

/** Throws 413 for what no commit takes: documents and index entries in number, and in bytes, and documents that it checks. */
export function requireFits(ops: readonly Op[], checks: readonly Check[]): void {
  if (checks.length > COMMIT_CHECKS_MAX) {
    const detail = `The change depends on ${checks.length} resources; a request can depend on ${COMMIT_CHECKS_MAX}.`;
    throw fail("content_too_large", `${detail} Split it into several requests.`);
  }
  if (ops.length > COMMIT_OPS_MAX) {
    const detail = `The change consists of ${ops.length} documents and index entries; a request can change ${COMMIT_OPS_MAX}.`;
    throw fail("content_too_large", `${detail} Split it into several requests.`);
  }
  const chars = ops.reduce(
    (all, op) => all + ("put" in op ? op.put.length + op.value.length : op.del.length),
    0,
  );
  // As for one document: a character is at most three bytes.
  if (chars * 3 <= COMMIT_BYTES_MAX) return;
  const bytes = ops.reduce(
    (all, op) => all + ("put" in op ? op.put.length + Buffer.byteLength(op.value) : op.del.length),
    0,
  );
  if (bytes <= COMMIT_BYTES_MAX) return;
  const detail = `The changed resources have ${bytes} bytes; a request can change ${COMMIT_BYTES_MAX}.`;
  throw fail("content_too_large", `${detail} Split it into several requests.`);
}
