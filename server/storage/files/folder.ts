import { open, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import type { FileStore } from "../../core/ports.ts";
import { nodeIo } from "../fs/io.ts";

/** Files in a folder, one of its own for each partition. A file is complete and durable, or not there. */
export function createFolderFiles(base: string): FileStore {
  const placeOf = (key: string) => ({ path: join(base, key), unfinished: `${join(base, key)}.part` });
  return {
    async write(key, content) {
      const { path, unfinished } = placeOf(key);
      const folder = dirname(path);
      if ((await nodeIo.stat(folder)) === null) {
        await nodeIo.mkdir(folder);
        await nodeIo.syncFolder(base);
        await nodeIo.syncFolder(dirname(base));
      }
      const file = await open(unfinished, "w", 0o600);
      try {
        await file.writeFile(content);
        await file.sync();
      } finally {
        await file.close();
      }
      await nodeIo.rename(unfinished, path);
      await nodeIo.syncFolder(folder);
    },
    async read(key) {
      try {
        return new Uint8Array(await readFile(placeOf(key).path));
      } catch (error) {
        if (isAbsent(error)) return null;
        throw error;
      }
    },
    async remove(key) {
      const { path, unfinished } = placeOf(key);
      if ((await nodeIo.stat(dirname(path))) === null) return;
      for (const name of [unfinished, path])
        if ((await nodeIo.stat(name)) !== null) await nodeIo.remove(name);
      // After a power loss an erased file must not be there again.
      await nodeIo.syncFolder(dirname(path));
    },
    has: async (key) => (await nodeIo.stat(placeOf(key).path)) !== null,
    async list() {
      const parts = (await nodeIo.stat(base)) === null ? [] : await nodeIo.list(base);
      const keysOf = async (part: string): Promise<string[]> =>
        (await nodeIo.list(join(base, part))).map((name) => `${part}/${name.replace(/\.part$/, "")}`);
      return (await Promise.all(parts.map(keysOf))).flat();
    },
  };
}

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT";
