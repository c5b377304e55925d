import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

import { usageError } from "../terminal/exit.ts";
import type { Io } from "../terminal/io.ts";
import { isObject, textOf } from "../terminal/json.ts";
import { parseJson } from "../../server/lib/parse-json.ts";

/** A saved service with its credentials. */
export interface Profile {
  readonly name: string;
  readonly url: string;
  /** Empty: the store of the key. */
  readonly store: string;
  /** API key; empty when there is none. */
  readonly key: string;
  /** Operator token; empty when there is none. */
  readonly token: string;
}

export interface Profiles {
  /** Name of the default profile; empty for none. */
  readonly current: string;
  readonly all: readonly Profile[];
}

/** Folder in which `platform dev` stores files of this working copy. */
export const LOCAL_FOLDER = ".platform";
export const LOCAL_PROFILE = "local";

/** `$XDG_CONFIG_HOME/platform/profiles.json`, or the configuration folder of the system. */
export async function profilesFile(env: Io["env"]): Promise<string> {
  if ((env.XDG_CONFIG_HOME ?? "") !== "") return join(env.XDG_CONFIG_HOME ?? "", "platform", "profiles.json");
  return join(configFolder(env), "profiles.json");
}

/** Where programs of a user keep their settings, by the rules of each system. */
function configFolder(env: Io["env"]): string {
  if (process.platform === "darwin") return join(homeFolder(), "Library", "Preferences", "platform");
  if (process.platform !== "win32") return join(homeFolder(), ".config", "platform");
  return join(env.APPDATA ?? join(homeFolder(), "AppData", "Roaming"), "platform", "Config");
}

/** `/`, as container runtimes have it, for a user id that has no folder. */
function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return "/";
  }
}

export async function readProfiles(env: Io["env"]): Promise<Profiles> {
  const file = await profilesFile(env);
  if (!existsSync(file)) return { current: "", all: [] };
  const content = parseJson(readFileSync(file, "utf8"));
  if (!isObject(content) || !isObject(content.profiles)) {
    throw usageError(`${file} is not a profiles file.`, `mv ${file} ${file}.broken`);
  }
  const all = Object.entries(content.profiles).map(([name, value]) => toProfile(name, value));
  return { current: textOf(content, "current"), all };
}

export async function writeProfiles(env: Io["env"], { current, all }: Profiles): Promise<string> {
  const file = await profilesFile(env);
  const profiles = Object.fromEntries(all.map(({ name, ...rest }) => [name, rest]));
  try {
    writePrivateFile(file, `${JSON.stringify({ current, profiles }, null, 2)}\n`);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw usageError(`${file} cannot be written (${code}).`, "XDG_CONFIG_HOME=<folder> for your settings");
  }
  return file;
}

/** The profile that `platform dev` wrote in this folder or a parent, with that folder. */
export function findLocalProfile(cwd: string): { readonly profile: Profile; readonly dir: string } | null {
  for (let dir = cwd; ; dir = dirname(dir)) {
    const file = join(dir, LOCAL_FOLDER, "profile.json");
    if (existsSync(file)) {
      const profile = toProfile(LOCAL_PROFILE, parseJson(readFileSync(file, "utf8")));
      return { profile, dir };
    }
    // Files above the root of a repository may belong to other users.
    if (existsSync(join(dir, ".git")) || dir === dirname(dir)) return null;
  }
}

export function writeLocalProfile(dir: string, { name: _name, ...rest }: Profile): void {
  const folder = join(dir, LOCAL_FOLDER);
  writePrivateFile(join(folder, "profile.json"), `${JSON.stringify(rest, null, 2)}\n`);
  // The folder contains a key and must not be committed.
  writeFileSync(join(folder, ".gitignore"), "*\n");
}

/** Writes atomically, readable only by the owner. */
export function writePrivateFile(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.new`;
  writeFileSync(draft, content, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}

/** `plat_live_…aB3d`: enough to recognise a key. */
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
