import { resolve } from "node:path";

import type { Cli, Input } from "../command/command.ts";
import type { ApiResponse } from "../command/api.ts";
import { CliError, EXIT } from "../terminal/exit.ts";
import { text } from "../command/globals.ts";
import { openStream } from "../client/operator.ts";
import { createProgress } from "../command/progress.ts";
import { writePrivate } from "./store-file.ts";
import type { BackupHeader, BackupTrailer } from "../../server/storage/backup.ts";

/** Notice about the contents of a backup. */
const HOLDS =
  "It contains personal data, hashes of keys (no keys), the secret of the service and unsent mail: protect it like the data.";

/**
 * Copies the store into a file or to stdout. The running service, or one in this process, reads it: this works for every
 * driver, over a network, and during writes.
 */
export async function backupStorage(cli: Cli, { options }: Input): Promise<void> {
  const file = text(options, "output") ?? "-";
  const response = await fetchBackup(cli);
  const progress = createProgress(cli, "Copying");
  const ends: Ends = { header: null, trailer: null };
  try {
    const chunks = watchBackup(response, ends, (done, total) => progress.update(done, total));
    if (file === "-") await cli.out.copy(chunks);
    else await writePrivate(resolve(cli.cwd, file), chunks);
  } catch (error) {
    throw await toBackupError(error, "The backup was interrupted");
  } finally {
    progress.end();
  }
  const { header, trailer } = ends;
  const partitions = header?.partitions.length ?? 0;
  if (file !== "-") await cli.out.value({ file, taken_at: header?.taken_at, partitions, ...trailer });
  cli.out.info(
    `${trailer?.count ?? 0} documents in ${partitions} partitions, SHA-256 ${trailer?.sha256 ?? ""}.`,
  );
  if (file !== "-") cli.out.info(`Written to ${file}, readable only by you. ${HOLDS}`);
}

/** Opens the stream of a backup of the service that this command talks to. */
export async function fetchBackup(cli: Cli): Promise<ApiResponse> {
  return openStream(await cli.connect(), "/storage/backup", "application/x-ndjson");
}

interface Ends {
  header: BackupHeader | null;
  trailer: BackupTrailer | null;
}

/** Passes the backup through and stores its header and trailer. */
async function* watchBackup(
  response: ApiResponse,
  ends: Ends,
  onProgress: (done: number, total: number) => void,
): AsyncGenerator<Uint8Array> {
  const { passBackup } = await import("../../server/storage/backup.ts");
  let done = 0;
  let total = 0;
  yield* passBackup(response.chunks, {
    header(header) {
      ends.header = header;
      total = totalOf(header);
    },
    docs(_part, docs) {
      done += docs.length;
      onProgress(done, total);
    },
    trailer(trailer) {
      ends.trailer = trailer;
    },
  });
}

export const totalOf = ({ partitions }: BackupHeader): number =>
  partitions.reduce((sum, { documents }) => sum + documents, 0);

/** Converts errors in a backup to failures; other errors are returned unchanged. */
export async function toBackupError(error: unknown, title: string): Promise<unknown> {
  const { BackupError } = await import("../../server/storage/backup.ts");
  const isPacking = error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
  if (!(error instanceof BackupError) && !isPacking) return error;
  const detail = isPacking ? `it cannot be unpacked (${error.message})` : error.message;
  return new CliError({
    type: "backup_invalid",
    title,
    detail: `The backup is invalid: ${detail}.`,
    exitCode: EXIT.findings,
    hint: "platform storage backup -o <file>",
    cause: error,
  });
}
