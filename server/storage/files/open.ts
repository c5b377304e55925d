import { join } from "node:path";

import { createStorage } from "unstorage";
import type { Driver } from "unstorage";

import type { Config } from "../../config/schema.ts";
import type { FileStore } from "../../core/ports.ts";
import { loadDriver } from "../bridge/load.ts";
import { StoreError } from "../contract.ts";
import type { StoreConfig } from "../describe.ts";
import { createFolderFiles } from "./folder.ts";

/** A file store that is opened at its first use. */
export interface OpenFileStore extends FileStore {
  close(): Promise<void>;
}

interface Settings {
  readonly files?: Config["files"] | undefined;
  readonly storage: StoreConfig;
}

/** The file store of the configuration; undefined where files are stored among the documents. */
export function createFileStore(config: Settings): OpenFileStore | undefined {
  const { files } = config;
  if (files === undefined) return undefined;
  const where =
    typeof files.driver === "string" ? files.driver : (files.driver.name ?? "a driver of unstorage");
  let opened: ReturnType<typeof openFiles> | null = null;
  const use = async <R>(work: (store: FileStore) => Promise<R>): Promise<R> => {
    try {
      opened ??= openFiles(files, config);
      return await work((await opened).store);
    } catch (cause) {
      opened = cause instanceof StoreError ? null : opened;
      if (cause instanceof StoreError) throw cause;
      throw new StoreError("UNAVAILABLE", `the file store (${where}) failed: ${String(cause)}`, { cause });
    }
  };
  const store: FileStore = {
    write: (key, content) => use((place) => place.write(key, content)),
    read: (key) => use((place) => place.read(key)),
    remove: (key) => use((place) => place.remove(key)),
    has: (key) => use((place) => place.has(key)),
    list: () => use((place) => place.list()),
  };
  return {
    ...store,
    close: async () => (await opened)?.close(),
  };
}

/** Writes, reads and removes a file. Throws StoreError where it does not come back as it was. */
export async function checkFileStore(files: FileStore, id: string): Promise<void> {
  const key = `probe/${id}`;
  const content = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 31 + (index >> 8)) % 256);
  await files.write(key, content);
  const found = await files.read(key);
  await files.remove(key);
  const isSame = found !== null && Buffer.compare(found, content) === 0;
  if (isSame && (await files.read(key)) === null) return;
  throw new StoreError("INVALID", "the file store (`files`) does not return what was written");
}

async function openFiles(
  { driver, base, options = {} }: NonNullable<Settings["files"]>,
  { storage }: Settings,
): Promise<{ readonly store: FileStore; readonly close: () => Promise<void> }> {
  if (driver === "fs") {
    const folder = base ?? (storage.driver === "fs" ? join(storage.base, "files") : undefined);
    if (folder === undefined)
      throw new StoreError("INVALID", "files.base is not set: the folder for files (PLATFORM_FILES_BASE)");
    return { store: createFolderFiles(folder), close: async () => undefined };
  }
  const own = typeof driver === "string" ? await loadDriver(driver, options) : driver;
  return { store: createDriverFiles(own), close: async () => own.dispose?.() };
}

function createDriverFiles(driver: Driver): FileStore {
  const storage = createStorage({ driver });
  const nameOf = (key: string): string => key.replaceAll("/", ":");
  return {
    write: (key, content) => storage.setItemRaw(nameOf(key), Buffer.from(content)),
    async read(key) {
      const found: unknown = await storage.getItemRaw(nameOf(key));
      return found === null || found === undefined ? null : toBytes(found);
    },
    remove: (key) => storage.removeItem(nameOf(key)),
    has: (key) => storage.hasItem(nameOf(key)),
    list: async () => (await storage.getKeys()).map((name) => name.replace(":", "/")),
  };
}

/** Drivers return bytes as their clients do. */
async function toBytes(found: unknown): Promise<Uint8Array<ArrayBuffer>> {
  if (found instanceof Uint8Array) return new Uint8Array(found);
  if (found instanceof ArrayBuffer) return new Uint8Array(found);
  if (found instanceof Blob) return new Uint8Array(await found.arrayBuffer());
  throw new StoreError("INVALID", `the file store returned ${typeof found} instead of bytes`);
}
