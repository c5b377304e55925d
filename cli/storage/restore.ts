import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

import type { DeclaredIndexes } from "../../server/core/collection.ts";
import type { Doc, StoreDriver } from "../../server/storage/contract.ts";
import type { Filled } from "../../server/storage/transfer.ts";
import { toBackupError, totalOf } from "./backup.ts";
import type { Cli, Input as CommandInput } from "../command/command.ts";
import { Interrupted, usageError } from "../terminal/exit.ts";
import { flag, text } from "../command/globals.ts";
import { createProgress } from "../command/progress.ts";
import { findTarget } from "../client/target.ts";
import { openInput, writePrivate } from "./store-file.ts";
import type { Input } from "./store-file.ts";
import { assertUnserved, copyDiffers, ownStore, refused, withStore } from "./store-target.ts";
import type { StorePlace } from "./store-target.ts";

/**
 * Fills an empty store from a backup. The whole backup is verified before the store is changed; at the end the store is read
 * and compared. An interrupted restore is continued when it is run with the same backup.
 */
export async function restoreStorage(cli: Cli, { args: [name], options }: CommandInput): Promise<void> {
  const from = text(options, "from");
  if (name === undefined) return listScheduled(cli, from);
  const place = await ownStore(cli, "restored");
  const isFile = from === undefined && (name === "-" || existsSync(resolve(cli.cwd, name)));
  const source = isFile ? null : await openSource(cli, from);
  const input = await openInput(cli, name, {
    identity: text(options, "identity"),
    target: source?.target,
  }).catch(async (error: unknown) => {
    throw await toBackupError(error, "Nothing was changed");
  });
  try {
    const { sha256 } = await checkInput(cli, input);
    const how = { sha256, force: flag(options, "force"), confirm: text(options, "confirm") };
    const filled = await withStore(cli, place, (store) => restoreInto(cli, { store, place, input }, how));
    await printResult(cli, filled);
  } finally {
    await input.remove();
    await source?.target.close();
  }
}

/** Opens the folder or bucket of `--from`, or else of the configuration; null if neither specifies one. */
async function openSource(cli: Cli, from: string | undefined) {
  const target = await findTarget(cli);
  const settings = target.kind === "here" ? target.loaded.config.backup : null;
  const to = from ?? settings?.to;
  if (to === undefined) return null;
  const { openBackupTarget } = await import("../../server/storage/backup-targets.ts");
  const isUrl = to.startsWith("s3://");
  return { to, target: await openBackupTarget(isUrl ? to : resolve(cli.cwd, to), settings ?? {}) };
}

