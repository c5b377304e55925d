import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { usageError } from "../terminal/exit.ts";
import type { Io } from "../terminal/io.ts";
import { isObject, parseJson, textOf } from "../terminal/json.ts";

/** A service that commands may be sent to, with what proves who sends them. */
export interface Profile {
  readonly name: string;
  readonly url: string;
  /** Empty: the key's own store. */
  readonly store: string;
  /** API key; empty when there is none. */
  readonly key: string;
  /** Operator token; empty when there is none. */
  readonly token: string;
}

export interface Profiles {
  /** Name of the profile that is used where nothing else says so; empty for none. */
  readonly current: string;
  readonly all: readonly Profile[];
}

/** Folder in which `platform dev` keeps what concerns this working copy. */
export const LOCAL_FOLDER = ".platform";
export const LOCAL_PROFILE = "local";

/** `$XDG_CONFIG_HOME/platform/profiles.json`, or where the system keeps such files. */
export async function profilesFile(env: Io["env"]): Promise<string> {
  if ((env.XDG_CONFIG_HOME ?? "") !== "") return join(env.XDG_CONFIG_HOME ?? "", "platform", "profiles.json");
  const { default: envPaths } = await import("env-paths");
  return join(envPaths("platform", { suffix: "" }).config, "profiles.json");
}

export async function readProfiles(env: Io["env"]): Promise<Profiles> {
  const file = await profilesFile(env);
  if (!existsSync(file)) return { current: "", all: [] };
  const content = parseJson(readFileSync(file, "utf8"));
  if (!isObject(content) || !isObject(content.profiles)) {
    throw usageError(`${file} is not a file of profiles.`, `mv ${file} ${file}.broken`);
  }
  const all = Object.entries(content.profiles).map(([name, value]) => toProfile(name, value));
  return { current: textOf(content, "current"), all };
}

export async function writeProfiles(env: Io["env"], { current, all }: Profiles): Promise<string> {
  const file = await profilesFile(env);
  const profiles = Object.fromEntries(all.map(({ name, ...rest }) => [name, rest]));
  writePrivateFile(file, `${JSON.stringify({ current, profiles }, null, 2)}\n`);
  return file;
}

/** The profile that `platform dev` left for this folder or one above it, with the folder it belongs to. */
export function findLocalProfile(cwd: string): { readonly profile: Profile; readonly dir: string } | null {
  for (let dir = cwd; ; dir = dirname(dir)) {
    const file = join(dir, LOCAL_FOLDER, "profile.json");
    if (existsSync(file)) {
      const profile = toProfile(LOCAL_PROFILE, parseJson(readFileSync(file, "utf8")));
      return { profile, dir };
    }
    // Beyond the root of a repository begins what other people wrote.
    if (existsSync(join(dir, ".git")) || dir === dirname(dir)) return null;
  }
}

export function writeLocalProfile(dir: string, { name: _name, ...rest }: Profile): void {
  const folder = join(dir, LOCAL_FOLDER);
  writePrivateFile(join(folder, "profile.json"), `${JSON.stringify(rest, null, 2)}\n`);
  // The folder holds a key: it keeps itself out of the repository.
  writeFileSync(join(folder, ".gitignore"), "*\n");
}

/** Readable for its owner alone, and never half written. */
export function writePrivateFile(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.new`;
  writeFileSync(draft, content, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}

/** `plat_live_…aB3d`: enough to recognise a key by. */
export function maskKey(key: string): string {
  if (key === "") return "";
  const head = /^plat_[a-z]+_/.exec(key)?.[0] ?? "";
  return `${head}…${key.slice(-4)}`;
}

const toProfile = (name: string, value: unknown): Profile => ({
  name,
  url: textOf(value, "url"),
  store: textOf(value, "store"),
  key: textOf(value, "key"),
  token: textOf(value, "token"),
});
