import { readFileSync } from "node:fs";
import { extname, resolve } from "node:path";

import { findConfigFile } from "../../server/config/find-file.ts";
import type { Engine } from "../../server/core/engine.ts";
import type { Io } from "../terminal/io.ts";

/**
 * The engines that the configuration of this folder adds. None where it cannot be read or is not valid: commands that need the
 * configuration report that.
 */
export async function findEngines({ argv, cwd, env }: Io): Promise<readonly Engine[]> {
  const folder = resolve(cwd, valueOf(argv, ["-C", "--cwd"]) ?? "");
  const found = findConfigFile(folder, valueOf(argv, ["-c", "--config"]), env);
  if (found === null) return [];
  try {
    if (!canAddEngines(found.file)) return [];
    const [{ readConfigFile }, { Extensions }] = await Promise.all([
      import("../../server/config/read-file.ts"),
      import("../../server/config/extensions.ts"),
    ]);
    const { engines } = await readConfigFile(found.file, false);
    return Extensions.parse({ engines }).engines ?? [];
  } catch {
    return [];
  }
}

/** Loading a configuration takes longer than all of `--help`: only one that names engines or imports other files is loaded. */
const canAddEngines = (file: string): boolean =>
  extname(file) !== ".json" && ENGINES_OR_IMPORT.test(readFileSync(file, "utf8"));

const ENGINES_OR_IMPORT =
  /\bengines\b|\b(?:from|import|require)\s*\(?\s*["'`](?!storefront-platform\/config["'`])/;

/** Value of a global option, before the command line is parsed: the commands to parse it with depend on it. */
function valueOf(argv: readonly string[], names: readonly string[]): string | undefined {
  const end = argv.indexOf("--");
  const words = end === -1 ? argv : argv.slice(0, end);
  const index = words.findLastIndex((word) => names.includes(word.split("=", 1)[0] ?? ""));
  const word = words[index];
  if (word === undefined) return undefined;
  return word.includes("=") ? word.slice(word.indexOf("=") + 1) : words[index + 1];
}
