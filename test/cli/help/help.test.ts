import type { Command } from "commander";
import { describe, expect, it } from "vitest";

import { TOPIC_NAMES } from "../../../cli/help/topics.ts";
import { ENGINES, listCommands } from "../../../cli/program/commands.ts";
import { createFullProgram } from "../../../cli/program/program.ts";
import { engines } from "../../../server/registry.ts";
import { createSandbox } from "../run.ts";

const sandbox = createSandbox();
const commands = await listCommands();

async function fullProgram(): Promise<Command> {
  const { PassThrough, Readable } = await import("node:stream");
  return createFullProgram({
    argv: [],
    stdin: Readable.from([]),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {},
    cwd: sandbox.dir,
  });
}

/** Every command below `command`, as the words that reach it. */
const paths = (command: Command, above: readonly string[] = []): string[][] =>
  command.commands.flatMap((child) => {
    const words = [...above, child.name()];
    return [words, ...paths(child, words)];
  });

const isEngine = (name: string | undefined): boolean =>
  commands.some((entry) => entry.name === name && entry.group === ENGINES);

describe("help", () => {
  it("0 prints every page as in the golden file", async () => {
    const pages = [(await sandbox.run(["--help"])).stdout];
    for (const words of paths(await fullProgram()).filter(([name]) => !isEngine(name))) {
      const page = await sandbox.run([...words, "--help"]);
      expect(page.code, words.join(" ")).toBe(0);
      expect(page.stderr, words.join(" ")).toBe("");
      pages.push(`\n===== platform ${words.join(" ")} --help\n${page.stdout}`);
    }
    for (const topic of TOPIC_NAMES) {
      pages.push(`\n===== platform help ${topic}\n${(await sandbox.run(["help", topic])).stdout}`);
    }
    await expect(pages.join("")).toMatchFileSnapshot("../../golden/cli-help.txt");
  });

  it("0 has a page with examples first for every command of an engine", async () => {
    const found = paths(await fullProgram()).filter(([name]) => isEngine(name));
    const leaves = found.filter(
      (words) =>
        !found.some(
          (other) => other.length > words.length && words.every((word, index) => other[index] === word),
        ),
    );
    expect(leaves.length).toBeGreaterThan(10);
    for (const words of leaves) {
      const page = await sandbox.run([...words, "--help"]);
      expect(page.code, words.join(" ")).toBe(0);
      expect(page.stdout, words.join(" ")).toMatch(
        new RegExp(`^Examples:\n  \\$ platform ${words.join(" ")}`),
      );
    }
  });

  it("0 tells the same by `help <command>` as by `--help`", async () => {
    const byFlag = await sandbox.run(["keys", "issue", "--help"]);
    const byWord = await sandbox.run(["help", "keys", "issue"]);
    expect(byWord).toMatchObject({ code: 0, stdout: byFlag.stdout, stderr: "" });
  });

  it("lists every engine of the registry, under its own name", () => {
    const listed = commands.filter(({ group }) => group === ENGINES).map(({ name }) => name);
    expect(listed).toEqual([...engines.map(({ name }) => name), "account"]);
  });

  it("keeps hand-written commands and engines apart", () => {
    const names = commands.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each([
    [["keyz", "list"], "unknown command 'keyz'", "keys"],
    [["keys", "lst"], "unknown command 'lst'", "list"],
    [["keys", "list", "--stats", "x"], "unknown option '--stats'", "--status"],
    [["keys", "show"], "missing required argument 'id'", undefined],
    [["keys"], "A sub-command is required", undefined],
    [
      ["call", "-X", "POST", "/v1/reviews"],
      "unknown option '-X'",
      "platform call POST <path> -F name=value, or --input <file>",
    ],
    [["call"], "missing required argument 'method-or-path'", undefined],
    [["help", "nothing"], 'No help topic or command "nothing".', undefined],
  ])("2 wrong usage: %j", async (argv, why, suggestion) => {
    const { code, stdout, stderr } = await sandbox.run(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(`  why  ${why}`);
    if (suggestion !== undefined) expect(stderr).toContain(`  try  ${suggestion}\n`);
  });

  it("2 tells wrong usage as JSON too, wherever --json stands", async () => {
    const { code, stdout, stderr } = await sandbox.run(["keys", "list", "--nothing", "--json"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(JSON.parse(stderr)).toEqual({
      error: { type: "usage", title: "Wrong usage", detail: "unknown option '--nothing'" },
      exit_code: 2,
    });
  });

  it("0 tells the version on stdout", async () => {
    const { code, stdout } = await sandbox.run(["--version"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });
});
