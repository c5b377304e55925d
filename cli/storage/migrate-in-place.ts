import type { Cli, Input } from "../command/command.ts";
import { usageError } from "../terminal/exit.ts";
import { flag, text } from "../command/globals.ts";
import { textOf } from "../terminal/json.ts";
import { post } from "../client/operator.ts";

/** Rewrites what older versions wrote as this one does, beside whoever serves. What is broken off goes on where it is called again. */
export async function migrateInPlace(cli: Cli, { options }: Input): Promise<void> {
  for (const name of ["confirm", "settle"])
    if (text(options, name) !== undefined)
      throw usageError(`--${name} belongs to a move.`, "--to <configuration file or address>");
  const dryRun = flag(options, "dryRun");
  const result = await post(cli, "/storage/migrate", { dry_run: dryRun }, { isLong: true });
  await cli.out.value(result);
  const found = `${textOf(result, "lifted")} of ${textOf(result, "documents")} documents`;
  cli.out.talk(
    dryRun ? `${found} are of an older version. Nothing was changed.` : `${found} were of an older version.`,
  );
}
