import { readFileSync } from "node:fs";
import { resolve } from "node:path";

import type { Cli } from "./command.ts";
import { usageError } from "../terminal/exit.ts";

/** The content of a file from the command line; throws a usage error if it cannot be read. */
export function readTextFile(cli: Pick<Cli, "cwd">, file: string): string {
  try {
    return readFileSync(resolve(cli.cwd, file), "utf8");
  } catch (error) {
    throw usageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
