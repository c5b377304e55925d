import type { Driver } from "unstorage";

/**
 * The storage contract: ordered documents in partitions, one atomic commit per effect.
 * Every driver gives the same answers (test/storage/conformance.ts holds them to it).
 *
 * A key is `part:coll:id`. Grammar, checked for every driver by `assertKey`:
 * part `[a-z0-9_]{1,40}`, coll `[a-z0-9._]{1,60}`, id `[A-Za-z0-9_.~@-]{1,128}` (neither `.` nor `..`).
 * User text never enters a key: only our ids, hashes and enum values.
 */
export type Key = `${string}:${string}:${string}`;

/** Partition sequence of the commit that wrote a document; 0 stands for "must not exist". */
export type Version = number;

export interface Doc {
  readonly key: Key;
  readonly version: Version;
  /** JSON text exactly as it was put; never parsed or re-typed by a driver. */
  readonly value: string;
}

/** A value is one line of well-formed Unicode, as `JSON.stringify` writes it: a line feed is refused. */
export type Op = { readonly put: Key; readonly value: string } | { readonly del: Key };

export interface Check {
  readonly key: Key;
  readonly version: Version;
}

export type CommitResult =
  | { readonly ok: true; readonly version: Version }
  /** `full` only where the commit had a quota, and would have exceeded it: what is stored now. `conflict` is its first key then. */
  | { readonly ok: false; readonly conflict: Key; readonly full?: Usage };

/**
 * End of the names of collections whose documents represent files that are stored elsewhere: an id is the file's, a dot and
 * the bytes of the file, which count as bytes of the document. So the same step that counts documents counts files.
 */
export const HELD_SUFFIX = ".held";

/** What a partition holds. Bytes are those of keys and values in UTF-8; an index entry counts as a fixed size (see usage.ts). */
export interface Usage {
  readonly documents: number;
  readonly bytes: number;
  /** Of what the platform stores for its own work: replies for repeated requests, outgoing mail and events, logs. */
  readonly systemBytes: number;
}

/** The most that a partition may hold; Infinity for no limit. */
export type Quota = Usage;

export interface PageOptions {
  /** Return ids strictly greater than this one (ascending byte order). */
  readonly after?: string;
  /** Only ids that begin with this text. */
  readonly prefix?: string;
  readonly limit: number;
  /** The page may end early, with the document after which it has about this many bytes. */
  readonly bytes?: number;
  /**
   * Treat the collection as an index: an entry's id ends in `~<document id>`, and the page returns
   * the documents of this collection that the entries point at, in entry order.
   */
  readonly of?: string;
}

export interface Page {
  readonly items: readonly Doc[];
  /** Id (of the entry, when `of` is used) to pass as `after` for the next page; absent on the last page. */
  readonly next?: string;
}

export interface RateResult {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Epoch milliseconds at which the window ends. */
  readonly resetAtMs: number;
}

export type StoreErrorCode =
  | "UNAVAILABLE"
  /** The commit may or may not have happened; the client repeats with its Idempotency-Key. */
  | "UNKNOWN_OUTCOME"
  | "FULL"
  | "CORRUPT"
  | "LOCKED"
  /** Another store is where the one was that this process opened. */
  | "REPLACED"
  | "INVALID";

/** The only error a driver throws. `message` is for the operator's log, never for an API answer. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;
  readonly retryable: boolean;
  constructor(code: StoreErrorCode, message: string, options: { cause?: unknown; retryable?: boolean } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "StoreError";
    this.code = code;
    this.retryable =
      options.retryable ?? (code === "UNAVAILABLE" || code === "UNKNOWN_OUTCOME" || code === "FULL");
  }
}

/** Which store this is, whatever its address. */
export interface StoreIdentity {
  /** Random, written when the store was created; null where it could not be written. */
  readonly id: string | null;
  /** An operator accepts this store in the place of another one. */
  readonly adopted: boolean;
}

