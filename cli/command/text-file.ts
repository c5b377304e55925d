import { readFileSync } from "node:fs";
import { resolve } from "node:path";

import type { Cli } from "./command.ts";
import { usageError } from "../terminal/exit.ts";

/** A file that somebody named on the command line; one that cannot be read is wrong usage. */
export function readTextFile(cli: Pick<Cli, "cwd">, file: string): string {
  try {
    return readFileSync(resolve(cli.cwd, file), "utf8");
  } catch (error) {
    throw usageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
