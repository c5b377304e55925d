import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { findPackageRoot } from "../../server/core/package-root.ts";
import { compileTemplate } from "../../server/mail/compile.ts";

let folder = "";
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "platform-build-"))));
afterAll(() => rm(folder, { recursive: true }));

test("the build compiles the layout and copies the assets, quietly", async () => {
  const root = findPackageRoot();
  const out = join(folder, "out");
  const script = join(root, "dist", "server", "build.js");
  const printed = execFileSync(process.execPath, [script, out], {
    encoding: "utf8",
    cwd: folder,
    stdio: "pipe",
  });
  expect(printed).toBe("");
  const compiled: unknown = JSON.parse(await readFile(join(out, "templates", "mail.json"), "utf8"));
  const source = await readFile(join(root, "templates", "mail.mjml"), "utf8");
  expect(compiled).toEqual(await compileTemplate("mail", source));
  expect((await readFile(join(out, "assets", "rapidoc-min.js"), "utf8")).length).toBeGreaterThan(500_000);
  expect(await readFile(join(out, "assets", "rapidoc.LICENSE.txt"), "utf8")).toContain("MIT");
});
