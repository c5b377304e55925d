import { existsSync, watch } from "node:fs";
import { basename, delimiter, join, relative } from "node:path";

import type { LoadedConfig } from "../../server/config/load.ts";
import type { RunningServer } from "../../server/serve.ts";
import { examples } from "../command.ts";
import type { Cli, Define, Input } from "../command.ts";
import { EXIT } from "../exit.ts";
import { report } from "../report.ts";
import { start } from "../server.ts";
import { addServerOptions, serverFlags, untilAborted } from "./serve.ts";

export const define: Define = (command, run) => {
  addServerOptions(command)
    .option("--no-demo", "without demo data and demo key")
    .option("--no-watch", "do not restart when the configuration changes")
    .action(run(develop));
  examples(command, ["platform dev", "platform dev --port 4000 --no-demo"]);
};

/** Serves with what a newcomer needs; begins again when the configuration changes, until a signal comes. */
async function develop(cli: Cli, { options }: Input): Promise<number> {
  const load = async (): Promise<LoadedConfig> => {
    const { loadConfig } = await import("../../server/config/load.ts");
    const flags = serverFlags(options);
    return loadConfig({ cwd: cli.cwd, configFile: cli.globals.config, env: cli.io.env, flags, dev: true });
  };
  let loaded = await load();
  for (;;) {
    const server = await start(cli, { loaded, dev: true });
    await welcome(cli, { loaded, server, demo: options.demo !== false });
    const changed = await untilChange(cli.signal, options.watch === false ? [] : watched(loaded));
    if (changed === null) {
      await server.stop("signal");
      return EXIT.ok;
    }
    // The old server goes on while the new configuration is unfit: a typing error must not end the session.
    const next = await reload(cli, load, loaded);
    await server.stop(`${changed} changed`);
    if (next === null) return EXIT.ok;
    cli.out.talk(`${changed} changed: starting again.`);
    loaded = next;
  }
}

/** Null when a signal came while the configuration was unfit. */
async function reload(
  cli: Cli,
  load: () => Promise<LoadedConfig>,
  loaded: LoadedConfig,
): Promise<LoadedConfig | null> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      report(error, cli.io, { json: false, verbose: cli.globals.verbose, color: cli.globals.color });
      cli.out.talk("The server goes on with the configuration from before.");
    }
    if ((await untilChange(cli.signal, watched(loaded))) === null) return null;
  }
}

interface Watched {
  readonly dir: string;
  readonly names: readonly string[];
}

const watched = ({ dir, file }: LoadedConfig): Watched[] => [
  { dir, names: [...(file === null ? [] : [basename(file)]), ".env", ".env.local"] },
];

const SETTLE_MS = 200;

/**
 * Resolves to the name of a file that has changed, or to null at a signal. Whole folders are watched, because many
 * editors write a new file in the place of the old one.
 */
async function untilChange(signal: AbortSignal, folders: readonly Watched[]): Promise<string | null> {
  const { promise, found } = deferred();
  const watchers = folders.map(({ dir, names }) =>
    watch(dir, (_, name) => {
      // Editors write in several steps: the last one is waited for.
      if (name !== null && names.includes(name)) setTimeout(() => found(name), SETTLE_MS);
    }),
  );
  try {
    return await Promise.race([promise, untilAborted(signal).then(() => null)]);
  } finally {
    for (const watcher of watchers) watcher.close();
  }
}

function deferred(): { promise: Promise<string>; found: (name: string) => void } {
  let found: (name: string) => void = () => undefined;
  const promise = new Promise<string>((resolve) => {
    found = resolve;
  });
  return { promise, found };
}

async function welcome(
  cli: Cli,
  { loaded, server, demo }: { loaded: LoadedConfig; server: RunningServer; demo: boolean },
): Promise<void> {
  const [{ readVersion }, { prepareDemo }] = await Promise.all([
    import("../version.ts"),
    import("../demo.ts"),
  ]);
  const { config, file } = loaded;
  const storage =
    config.storage.driver === "fs" ? `fs ${nearName(cli, config.storage.base)}` : config.storage.driver;
  const url = config.baseUrl ?? server.url;
  const lines = [
    `platform ${readVersion()}   ${server.url}   storage ${storage}   config ${file === null ? "none (defaults)" : nearName(cli, file)}`,
    `Docs     ${url}/docs`,
    `Sign up  ${url}/signup`,
    config.mail.transport === "dev"
      ? `Inbox    ${url}/_/inbox   (mail stays here: transport dev)`
      : `Mail     transport ${config.mail.transport}`,
  ];
  const made = demo ? await prepareDemo(cli, { loaded, server }) : null;
  if (made !== null) {
    lines.push(
      `Demo     ${made.what}`,
      `Key      ${made.key}   (demo data only; saved as profile "local")`,
      `Try it   ${commandName(cli.io.env)} call /v1/delivery/validate -F postcode='SW1A 1AA' -F basketTotal=2500`,
      `or       curl ${url}/v1/delivery/zones -H "Authorization: Bearer ${made.key}"`,
    );
  }
  for (const warning of server.warnings) lines.push(`warning: ${warning}`);
  cli.out.talk(["", ...lines.map((line) => `  ${line}`), ""].join("\n"));
  if (cli.out.isJson) await cli.out.event({ type: "ready", url, pid: process.pid }, []);
}

/** What a person can type here: started by npm, or not installed for everybody, the command needs npx in front. */
function commandName(env: Cli["io"]["env"]): string {
  const folders = (env.PATH ?? "").split(delimiter);
  const isInstalled = folders.some((folder) => folder !== "" && existsSync(join(folder, "platform")));
  return isInstalled && env.npm_lifecycle_event === undefined ? "platform" : "npx platform";
}

function nearName(cli: Cli, file: string): string {
  const near = relative(cli.cwd, file);
  return near.startsWith("..") ? file : `./${near}`;
}
