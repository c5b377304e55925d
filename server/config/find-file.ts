import { existsSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The names that are looked for, the first one wins. */
const FILE_NAMES = ["ts", "mts", "mjs", "js", "json"].map((extension) => `platform.config.${extension}`);

export interface FoundFile {
  /** Absolute. */
  readonly file: string;
  /** What asked for this very file; null when it was found by looking around. */
  readonly askedBy: string | null;
  /** Further configuration files in the same folder, which are not read. */
  readonly ignored: readonly string[];
}

/**
 * The configuration file for `cwd`: the one asked for (flag, then `PLATFORM_CONFIG`), else the nearest in `cwd` and the
 * folders above it, up to the root of the repository. Outside a repository only `cwd` itself counts, because a file of
 * a stranger further up would be run. A file that is asked for need not exist.
 */
export function findConfigFile(
  cwd: string,
  configFile: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): FoundFile | null {
  if (configFile !== undefined)
    return { file: resolve(cwd, configFile), askedBy: "flag --config", ignored: [] };
  const named = env.PLATFORM_CONFIG;
  if (named !== undefined && named !== "") {
    return { file: resolve(cwd, named), askedBy: "env PLATFORM_CONFIG", ignored: [] };
  }
  for (const folder of searchedFolders(cwd)) {
    const [first, ...ignored] = configFilesIn(folder);
    if (first !== undefined) return { file: join(folder, first), askedBy: null, ignored };
  }
  return null;
}

function searchedFolders(cwd: string): string[] {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.push(folder);
    if (existsSync(join(folder, ".git"))) return folders;
    if (folder === dirname(folder)) return [cwd];
  }
}

/** Lists the folder instead of probing names, so that a broken link is reported and not passed over. */
function configFilesIn(folder: string): string[] {
  const present = new Set(listFolder(folder));
  return FILE_NAMES.filter((name) => present.has(name));
}

/** A folder that cannot be listed holds nothing for us. */
function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
