import { COMMIT_OPS_MAX } from "../storage/contract.ts";
import type { Check, CommitResult, Doc, Key, Op, Quota, StoreDriver } from "../storage/contract.ts";

import type { Collection } from "./collection.ts";
import type { CursorCodec } from "./cursor.ts";
import { fail } from "../lib/errors.ts";
import { createEarlyReads } from "./early-reads.ts";
import { emitted } from "./events.ts";
import type { DomainEvent } from "./events.ts";
import { meterReads } from "./read-turns.ts";
import { quotaExceeded } from "./quota.ts";
import { collectAll, countEntries, isPlainId, readPage } from "./read-page.ts";
import type { CountQuery, PageQuery, PageReader } from "./read-page.ts";
import { checkAtCommit, emptyState, requireFits, stageRemoval, stageValue } from "./staging.ts";
import type { TxState } from "./staging.ts";
import { readFilter, stageEvents } from "./stage-events.ts";
import { toStored } from "./stored.ts";
import type { Stored, StoredPage } from "./stored.ts";

export type { PageQuery } from "./read-page.ts";
export type { Stored, StoredPage } from "./stored.ts";

/**
 * One effect on one partition: reads, then one commit. Every document that was read through `get`, replaced or removed is
 * checked at the commit, so a decision never rests on a document that changed meanwhile; `runTx` then runs it again.
 * Therefore everything is read inside of the run. `peekPage`, `peekCount` and `peekAll` read the committed state, and what
 * they return is checked only where it is replaced or removed: a limit is decided with `requireRoom` (room.ts).
 */
export interface Tx {
  readonly part: string;
  /** The customer that the request counts for; absent in jobs. */
  readonly customerId?: string | undefined;
  /** Aborts when the client is gone: its queued work is dropped. */
  readonly signal?: (() => AbortSignal) | undefined;
  /** Hash of the address of the internet of the visitor who hands something in. */
  readonly visitor?: string | undefined;
  /** The document, or null; sees writes staged here. */
  get<T extends { id: string }>(collection: Collection<T>, id: string): Promise<Stored<T> | null>;
  /** The documents of these ids in one read, in their order. */
  getAll<T extends { id: string }>(
    collection: Collection<T>,
    ids: readonly string[],
  ): Promise<(Stored<T> | null)[]>;
  /** Documents of several collections in one read, in their order. */
  getEach<T extends readonly { id: string }[]>(
    ...wanted: { readonly [K in keyof T]: readonly [collection: Collection<T[K]>, id: string] }
  ): Promise<{ [K in keyof T]: Stored<T[K]> | null }>;
  /** Takes a document that a page returned as if it had been read by `get`: it is checked at the commit. */
  adopt<T extends { id: string }>(collection: Collection<T>, read: Stored<T>): void;
  /** Number of operations that still fit into the commit. */
  room(): number;
  /** The document, or 404. */
  require<T extends { id: string }>(collection: Collection<T>, id: string): Promise<Stored<T>>;
  /** One page in index order. Not checked at the commit; writes staged here are not in it. */
  peekPage<T>(collection: Collection<T>, query: PageQuery): Promise<StoredPage<T>>;
  /** How many documents an index lists, up to `max`, at least 1. As `peekPage`, but reads none of them. */
  peekCount<T>(collection: Collection<T>, query: CountQuery): Promise<number>;
  /** Every document of a small collection (at most `LIMITS.allMax`), in index order. Not checked at the commit. */
  peekAll<T>(collection: Collection<T>, query?: { index?: string; value?: string }): Promise<Stored<T>[]>;
  /** Stages a new document; the commit fails over to a re-run if the id exists by then. */
  create<T extends { id: string }>(collection: Collection<T>, value: NoInfer<T>): Stored<T>;
  /** Stages the next value of a document read or created here; the commit checks the version of `before`. */
  put<T extends { id: string }>(
    collection: Collection<T>,
    before: Stored<NoInfer<T>>,
    value: NoInfer<T>,
  ): Stored<T>;
  /** Stages the first or the next value of a document: `create` where `before` is null, else `put`. */
  save<T extends { id: string }>(
    collection: Collection<T>,
    before: Stored<NoInfer<T>> | null,
    value: NoInfer<T>,
  ): Stored<T>;
  remove<T extends { id: string }>(collection: Collection<T>, before: Stored<T>): void;
  /** Records that something happened; stored in the same commit when its type is subscribed to. */
  emit(event: DomainEvent): void;
  /** Stages raw operations (mail, audit), which travel in the same commit. */
  stage(ops: readonly Op[], checks?: readonly Check[]): void;
}

export interface TxDeps {
  readonly store: Pick<StoreDriver, "get" | "getMany" | "page" | "commit" | "ahead">;
  readonly cursors: CursorCodec;
  /** How long a run is repeated that loses its races. */
  readonly retryMs?: number;
  /** Called after a commit that holds events with subscribers. */
  readonly onEvents?: (part: string) => void;
  /** Asked before each commit; what it throws ends the transaction with nothing written. */
  readonly admit?: (part: string, ops: readonly Op[]) => Promise<void>;
  /** Asked before the reads of a transaction that reads much: a promise to wait for before going on. */
  readonly giveWay?: (part: string) => Promise<void> | undefined;
  /** The quota of a partition, asked before each commit; `refresh` after a refusal, since it may have been raised. */
  readonly quotaOf?: (part: string, refresh: boolean) => Promise<Quota | undefined>;
}

