import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, expect, it } from "vitest";

import { createCleanup, eventually, makeFolder } from "./outside.ts";

const cleanup = createCleanup();
afterEach(() => cleanup.run());

const CLI = new URL("../../dist/bin/platform.js", import.meta.url).pathname;
const CONTENDERS = 6;
const IN_USE = 10;

interface Contender {
  readonly pid: number;
  /** Exit code; never resolves for the one that serves. */
  readonly ended: Promise<number | null>;
  readonly talk: () => string;
}

function contend(folder: string): Contender {
  const child = spawn(process.execPath, [CLI, "serve", "--port", "0"], {
    cwd: folder,
    env: {
      ...process.env,
      PLATFORM_BASE_URL: "http://127.0.0.1",
      PLATFORM_MAIL_TRANSPORT: "console",
      PLATFORM_LOG_LEVEL: "error",
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let talk = "";
  child.stderr.on("data", (chunk: Buffer) => {
    talk += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once("exit", (code) => resolve(code));
  });
  cleanup.add(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { pid: child.pid ?? 0, ended, talk: () => talk };
}

it("serves once when six servers start at once on one folder, and the others name the one that has it", async () => {
  const folder = await makeFolder(cleanup);
  const contenders = Array.from({ length: CONTENDERS }, () => contend(folder));
  const losers: Contender[] = [];
  await new Promise<void>((resolve) => {
    for (const contender of contenders) {
      void contender.ended.then(() => {
        losers.push(contender);
        if (losers.length === CONTENDERS - 1) resolve();
      });
    }
  });
  const runFile = join(folder, "data", "run.json");
  await eventually(() => existsSync(runFile));
  const run: { pid: number; url: string } = JSON.parse(readFileSync(runFile, "utf8"));
  const [winner] = contenders.filter((contender) => !losers.includes(contender));
  expect(run.pid).toBe(winner?.pid);
  expect((await fetch(`${run.url}/readyz`)).status).toBe(200);
  for (const loser of losers) {
    expect(await loser.ended).toBe(IN_USE);
    expect(loser.talk()).toMatch(/in use/i);
  }
}, 60_000);
