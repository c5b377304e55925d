import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

import type { LoadedConfig } from "../../server/config/load.ts";
import type { Cli } from "../command/command.ts";
import { usageError } from "../terminal/exit.ts";
import { readStdin } from "../terminal/io.ts";
import { loadLocalConfig } from "./local.ts";
import { findLocalProfile, LOCAL_FOLDER, LOCAL_PROFILE, readProfiles } from "./profiles.ts";
import type { Profile } from "./profiles.ts";
import { findRunningServer } from "./run-file.ts";
import type { RunFile } from "./run-file.ts";
import { readTextFile } from "../command/text-file.ts";

/** Target of a command, before a connection is opened. */
export type Target =
  /** Another machine, or an explicit address. */
  | {
      readonly kind: "remote";
      readonly url: string;
      readonly label: string;
      readonly profile: Profile | null;
    }
  /** The service of this folder: its running server, or else its storage in this process. */
  | {
      readonly kind: "here";
      readonly loaded: LoadedConfig;
      readonly runFile: string;
      readonly profile: Profile | null;
    };

export interface Secrets {
  /** API key or null. */
  readonly key: string | null;
  /** Operator token or null; a server or storage of this folder has its own. */
  readonly token: string | null;
  /** Source of the key: `profile prod`, `PLATFORM_API_KEY`. */
  readonly keySource: string;
}

/**
 * --url or --profile; else the service that this folder belongs to; else the current profile;
 * else the defaults in this folder, as `platform dev` would serve them.
 */
export async function findTarget(cli: Pick<Cli, "cwd" | "globals" | "io">): Promise<Target> {
  const { globals, io, cwd } = cli;
  if (globals.profile === LOCAL_PROFILE) return targetHere(cli);
  const { all, current } = await readProfiles(io.env);
  if (globals.profile !== undefined) {
    const profile = all.find(({ name }) => name === globals.profile);
    if (profile === undefined) {
      throw usageError(`No profile ${JSON.stringify(globals.profile)}.`, "platform profiles list");
    }
    return toRemote(globals.url ?? profile.url, profile);
  }
  if (globals.url !== undefined) {
    const url = globals.url;
    return toRemote(url, all.find((profile) => isSameOrigin(profile.url, url)) ?? null);
  }
  const currentProfile = all.find(({ name }) => name === current);
  if (currentProfile !== undefined && !(await belongsToService(cli, cwd))) {
    return toRemote(currentProfile.url, currentProfile);
  }
  return targetHere(cli);
}

/** The server of this folder that runs now, or null. */
export const runningServerOf = (target: Extract<Target, { kind: "here" }>): RunFile | null =>
  findRunningServer(target.runFile);

/** The credentials for a target. A key is sent only to the address it was saved with. */
export async function findSecrets(
  cli: Pick<Cli, "globals" | "io" | "cwd">,
  target: Target,
): Promise<Secrets> {
  const { globals, io } = cli;
  const profile = target.profile;
  const isOwn = target.kind === "here" || (profile !== null && isSameOrigin(profile.url, target.url));
  const saved = isOwn ? profile : null;
  const token = io.env.PLATFORM_ADMIN_TOKEN ?? "";
  const found = await findKey(globals.keyFile, cli, saved);
  // A file has what its owner put there; the variable is that of an API key.
  const isToken =
    globals.keyFile === undefined ? found.key.startsWith("plat_admin_") : isOperatorToken(found.key);
  return {
    key: found.key === "" || isToken ? null : found.key,
    token: isToken
      ? found.key
      : token !== ""
        ? token
        : (saved?.token ?? "") === ""
          ? null
          : (saved?.token ?? null),
    keySource: found.source,
  };
}

async function findKey(
  keyFile: string | undefined,
  { io, cwd }: Pick<Cli, "io" | "cwd">,
  saved: Profile | null,
): Promise<{ key: string; source: string }> {
  if (keyFile !== undefined) {
    return { key: await readKeyFile(keyFile, io, cwd), source: keyFile === "-" ? "stdin" : keyFile };
  }
  const fromEnv = io.env.PLATFORM_API_KEY ?? "";
  if (fromEnv !== "") return { key: fromEnv.trim(), source: "PLATFORM_API_KEY" };
  return saved === null ? { key: "", source: "" } : { key: saved.key, source: `profile ${saved.name}` };
}

/** A secret from a file or stdin: command lines are visible to all users of the machine. */
export async function readKeyFile(file: string, io: Cli["io"], cwd: string): Promise<string> {
  const content = file === "-" ? await readStdin(io.stdin) : readTextFile({ cwd }, file);
  const key = content.trim();
  if (!/^plat_[a-z]+_[0-9A-Za-z]+$/.test(key) && !isOperatorToken(key)) {
    throw usageError(
      `${file === "-" ? "stdin" : file} does not contain a key.`,
      "a file that contains only the key",
    );
  }
  return key;
}

/** An operator's token: one that the platform issued, or of the configuration, which can be any text of this length (`admin.token`). */
export const isOperatorToken = (secret: string): boolean =>
  secret.startsWith("plat_admin_") || (!secret.startsWith("plat_") && /^[\x21-\x7e]{24,200}$/.test(secret));

export const isSameOrigin = (left: string, right: string): boolean =>
  URL.canParse(left) && URL.canParse(right) && new URL(left).origin === new URL(right).origin;

function toRemote(url: string, profile: Profile | null): Target {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw usageError(`${JSON.stringify(url)} is not a URL.`, "--url https://api.shop.example");
  }
  const base = url.replace(/\/+$/, "");
  return {
    kind: "remote",
    url: base,
    label: profile === null ? base : `${base} (profile ${profile.name})`,
    profile,
  };
}

async function targetHere({ cwd, globals, io }: Pick<Cli, "cwd" | "globals" | "io">): Promise<Target> {
  const loaded = await loadLocalConfig({ cwd, configFile: globals.config, env: io.env });
  const { runFileOf } = await import("../../server/serve/run-file.ts");
  const profile = findLocalProfile(loaded.dir)?.profile ?? null;
  return { kind: "here", loaded, runFile: runFileOf(loaded), profile };
}

async function belongsToService({ globals, io }: Pick<Cli, "globals" | "io">, cwd: string): Promise<boolean> {
  const { findConfigFile } = await import("../../server/config/find-file.ts");
  if (findConfigFile(cwd, globals.config, io.env) !== null) return true;
  for (let dir = cwd; ; dir = dirname(dir)) {
    if (existsSync(join(dir, LOCAL_FOLDER))) return true;
    if (existsSync(join(dir, ".git")) || dir === dirname(dir)) return false;
  }
}
