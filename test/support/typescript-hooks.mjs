import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { transformSync } from "rolldown/utils";

const ROOT = new URL("../../", import.meta.url).href;

/** A module hook of Node (`module.register`): the project's TypeScript as JavaScript. Other folders load as without it. */
export async function load(url, context, nextLoad) {
  if (!url.endsWith(".ts") || !url.startsWith(ROOT)) return nextLoad(url, context);
  const path = fileURLToPath(url);
  const { code } = transformSync(path, await readFile(path, "utf8"));
  return { format: "module", source: code, shortCircuit: true };
}
