import { createHash } from "node:crypto";
import { mkdir, readdir, writeFile } from "node:fs/promises";

import { StoreError } from "./contract.ts";
import type { Doc, Key, StoreDriver } from "./contract.ts";
import { splitKey } from "./keys.ts";
import { eachDocOfStore } from "./walk.ts";

export interface StoreInfo {
  readonly driver: string;
  readonly documents: number;
  readonly partitions: readonly {
    readonly name: string;
    readonly documents: number;
    readonly collections: readonly { readonly name: string; readonly count: number }[];
  }[];
  readonly stats: Readonly<Record<string, number>>;
}

/** What a store holds, by partition and collection, and the driver's own numbers. */
export async function storeInfo(store: StoreDriver): Promise<StoreInfo> {
  const names = await store.partitions();
  const partitions = await Promise.all(
    names.map(async (name) => {
      const collections = await store.collections(name);
      return { name, documents: sum(collections.map(({ count }) => count)), collections };
    }),
  );
  return {
    driver: store.name ?? "unknown",
    documents: sum(partitions.map(({ documents }) => documents)),
    partitions,
    stats: await store.stats(),
  };
}

export interface Verification {
  readonly documents: number;
  /** Total of problems; `problems` names the first `PROBLEMS_MAX`. */
  readonly problemCount: number;
  readonly problems: readonly { readonly key: Key; readonly problem: string }[];
}

export const PROBLEMS_MAX = 1000;

/**
 * Reads every document: each must be JSON, and each index entry (`ix.<coll>.<index>`, id ending in `~<id>`) must point to
 * a document of its collection. On fs this also checks every checksum again. Run it while nothing is written.
 */
export async function verifyStore(store: StoreDriver): Promise<Verification> {
  const problems: { key: Key; problem: string }[] = [];
  let documents = 0;
  let problemCount = 0;
  for await (const doc of eachDocOfStore(store)) {
    documents++;
    const problem = isJson(doc.value) ? await findDangling(store, doc.key) : "is not JSON";
    if (problem === null) continue;
    problemCount++;
    if (problems.length < PROBLEMS_MAX) problems.push({ key: doc.key, problem });
  }
  return { documents, problemCount, problems };
}

/** Takes text in pieces; awaited, so that a slow receiver holds the export back. */
export type Sink = (text: string) => void | Promise<void>;

export const EXPORT_FORMAT = 1;

/**
 * Writes the store as NDJSON: a header (format, driver, the version each partition has reached), a line `{k, v, d}` for every
 * document, ordered by partition, collection and id, and a trailer with their count and the SHA-256 of these lines.
 * The text of a document is passed on as it is stored. Returns the trailer.
 */
export async function exportNdjson(
  store: StoreDriver,
  sink: Sink,
): Promise<{ readonly count: number; readonly sha256: string }> {
  const versions: Record<string, number> = {};
  for (const part of await store.partitions()) {
    const result = await store.commit(part, []);
    if (result.ok) versions[part] = result.version;
  }
  await sink(`${JSON.stringify({ format: EXPORT_FORMAT, driver: store.name, versions })}\n`);
  const hash = createHash("sha256");
  let count = 0;
  for await (const { key, version, value } of eachDocOfStore(store)) {
    const line = `{"k":"${key}","v":${version},"d":${value}}\n`;
    hash.update(line);
    await sink(line);
    count++;
  }
  const trailer = { count, sha256: hash.digest("hex") };
  await sink(`${JSON.stringify(trailer)}\n`);
  return trailer;
}

const FILES_AT_ONCE = 32;

/**
 * Writes one file `<part>/<coll>/<id>.json` a document, for people and other tools, readable by this user only.
 * Throws StoreError INVALID when the folder holds anything. Returns how many files it wrote.
 */
export async function exportFiles(store: StoreDriver, dir: string): Promise<number> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  if ((await readdir(dir)).length > 0) throw new StoreError("INVALID", `${dir} is not empty`);
  const made = new Set<string>();
  let waiting: Doc[] = [];
  let count = 0;
  const flush = async (): Promise<void> => {
    await Promise.all(waiting.map((doc) => writeDocument(dir, doc, made)));
    count += waiting.length;
    waiting = [];
  };
  for await (const doc of eachDocOfStore(store)) {
    waiting.push(doc);
    if (waiting.length === FILES_AT_ONCE) await flush();
  }
  await flush();
  return count;
}

async function writeDocument(dir: string, { key, value }: Doc, made: Set<string>): Promise<void> {
  const { part, coll, id } = splitKey(key);
  const folder = `${dir}/${part}/${coll}`;
  if (!made.has(folder)) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    made.add(folder);
  }
  // "wx": on a file system that ignores case, two ids may ask for one name; that must not pass in silence.
  await writeFile(`${folder}/${id}.json`, `${value}\n`, { mode: 0o600, flag: "wx" });
}

/** Says what is wrong with an index entry that points nowhere; null for anything else. */
async function findDangling(store: StoreDriver, key: Key): Promise<string | null> {
  const { part, coll, id } = splitKey(key);
  const base = /^ix\.(.+)\.[^.]+$/.exec(coll)?.[1];
  const at = id.lastIndexOf("~");
  if (base === undefined || at < 0 || at === id.length - 1) return null;
  const target: Key = `${part}:${base}:${id.slice(at + 1)}`;
  return (await store.get(target)) === null ? `points to ${target}, which is not there` : null;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
