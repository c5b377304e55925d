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

export const resolve = (specifier, context, nextResolve) =>
  specifier.startsWith("@oxc-project/runtime/helpers/taggedTemplateLiteral")
    ? { url: `data:text/javascript,${encodeURIComponent(TEMPLATE)}`, shortCircuit: true }
    : nextResolve(specifier, context);
