import { existsSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { basename, join } from "node:path";

import { ConfigError } from "../../server/config/error.ts";
import type { LoadedConfig } from "../../server/config/load.ts";
import { describeMissing, findMissing } from "../../server/core/optional-packages.ts";
import { examples } from "../command/command.ts";
import type { Cli, Define } from "../command/command.ts";
import { CliError, EXIT } from "../terminal/exit.ts";
import { objectsOf, textOf } from "../terminal/json.ts";
import type { JsonObject } from "../terminal/json.ts";
import { loadLocalConfig } from "../client/local.ts";
import { getOne } from "../client/operator.ts";
import { profilesFile } from "../client/profiles.ts";
import { findTarget, runningServerOf } from "../client/target.ts";

export const define: Define = (command, run) => {
  command.action(run(runDoctor));
  examples(command, ["platform doctor", "platform doctor --jq '.data.checks[] | select(.status != \"ok\")'"]);
};

interface Check extends JsonObject {
  readonly id: string;
  /** `fail` makes the exit code 11; `warn` is for a person to decide. */
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly fix?: string;
}

/** Checks of this machine, then those of the service (running, or opened by this command). */
async function runDoctor(cli: Cli): Promise<number> {
  const loaded = await checkConfig(cli);
  const checks: JsonObject[] = [
    checkNode(),
    checkFilters(),
    ...("check" in loaded ? [loaded.check] : checkFiles(cli, loaded)),
    checkMode("profiles.file", await profilesFile(cli.io.env), "contains keys"),
    ...(await checkService(cli)),
    "check" in loaded ? null : await checkPort(cli, loaded),
  ].filter((check) => check !== null);
  const ok = checks.every(({ status }) => status !== "fail");
  if (cli.out.isJson) await cli.out.value({ ok, checks });
  else {
    await cli.out.list(checks, [
      ["STATUS", "status"],
      ["CHECK", "id"],
      ["DETAIL", "detail"],
      ["FIX", "fix"],
    ]);
  }
  const count = (status: string): number => checks.filter((check) => check.status === status).length;
  cli.out.info(`${checks.length} checks: ${count("fail")} failed, ${count("warn")} warnings.`);
  return ok ? EXIT.ok : EXIT.findings;
}

function checkNode(): Check {
  const detail = `Node ${process.versions.node}`;
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    return { id: "node", status: "fail", detail, fix: "install Node 20.19 or newer" };
  if (major < 22)
    return {
      id: "node",
      status: "warn",
      detail: `${detail} no longer gets security fixes`,
      fix: "install Node 24",
    };
  return { id: "node", status: "ok", detail };
}

/** `--jq` is a part of this command, wherever the service is. */
function checkFilters(): Check {
  const missing = findMissing("filters");
  return {
    id: "packages.filters",
    status: "ok",
    detail: missing === null ? "installed" : describeMissing(missing),
  };
}

async function checkConfig(cli: Cli): Promise<LoadedConfig | { readonly check: Check }> {
  try {
    return await loadLocalConfig({ cwd: cli.cwd, configFile: cli.globals.config, env: cli.io.env });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const detail = error.problems.map(({ path, message }) => `${path} ${message}`).join("; ");
    return {
      check: {
        id: "config",
        status: "fail",
        detail,
        fix: "platform config check lists each with its origin",
      },
    };
  }
}

function checkFiles(cli: Cli, { file, dir, warnings, config, origins }: LoadedConfig): (Check | null)[] {
  const data = config.storage.driver === "fs" ? config.storage.base : "";
  return [
    { id: "config", status: "ok", detail: file ?? `none; using the defaults in ${cli.cwd}` },
    ...warnings.map((detail): Check => ({
      id: "config",
      status: "warn",
      detail,
      fix: "platform config show --origin",
    })),
    ...[".env", ".env.local"].map((name) => checkMode(`config.${name}`, join(dir, name), "contains secrets")),
    ...secretFiles(origins).map((name) => checkMode(`config.${basename(name)}`, name, "is a secret")),
    data === "" ? null : checkMode("storage.folder", data, "contains all data"),
  ];
}

/** Files of `NAME_FILE` variables, except in the secrets folder of a container, where modes do not matter. */
const secretFiles = (origins: LoadedConfig["origins"]): string[] =>
  Object.values(origins)
    .flatMap((origin) => /_FILE \((.+)\)$/.exec(origin)?.[1] ?? [])
    .filter((name) => !name.startsWith("/run/secrets/"));

/** Checks the mode of a file with secrets; null if it does not exist. A group can be intended, so it is only a warning. */
function checkMode(id: string, file: string, why: string): Check | null {
  if (process.platform === "win32" || !existsSync(file)) return null;
  const { mode } = statSync(file);
  const fix = `chmod o= ${file}`;
  if ((mode & 0o007) !== 0)
    return { id, status: "fail", detail: `${file} ${why} and can be read by all users of this machine`, fix };
  if ((mode & 0o070) === 0) return { id, status: "ok", detail: `${file} can be read only by you` };
  const detail = `${file} ${why} and can be read by its group`;
  return { id, status: "warn", detail, fix: `chmod go= ${file}` };
}

/** Checks that a server can listen at the configured address; null if one is running, and for remote services. */
async function checkPort(cli: Cli, { config: { baseUrl, server } }: LoadedConfig): Promise<Check | null> {
  const target = await findTarget(cli);
  const { host, port } = server;
  if (target.kind === "remote" || runningServerOf(target) !== null) return null;
  const where = `${host}:${port}`;
  const problem = await tryToListen(host, port);
  if (problem === null) return { id: "server.port", status: "ok", detail: `${where} is free` };
  const fixes: Readonly<Record<string, string>> = {
    EADDRINUSE: `Stop the process that listens there (ss -ltnp 'sport = :${port}'), or set server.port (PLATFORM_PORT).`,
    EACCES: "Ports below 1024 need privileges: set server.port (PLATFORM_PORT) and put a proxy in front.",
    EADDRNOTAVAIL: "Set server.host (PLATFORM_HOST) to an address of this machine.",
  };
  const fix = fixes[problem] ?? "Set server.host and server.port.";
  // Without a base URL this is for development, where the next free port is used.
  const status = baseUrl === undefined ? "warn" : "fail";
  return { id: "server.port", status, detail: `no server can listen on ${where}: ${problem}`, fix };
}

/** Error code of listening; null if it succeeds. */
function tryToListen(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen(port, host, () => probe.close(() => resolve(null)));
  });
}

