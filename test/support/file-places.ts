import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createStorage } from "unstorage";
import type { Driver } from "unstorage";
import memory from "unstorage/drivers/memory";

import type { ConfigSchema } from "../../server/config/schema.ts";
import { readBackup } from "../../server/storage/backup.ts";
import type { StoreDriver } from "../../server/storage/contract.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import type { Harness } from "../harness.ts";
import { createTestClock } from "../storage/conformance.ts";
import { startS3Double } from "./s3-double.ts";

const cleanups: (() => Promise<unknown>)[] = [];

/** Runs what `toCleanUp` was given, last first. */
export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
}

export const toCleanUp = (cleanup: () => Promise<unknown>): void => void cleanups.push(cleanup);

export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "platform-files-"));
  toCleanUp(() => rm(folder, { recursive: true }));
  return folder;
}

/** A driver without raw values, as that of many databases. */
function textDriver(): Driver {
  const { getItem, getKeys, hasItem, removeItem, setItem } = memory();
  return {
    name: "texts",
    getItem,
    getKeys,
    hasItem,
    ...(removeItem && { removeItem }),
    ...(setItem && { setItem }),
  };
}

/** A file store that a test may look into. */
export interface Place {
  readonly files: NonNullable<ReturnType<typeof ConfigSchema.parse>["files"]>;
  /** Names of the stored files. */
  readonly names: () => Promise<string[]>;
}

/** In a folder, and in drivers of unstorage with and without raw values. */
export const PLACES: readonly [name: string, open: () => Promise<Place>][] = [
  [
    "fs",
    async () => {
      const base = await makeFolder();
      return { files: { driver: "fs", base }, names: () => namesIn(base) };
    },
  ],
  [
    "fs-lite of unstorage",
    async () => {
      const base = await makeFolder();
      return { files: { driver: "fs-lite", options: { base } }, names: () => namesIn(base) };
    },
  ],
  [
    "s3 of unstorage",
    async () => {
      const { bucket, close, contents, endpoint, signer } = await startS3Double();
      toCleanUp(close);
      return {
        files: { driver: "s3", options: { ...signer, bucket, endpoint } },
        names: async () => [...contents.keys],
      };
    },
  ],
  [
    "a driver of texts",
    async () => {
      const driver = textDriver();
      return { files: { driver }, names: () => createStorage({ driver }).getKeys() };
    },
  ],
];

const namesIn = async (base: string): Promise<string[]> =>
  (await readdir(base, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);

/** A backup of the whole service, restored into another store. */
export async function restoreBackup({ adminToken, app }: Harness): Promise<StoreDriver> {
  const backup = await app.fetch(
    new Request("http://platform.test/api/platform/admin/storage/backup", {
      headers: { authorization: `Bearer ${adminToken}` },
    }),
  );
  if (backup.body === null) throw new Error(String(backup.status));
  const restored = createMemoryDriver({ clock: createTestClock() });
  await readBackup(backup.body, { docs: (part, docs) => restored.load(part, docs) });
  return restored;
}
