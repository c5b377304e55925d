import { examples } from "../command/command.ts";
import type { Cli, Define } from "../command/command.ts";
import { EXIT } from "../terminal/exit.ts";
import { flag } from "../command/globals.ts";
import type { JsonObject } from "../terminal/json.ts";
import { loadLocalConfig } from "../client/local.ts";

export const define: Define = (command, run) => {
  const show = command.command("show").description("show every setting with its value; secrets are masked");
  show.option("--origin", "include where each value is set");
  show.action(run((cli, { options }) => showSettings(cli, flag(options, "origin"))));
  examples(show, ["platform config show --origin", "platform config show --json"]);

  const path = command.command("path").description("print the configuration file in use");
  path.action(run(showPath));
  examples(path, ["platform config path"]);

  const schema = command
    .command("schema")
    .description("print the JSON schema of the configuration, for editors");
  schema.action(
    run(async (cli) => {
      const { configJsonSchema } = await import("../../server/config/fields.ts");
      await cli.out.document(configJsonSchema());
    }),
  );
  examples(schema, ["platform config schema > platform.schema.json"]);

  const check = command.command("check").description("validate the configuration for `platform serve`");
  check.option("--dev", "validate for `platform dev`");
  check.action(run((cli, { options }) => checkConfig(cli, flag(options, "dev"))));
  examples(check, ["platform config check", "platform -c production.config.ts config check"]);
};

const load = (cli: Cli) => loadLocalConfig({ cwd: cli.cwd, configFile: cli.globals.config, env: cli.io.env });

async function showSettings(cli: Cli, origin: boolean): Promise<void> {
  const { showConfig } = await import("../../server/config/show.ts");
  const loaded = await load(cli);
  const rows: JsonObject[] = showConfig(loaded, { origin }).map((row) => ({ ...row }));
  await cli.out.list(rows, [
    ["SETTING", "path"],
    ["VALUE", "value"],
    ...(origin ? [["ORIGIN", "origin"] as const] : []),
  ]);
  for (const warning of loaded.warnings) cli.out.info(`warning: ${warning}`);
}

async function showPath(cli: Cli): Promise<number> {
  const { findConfigFile } = await import("../../server/config/find-file.ts");
  const found = findConfigFile(cli.cwd, cli.globals.config, cli.io.env);
  if (found === null) {
    cli.out.info(`No platform.config.* in this folder or above; using the defaults, relative to ${cli.cwd}.`);
    if (cli.out.isJson) await cli.out.value({ file: null });
    return EXIT.ok;
  }
  await cli.out.value({ file: found.file }, found.file);
  return EXIT.ok;
}

/** Checks also the choices that `serve` requires and `dev` makes by itself. */
async function checkConfig(cli: Cli, dev: boolean): Promise<number> {
  const [{ loadConfig }, { checkServable }] = await Promise.all([
    import("../../server/config/load.ts"),
    import("../../server/config/servable.ts"),
  ]);
  const loaded = await loadConfig({ cwd: cli.cwd, configFile: cli.globals.config, env: cli.io.env, dev });
  const warnings = [...loaded.warnings, ...(dev ? [] : checkServable(loaded))];
  await cli.out.value({ file: loaded.file, ok: true, warnings });
  return EXIT.ok;
}