async function checkService(cli: Cli): Promise<JsonObject[]> {
  try {
    const target = await findTarget(cli);
    const api = await cli.connect();
    const found = await getOne(cli, "/doctor");
    const where: Check = { id: "service", status: "ok", detail: `responds: ${api.label}` };
    const checks = objectsOf(found.checks).filter((check) => textOf(check, "id") !== "");
    const running: Check[] =
      target.kind === "here" && api.isInProcess
        ? [
            {
              id: "service.running",
              status: "warn",
              detail: "no server is running in this folder",
              fix: "platform serve",
            },
          ]
        : [];
    return [where, ...running, ...checks];
  } catch (error) {
    if (error instanceof ConfigError) return [];
    if (!(error instanceof CliError)) throw error;
    const { detail, hint } = error.failure;
    // Other commands recommend `platform doctor`.
    const fix = hint === "platform doctor" ? fixOf(detail) : hint;
    return [{ id: "service", status: "fail", detail, ...(fix === undefined ? {} : { fix }) }];
  }
}

const FIXES: readonly (readonly [message: RegExp, fix: string])[] = [
  [/ENOSPC/, "free space on the disk"],
  [/EACCES|EPERM|EROFS/, "make the user of the service the owner of the folder (chown), or set storage.base"],
  [/no such bucket/, "platform storage provision"],
  [
    /NOAUTH|WRONGPASS|access key/,
    "correct the login; platform config show --origin prints where each setting comes from",
  ],
];

/** How to fix a storage that did not open. */
const fixOf = (detail: string): string =>
  FIXES.find(([message]) => message.test(detail))?.[1] ??
  "check that it is running and reachable from here; platform config show --origin prints the configured storage";
