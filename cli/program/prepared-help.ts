import { readFileSync } from "node:fs";
import { join } from "node:path";

import { findBuilt } from "../../server/core/package-root.ts";
import type { Io } from "../terminal/io.ts";
import { findEnginesFile } from "./engines-file.ts";

/** Characters of a line where the terminal has no size, as in a pipe. */
const DEFAULT_WIDTH = 100;

/**
 * The page of `platform --help` as the build wrote it, so that the argument parser is not loaded; null for any other command
 * line or width, where the configuration may add engines, and where the source runs.
 */
export function readPreparedHelp(io: Io): string | null {
  const isHelp = io.argv.length === 1 && ["-h", "--help"].includes(io.argv[0] ?? "");
  if (!isHelp || widthOf(io) !== DEFAULT_WIDTH) return null;
  const built = findBuilt();
  if (built === null || findEnginesFile(io) !== null) return null;
  try {
    return readFileSync(join(built, "help.txt"), "utf8");
  } catch {
    return null;
  }
}

/** Characters of a line; a terminal without a size reports 0. */
export const widthOf = ({ stdout }: Io): number => stdout.columns || DEFAULT_WIDTH;
