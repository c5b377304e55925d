import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { z } from "zod";

import type { LoadedConfig } from "../config/load.ts";
import type { StoreDriver } from "../storage/contract.ts";
import { describeStore } from "../storage/describe.ts";
import { replaced } from "../storage/identity.ts";
import { localFolder, writePrivate } from "./run-file.ts";

/** The store that this folder's server served last. */
const Known = z.object({ where: z.string(), id: z.string() });

/**
 * Throws StoreError REPLACED when another store is at the address than the one that was served from this folder last, and
 * no operator has accepted that. `isTrial`: accepts every store, as development does.
 */
export async function demandKnownStore(
  loaded: Pick<LoadedConfig, "config" | "dir">,
  store: Pick<StoreDriver, "identity">,
  isTrial: boolean,
): Promise<void> {
  const { storage } = loaded.config;
  if (storage.driver === "memory") return;
  const file = join(localFolder(loaded), "store.json");
  const where = describeStore(storage);
  const { id, adopted } = await store.identity();
  if (id === null) return;
  const known = await readKnown(file);
  if (known?.where === where && known.id === id) return;
  if (known?.where === where && !adopted && !isTrial) throw replaced(where);
  // A folder that cannot be written to is no reason not to serve.
  await writePrivate(file, `${JSON.stringify({ where, id })}\n`).catch(() => undefined);
}

async function readKnown(file: string): Promise<z.infer<typeof Known> | null> {
  try {
    return Known.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return null;
  }
}
