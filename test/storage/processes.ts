import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

export interface Child {
  readonly process: ChildProcess;
  /** Lines so far. */
  readonly lines: string[];
  /** Resolves with the first line, or with "" if the process ends without one. */
  readonly first: Promise<string>;
  /** Resolves when the process has ended and all of its lines are there. */
  readonly ended: Promise<void>;
}

export function startChild(
  script: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Child {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["pipe", "pipe", "inherit"], env });
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  const closed = new Promise<void>((resolve) => reader.once("close", resolve));
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const first = new Promise<string>((resolve) => {
    reader.once("line", resolve);
    reader.once("close", () => resolve(""));
  });
  reader.on("line", (line) => lines.push(line));
  // Killed while its input is open, the pipe breaks; that is no error of the test.
  child.stdin.on("error", () => {});
  return { process: child, lines, first, ended: Promise.all([closed, exited]).then(() => {}) };
}
