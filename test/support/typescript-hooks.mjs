import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { transformSync } from "rolldown/utils";

/** A module hook of Node (`module.register`): TypeScript as JavaScript. */
export async function load(url, context, nextLoad) {
  if (!url.endsWith(".ts")) return nextLoad(url, context);
  const path = fileURLToPath(url);
  const { code } = transformSync(path, await readFile(path, "utf8"));
  return { format: "module", source: code, shortCircuit: true };
}
