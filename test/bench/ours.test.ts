import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, it } from "vitest";

import { benchJobs } from "./jobs.mjs";
import { compileModules } from "./modules.mjs";
import { startOurs } from "./ours.mjs";
import type { Section } from "./report.mjs";
import { benchShops } from "./shops.mjs";

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

const valuesOf = (sections: readonly Section[]): number[] =>
  sections.flatMap(({ rows }) => rows.flatMap(({ values }) => values));

it("has due documents for each job that it measures", { timeout: 180_000 }, async () => {
  const sections = await benchJobs({ size: 8 });
  expect(sections.map(({ unit }) => unit)).toEqual(["docs/s", "µs"]);
  expect(valuesOf(sections).every((value) => value > 0)).toBe(true);
});

it("has stores with keys that a server answers", { timeout: 180_000 }, async () => {
  const sections = await benchShops({ rounds: 1, size: 3, idleMs: 400 });
  expect(sections.map(({ rows }) => rows.length)).not.toContain(0);
  expect(valuesOf(sections).every((value) => Number.isFinite(value))).toBe(true);
});
