import { pathToFileURL } from "node:url";

import type { TestProject } from "vitest/node";

import { compileScript } from "./compile.ts";

/**
 * Compiles what worker threads run, once for all tests: to load it from the sources takes each thread two to three times as long.
 * `typescript-hooks.mjs` puts it in the place of the sources.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let compiled = await compileScript("server/worker");
  const announce = () => {
    process.env["PLATFORM_TEST_WORKER"] = pathToFileURL(compiled.script).href;
  };
  announce();
  project.onTestsRerun(async () => {
    await compiled.remove();
    compiled = await compileScript("server/worker");
    announce();
  });
  return () => compiled.remove();
}
