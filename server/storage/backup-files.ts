import { pipeline, Readable } from "node:stream";
import { createGunzip, createGzip } from "node:zlib";

import { z } from "zod";

import { DAY_MS, fromInstant } from "../lib/instant.ts";
import { BackupError, backupStream, readBackup } from "./backup.ts";
import type { WriteOptions } from "./backup.ts";
import type { BackupTrailer } from "./backup.ts";
import { createKeyPair, decrypt, encrypt } from "./backup-crypt.ts";
import { DRAFT } from "./backup-targets.ts";
import type { BackupTarget } from "./backup-targets.ts";
import type { Key, StoreDriver } from "./contract.ts";
import { OWN_PART, STATE_COLL } from "./own.ts";

/** A scheduled backup that was read back and found complete. */
const BackupRecord = z.object({
  /** RFC 3339: the moment to which a restore leads back. */
  taken_at: z.string(),
  file: z.string(),
  documents: z.int(),
  bytes: z.int(),
  sha256: z.string(),
});
export type BackupRecord = z.infer<typeof BackupRecord>;

/** The newest first. */
const BackupState = z.object({ verified: z.array(BackupRecord) });

const STATE_KEY: Key = `${OWN_PART}:${STATE_COLL}:backups`;

/** Verified backups that exist, the newest first. */
export async function verifiedBackups(store: Pick<StoreDriver, "get">): Promise<readonly BackupRecord[]> {
  const found = await store.get(STATE_KEY);
  return found === null ? [] : BackupState.parse(JSON.parse(found.value)).verified;
}

/** Null before the first one. */
export const lastBackup = async (store: Pick<StoreDriver, "get">): Promise<BackupRecord | null> =>
  (await verifiedBackups(store))[0] ?? null;

export interface BackupPlan {
  readonly target: BackupTarget;
  /** Number of backups to keep. */
  readonly keep: number;
  /** Encrypted for these age recipients; as it is where there are none. */
  readonly recipients: readonly string[];
  readonly expand?: WriteOptions["expand"];
}

/**
 * Writes a backup to the target, reads it back from there, records it in the store and removes the oldest ones. Throws
 * BackupError for one that is damaged, and errors of the target.
 */
export async function takeBackup(
  store: StoreDriver,
  { target, keep, recipients, expand }: BackupPlan,
  takenAt: string,
): Promise<BackupRecord> {
  const { seal, open } = await createSeal(recipients);
  const file = `${PREFIX}${takenAt.replaceAll(/[:.]/g, "-")}${SUFFIX}${recipients.length > 0 ? AGE_SUFFIX : ""}`;
  // Before it is written: at a target that cannot be listed none is ever removed, and another one would be written at each run.
  const found = await target.list();
  const before = backupsIn(found).flatMap((one) => (one.file === file ? [] : one.file));
  for (const draft of leftDrafts(found, takenAt)) await target.remove(draft);
  let bytes = 0;
  const { count, sha256 } = await target.write(
    file,
    counted(
      await seal(pack(backupStream(store, { takenAt, ...(expand === undefined ? {} : { expand }) }))),
      (size) => (bytes = size),
    ),
    async (read): Promise<BackupTrailer> => {
      const trailer = await readBackup(unpack(open(read)));
      if (trailer.count === 0) throw new BackupError("it holds no document");
      return trailer;
    },
  );
  const record: BackupRecord = { taken_at: takenAt, file, documents: count, bytes, sha256 };
  // This one always: another can have a later name, of a clock that was set back since.
  const kept = new Set([file, ...before.slice(0, keep - 1)]);
  const verified = [record, ...(await verifiedBackups(store))].filter((one) => kept.has(one.file));
  await store.commit(OWN_PART, [{ put: STATE_KEY, value: JSON.stringify({ verified }) }]);
  for (const old of before.slice(keep - 1)) await target.remove(old);
  return record;
}

/**
 * How a backup is encrypted, and decrypted to verify it. An identity of its own is one of the recipients: it is in memory until
 * the file was read back, so that the server verifies what it cannot decrypt later.
 */
async function createSeal(recipients: readonly string[]) {
  type Chunks = AsyncIterable<Uint8Array>;
  if (recipients.length === 0)
    return { seal: async (chunks: Chunks) => chunks, open: (chunks: Chunks) => chunks };
  const { identity, recipient } = await createKeyPair();
  return {
    seal: (chunks: Chunks) => encrypt(chunks, [...recipients, recipient]),
    open: (chunks: Chunks) => decrypt(chunks, [identity]),
  };
}

// An error of either side ends the stream with it, so its reader sees it.
const pack = (chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
  pipeline(Readable.from(chunks), createGzip(), () => undefined);

export const unpack = (chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
  pipeline(Readable.from(chunks), createGunzip(), () => undefined);

async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  report: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    report(bytes);
    yield chunk;
  }
}

export interface ListedBackup {
  readonly file: string;
  readonly taken_at: string;
  readonly bytes: number;
}

/** Scheduled backups at a target, the newest first. */
export const listBackups = async (target: Pick<BackupTarget, "list">): Promise<ListedBackup[]> =>
  backupsIn(await target.list());

type Listed = Awaited<ReturnType<BackupTarget["list"]>>[number];

const backupsIn = (files: readonly Listed[]): ListedBackup[] =>
  files
    .filter(({ name }) => NAME.test(name))
    .map(({ name, bytes }) => ({ file: name, taken_at: name.replace(NAME, "$1:$2:$3.$4Z"), bytes }))
    .sort((one, other) => (one.taken_at < other.taken_at ? 1 : -1));

/** What processes that were killed had written of backups: a day later none of them is written any more. */
const leftDrafts = (files: readonly Listed[], takenAt: string): string[] =>
  backupsIn(
    files.flatMap(({ name, bytes }) =>
      name.endsWith(DRAFT) ? { name: name.slice(0, -DRAFT.length), bytes } : [],
    ),
  )
    .filter((one) => ageMs(one, fromInstant(takenAt)) > DAY_MS)
    .map(({ file }) => `${file}${DRAFT}`);

/** Milliseconds since a moment of a record. */
export const ageMs = ({ taken_at }: Pick<BackupRecord, "taken_at">, nowMs: number): number =>
  nowMs - fromInstant(taken_at);

const PREFIX = "platform-";
const SUFFIX = ".ndjson.gz";
const AGE_SUFFIX = ".age";
const NAME = /^platform-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3})Z\.ndjson\.gz(?:\.age)?$/;
