import { heldFiles } from "../core/contents.ts";
import type { FileStore } from "../core/ports.ts";
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
    const held = new Map<string, ReturnType<typeof heldFiles>[number]>();
    for (const part of parts)
      for (const one of heldFiles(await heldKeys(store, part))) held.set(one.path, one);
    return held;
  };
  const before = await heldNow();
  const listed = new Set(await files?.list());
  // A document is stored before its file, and removed after it.
  const after = await heldNow();
  const isThere = async (path: string): Promise<boolean> => (await files?.has(path)) === true;
  const missing: string[] = [];
  for (const { id, isUsed, part, path } of before.values()) {
    if (listed.has(path) || !after.has(path) || (await isThere(path))) continue;
    if (await runTx(part, (tx) => isUsed(tx, id))) missing.push(path);
  }
  const strays: string[] = [];
  for (const path of listed) {
    const isOwn = parts.has(path.slice(0, path.indexOf("/")));
    if (isOwn && !after.has(path) && (await isThere(path))) strays.push(path);
  }
  return { count: before.size, missing, strays };
}