export interface TxOptions {
  /** It deletes: a full quota does not refuse it. */
  readonly frees?: boolean;
  /** It stores what a visitor of a shop hands in, who cannot fill all of the quota; `visitor`: as `Tx.visitor`. */
  readonly visits?: { readonly visitor: Tx["visitor"] } | undefined;
  /**
   * It mostly writes: it reads what others have committed before that is durable, and its outcome, also a refusal, waits until all
   * that it read is.
   */
  readonly writes?: boolean;
  readonly customerId?: Tx["customerId"];
  /** Whose places it takes where it reads much (read-turns.ts). Default: those of the partition, which are those of its jobs. */
  readonly readsAs?: string | undefined;
  readonly signal?: Tx["signal"];
}

export type TxParts = TxDeps & PageReader;

/** Most transactions read less, and are not asked to wait. */
const READS_AT_ONCE = 16;

interface Staged {
  readonly tx: Tx;
  /** True when something is staged. */
  readonly isDirty: () => boolean;
  /** Keys of the documents that it read and that are checked at the commit. */
  readonly reads: () => Key[];
  /** Commits what is staged; null when all went well, else the key that lost a race. See `StoreDriver.commit` for `onStaged`. */
  readonly commit: (onStaged?: () => void, filter?: Promise<Doc | null>) => Promise<Key | null>;
  /** True when it has read what was not durable then. */
  readonly isAhead: () => boolean;
  /** Waits until that is durable; null when it is, else the key of a document that did not become so. */
  readonly settle: () => Promise<Key | null>;
  readonly planned: () => PlannedCommit;
  /** Called when this run is over, committed or not. */
  readonly end: () => void;
}

/** What a transaction would commit. */
export interface PlannedCommit {
  readonly ops: readonly Op[];
  readonly checks: readonly Check[];
  readonly events: readonly DomainEvent[];
}

/** For whom a transaction runs. */
export type Caller = Pick<Tx, "part" | "customerId" | "signal" | "visitor"> & Pick<TxOptions, "readsAs">;

const keyOf = (part: string, collection: { name: string }, id: string): Key =>
  `${part}:${collection.name}:${id}`;

/** Opens a transaction on a partition. Use `runTx`, which commits and re-runs. With `ahead` it reads what is not durable yet. */
export function openTx(
  deps: TxParts,
  { part, customerId, readsAs = part, signal, visitor }: Caller,
  ahead?: StoreDriver["ahead"],
): Staged {
  // Made when something is looked up by id or staged: a list needs none of it.
  let opened: TxState | null = null;
  const open = (): TxState => (opened ??= emptyState());
  const early = createEarlyReads(deps.store, part, ahead);
  const { store, end } = meterReads(deps.store, { key: readsAs, signal });
  const reader: PageReader = { store, cursors: deps.cursors, signed: deps.signed };
  /** Pages are of what is durable: what was read before must be in them, and nothing may be read ahead of them. */
  function peek<R>(read: () => Promise<R>): Promise<R> {
    early.end();
    // Where it did not become durable, the end of the run notices.
    return early.isUsed() ? early.settle().then(read) : read();
  }
  const page = <T>(collection: Collection<T>, query: PageQuery): Promise<StoredPage<T>> =>
    peek(() => readPage(reader, part, collection, query));

  /** A document that was read, or what is staged in its place here or by others. */
  const take = <T>(collection: Collection<T>, key: Key, durable: Doc | null): Stored<T> | null => {
    const staged = early.look(key);
    const doc = staged === undefined ? durable : staged;
    const { read, overlay } = open();
    // Read twice with a change between: keep the first version, so that the commit notices.
    if (!read.has(key)) read.set(key, doc?.version ?? 0);
    const own = overlay.get(key);
    // The overlay is filled per collection and key, so what is under a key is of that collection's type.
    if (own !== undefined) return own as Stored<T> | null;
    return doc === null ? null : toStored(collection, doc);
  };

  async function get<T extends { id: string }>(
    collection: Collection<T>,
    id: string,
  ): Promise<Stored<T> | null> {
    const key = keyOf(part, collection, id);
    const { read, overlay } = open();
    // As in `take`.
    if (overlay.has(key)) return (overlay.get(key) ?? null) as Stored<T> | null;
    // It was not there before: the commit checks that it still is not.
    if (!isPlainId(id) || read.get(key) === 0) return null;
    if (read.size >= READS_AT_ONCE) await deps.giveWay?.(part);
    return take(collection, key, await store.get(key));
  }

  async function getAll<T extends { id: string }>(
    collection: Collection<T>,
    ids: readonly string[],
  ): Promise<(Stored<T> | null)[]> {
    // As in `get`: nothing is stored under the others.
    const keys = ids.filter(isPlainId).map((id) => keyOf(part, collection, id));
    const docs = (await store.getMany(keys)).values();
    return ids.map((id) =>
      isPlainId(id) ? take(collection, keyOf(part, collection, id), docs.next().value ?? null) : null,
    );
  }

  async function getEach(
    ...wanted: readonly (readonly [collection: Collection<{ id: string }>, id: string])[]
  ): Promise<(Stored<{ id: string }> | null)[]> {
    const places = wanted.map(([collection, id]) => ({ collection, key: keyOf(part, collection, id) }));
    const docs = await store.getMany(places.map(({ key }) => key));
    return places.map(({ collection, key }, index) => take(collection, key, docs[index] ?? null));
  }

  const tx: Tx = {
    part,
    customerId,
    signal,
    visitor,
    get,
    getAll,
    // What is wanted of a collection is of its type.
    getEach: getEach as Tx["getEach"],
    adopt(collection, read) {
      const key = keyOf(part, collection, read.id);
      const state = open();
      checkAtCommit(state, key, read.version);
      if (!state.overlay.has(key)) state.overlay.set(key, read);
    },
    room: () => COMMIT_OPS_MAX - open().writes.size,
    peekPage: page,
    peekCount: (collection, query) => peek(() => countEntries(reader, part, collection, query)),
    async require(collection, id) {
      const found = await get(collection, id);
      if (found === null) throw fail("not_found", "No resource with this id.");
      return found;
    },
    peekAll: (collection, query = {}) => collectAll(part, collection, query, page),
    ...createWrites(part, open),
  };
  return {
    tx,
    end,
    isDirty: () => opened !== null && opened.writes.size + opened.events.length > 0,
    reads: () => [...open().read.keys()],
    commit: (onStaged, filter) => commitState(deps, open(), { part, onStaged, filter }),
    isAhead: early.isUsed,
    settle: early.settle,
    planned: () => ({ ...plannedOps(open()), events: open().events }),
  };
}

