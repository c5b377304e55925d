import type { RootCommand } from "@bomb.sh/tab";
import type { Command } from "commander";

import { TOPIC_NAMES } from "./topics.ts";
import type { Io } from "../terminal/io.ts";

/** Prints the completions of one Tab: `words` are those after `platform`, the last one unfinished. */
export async function complete(program: Command, words: readonly string[], io: Io): Promise<void> {
  const { default: tab } = await import("@bomb.sh/tab/commander");
  const root = tab(program, { completionCommandName: SCRIPT_COMMAND });
  root.commands.delete(SCRIPT_COMMAND);
  await addValues(root, words, io);
  io.stdout.write(captureLog(() => root.parse([...words])));
}

/** The library requires a command of its own; the command of this CLI is `completion`. */
const SCRIPT_COMMAND = "completion-script";

const SHELLS = ["bash", "zsh", "fish", "powershell"];

/** Values that are not declared on the commands. None requires a server, so that completion is immediate. */
async function addValues(root: RootCommand, words: readonly string[], io: Io): Promise<void> {
  const values: [command: string, argument: string, choices: readonly string[]][] = [
    ["completion", "shell", SHELLS],
    ["help", "words", TOPIC_NAMES],
  ];
  if (words[0] === "mail") values.push(["mail preview", "template", await mailNames()]);
  if (words[0] === "call")
    values.push(["call", "method-or-path", await callable()], ["call", "path", await callable()]);
  if (words[0] === "jobs") values.push(["jobs run", "job", await jobIds()]);
  if (words[0] === "routes") values.push(["routes", "namespace", await namespaceNames()]);
  if (words[0] === "profiles") {
    const names = await profileNames(io);
    values.push(["profiles use", "name", names], ["profiles remove", "name", names]);
  }
  for (const [name, argument, choices] of [...values, ...(await optionValues(words, io))]) {
    const command = name === "" ? root : root.commands.get(name);
    const found = command?.arguments.get(argument) ?? command?.options.get(argument);
    if (found !== undefined) found.handler = (complete) => choices.forEach((choice) => complete(choice, ""));
  }
}

/** The same for options: command, name of the option, choices. */
async function optionValues(
  words: readonly string[],
  io: Io,
): Promise<[command: string, option: string, choices: readonly string[]][]> {
  const asked = words.at(-2);
  if (asked === "--profile" || asked === "-p") return [["", "profile", await profileNames(io)]];
  if (words[0] !== "keys" && words[0] !== "routes") return [];
  const { loadRegistry } = await import("../calls/endpoints.ts");
  const { openScopes, scopes } = await loadRegistry();
  return [
    ["keys issue", "scope", [...scopes, ...openScopes]],
    ["keys issue", "preset", ["read-only", "full"]],
    ["keys issue", "class", ["secret", "pub"]],
    ["keys issue", "mode", ["live", "test"]],
    ["keys list", "status", ["pending", "ACTIVE", "revoked", "expired"]],
    ["routes", "scope", scopes],
    ["routes", "method", ["GET", "POST", "PATCH", "PUT", "DELETE"]],
  ];
}

async function jobIds(): Promise<string[]> {
  const [{ scheduledJobs }, { loadRegistry }] = await Promise.all([
    import("../../server/jobs/all.ts"),
    import("../calls/endpoints.ts"),
  ]);
  return scheduledJobs((await loadRegistry()).engines).map(({ id }) => id);
}

async function namespaceNames(): Promise<string[]> {
  const { listEndpoints } = await import("../calls/endpoints.ts");
  return [...new Set((await listEndpoints()).map(({ namespace }) => namespace))];
}

/** Empty if the profiles file cannot be read: completion cannot print errors. */
async function profileNames(io: Io): Promise<string[]> {
  const { readProfiles } = await import("../client/profiles.ts");
  const { all } = await readProfiles(io.env).catch(() => ({ all: [] }));
  return all.map(({ name }) => name);
}

async function mailNames(): Promise<string[]> {
  const { mailTemplates } = await import("../../server/mail/render.ts");
  return Object.keys(mailTemplates);
}

/** Paths of the routes that a key can call, up to their first parameter. */
async function callable(): Promise<string[]> {
  const { listEndpoints } = await import("../calls/endpoints.ts");
  const paths = (await listEndpoints()).filter(({ auth }) => auth === "key").map(({ path }) => path);
  return [...new Set(paths.map((path) => path.split(":", 1)[0] ?? ""))];
}

/** The library prints with console.log; its output is captured and written to the output of the command. */
export function captureLog(print: () => void): string {
  const lines: string[] = [];
  const original = console.log;
  console.log = (line: unknown) => void lines.push(String(line));
  try {
    print();
  } finally {
    console.log = original;
  }
  return lines.map((line) => `${line}\n`).join("");
}
