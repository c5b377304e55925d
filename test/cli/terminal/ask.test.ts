import { PassThrough } from "node:stream";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createAsk } from "../../../cli/terminal/ask.ts";
import { main } from "../../../cli/program/main.ts";
import { createSystemRandom } from "../../../server/core/ids.ts";
import { makeKey } from "../../../server/core/key-format.ts";
import type { Io } from "../../../cli/terminal/io.ts";
import { createServiceSandbox } from "../service.ts";
import type { ServiceSandbox } from "../service.ts";

let sandbox: ServiceSandbox;
beforeEach(async () => {
  sandbox = createServiceSandbox();
  await sandbox.run(["storage", "info"]);
});
afterEach(() => sandbox.remove());

/** What a person types once the screen shows a text. */
type Typing = readonly (readonly [shown: string, keys: string])[];

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const ENTER = "\r";

/** A command on a terminal: prompts are drawn on stderr, and answered as soon as they show. */
async function onTerminal(argv: readonly string[], typing: Typing, env: Record<string, string> = {}) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  // Like the real one it outlives every prompt: Node ends no process.stderr at the end of a pipe.
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 100, end: () => stderr });
  const stdout = new PassThrough();
  const said = { stdout: "", stderr: "" };
  stdout.on("data", (chunk: Buffer) => void (said.stdout += chunk.toString("utf8")));
  const left = [...typing];
  let seen = 0;
  stderr.on("data", (chunk: Buffer) => {
    said.stderr += chunk.toString("utf8");
    const next = left[0];
    if (next === undefined || !said.stderr.slice(seen).includes(next[0])) return;
    left.shift();
    seen = said.stderr.length;
    // A prompt is drawn before it listens.
    setImmediate(() => stdin.write(next[1]));
  });
  const own = { XDG_CONFIG_HOME: `${sandbox.dir}/.home`, PATH: process.env.PATH ?? "", ...env };
  const code = await main({ argv, stdin, stdout, stderr, env: own, cwd: sandbox.dir });
  expect(left).toEqual([]);
  return { code, ...said };
}

const customer = async (): Promise<string> => {
  await sandbox.run(["customers", "create", "--email", "ada@shop.test", "--store", "s1", "--no-mail"]);
  return (await sandbox.run(["customers", "list", "--json"])).json().data[0].id;
};

describe("questions on a terminal", () => {
  it("0 asks for what is missing, on stderr, and prints the data on stdout", async () => {
    const { code, stdout, stderr } = await onTerminal(
      ["customers", "create", "--no-mail"],
      [
        ["E-mail address:", `ada@shop.test${ENTER}`],
        ["Store identifier:", `s1${ENTER}`],
      ],
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^http:\/\/\S+token=\S+\n$/);
    expect(stderr).toContain("E-mail address:");
  });

  it("0 goes on after yes", async () => {
    const id = await customer();
    const { code, stdout } = await onTerminal(
      ["customers", "verify", id],
      [["Verify the address", `y${ENTER}`]],
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^plat_live_\w{36}\n$/);
  });

  it.each([
    ["no", `n${ENTER}`, 3],
    ["Enter alone", ENTER, 3],
    ["Ctrl+D", CTRL_D, 3],
    ["Ctrl+C", CTRL_C, 130],
  ])("%s changes nothing", async (_, keys, expected) => {
    const id = await customer();
    const { code, stdout, stderr } = await onTerminal(
      ["customers", "verify", id],
      [["Verify the address", keys]],
    );
    expect({ code, stdout }).toEqual({ code: expected, stdout: "" });
    expect(stderr).not.toContain("at ");
    expect((await sandbox.run(["customers", "show", id, "--json"])).json().data.status).toBe("pending");
  });

  it("a typed name: the right one goes on, another does not", async () => {
    const id = await customer();
    const argv = ["customers", "delete", id];
    expect(await onTerminal(argv, [["Type ada@shop.test", `bob@shop.test${ENTER}`]])).toMatchObject({
      code: 3,
      stdout: "",
    });
    expect(await onTerminal(argv, [["Type ada@shop.test", `ada@shop.test${ENTER}`]])).toMatchObject({
      code: 0,
    });
  });

  it("show what the service names without what moves the cursor", async () => {
    const named = "a\u001b]0;x\u0007\u009b2J\u202eb";
    for (const kind of ["name", "choice"]) {
      const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
      const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 100, end: () => stderr });
      let shown = "";
      stderr.on("data", (chunk: Buffer) => {
        shown += chunk.toString("utf8");
        if (shown.includes("Which")) setImmediate(() => stdin.write(ENTER));
      });
      const io = { stdin, stderr, stdout: new PassThrough(), env: {}, signal: undefined };
      const ask = createAsk(io as unknown as Io, { yes: false, allowed: true });
      const asked =
        kind === "name"
          ? ask.confirmName("Which?", named, undefined)
          : ask.choose("--x", "Which?", [{ value: named }]);
      await asked.catch(() => undefined);
      expect(shown).toContain("b");
      const moving = ["\u001b]", "\u0007", "\u009b", "\u202e"];
      expect(moving.filter((part) => shown.includes(part))).toEqual([]);
    }
  });

  it("a choice", async () => {
    const id = await customer();
    await sandbox.run(["customers", "verify", id, "--yes"]);
    const { code, stdout } = await onTerminal(
      ["keys", "issue", "--email", "ada@shop.test"],
      [["Scopes of the key:", ENTER]],
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^plat_live_\w{36}\n$/);
  });

  it("a key is typed unseen and printed nowhere", async () => {
    const key = makeKey("live", createSystemRandom());
    const argv = ["login", "--url", "https://api.shop.test", "--no-check"];
    const { code, stdout, stderr } = await onTerminal(argv, [["API key:", `${key}${ENTER}`]]);
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain(key.slice(10, 40));
    expect((await sandbox.run(["profiles", "list"])).stdout).toContain(`plat_live_…${key.slice(-4)}`);
  });

  it.each([
    ["--no-input", ["--no-input"], {}],
    ["--json", ["--json"], {}],
    ["CI", [], { CI: "true" }],
  ])("2 asks nothing with %s", async (_, flags, env) => {
    const { code, stdout, stderr } = await onTerminal(["customers", "create", ...flags], [], env);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("--email");
  });
});
