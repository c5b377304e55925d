import { createHash } from "node:crypto";

import { BackupError, readBackup } from "./backup.ts";
import type { BackupHeader, BackupTrailer } from "./backup.ts";
import { COMMIT_OPS_MAX, StoreError } from "./contract.ts";
import type { Doc, Key, StoreDriver } from "./contract.ts";
import { createDigest, differences } from "./digest.ts";
import { parseLoad } from "./keys.ts";
import { parseJson } from "../lib/parse-json.ts";
import type { Difference, Digest } from "./digest.ts";
import { OWN_PART, STATE_COLL } from "./own.ts";

/** What began to fill a store: kept in it until it is done, so that no node serves half a store and it can be resumed. */
export interface Filling {
  readonly what: "restore" | "migration";
  /** Where the documents come from, for people. */
  readonly source: string;
  /** Only what has the same id may go on with it. */
  readonly id: string;
  /** RFC 3339. */
  readonly started_at: string;
}

const FILLING_KEY: Key = `${OWN_PART}:${STATE_COLL}:filling`;

/** What began to fill this store and did not finish, or null. */
export async function findUnfinished(store: Pick<StoreDriver, "get">): Promise<Filling | null> {
  const found = await store.get(FILLING_KEY);
  return found === null ? null : JSON.parse(found.value);
}

/** What a new store gets from a process that merely opened it: nothing that anybody would miss. */
const FROM_OPENING = new Set(["platform.meta", "jobs.state", "jobs.runs", "ix.jobs.runs.new"]);

/** How many documents a store holds whose loss would matter. */
export async function countKept(
  store: Pick<StoreDriver, "partitions" | "collections">,
): Promise<{ readonly documents: number; readonly kept: number }> {
  let documents = 0;
  let kept = 0;
  for (const part of (await store.partitions()).filter((name) => name !== OWN_PART)) {
    for (const { name, count } of await store.collections(part)) {
      documents += count;
      if (part !== "platform" || !FROM_OPENING.has(name)) kept += count;
    }
  }
  return { documents, kept };
}

/** Claims a store for a filling, or resumes one: from now on no node serves it until `endFilling`. */
export async function claimStore(store: Pick<StoreDriver, "commit">, filling: Filling): Promise<void> {
  await store.commit(OWN_PART, [{ put: FILLING_KEY, value: JSON.stringify(filling) }]);
}

/** Lets the store be served, also by nodes that served another one in its place: who filled it meant that. */
export async function endFilling(store: Pick<StoreDriver, "commit" | "adopt">): Promise<void> {
  await store.adopt();
  await store.commit(OWN_PART, [{ del: FILLING_KEY }]);
}

export interface FillOptions {
  readonly onHeader?: (header: BackupHeader) => void;
  /** Called after every group of documents; may throw to stop. */
  readonly onProgress?: (documents: number) => void;
}

export interface Filled {
  readonly header: BackupHeader;
  readonly trailer: BackupTrailer;
  /** Documents that had to be written; the others were there from an earlier attempt. */
  readonly written: number;
  /** Documents that were in the way. */
  readonly removed: number;
  /** What the store should hold. */
  readonly expected: Digest;
}

/**
 * Makes a store hold what a backup holds, at the same versions: what is there already is left alone, what is not in the
 * backup goes. Repeat it to go on after a failure. Throws BackupError when the backup turns out not to be whole.
 */
export async function fillStore(
  store: StoreDriver,
  backup: AsyncIterable<Uint8Array>,
  { onHeader, onProgress }: FillOptions = {},
): Promise<Filled> {
  const expected = createDigest();
  const before = new Set((await store.partitions()).filter((part) => part !== OWN_PART));
  let header: BackupHeader | null = null;
  let part: PartFilling | null = null;
  let written = 0;
  let removed = 0;
  const endPart = async (): Promise<void> => {
    removed += (await part?.end()) ?? 0;
    written += part?.written() ?? 0;
  };
  const trailer = await readBackup(backup, {
    header(found) {
      header = found;
      onHeader?.(found);
    },
    async docs(name, docs) {
      if (part?.name !== name) {
        await endPart();
        part = await fillPart(store, name, before.delete(name));
      }
      await part.add(docs);
      for (const doc of docs) expected.add(doc);
      onProgress?.(expected.count);
    },
  });
  await endPart();
  for (const name of before) removed += await (await fillPart(store, name, true)).end();
  if (header === null) throw new StoreError("CORRUPT", "a backup without a header");
  return { header, trailer, written, removed, expected };
}

/** Throws BackupError for documents that a store does not load, or could not read. */
export function assertLoadable(part: string, docs: readonly Doc[]): void {
  // What a store contains about itself is in no backup, and would not be replaced by the next one.
  if (part === OWN_PART) throw new BackupError(`it contains ${docs[0]?.key ?? part}, which is in no backup`);
  try {
    parseLoad(part, docs);
  } catch (cause) {
    throw new BackupError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
  const broken = docs.find(({ value }) => parseJson(value) === undefined);
  if (broken !== undefined) throw new BackupError(`${broken.key} is not JSON`);
}

interface PartFilling {
  readonly name: string;
  add(docs: readonly Doc[]): Promise<void>;
  /** Removes what was not in the backup; returns how many were removed in all. */
  end(): Promise<number>;
  written(): number;
}

/** One partition of a filling; `isHeld` is whether the store has documents there already. */
async function fillPart(store: StoreDriver, name: string, isHeld: boolean): Promise<PartFilling> {
  const held = new Map<Key, string>();
  if (isHeld) for await (const doc of store.snapshot(name)) held.set(doc.key, fingerprint(doc));
  let written = 0;
  let removed = 0;
  const remove = async (keys: readonly Key[]): Promise<void> => {
    for (let i = 0; i < keys.length; i += COMMIT_OPS_MAX) {
      const ops = keys.slice(i, i + COMMIT_OPS_MAX).map((del) => ({ del }));
      await store.commit(name, ops);
      removed += ops.length;
    }
  };
  return {
    name,
    async add(docs) {
      const missing = isHeld ? docs.filter((doc) => held.get(doc.key) !== fingerprint(doc)) : docs;
      // A load does not replace what has the same version or a later one.
      await remove(missing.flatMap(({ key }) => (held.has(key) ? key : [])));
      for (const { key } of docs) held.delete(key);
      if (missing.length > 0) await store.load(name, missing);
      written += missing.length;
    },
    async end() {
      await remove([...held.keys()]);
      return removed;
    },
    written: () => written,
  };
}

/** Distinguishes two documents of one key, in little memory: a store may hold a million. */
const fingerprint = ({ version, value }: Doc): string =>
  `${version} ${createHash("sha256").update(value).digest("base64").slice(0, 22)}`;

/** Reads a whole store once more and reports where it differs from what it should hold. */
export async function checkFilled(store: StoreDriver, expected: Digest): Promise<Difference[]> {
  const found = createDigest();
  for (const part of (await store.partitions()).filter((name) => name !== OWN_PART)) {
    for await (const doc of store.snapshot(part)) found.add(doc);
  }
  return differences(expected, found);
}
