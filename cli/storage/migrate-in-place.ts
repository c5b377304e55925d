import type { Cli, Input } from "../command/command.ts";
import { usageError } from "../terminal/exit.ts";
import { flag, text } from "../command/globals.ts";
import { textOf } from "../terminal/json.ts";
import { post } from "../client/operator.ts";

/** Upgrades documents of older versions while servers run. An interrupted run is continued by the next one. */
export async function migrateInPlace(cli: Cli, { options }: Input): Promise<void> {
  for (const name of ["confirm", "settle"])
    if (text(options, name) !== undefined)
      throw usageError(`--${name} requires --to.`, "--to <configuration file or address>");
  const dryRun = flag(options, "dryRun");
  const result = await post(cli, "/storage/migrate", { dry_run: dryRun }, { isLong: true });
  await cli.out.value(result);
  const found = `${textOf(result, "lifted")} of ${textOf(result, "documents")} documents`;
  cli.out.info(dryRun ? `${found} would be upgraded. Nothing was changed.` : `${found} were upgraded.`);
}
