import { examples } from "../command/command.ts";
import type { Cli, Define, Input } from "../command/command.ts";
import { usageError } from "../terminal/exit.ts";
import { collect, flag, texts } from "../command/globals.ts";
import { post } from "../client/operator.ts";

export const define: Define = (command, run) => {
  command
    .option("--engine <name>", "only data of this engine (repeatable)", collect)
    .option("--clear", "remove the demo data only")
    .action(run(seed));
  examples(command, ["platform seed", "platform seed --engine delivery", "platform seed --clear --yes"]);
};

async function seed(cli: Cli, { options }: Input): Promise<void> {
  const engines = texts(options, "engine");
  const { store } = cli.globals;
  const where = store === undefined ? {} : { store };
  if (flag(options, "clear")) {
    if (engines.length > 0)
      throw usageError("--clear removes all demo data and cannot be combined with --engine.");
    await cli.ask.confirm("Remove the demo data?");
    return cli.out.value(await post(cli, "/seed/clear", where));
  }
  await cli.out.value(await post(cli, "/seed", { ...where, ...(engines.length === 0 ? {} : { engines }) }));
}
