import type { Command } from "commander";
import { PassThrough, Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { ENGINES, listCommands } from "../../../cli/program/commands.ts";
import { createFullProgram } from "../../../cli/program/program.ts";
import { ARGUMENTS } from "./arguments.ts";
import { createServiceSandbox } from "../service.ts";
import type { ServiceSandbox } from "../service.ts";

/** What these print is a document or a text of its own kind, with or without --json. */
const OWN_FORMAT = new Set(["storage backup", "storage export", "completion", "help"]);

const leaves = (command: Command, above: readonly string[] = []): string[] =>
  command.commands.flatMap((child) => {
    const words = [...above, child.name()];
    return child.commands.length === 0 ? [words.join(" ")] : leaves(child, words);
  });

describe.each([
  ["--json", ["--json"]],
  ["a pipe", []],
])("every command with %s", (kind, flags) => {
  let sandbox: ServiceSandbox;
  const filled: Record<string, string> = {};
  let key = "";

  beforeAll(async () => {
    sandbox = createServiceSandbox();
    for (const [email, store] of [
      ["ada@shop.test", "s1"],
      ["eve@shop.test", "s3"],
    ] as const) {
      await sandbox.run(["customers", "create", "--email", email, "--store", store, "--no-mail"]);
    }
    await sandbox.run(["customers", "create", "--email", "bob@shop.test", "--store", "s2"]);
    const found = (await sandbox.run(["customers", "list", "--json"])).json().data;
    const idOf = (email: string): string => found.find((one: { email: string }) => one.email === email).id;
    filled["<customer>"] = idOf("ada@shop.test");
    filled["<pending>"] = idOf("eve@shop.test");
    key = (await sandbox.run(["customers", "verify", filled["<customer>"], "--yes"])).stdout.trim();
    filled["<key>"] = (await sandbox.run(["keys", "list", "--json"])).json().data[0].id;
    filled["<store>"] = (
      await sandbox.run(["stores", "list", "--customer", filled["<customer>"], "--json"])
    ).json().data[0].id;
    filled["<mail>"] = (await sandbox.run(["mail", "list", "--json"])).json().data[0].id;
  });
  afterAll(() => sandbox.remove());

  it("is in the table of this test", async () => {
    const io = {
      argv: [],
      stdin: Readable.from([]),
      stdout: new PassThrough(),
      stderr: new PassThrough(),
      env: {},
      cwd: ".",
    };
    const commands = await listCommands();
    const isEngine = (name: string): boolean =>
      commands.some((entry) => entry.group === ENGINES && name.split(" ")[0] === entry.name);
    const declared = leaves(await createFullProgram(io)).filter((name) => !isEngine(name));
    expect(Object.keys(ARGUMENTS)).toEqual(declared);
  });

  // Each opens the storage, which takes far longer once it holds the demo data.
  const { seed, ...others } = ARGUMENTS;
  const rows = Object.entries({ ...others, seed }).flatMap(([name, given]) =>
    given == null ? [] : [[name, given] as const],
  );

  it.each(rows)("%s keeps data on stdout and talk on stderr", async (name, given) => {
    const argv = [...name.split(" "), ...given.map((word) => filled[word] ?? word), ...flags];
    const { code, stdout, stderr } = await sandbox.run(argv, { env: { PLATFORM_API_KEY: key } });
    // Some of these are refused (a plan's limit, a primary store): then stdout stays empty.
    const isRefused = code !== 0 && stdout === "" && stderr !== "";
    expect({ argv, code, stderr, ok: code === 0 || isRefused || name === "keys revoke" }).toMatchObject({
      ok: true,
    });
    expect(stdout).not.toContain("\u001b");
    if (isRefused) {
      if (kind === "--json")
        expect(JSON.parse(stderr.trim().split("\n").at(-1) ?? "")).toMatchObject({
          error: { type: expect.any(String) },
          exit_code: code,
        });
      return;
    }
    if (kind === "--json" && !OWN_FORMAT.has(name) && !name.endsWith(" tail"))
      expect(() => JSON.parse(stdout)).not.toThrow();
    for (const line of stderr.split("\n")) if (line.length > 20) expect(stdout).not.toContain(line);
    // A form of the output changes nothing of it.
    if (kind === "--json") return;
    expect((await sandbox.run([...argv, "--quiet"], { env: { PLATFORM_API_KEY: key } })).stderr).toSatisfy(
      (talk: string) => talk === "" || talk.startsWith("✖") || talk.startsWith('{"error"'),
    );
  });
});
