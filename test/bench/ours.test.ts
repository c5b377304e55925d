import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, it } from "vitest";

import { compileModules } from "./modules.mjs";
import { startOurs } from "./ours.mjs";

const cleanup: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const step of cleanup.toReversed()) await step();
});

it("has modules that compile and a store that the platform serves", { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "platform-bench-"));
  cleanup.push(() => rm(folder, { recursive: true, force: true }));
  compileModules();
  const ours = await startOurs(folder);
  cleanup.push(() => ours.stop());
  const headers = { authorization: `Bearer ${ours.token}` };
  const page = await fetch(ours.url + ours.path, { headers });
  expect(page.status).toBe(200);
  expect(await page.json()).toMatchObject({ data: { length: 20 } });
});
