import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";

import type { Cli } from "./command.ts";
import { usageError } from "../terminal/exit.ts";
import { readStdin } from "../terminal/io.ts";

/** The content of a file from the command line; throws a usage error if it cannot be read. */
export const readTextFile = (cli: Pick<Cli, "cwd">, file: string): string =>
  readBytes(cli, file).toString("utf8");

/** The content of `--input`: of a file, or of stdin for `-`. */
export const readInput = async (cli: Cli, file: string): Promise<string> =>
  file === "-" ? readStdin(cli.io.stdin) : readTextFile(cli, file);

/** A file to upload. */
export const readFormFile = (cli: Pick<Cli, "cwd">, file: string) => ({
  path: file,
  fileName: basename(file),
  bytes: readBytes(cli, file),
});

function readBytes({ cwd }: Pick<Cli, "cwd">, file: string): Buffer {
  try {
    return readFileSync(resolve(cwd, file));
  } catch (error) {
    throw usageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
