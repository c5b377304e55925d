import type { Clock } from "../core/clock.ts";
import { StoreError } from "./contract.ts";
import type { CommitResult, Doc, Key, StoreDriver, Version } from "./contract.ts";
import { createCounters, toMemoryReads } from "./counters.ts";
import { createDocuments } from "./documents.ts";
import type { Documents, Linked } from "./documents.ts";
import { assertPage, assertPart, parseCommit, parseLoad, splitKey } from "./keys.ts";
import type { ParsedCommit } from "./keys.ts";
import { toUnstorage } from "./unstorage.ts";
import { exceeds, newTally, tally } from "./usage.ts";

interface Entry extends Linked {
  readonly version: Version;
  readonly value: string;
}

const toDoc = (key: Key, { version, value }: Entry): Doc => ({ key, version, value });

/** A store that lives and dies with the process: tests and `dev --memory`. Same answers as every other driver. */
export function createMemoryDriver({ clock }: { clock: Clock }): StoreDriver {
  const documents = createDocuments<Entry>();
  const counters = createCounters(clock);
  let closed = false;
  const assertOpen = (): void => {
    if (closed) throw new StoreError("UNAVAILABLE", "the store has been closed", { retryable: false });
  };
  const find = (key: Key): Doc | null => {
    const entry = documents.get(splitKey(key));
    return entry === undefined ? null : toDoc(key, entry);
  };

  const store = {
    caps: { nodes: "one", exactLimits: true },
    // It exists as long as its process: it cannot be replaced.
    identity: async () => ({ id: "memory", adopted: true }),
    adopt: async () => undefined,
    async get(key) {
      assertOpen();
      return find(key);
    },
    async getMany(keys) {
      assertOpen();
      return keys.map(find);
    },
    async page(part, coll, options) {
      assertOpen();
      assertPage(part, coll, options);
      const { items, next } = documents.page(part, coll, options);
      const docs = items.map(({ key, entry }) => toDoc(key, entry));
      return next === undefined ? { items: docs } : { items: docs, next };
    },
    async commit(part, ops, checks = [], quota) {
      assertOpen();
      return apply(documents, parseCommit(part, ops, checks, quota));
    },
    ...toMemoryReads(documents, counters, assertOpen),
    async ping() {
      assertOpen();
    },
    async stats() {
      return { documents: documents.size, counters: counters.size };
    },
    async *snapshot(part) {
      assertOpen();
      assertPart(part);
      for (const { coll, ids, entries } of documents.copy(part)) {
        for (const [i, entry] of entries.entries()) {
          assertOpen();
          yield toDoc(`${part}:${coll}:${ids[i] ?? ""}`, entry);
        }
      }
    },
    async load(part, docs) {
      assertOpen();
      for (const { at, version, value, bytes } of parseLoad(part, docs)) {
        if ((documents.get(at)?.version ?? 0) >= version) continue;
        documents.set(at, { version, value, bytes, target: null, isGone: false });
        documents.advance(part, version);
      }
    },
    async close() {
      closed = true;
    },
  } satisfies Omit<StoreDriver, "hasItem" | "getKeys" | "getItem">;

  return { name: "memory", ...store, ...toUnstorage(store) };
}

function apply(documents: Documents<Entry>, { part, writes, checks, quota }: ParsedCommit): CommitResult {
  const lost = checks.find(({ at, version }) => (documents.get(at)?.version ?? 0) !== version);
  if (lost !== undefined) return { ok: false, conflict: lost.key };
  const [first] = writes;
  if (first === undefined) return { ok: true, version: documents.sequence(part) };
  const full = documents.usage(part);
  const after = newTally(full);
  for (const { at, bytes } of writes) tally(after, at, documents.get(at)?.bytes ?? 0, bytes);
  if (exceeds(full, after, quota)) return { ok: false, conflict: first.key, full };
  const version = documents.sequence(part) + 1;
  documents.advance(part, version);
  for (const { at, value, bytes } of writes) {
    if (value === null) documents.remove(at);
    else documents.set(at, { version, value, bytes, target: null, isGone: false });
  }
  return { ok: true, version };
}
