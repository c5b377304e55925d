import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { mailTemplates } from "../../../server/mail/render.ts";

const run = promisify(execFile);
const BIN = fileURLToPath(new URL("../../../dist/bin/platform.js", import.meta.url));

let dir: string;
let env: Record<string, string>;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "platform-shells-"));
  const program = join(dir, "platform");
  writeFileSync(
    program,
    `#!/bin/sh\nexec "${process.execPath}" "${process.env.PLATFORM_TEST_BIN ?? BIN}" "$@"\n`,
  );
  chmodSync(program, 0o755);
  env = {
    PATH: `${dir}:${process.env.PATH ?? ""}`,
    HOME: dir,
    XDG_CONFIG_HOME: dir,
    TERM: "dumb",
    LC_ALL: "C.UTF-8",
  };
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Each shell sources the very script that it is given, and is then asked what Tab would offer. */
const SHELLS = {
  bash: (words: readonly string[]) => [
    "--norc",
    "-c",
    `set -u
     source <(platform completion bash); source <(platform completion bash)
     COMP_WORDS=(${words.map(quote).join(" ")}); COMP_CWORD=${words.length - 1}
     name=$(complete -p platform | sed -E 's/.*-F ([^ ]+).*/\\1/')
     $name platform ${quote(words.at(-1) ?? "")} ${quote(words.at(-2) ?? "")}
     printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  // Outside a line editor nothing can be inserted: what would be is printed instead.
  zsh: (words: readonly string[]) => [
    "-f",
    "-c",
    `autoload -Uz compinit && compinit -u -d ${quote(join(dir, "zcompdump"))}
     _describe() { print -rl -- "\${(@P)argv[-1]}" }
     _files() { print files }
     source <(platform completion zsh)
     words=(${words.map(quote).join(" ")}); CURRENT=${words.length}
     \${_comps[platform]}`,
  ],
  fish: (words: readonly string[]) => [
    "--no-config",
    "-c",
    `platform completion fish | source; complete --do-complete ${quote(words.join(" "))}`,
  ],
} as const;

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

const mustHave = process.env.PLATFORM_TEST_REQUIRE === "1";
const isThere = async (shell: string): Promise<boolean> =>
  run(shell, ["--version"]).then(
    () => true,
    () => false,
  );

describe.each(["bash", "zsh", "fish"] as const)("completion in a real %s", async (shell) => {
  const there = await isThere(shell);

  it.runIf(mustHave)("has the shell", () => expect(there).toBe(true));

  const offers = async (...words: readonly string[]): Promise<string[]> => {
    const { stdout, stderr } = await run(shell, SHELLS[shell](["platform", ...words]), { env });
    expect(stderr).toBe("");
    return stdout.split("\n").map((line) => (line.split(/[\t:]/, 1)[0] ?? "").trim());
  };

  it.runIf(there)("offers commands, sub-commands and flags", async () => {
    expect(await offers("lim")).toContain("limits");
    expect(await offers("limits", "")).toEqual(expect.arrayContaining(["list", "show", "reset", "tail"]));
    expect(await offers("limits", "tail", "--t")).toContain("--top");
    expect(await offers("delivery", "zones", "")).toEqual(expect.arrayContaining(["list", "create"]));
  });

  it.runIf(there)("offers mail templates, routes and topics", async () => {
    expect(await offers("mail", "preview", "")).toEqual(expect.arrayContaining(Object.keys(mailTemplates)));
    expect(await offers("call", "/v1/delivery/zo")).toContain("/v1/delivery/zones");
    expect(await offers("completion", "")).toEqual(expect.arrayContaining(["bash", "zsh", "fish"]));
    expect(await offers("help", "exit")).toContain("exit-codes");
  });

  it.runIf(there)("runs nothing of what is typed", async () => {
    const trap = join(dir, `trap-${shell}`);
    await offers(`$(touch ${trap})`, "");
    await offers(`\`touch ${trap}\`; touch ${trap}`, "");
    expect(existsSync(trap)).toBe(false);
  });
});