/** Lists the backups of `--from`, or else of the configured target, with the time of each. */
async function listScheduled(cli: Cli, from: string | undefined): Promise<void> {
  const source = await openSource(cli, from);
  if (source === null)
    throw usageError(
      "Specify a backup, or a folder or bucket of backups with --from.",
      "platform storage restore <file>",
    );
  const { to, target } = source;
  if (!to.startsWith("s3://") && !existsSync(resolve(cli.cwd, to))) throw usageError(`${to} does not exist.`);
  const { listBackups } = await import("../../server/storage/backup-files.ts");
  const found = await listBackups(target)
    .catch((error: unknown) => {
      throw usageError(`${to} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
    })
    .finally(() => target.close());
  await cli.out.list(
    found.map((one) => ({ ...one })),
    [
      ["FILE", "file"],
      ["TAKEN AT", "taken_at"],
      ["BYTES", "bytes"],
    ],
  );
}

/** Reads the whole backup; throws if it is truncated or damaged. */
async function checkInput(cli: Cli, input: Input): Promise<{ sha256: string }> {
  const { BackupError, readBackup } = await import("../../server/storage/backup.ts");
  const { assertLoadable } = await import("../../server/storage/transfer.ts");
  const collections = await loadCollections();
  const progress = createProgress(cli, "Checking");
  const keys = new Set<string>();
  let done = 0;
  let total = 0;
  try {
    return await readBackup(input.chunks(), {
      header: (header) => void (total = totalOf(header)),
      docs(part, docs) {
        stopIfAsked(cli);
        assertLoadable(part, docs);
        for (const { key } of docs)
          if (keys.size === keys.add(shortened(key)).size) throw new BackupError(`it contains ${key} twice`);
        const newer = docs.find(({ key, value }) => collections.get(collectionOf(key))?.isNewer(value));
        if (newer !== undefined) throw writtenByNewer(newer.key);
        done += docs.length;
        progress.update(done, total);
      },
    });
  } catch (error) {
    throw await toBackupError(error, "Nothing was changed");
  } finally {
    progress.end();
  }
}

/** In little memory: a store may hold a million keys, and a text cut out of a line keeps all of it. */
const shortened = (key: string): string => createHash("sha256").update(key).digest("base64").slice(0, 22);

/** Declares the collections of every engine and of the platform. */
async function loadCollections(): Promise<ReadonlyMap<string, Pick<DeclaredIndexes, "isNewer">>> {
  await import("../../server/registry.ts");
  return (await import("../../server/core/collection.ts")).declaredIndexes;
}

const collectionOf = (key: string): string => key.split(":", 2)[1] ?? "";

const writtenByNewer = (key: string) =>
  refused(
    `The backup contains ${key}, which was written by a newer version of the platform.`,
    "Restore it with the version of the platform that wrote it, or a newer one",
  );

async function restoreInto(
  cli: Cli,
  { store, place, input }: { store: StoreDriver; place: StorePlace; input: Input },
  how: { readonly sha256: string; readonly force: boolean; readonly confirm: string | undefined },
): Promise<Filled> {
  const transfer = await import("../../server/storage/transfer.ts");
  await assertUnserved(cli, store);
  const begun = await transfer.findUnfinished(store);
  const { kept } = await transfer.countKept(store);
  const isResumed = begun?.what === "restore" && begun.id === how.sha256;
  if (!isResumed && (kept > 0 || begun !== null)) {
    if (!how.force) throw await refuseNonEmpty(place, kept, begun?.source);
    await replaceExisting(cli, { store, place }, { kept, confirm: how.confirm });
  }
  const { toInstant } = await import("../../server/lib/instant.ts");
  // From here on nobody serves the store until it is filled.
  stopIfAsked(cli);
  await transfer.claimStore(store, {
    what: "restore",
    source: input.label,
    id: how.sha256,
    started_at: toInstant(cli.clock.now()),
  });
  if (isResumed) cli.out.info("Continuing the interrupted restore.");
  await removeFiles(cli, { store, place });
  const progress = createProgress(cli, "Writing");
  try {
    let total = 0;
    const filled = await transfer.fillStore(store, input.chunks(), {
      onHeader: (header) => (total = totalOf(header)),
      onProgress(done) {
        stopIfAsked(cli);
        progress.update(done, total);
      },
    });
    const different = await transfer.checkFilled(store, filled.expected);
    if (different.length > 0) throw copyDiffers(different);
    await transfer.endFilling(store);
    return filled;
  } finally {
    progress.end();
  }
}

async function refuseNonEmpty(place: StorePlace, kept: number, begun: string | undefined) {
  const { describeStore, nameStore } = await import("../../server/storage/describe.ts");
  const what =
    begun === undefined ? `contains ${kept} documents` : `contains an unfinished restore from ${begun}`;
  return refused(
    `${describeStore(place.storage)} ${what}. A backup can be restored only into an empty store.`,
    `--force --confirm ${nameStore(place.storage)} replaces everything in it`,
  );
}

/** Deletes the files of the data that is replaced: afterwards no document refers to them. An interruption is repeated by the same command. */
async function removeFiles(
  cli: Cli,
  { store, place }: { readonly store: StoreDriver; readonly place: StorePlace },
): Promise<void> {
  const [{ removeContents }, { createFileStore }, { heldKeys }] = await Promise.all([
    import("../../server/core/contents.ts"),
    import("../../server/storage/files/open.ts"),
    import("../../server/storage/files/held.ts"),
  ]);
  const files = createFileStore(place);
  let count = 0;
  for (const part of await store.partitions()) {
    const keys = await heldKeys(store, part);
    if (files !== undefined) await removeContents(files, keys);
    count += keys.length;
  }
  await files?.close();
  if (count === 0) return;
  cli.out.info(
    files === undefined
      ? `${count} files of the replaced data remain in their file store: the setting files is missing.`
      : `${count} files of the replaced data were deleted.`,
  );
}

/** Confirms that the existing data may be replaced, and copies it into a file. */
async function replaceExisting(
  cli: Cli,
  { store, place }: { store: StoreDriver; place: StorePlace },
  { kept, confirm }: { readonly kept: number; readonly confirm: string | undefined },
): Promise<void> {
  const [
    { describeStore, nameStore },
    { backupStream },
    { toInstant },
    { expandContent },
    { createFileStore },
  ] = await Promise.all([
    import("../../server/storage/describe.ts"),
    import("../../server/storage/backup.ts"),
    import("../../server/lib/instant.ts"),
    import("../../server/core/contents.ts"),
    import("../../server/storage/files/open.ts"),
  ]);
  const message = `${kept} documents in ${describeStore(place.storage)} will be replaced.`;
  await cli.ask.confirmName(message, nameStore(place.storage), confirm);
  const takenAt = toInstant(cli.clock.now());
  const name = `before-restore-${takenAt.replaceAll(/[:.]/g, "-")}.ndjson.gz`;
  const files = createFileStore(place);
  const expand = (doc: Doc) => expandContent(files, doc);
  await writePrivate(join(cli.cwd, name), untilAsked(cli, backupStream(store, { takenAt, expand })));
  await files?.close();
  cli.out.info(`The previous data was copied to ${name}.`);
}

async function printResult(cli: Cli, { header, trailer, written, removed }: Filled): Promise<void> {
  const partitions = header.partitions.length;
  const found = { documents: trailer.count, partitions, written, removed, taken_at: header.taken_at };
  await cli.out.value({ ...found, sha256: trailer.sha256 });
  cli.out.info(
    `${trailer.count} documents in ${partitions} partitions, as of ${header.taken_at}, restored and verified. Next: platform serve`,
  );
}

async function* untilAsked(cli: Cli, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    stopIfAsked(cli);
    yield chunk;
  }
}

/** Throws if the command was interrupted; called between batches of documents. */
export function stopIfAsked({ signal }: Pick<Cli, "signal">): void {
  if (signal.aborted) throw new Interrupted(Number(signal.reason));
}
