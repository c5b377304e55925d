import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";

import { z } from "zod";

import { fromInstant } from "../lib/instant.ts";
import { BackupError, backupStream, readBackup } from "./backup.ts";
import type { Key, StoreDriver } from "./contract.ts";
import { OWN_PART, STATE_COLL } from "./own.ts";

/** The last scheduled backup that was read back and found whole. */
const BackupRecord = z.object({
  /** RFC 3339: the moment to which a restore leads back. */
  taken_at: z.string(),
  file: z.string(),
  documents: z.int(),
  bytes: z.int(),
  sha256: z.string(),
});
export type BackupRecord = z.infer<typeof BackupRecord>;

const RECORD_KEY: Key = `${OWN_PART}:${STATE_COLL}:backup`;

/** Null before the first one. */
export async function lastBackup(store: Pick<StoreDriver, "get">): Promise<BackupRecord | null> {
  const found = await store.get(RECORD_KEY);
  return found === null ? null : BackupRecord.parse(JSON.parse(found.value));
}

export interface BackupPlace {
  readonly folder: string;
  /** How many backups stay in the folder. */
  readonly keep: number;
}

/**
 * Writes a backup into the folder, reads it back from there, notes it in the store and removes the oldest ones. A file has its
 * name only after it was found whole. Throws BackupError for one that was not, and errors of the file system.
 */
export async function takeBackup(
  store: StoreDriver,
  { folder, keep }: BackupPlace,
  takenAt: string,
): Promise<BackupRecord> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = `${PREFIX}${takenAt.replaceAll(/[:.]/g, "-")}${SUFFIX}`;
  const draft = join(folder, `${file}.part`);
  try {
    await rm(draft, { force: true });
    const out = createWriteStream(draft, { mode: 0o600, flags: "wx", flush: true });
    await pipeline(Readable.from(backupStream(store, { takenAt })), createGzip(), out);
    const { count, sha256 } = await readBackup(createReadStream(draft).pipe(createGunzip()));
    if (count === 0) throw new BackupError("it holds no document");
    await rename(draft, join(folder, file));
    const { size } = await stat(join(folder, file));
    const record: BackupRecord = { taken_at: takenAt, file, documents: count, bytes: size, sha256 };
    await store.commit(OWN_PART, [{ put: RECORD_KEY, value: JSON.stringify(record) }]);
    await removeOldest(folder, keep);
    return record;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Scheduled backups in a folder, the newest first. */
export async function listBackups(
  folder: string,
): Promise<{ readonly file: string; readonly taken_at: string; readonly bytes: number }[]> {
  const names = (await readdir(folder)).filter((name) => NAME.test(name)).sort();
  return Promise.all(
    names.toReversed().map(async (file) => ({
      file,
      taken_at: file.replace(NAME, "$1:$2:$3.$4Z"),
      bytes: (await stat(join(folder, file))).size,
    })),
  );
}

async function removeOldest(folder: string, keep: number): Promise<void> {
  for (const { file } of (await listBackups(folder)).slice(keep))
    await rm(join(folder, file), { force: true });
}

/** Milliseconds since a moment of a record. */
export const ageMs = ({ taken_at }: BackupRecord, nowMs: number): number => nowMs - fromInstant(taken_at);

const PREFIX = "platform-";
const SUFFIX = ".ndjson.gz";
const NAME = /^platform-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3})Z\.ndjson\.gz$/;
