import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

const COMMAND = new URL("../../../dist/bin/platform.js", import.meta.url).pathname;
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "platform-read-only-"));
  if (isRoot) chownSync(dir, NOBODY, NOBODY);
  const settings = { storage: { driver: "fs", base: "./data" }, log: { level: "error" } };
  writeFileSync(join(dir, "platform.config.json"), JSON.stringify(settings));
  run(0, "storage", "provision");
  run(0, "customers", "create", "--email", "ada@shop.test", "--store", "s1", "--no-mail");
});
afterEach(() => {
  modes(0o700, 0o600);
  rmSync(dir, { recursive: true, force: true });
});

function modes(folder: number, file: number): void {
  const data = join(dir, "data");
  chmodSync(data, 0o700);
  for (const name of readdirSync(data)) chmodSync(join(data, name), file);
  chmodSync(data, folder);
}

/** Root may write anywhere, so that the command runs as another user. */
function run(code: number, ...argv: string[]): string {
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const env = { PATH: process.env["PATH"], HOME: dir };
  const done = spawnSync(process.execPath, [COMMAND, ...argv], { cwd: dir, env, encoding: "utf8", ...user });
  expect({ code: done.status, stderr: done.stderr }).toMatchObject({ code });
  return `${done.stdout}${done.stderr}`;
}

describe("a data folder that cannot be written to", () => {
  it("is listed, verified and backed up; a write is refused, and nothing changes", () => {
    const data = join(dir, "data");
    modes(0o500, 0o400);
    const before = readdirSync(data).map((name) => [name, statSync(join(data, name)).size]);
    expect(run(0, "customers", "list")).toContain("ada@shop.test");
    expect(run(0, "storage", "info")).toContain("platform.customers");
    expect(run(0, "storage", "verify")).toContain("0 problems");
    expect(run(0, "storage", "backup", "-o", "copy.ndjson.gz")).toContain("SHA-256");
    expect(statSync(join(dir, "copy.ndjson.gz")).size).toBeGreaterThan(100);
    run(9, "customers", "create", "--email", "bob@shop.test", "--store", "s2", "--no-mail");
    expect(readdirSync(data).map((name) => [name, statSync(join(data, name)).size])).toEqual(before);
    modes(0o700, 0o600);
    expect(run(0, "storage", "verify")).toContain("0 problems");
  });
});