export interface StoreDriver extends Driver {
  readonly caps: {
    readonly nodes: "one" | "many";
    readonly exactLimits: boolean;
    /** Milliseconds that jobs leave between two looks through every partition, where each look is charged for. */
    readonly pollFloorMs?: number;
  };
  get(key: Key): Promise<Doc | null>;
  /** Same order as `keys`; null where there is no document. */
  getMany(keys: readonly Key[]): Promise<(Doc | null)[]>;
  /** Ascending bytes of the id; costs what the page costs, not what the collection costs. */
  page(part: string, coll: string, options: PageOptions): Promise<Page>;
  /**
   * All or nothing inside one partition: every check holds (document at that version, 0 = absent) and every
   * op is applied with one new version, or nothing happens. Resolves only when the result is durable.
   * At most `COMMIT_OPS_MAX` ops and `COMMIT_BYTES_MAX` bytes. Empty `ops` only evaluates the checks.
   * With a quota, a commit that adds to what the partition holds is refused where the sum exceeds it: exact, over all nodes.
   * `onStaged` is called when the commit is decided and only waits to be durable: `ahead` has its documents from then on.
   */
  commit(
    part: string,
    ops: readonly Op[],
    checks?: readonly Check[],
    quota?: Quota,
    onStaged?: () => void,
  ): Promise<CommitResult>;
  /**
   * A document as it will be when the commits that wait are durable; undefined where none of them changes it. A later commit
   * that checks its version happens only if they do, and an empty one is answered after them. Absent where no commit waits.
   */
  ahead?(key: Key): Doc | null | undefined;
  /** What a partition holds, as every commit so far left it. */
  usage(part: string): Promise<Usage>;
  /**
   * Atomic fixed window anchored at the counter's first use. Takes `amount` (default: 1) where the window has as much left; a
   * refused call does not count. A negative amount gives back, down to 0.
   */
  take(counter: string, limit: number, windowMs: number, amount?: number): Promise<RateResult>;
  /**
   * Takes from a counter if every check holds, in one step: an authenticated request then costs one call. Null, and nothing
   * is counted, when a document has another version. Absent where it would save nothing.
   */
  takeIf?(
    checks: readonly Check[],
    counter: string,
    limit: number,
    windowMs: number,
    amount?: number,
  ): Promise<RateResult | null>;
  /** Reads a counter's current window without counting; null when none is open. */
  peek(counter: string): Promise<{ readonly count: number; readonly resetAtMs: number } | null>;
  /** Forgets a counter's window. */
  resetCounter(counter: string): Promise<void>;
  /** Every partition that holds at least one document, ascending. */
  partitions(): Promise<string[]>;
  /** Every collection of a partition with its document count, ascending by name. */
  collections(part: string): Promise<{ readonly name: string; readonly count: number }[]>;
  /** Throws a StoreError when the store cannot serve writes now. */
  ping(): Promise<void>;
  stats(): Promise<Readonly<Record<string, number>>>;
  /**
   * Where a driver keeps the order of a collection next to its documents: the differences, repaired with `fix` from the
   * documents say. Absent where nothing is kept twice.
   */
  relist?(part: string, coll: string, fix: boolean): AsyncIterable<Misplaced>;
  /**
   * Where a driver keeps the usage of a partition next to its documents: whether it differs from them, corrected with `fix`.
   * Absent where it is computed from the documents at each start.
   */
  recount?(part: string, fix: boolean): Promise<boolean>;
  /**
   * Rewrites the store so that it holds the current documents only: erased data is removed from the disk. Absent where
   * nothing stays behind.
   */
  compact?(): Promise<{ readonly bytesBefore: number; readonly bytesAfter: number }>;
  /**
   * Every document of a partition as one commit left it, while writers go on: what backups and migrations copy.
   * In no order; a store that cannot hold a moment still throws UNAVAILABLE rather than give a mixture.
   */
  snapshot(part: string): AsyncIterable<Doc>;
  /**
   * Writes documents of one partition at the versions they carry, for a restore or a migration into a store that serves
   * one yet. Repeating it changes nothing; every later commit gets a higher version than all of them.
   */
  load(part: string, docs: readonly Doc[]): Promise<void>;
  /** How the processes that serve this store reach each other; absent where it is served by one process. */
  readonly relay?: Relay;
  /** Reads it from the store, not from memory. A store that was emptied has none: `id` is null. */
  identity(): Promise<StoreIdentity>;
  /** Lets nodes that served another store at this address serve this one. */
  adopt(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a driver of the operator's own: reading a configuration need not connect to anything. */
export type OpenDriver = (context: {
  readonly clock: { now(): number };
}) => StoreDriver | Promise<StoreDriver>;

/** `storage.driver` of a configuration, where it is code. */
export type CustomDriver = StoreDriver | { readonly name: string; readonly open: OpenDriver };

/** By its methods: it may come from another copy of this package. */
export const isStoreDriver = (value: unknown): value is StoreDriver =>
  typeof value === "object" &&
  value !== null &&
  ["get", "getMany", "page", "commit", "usage", "take", "snapshot", "load", "identity", "close"].every(
    (name) => typeof Reflect.get(value, name) === "function",
  );

/** Publishes messages to the current subscribers, at most once; nothing is stored. */
export interface Relay {
  publish(channel: string, text: string): Promise<void>;
  /** Resolves when everything published to the channels from now on is heard; what it returns ends it. */
  subscribe(channels: readonly string[], hear: (text: string) => void): Promise<() => void>;
}

/** A document that a driver lists wrongly; of the whole collection where `id` is null. */
export interface Misplaced {
  readonly id: string | null;
  readonly problem: string;
  readonly fixed: boolean;
}

export const COMMIT_OPS_MAX = 200;
export const COMMIT_CHECKS_MAX = 1000;
export const COMMIT_BYTES_MAX = 1_048_576;
export const DOC_BYTES_MAX = 262_144;
/** Documents or index entries that one `page` call may ask for. */
export const PAGE_LIMIT_MAX = 1000;
