import { watch } from "node:fs";
import { basename, relative } from "node:path";

import type { LoadedConfig } from "../../server/config/load.ts";
import type { RunningServer } from "../../server/serve.ts";
import { examples } from "../command/command.ts";
import type { Cli, Define, Input } from "../command/command.ts";
import { commandName } from "../command/command-name.ts";
import { EXIT, usageError } from "../terminal/exit.ts";
import { report } from "../terminal/report.ts";
import { start } from "../serve/server.ts";
import { addServerOptions, serverFlags, untilAborted } from "./serve.ts";

export const define: Define = (command, run) => {
  addServerOptions(command)
    .option("--no-demo", "without demo data and demo key")
    .option("--open", "open the address in a browser")
    .option("--qr", "print the address as a QR code for a phone (with --host 0.0.0.0)")
    .option("--no-watch", "do not restart when the configuration changes")
    .action(run(develop));
  examples(command, ["platform dev", "platform dev --port 4000 --no-demo"]);
};

/** Runs the development server; restarts when the configuration changes, until a signal. */
async function develop(cli: Cli, { options }: Input): Promise<number> {
  const load = async (): Promise<LoadedConfig> => {
    const { loadConfig } = await import("../../server/config/load.ts");
    const flags = serverFlags(options);
    return loadConfig({ cwd: cli.cwd, configFile: cli.globals.config, env: cli.io.env, flags, dev: true });
  };
  let loaded = await load();
  const { isLoopback } = await import("../../server/serve/listen.ts");
  if (options.qr === true && isLoopback(loaded.config.server.host)) {
    const detail = `--qr needs an address that other devices reach, not ${loaded.config.server.host}.`;
    throw usageError(detail, `${commandName(cli)} dev --qr --host 0.0.0.0`);
  }
  let isFirst = true;
  const changes = watchConfig(loaded, options.watch !== false);
  try {
    for (;;) {
      const { box, open } = addressOptions(cli, options);
      const server = await start(cli, { loaded, dev: true, showsAddress: box || (open && isFirst) });
      // listhen prints to the terminal itself.
      if (box) await server.address?.showURL({ qr: options.qr === true });
      // Once, not again at each restart.
      if (open && isFirst) await server.address?.open();
      isFirst = false;
      const next = await untilChange(cli, { loaded, server, demo: options.demo !== false, changes, load });
      if (next === null) return EXIT.ok;
      cli.out.info("The configuration changed. Restarting.");
      loaded = next;
    }
  } finally {
    changes.close();
  }
}

/** Whether the address is printed in a box and opened in a browser. */
function addressOptions({ io, out, globals }: Cli, { qr, open }: Input["options"]) {
  const isProcess = io.stdout === process.stdout;
  const hasTerminal = io.stdout.isTTY === true && !out.isJson && !globals.quiet;
  return { box: isProcess && (qr === true || hasTerminal), open: isProcess && open === true };
}

/** Prints the banner, waits for the next configuration and stops the server, also if a signal interrupts. */
async function untilChange(cli: Cli, at: Welcomed & Source): Promise<LoadedConfig | null> {
  let reason = "signal";
  try {
    await welcome(cli, at);
    const next = await nextConfig(cli, at);
    if (next !== null) reason = "configuration changed";
    return next;
  } catch (error) {
    if (cli.signal.aborted) return null;
    reason = "not ready";
    throw error;
  } finally {
    await at.server.stop(reason);
  }
}

interface Source {
  readonly changes: Changes;
  readonly load: () => Promise<LoadedConfig>;
}

/** Waits for a configuration that can be loaded; an invalid one does not stop the server. Null after a signal. */
async function nextConfig(cli: Cli, { changes, load }: Source): Promise<LoadedConfig | null> {
  while (await changes.next(cli.signal)) {
    try {
      return await load();
    } catch (error) {
      report(error, cli.io, { json: false, verbose: cli.globals.verbose, color: cli.globals.color });
      cli.out.info("The server continues with the previous configuration.");
    }
  }
  return null;
}

interface Changes {
  /** True if the configuration has changed since the last call, or as soon as it does; false at a signal. */
  next(signal: AbortSignal): Promise<boolean>;
  close(): void;
}

const SETTLE_MS = 200;
const CONFIG_FILE = /^(platform\.config\.(ts|mts|mjs|js|json)|\.env|\.env\.local)$/;

/**
 * Watches the folder of the configuration, because many editors replace the file. A change is stored until `next` is called,
 * so that a change during a restart is not lost.
 */
function watchConfig({ dir, file }: LoadedConfig, enabled: boolean): Changes {
  let changed = false;
  let wake: () => void = () => undefined;
  let timer: NodeJS.Timeout | undefined;
  const note = (): void => {
    changed = true;
    wake();
  };
  const watcher = enabled
    ? watch(dir, (_, name) => {
        if (name === null || (!CONFIG_FILE.test(name) && name !== basename(file ?? ""))) return;
        // Editors write in several steps: wait for the last one.
        clearTimeout(timer);
        timer = setTimeout(note, SETTLE_MS);
      })
    : null;
  return {
    async next(signal) {
      if (!changed && !signal.aborted) {
        await Promise.race([untilAborted(signal), new Promise<void>((resolve) => (wake = resolve))]);
      }
      changed = false;
      return !signal.aborted;
    },
    close() {
      clearTimeout(timer);
      watcher?.close();
    },
  };
}

interface Welcomed {
  readonly loaded: LoadedConfig;
  readonly server: RunningServer;
  readonly demo: boolean;
}

async function welcome(cli: Cli, { loaded, server, demo }: Welcomed): Promise<void> {
  const [{ packageVersion }, { createConsoleLink, prepareDemo }] = await Promise.all([
    import("../../server/core/package-root.ts"),
    import("../client/demo.ts"),
  ]);
  const { config, file } = loaded;
  const storage =
    config.storage.driver === "fs" ? `fs ${relativeName(cli, config.storage.base)}` : config.storage.driver;
  const url = config.baseUrl ?? server.url;
  const lines = [
    `platform ${packageVersion()}   ${server.url}   storage ${storage}   config ${file === null ? "none (defaults)" : relativeName(cli, file)}`,
    `Docs     ${url}/docs`,
    `Sign up  ${url}/signup`,
    config.mail.transport === "dev"
      ? `Inbox    ${url}/_/inbox   (mail is not sent: transport dev)`
      : `Mail     transport ${config.mail.transport}`,
  ];
  const consoleUrl = await createConsoleLink(cli, { loaded, server });
  if (consoleUrl !== null) lines.push(`Console  ${consoleUrl}   (login link, valid once, for 30 minutes)`);
  const made = demo ? await prepareDemo(cli, { loaded, server }) : null;
  if (made !== null) {
    const selfSigned = config.server.https === true ? "-k " : "";
    lines.push(
      `Demo     ${url}/demo   (${made.what})`,
      `Key      ${made.key}   (demo data only; saved as profile "local")`,
      `Try it   ${commandName(cli)} call /v1/delivery/validate -F postcode='SW1A 1AA' -F basketTotal=2500`,
      `or       curl ${selfSigned}${url}/v1/delivery/zones -H "Authorization: Bearer ${made.key}"`,
    );
  }
  for (const warning of server.warnings) lines.push(`warning: ${warning}`);
  cli.out.info(["", ...lines.map((line) => `  ${line}`), ""].join("\n"));
  if (cli.out.isJson) await cli.out.event({ type: "ready", url, pid: process.pid }, []);
}

function relativeName(cli: Cli, file: string): string {
  const near = relative(cli.cwd, file);
  return near.startsWith("..") ? file : `./${near}`;
}
