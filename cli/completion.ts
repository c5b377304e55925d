import type { RootCommand } from "@bomb.sh/tab";
import type { Command } from "commander";

import type { Io } from "./io.ts";

/** Answers one Tab: `words` is what stands behind `platform`, the last one unfinished. */
export async function complete(program: Command, words: readonly string[], io: Io): Promise<void> {
  const { default: tab } = await import("@bomb.sh/tab/commander");
  const root = tab(program, { completionCommandName: SCRIPT_COMMAND });
  root.commands.delete(SCRIPT_COMMAND);
  addValues(root);
  io.stdout.write(captureLog(() => root.parse([...words])));
}

/** The library insists on a command of its own; ours is `completion`. */
const SCRIPT_COMMAND = "completion-script";

const SHELLS = ["bash", "zsh", "fish", "powershell"];

/** Values that no declaration carries. Nothing here asks a server: an answer must come while the key is still down. */
function addValues(root: RootCommand): void {
  const values = [
    ["completion", "shell", SHELLS],
    ["mail preview", "template", ["verify", "key-reissue", "test"]],
  ] as const;
  for (const [name, argument, choices] of values) {
    const found = root.commands.get(name)?.arguments.get(argument);
    if (found !== undefined) found.handler = (complete) => choices.forEach((choice) => complete(choice, ""));
  }
}

/** The library prints with console.log; what it says is caught here and written where the command's output goes. */
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
