import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { ARGUMENTS, isOffline } from "../program/arguments.ts";
import { createSandbox } from "../run.ts";

const sandbox = createSandbox({ PLATFORM_API_KEY: `plat_live_${"0".repeat(36)}` });
const folder = join(sandbox.dir, "wrong");
const run = (argv: readonly string[]) => sandbox.run(argv, { cwd: folder });
beforeAll(() => {
  mkdirSync(folder);
});
afterAll(() => sandbox.remove());

const commands = [
  ...Object.entries(ARGUMENTS)
    .filter(([name]) => (!isOffline(name) && name !== "login") || name === "storage salvage")
    .map(([name, given]): [string, string[]] => [name, [...name.split(" "), ...(given ?? [])]]),
  ["an engine's command", ["delivery", "zones", "list"]] satisfies [string, string[]],
];

describe("in a folder without a store", () => {
  it.each(commands)("10 %s refuses and creates nothing", async (name, argv) => {
    const { code, stdout, stderr } = await run(argv);
    expect(readdirSync(folder)).toEqual([]);
    if (name === "doctor") {
      // What is wrong is what a doctor reports.
      expect(code).toBe(11);
      return expect(stdout).toContain(`No store at ${join(folder, "data")}`);
    }
    expect({ name, code, stdout, stderr }).toMatchObject({ code: 10, stdout: "" });
    // A stream waits for a server, and so does an agent.
    if (["limits tail", "logs tail", "mcp", "webhooks listen"].includes(name))
      return expect(stderr).toContain("No server is running in this folder");
    expect(stderr).toContain(`No store at ${join(folder, "data")}`);
    expect(stderr).toContain(`folder ${folder}`);
    expect(stderr).toContain("platform.config.ts");
  });

  it("10 a migration that is only planned creates no target", async () => {
    await run(["storage", "provision"]);
    const { code, stderr } = await run(["storage", "migrate", "--to", "fs:./copy", "--dry-run"]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(existsSync(join(folder, "copy"))).toBe(false);
    rmSync(join(folder, "data"), { recursive: true });
  });

  it("0 says which store a command opens", async () => {
    expect(await run(["storage", "provision"])).toMatchObject({ code: 0 });
    const { code, stderr } = await run(["customers", "list"]);
    expect(code).toBe(0);
    expect(stderr).toContain(`Store: fs ${join(folder, "data")}, opened by this command.`);
    expect((await run(["customers", "list", "--quiet"])).stderr).toBe("");
  });
});
