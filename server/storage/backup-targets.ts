import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

import { parseS3Url } from "../config/s3-url.ts";
import { systemClock } from "../core/clock.ts";
import { createSystemRandom } from "../core/ids.ts";

/** Where backups are stored: a folder or a bucket. */
export interface BackupTarget {
  list(): Promise<{ readonly name: string; readonly bytes: number }[]>;
  /** Writes a file and passes its content, as it is read back, to `check`. No file remains where that throws. */
  write<R>(
    name: string,
    chunks: AsyncIterable<Uint8Array>,
    check: (read: AsyncIterable<Uint8Array>) => Promise<R>,
  ): Promise<R>;
  read(name: string): AsyncIterable<Uint8Array>;
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}

/** Credentials of an S3 target. */
export interface TargetLogin {
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
  readonly sessionToken?: string | undefined;
}

const REGION = "us-east-1";

/** Opens an `s3://` URL or a folder. Throws StoreError INVALID for names that S3 does not allow. */
export async function openBackupTarget(to: string, login: TargetLogin): Promise<BackupTarget> {
  const place = parseS3Url(to);
  if (place === null) return folderTarget(to);
  const { openS3Files } = await import("./s3/files.ts");
  const { accessKeyId = "", secretAccessKey = "", sessionToken } = login;
  const files = openS3Files({
    ...place,
    region: place.region ?? REGION,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    wallClock: systemClock,
    random: createSystemRandom(),
  });
  return {
    list: async () => (await files.list()).map(({ key, bytes }) => ({ name: key, bytes })),
    async write(name, chunks, check) {
      await files.write(name, chunks);
      try {
        return await check(files.read(name));
      } catch (error) {
        await files.remove(name).catch(() => undefined);
        throw error;
      }
    },
    read: (name) => files.read(name),
    remove: (name) => files.remove(name),
    close: () => files.close(),
  };
}

/** Ends the name of a file that is not complete. */
export const DRAFT = ".part";

/** A file gets its name only after its check. */
const folderTarget = (folder: string): BackupTarget => ({
  async list() {
    const names = await readdir(folder).catch((error: unknown) => {
      // Before the first backup.
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
      throw error;
    });
    const found = names.map(async (name) => {
      // A link without a file, or a file that was removed meanwhile.
      const known = await stat(join(folder, name)).catch(() => null);
      return known === null ? [] : [{ name, bytes: known.size }];
    });
    return (await Promise.all(found)).flat();
  },
  async write(name, chunks, check) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const draft = join(folder, name + DRAFT);
    try {
      await rm(draft, { force: true });
      await pipeline(chunks, createWriteStream(draft, { mode: 0o600, flags: "wx", flush: true }));
      const checked = await check(createReadStream(draft));
      await rename(draft, join(folder, name));
      return checked;
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  },
  read: (name) => createReadStream(join(folder, name)),
  remove: (name) => rm(join(folder, name), { force: true }),
  close: async () => undefined,
});
