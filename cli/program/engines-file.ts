import { readFileSync } from "node:fs";
import { extname, resolve } from "node:path";

import { findConfigFile } from "../../server/config/find-file.ts";
import type { Io } from "../terminal/io.ts";

/** The configuration file of this folder if it may add engines; null if it adds none or cannot be read. */
export function findEnginesFile({ argv, cwd, env }: Io): string | null {
  const folder = resolve(cwd, valueOf(argv, ["-C", "--cwd"]) ?? "");
  const found = findConfigFile(folder, valueOf(argv, ["-c", "--config"]), env);
  try {
    return found !== null && canAddEngines(found.file) ? found.file : null;
  } catch {
    return null;
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
