import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { requestOf } from "../../server/site/docs/engine-page.ts";
import { RECIPES, programOf } from "../../server/site/docs/recipes.ts";
import { snippetsOf } from "../../server/site/docs/snippets.ts";
import { WORKED_EXAMPLES } from "../../server/site/docs/worked-examples.ts";
import { engines } from "../../server/registry.ts";
import { seedStore } from "../../server/operations/seed.ts";
import { endpoints } from "../contract/world.ts";
import { serveHarness } from "../support/browser.ts";

const run = promisify(execFile);
const ROOT = new URL("../..", import.meta.url).pathname;

/** Each example of the documentation, run as it is shown: by curl, node, Python and the command of the last build. */
describe("worked examples", () => {
  let served: Awaited<ReturnType<typeof serveHarness>>;
  let folder = "";
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    served = await serveHarness();
    const { harness } = served;
    const seeded = await seedStore(harness.services, {
      now: harness.clock.now(),
      store: null,
      engines: null,
    });
    const key = await harness.key({ customer_id: seeded.customer_id, store_id: seeded.store_id });
    folder = await mkdtemp(join(tmpdir(), "platform-examples-"));
    const command = `#!/bin/sh\nexec "${process.execPath}" "${ROOT}dist/bin/platform.js" "$@"\n`;
    await writeFile(join(folder, "platform"), command, { mode: 0o755 });
    env = {
      PATH: `${folder}:${process.env.PATH}`,
      HOME: folder,
      API_KEY: key.plaintext,
      PLATFORM_API_KEY: key.plaintext,
    };
  }, 60_000);
  afterAll(async () => {
    await served.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("shows every engine at work", () =>
    expect([...new Set(WORKED_EXAMPLES.map(({ engine }) => engine))].sort()).toEqual(
      engines.map(({ name }) => name).sort(),
    ));

  it.each(WORKED_EXAMPLES.map((example) => [`${example.engine}: ${example.title}`, example] as const))(
    "%s",
    { timeout: 60_000 },
    async (_, example) => {
      const request = requestOf(example, { baseUrl: served.url, shown: endpoints });
      const answers = await Promise.all(
        snippetsOf(request).map(async ({ language, text }) => {
          const [program, args] =
            language === "fetch"
              ? [process.execPath, ["--input-type=module", "-e", text]]
              : language === "python"
                ? ["python3", ["-c", text]]
                : ["sh", ["-c", text]];
          const { stdout } = await run(program, args, { cwd: folder, env });
          const answer = JSON.parse(stdout);
          return language === "curl" ? answer.data : answer;
        }),
      );
      const [first, ...others] = answers;
      expect(first).toBeTruthy();
      for (const other of others) expect(other.data ?? other).toEqual(first);
      // The demo shop has something to show wherever a list is asked for.
      if (Array.isArray(first)) expect(first.length).toBeGreaterThan(0);
    },
  );

  it("has a recipe for every engine", () =>
    expect(RECIPES.map(({ engine }) => engine).sort()).toEqual(engines.map(({ name }) => name).sort()));

  it.each(RECIPES.map((recipe) => [`${recipe.engine}: ${recipe.title}`, recipe] as const))(
    "recipe: %s",
    { timeout: 60_000 },
    async (_, recipe) => {
      const program = ["--input-type=module", "-e", programOf(recipe, served.url)];
      const { stdout } = await run(process.execPath, program, { cwd: folder, env });
      expect(stdout.trim()).not.toBe("");
      expect(stdout).not.toMatch(/undefined|\[\]|null null/);
    },
  );
});