/** What stages; `open` makes the state when it is first needed. */
function createWrites(
  part: string,
  open: () => TxState,
): Pick<Tx, "create" | "put" | "save" | "remove" | "emit" | "stage"> {
  const writes: ReturnType<typeof createWrites> = {
    create(collection, value) {
      const state = open();
      checkAtCommit(state, keyOf(part, collection, value.id), 0);
      return stageValue(state, part, collection, { before: null, after: value });
    },
    put(collection, before, value) {
      const state = open();
      checkAtCommit(state, keyOf(part, collection, before.id), before.version);
      return stageValue(state, part, collection, { before: before.value, after: value });
    },
    save: (collection, before, value) =>
      before === null ? writes.create(collection, value) : writes.put(collection, before, value),
    remove(collection, before) {
      const state = open();
      checkAtCommit(state, keyOf(part, collection, before.id), before.version);
      stageRemoval(state, part, collection, before);
    },
    emit(event) {
      open().events.push(event);
      emitted.publish(event);
    },
    stage(ops, checks = []) {
      const state = open();
      for (const op of ops) state.writes.set("put" in op ? op.put : op.del, op);
      state.checks.push(...checks);
    },
  };
  return writes;
}

const plannedOps = ({ read, checks, writes }: TxState): Pick<PlannedCommit, "ops" | "checks"> => ({
  ops: [...writes.values()],
  checks: [...Array.from(read, ([key, version]) => ({ key, version })), ...checks],
});

export type RunTx = <R>(part: string, work: (tx: Tx) => Promise<R>, options?: TxOptions) => Promise<R>;

async function commitState(
  deps: TxDeps,
  state: TxState,
  {
    part,
    onStaged,
    filter,
  }: {
    readonly part: string;
    readonly onStaged: (() => void) | undefined;
    readonly filter: Promise<Doc | null> | undefined;
  },
): Promise<Key | null> {
  const isNews =
    state.events.length > 0 && stageEvents(state, part, await (filter ?? readFilter(deps.store, part)));
  const { ops, checks } = plannedOps(state);
  requireFits(ops, checks);
  await deps.admit?.(part, ops);
  const result = await commitWithin(deps, part, { ops, checks, onStaged });
  if (!result.ok) return result.conflict;
  for (const draft of state.drafts) draft.version = result.version;
  if (isNews) deps.onEvents?.(part);
  return null;
}

/** Commits within the quota of the partition; throws 409 where it is exceeded. */
async function commitWithin(
  { store, quotaOf }: TxDeps,
  part: string,
  {
    ops,
    checks,
    onStaged,
  }: {
    readonly ops: readonly Op[];
    readonly checks: readonly Check[];
    readonly onStaged: (() => void) | undefined;
  },
): Promise<CommitResult> {
  const result = await store.commit(part, ops, checks, await quotaOf?.(part, false), onStaged);
  if (result.ok || result.full === undefined) return result;
  // It may have been raised meanwhile.
  const quota = await quotaOf?.(part, true);
  const again = await store.commit(part, ops, checks, quota, onStaged);
  if (again.ok || again.full === undefined || quota === undefined) return again;
  throw quotaExceeded(again.full, quota);
}
