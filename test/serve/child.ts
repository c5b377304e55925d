import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import type { Cleanup } from "./outside.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
const COMMAND = join(ROOT, "dist", "bin", "platform.js");

/** `platform serve` as a process of its own, as an operator runs it. */
export interface Child {
  readonly process: ChildProcess;
  readonly url: string;
  readonly token: string;
  readonly runFile: string;
  /** All of standard error so far. */
  readonly log: () => string;
  /** Exit code, or the name of the signal that ended it. */
  readonly exited: Promise<number | string>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts the built command on a data folder and waits until it serves. `npm test` builds before it tests. */
export async function startChild(
  cleanup: Cleanup,
  dir: string,
  env: Readonly<Record<string, string>> = {},
  /** Open files that the process may have. */
  files = 4_096,
): Promise<Child> {
  if (!existsSync(COMMAND)) throw new Error(`${COMMAND} is not there: npm run build`);
  await mkdir(dir, { recursive: true });
  const limited = ["-c", `ulimit -n ${files}; exec "$0" "$@"`, process.execPath, COMMAND, "serve"];
  const child = spawn("sh", limited, {
    cwd: dir,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      PLATFORM_PORT: "0",
      PLATFORM_BASE_URL: "http://127.0.0.1",
      PLATFORM_MAIL_TRANSPORT: "console",
      PLATFORM_LOG_LEVEL: "info",
      ...env,
    },
  });
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => {
    log += chunk.toString();
  });
  child.stdout.on("data", (chunk: Buffer) => {
    log += chunk.toString();
  });
  let ended: number | string | null = null;
  const exited = new Promise<number | string>((resolve) => {
    child.once("exit", (code, signal) => {
      ended = signal ?? code ?? "unknown";
      resolve(ended);
    });
  });
  cleanup.add(async () => {
    if (ended === null) child.kill("SIGKILL");
    await exited;
  });
  const runFile = join(dir, "data", "run.json");
  for (;;) {
    if (ended !== null) throw new Error(`platform serve ended with ${String(ended)}:\n${log}`);
    const run = await readRun(runFile);
    if (run !== null && run.pid === child.pid) {
      const { url, token } = run;
      return {
        process: child,
        url,
        token,
        runFile,
        log: () => log,
        exited,
        kill: (name) => void child.kill(name),
      };
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function readRun(file: string): Promise<{ pid: number; url: string; token: string } | null> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    return null;
  }
}
