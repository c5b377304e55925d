import { heldFiles, heldPath } from "../core/contents.ts";
import type { FileStore } from "../core/ports.ts";
import type { Key } from "../storage/contract.ts";
import { heldKeys } from "../storage/files/held.ts";
import type { Deps } from "./deps.ts";

export interface StoredFiles {
  /** Documents that represent files. */
  readonly count: number;
  /** Files that are in use and not there. */
  readonly missing: readonly string[];
  /** Files of this store's partitions that no document refers to. */
  readonly strays: readonly string[];
}

/** Compares the documents that represent files with the file store. Uploads may go on: neither what is just stored nor what is just deleted is in the result. */
export async function compareFiles(
  { loadEngines, runTx, store }: Pick<Deps, "loadEngines" | "runTx" | "store">,
  files: FileStore | undefined,
): Promise<StoredFiles> {
  // What is a file of an engine that is not loaded would look like one that no document refers to.
  await loadEngines();
  const parts = new Set(await store.partitions());
  const heldNow = async () => {
    const keys: Key[][] = [];
    for (const part of parts) keys.push(await heldKeys(store, part));
    return keys.flat();
  };
  const before = heldFiles(await heldNow());
  const listed = new Set(await files?.list());
  // A document is stored before its file, and removed after it.
  const after = new Set((await heldNow()).map(heldPath));
  const isThere = async (path: string): Promise<boolean> => (await files?.has(path)) === true;
  const missing: string[] = [];
  for (const { id, isUsed, part, path } of before) {
    if (listed.has(path) || !after.has(path) || (await isThere(path))) continue;
    if (await runTx(part, (tx) => isUsed(tx, id))) missing.push(path);
  }
  const strays: string[] = [];
  for (const path of listed) {
    const isOwn = parts.has(path.slice(0, path.indexOf("/")));
    if (isOwn && !after.has(path) && (await isThere(path))) strays.push(path);
  }
  return { count: before.length, missing, strays };
}
