import type { Flag } from "../../server/config/sources.ts";
import type { LoadedConfig } from "../../server/config/load.ts";
import { examples } from "../command/command.ts";
import type { Cli, Define, Input } from "../command/command.ts";
import { EXIT } from "../terminal/exit.ts";
import { flag, text } from "../command/globals.ts";
import { start } from "../serve/server.ts";

export const define: Define = (command, run) => {
  addServerOptions(command)
    .option("--workers <n>", "number of processes that share the port (Redis or S3); auto: one per core")
    .option("--check", "start, stop, and report whether it would serve")
    .action(run(serve));
  examples(command, [
    "platform serve --base-url https://api.shop.example",
    "platform serve --port 8080 --check",
    "platform serve --workers auto",
    "platform serve --https --cert cert.pem --key key.pem",
  ]);
};

export const addServerOptions = (command: Parameters<Define>[0]) =>
  command
    .option("--port <port>", "port to listen on; 0 selects a free port")
    .option("--host <address>", "address to listen on")
    .option("--base-url <url>", "public address, used for links in mail")
    .option("--https", "serve HTTPS; default certificate: self-signed (see --cert and --key)")
    .option("--cert <file>", "certificate chain (PEM)")
    .option("--key <file>", "private key (PEM)")
    .option("--allow-volatile-redis", "accept a Redis that can lose acknowledged writes");

/** Runs until a signal; then shuts down gracefully with exit code 0. */
async function serve(cli: Cli, { options }: Input): Promise<number> {
  const { loadConfig } = await import("../../server/config/load.ts");
  const loaded = await loadConfig({
    cwd: cli.cwd,
    configFile: cli.globals.config,
    env: cli.io.env,
    flags: serverFlags(options),
  });
  const pool = await import("../serve/workers.ts");
  if (pool.isWorker()) return pool.serveAsWorker(cli, loaded);
  const workers = pool.workerCount(text(options, "workers"));
  if (workers > 1) {
    const { checkServable } = await import("../../server/config/servable.ts");
    checkServable(loaded, { nodes: workers });
    if (!flag(options, "check")) return pool.serveWorkers(cli, loaded, workers);
  }
  for (;;) {
    const code = await serveOnce(cli, { loaded, isCheck: flag(options, "check") });
    if (code !== null) return code;
  }
}

/** Null if the store was replaced and an operator adopted it: it is served again. */
async function serveOnce(
  cli: Cli,
  { loaded, isCheck }: { readonly loaded: LoadedConfig; readonly isCheck: boolean },
): Promise<number | null> {
  const server = await start(cli, { loaded, dev: false, isCheck });
  if (isCheck) {
    await server.stop("check");
    await cli.out.value({ ok: true, config: loaded.file, url: server.url, warnings: server.warnings });
    return EXIT.ok;
  }
  for (const warning of server.warnings) cli.out.info(`warning: ${warning}`);
  cli.out.info(`Serving ${readyLine(loaded, server.url)}`);
  await Promise.race([untilAborted(cli.signal), server.adopted]);
  await server.stop(cli.signal.aborted ? "signal" : "adopted");
  return cli.signal.aborted ? EXIT.ok : null;
}

/** The options as settings of the configuration. */
export function serverFlags(options: Input["options"]): Flag[] {
  const settings = [
    ["port", "server.port", "--port"],
    ["host", "server.host", "--host"],
    ["baseUrl", "baseUrl", "--base-url"],
    ["cert", "server.https.cert", "--cert"],
    ["key", "server.https.key", "--key"],
  ] as const;
  const flags = settings.flatMap(([option, path, name]): Flag[] => {
    const value = text(options, option);
    return value === undefined ? [] : [{ name, path, value }];
  });
  if (flag(options, "allowVolatileRedis"))
    flags.push({ name: "--allow-volatile-redis", path: "storage.allowVolatile", value: true });
  const files = flags.some(({ path }) => path.startsWith("server.https."));
  return flag(options, "https") && !files
    ? [...flags, { name: "--https", path: "server.https", value: true }]
    : flags;
}

const readyLine = ({ config, file }: LoadedConfig, url: string): string =>
  `${config.baseUrl ?? url} on ${url}, storage ${config.storage.driver}, config ${file ?? "none (defaults)"}`;

/** Resolves when the process is asked to end. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
