import { existsSync } from "node:fs";
import { delimiter, join, relative } from "node:path";

import type { Cli } from "./command.ts";

/**
 * How to run the CLI in `folder`: the installed command, npx in a project that depends on the package, or this
 * script. (In a clone, npx would build the whole package first.)
 */
export function commandName({ io, cwd }: Pick<Cli, "io" | "cwd">, folder: string = cwd): string {
  const folders = (io.env.PATH ?? "").split(delimiter).filter((one) => !one.includes("node_modules"));
  if (folders.some((one) => one !== "" && existsSync(join(one, "platform")))) return "platform";
  if (existsSync(join(cwd, "node_modules", ".bin", "platform"))) return "npx platform";
  return `node ${relative(folder, process.argv[1] ?? "")}`;
}
