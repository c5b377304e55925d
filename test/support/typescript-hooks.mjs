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

/** A template literal that contains `</script>` is transformed into a call of this helper. */
const TEMPLATE =
  "export default (cooked, raw = [...cooked]) => Object.defineProperty(cooked, 'raw', { value: raw });";

const WORKER = fileURLToPath(new URL("server/worker.ts", ROOT));

export function resolve(specifier, context, nextResolve) {
  if (specifier.startsWith("@oxc-project/runtime/helpers/taggedTemplateLiteral"))
    return { url: `data:text/javascript,${encodeURIComponent(TEMPLATE)}`, shortCircuit: true };
  // Compiled before the tests, see `compiled-worker.ts`.
  const compiled = process.env.PLATFORM_TEST_WORKER;
  return nextResolve(specifier === WORKER && compiled !== undefined ? compiled : specifier, context);
}
