import { execFile, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

import { makeFolder } from "./folders.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A script as Node can run it: Node 20 reads no TypeScript, so this compiles what it needs into a folder of its own. */
export async function compileChild(name = "child"): Promise<{ script: string; remove(): Promise<void> }> {
  const folder = await makeFolder();
  const options = {
    outDir: folder.path,
    rootDir: root,
    noEmit: false,
    types: ["node"],
    typeRoots: [`${root}node_modules/@types`],
  };
  const config = {
    extends: `${root}tsconfig.json`,
    compilerOptions: options,
    files: [`${root}test/storage/${name}.ts`],
    include: [],
  };
  await writeFile(`${folder.path}/tsconfig.json`, JSON.stringify(config));
  await writeFile(`${folder.path}/package.json`, '{"type":"module"}');
  await symlink(`${root}node_modules`, `${folder.path}/node_modules`);
  await promisify(execFile)(process.execPath, [`${root}node_modules/typescript/bin/tsc`, "-p", folder.path]);
  return { script: `${folder.path}/test/storage/${name}.js`, remove: () => folder.remove() };
}

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
