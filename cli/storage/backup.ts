import { resolve } from "node:path";

import type { Cli, Input } from "../command/command.ts";
import type { ApiResponse } from "../command/api.ts";
import { CliError, EXIT } from "../terminal/exit.ts";
import { text } from "../command/globals.ts";
import { openStream } from "../client/operator.ts";
import { createProgress } from "../command/progress.ts";
import { writeWhole } from "./store-file.ts";
import type { BackupHeader, BackupTrailer } from "../../server/storage/backup.ts";

/** What everybody who keeps one should know. */
const HOLDS =
  "It holds personal data, the hashes of keys (no key), the secret of the service and mails that were not sent yet: keep it as you keep the data.";

/**
 * Copies the store into a file or to stdout. The service reads it, the one that runs or one in this process: so it is the
 * same for every driver, over a network too, and beside whoever writes.
 */
export async function backupStorage(cli: Cli, { options }: Input): Promise<void> {
  const file = text(options, "output") ?? "-";
  const response = await fetchBackup(cli);
  const progress = createProgress(cli, "Copying");
  const told: Told = { header: null, trailer: null };
  try {
    const chunks = watchBackup(response, told, (done, total) => progress.update(done, total));
    if (file === "-") await cli.out.copy(chunks);
    else await writeWhole(resolve(cli.cwd, file), chunks);
  } catch (error) {
    throw await toBackupError(error, "The copy broke off");
  } finally {
    progress.end();
  }
  const { header, trailer } = told;
  const partitions = header?.partitions.length ?? 0;
  if (file !== "-") await cli.out.value({ file, taken_at: header?.taken_at, partitions, ...trailer });
  cli.out.talk(
    `${trailer?.count ?? 0} documents of ${partitions} partitions, SHA-256 ${trailer?.sha256 ?? ""}.`,
  );
  if (file !== "-") cli.out.talk(`Written to ${file}, readable only by you. ${HOLDS}`);
}

/** Opens the stream of a backup of the service that this command talks to. */
export async function fetchBackup(cli: Cli): Promise<ApiResponse> {
  return openStream(await cli.connect(), "/storage/backup", "application/x-ndjson");
}

interface Told {
  header: BackupHeader | null;
  trailer: BackupTrailer | null;
}

/** Passes the backup on, and keeps what its first and last line say. */
async function* watchBackup(
  response: ApiResponse,
  told: Told,
  onProgress: (done: number, total: number) => void,
): AsyncGenerator<Uint8Array> {
  const { passBackup } = await import("../../server/storage/backup.ts");
  let done = 0;
  let total = 0;
  yield* passBackup(response.chunks, {
    header(header) {
      told.header = header;
      total = totalOf(header);
    },
    docs(_part, docs) {
      done += docs.length;
      onProgress(done, total);
    },
    trailer(trailer) {
      told.trailer = trailer;
    },
  });
}

export const totalOf = ({ partitions }: BackupHeader): number =>
  partitions.reduce((sum, { documents }) => sum + documents, 0);

/** What is wrong with a backup, for the person at the terminal; anything else is passed through. */
export async function toBackupError(error: unknown, title: string): Promise<unknown> {
  const { BackupError } = await import("../../server/storage/backup.ts");
  const isPacking = error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
  if (!(error instanceof BackupError) && !isPacking) return error;
  const detail = isPacking ? `it cannot be unpacked (${error.message})` : error.message;
  return new CliError({
    type: "backup_invalid",
    title,
    detail: `This is not a whole backup: ${detail}.`,
    exitCode: EXIT.findings,
    hint: "platform storage backup -o <file>",
    cause: error,
  });
}
