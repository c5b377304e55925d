import { existsSync, statSync } from "node:fs";
import { join } from "node:path";

import { ConfigError } from "../../server/config/error.ts";
import type { LoadedConfig } from "../../server/config/load.ts";
import { examples } from "../command.ts";
import type { Cli, Define } from "../command.ts";
import { CliError, EXIT } from "../exit.ts";
import { objectsOf, textOf } from "../json.ts";
import type { JsonObject } from "../json.ts";
import { loadLocalConfig } from "../local.ts";
import { getOne } from "../operator.ts";
import { profilesFile } from "../profiles.ts";
import { findTarget } from "../target.ts";

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

/** What can be seen from here, then what the service says of itself (running, or opened by this command). */
async function runDoctor(cli: Cli): Promise<number> {
  const loaded = await checkConfig(cli);
  const checks: JsonObject[] = [
    checkNode(),
    ...("check" in loaded ? [loaded.check] : checkFiles(cli, loaded)),
    checkMode("profiles.file", await profilesFile(cli.io.env), "the profiles hold keys"),
    ...(await checkService(cli)),
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
  cli.out.talk(`${checks.length} checks: ${count("fail")} failed, ${count("warn")} to look at.`);
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
      detail: `${detail} gets no more security fixes`,
      fix: "install Node 24",
    };
  return { id: "node", status: "ok", detail };
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
        fix: "platform config check tells each with its origin",
      },
    };
  }
}

function checkFiles(cli: Cli, { file, dir, warnings, config }: LoadedConfig): (Check | null)[] {
  const data = config.storage.driver === "fs" ? config.storage.base : "";
  return [
    { id: "config", status: "ok", detail: file ?? `none; the defaults hold in ${cli.cwd}` },
    ...warnings.map((detail): Check => ({
      id: "config",
      status: "warn",
      detail,
      fix: "platform config show --origin",
    })),
    ...[".env", ".env.local"].map((name) => checkMode(`config.${name}`, join(dir, name), "it holds secrets")),
    data === "" ? null : checkMode("storage.folder", data, "it holds everything"),
  ];
}

/** A file of secrets that others can read; null when it is not there. */
function checkMode(id: string, file: string, why: string): Check | null {
  if (process.platform === "win32" || !existsSync(file)) return null;
  const open = (statSync(file).mode & 0o077) !== 0;
  if (!open) return { id, status: "ok", detail: `${file} is yours alone` };
  return {
    id,
    status: "warn",
    detail: `${file} can be read by others, and ${why}`,
    fix: `chmod go= ${file}`,
  };
}

async function checkService(cli: Cli): Promise<JsonObject[]> {
  try {
    const target = await findTarget(cli);
    const api = await cli.connect();
    const found = await getOne(cli, "/doctor");
    const where: Check = { id: "service", status: "ok", detail: `answers: ${api.label}` };
    const checks = objectsOf(found.checks).filter((check) => textOf(check, "id") !== "");
    const running: Check[] =
      target.kind === "here" && api.isInProcess
        ? [
            {
              id: "service.running",
              status: "warn",
              detail: "no server runs in this folder",
              fix: "platform serve",
            },
          ]
        : [];
    return [where, ...running, ...checks];
  } catch (error) {
    if (error instanceof ConfigError) return [];
    if (!(error instanceof CliError)) throw error;
    const { detail, hint } = error.failure;
    // What other commands advise is this one.
    const fix =
      hint === "platform doctor" ? "platform config show --origin tells which storage was meant" : hint;
    return [{ id: "service", status: "fail", detail, ...(fix === undefined ? {} : { fix }) }];
  }
}
