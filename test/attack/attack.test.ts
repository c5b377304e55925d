import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { hasRedis } from "../support/redis.ts";

// The short form of `npm run attack`, without its goals of time: these depend on the machine.
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "attack-test-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const SCRIPT = new URL("run.mjs", import.meta.url).pathname;

/** Exit code, what was printed, and the rows of the table. */
async function play(driver: string) {
  const file = join(folder, `${driver}.json`);
  const args = [SCRIPT, "--short", "--seconds", "5", "--only", driver, "--json", file];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => void (said += chunk.toString()));
  }
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  const [result] = JSON.parse(await readFile(file, "utf8").catch(() => "[]"));
  return { code, said, rows: result?.rows ?? [] };
}

it.each(["fs", "redis"].filter((driver) => driver === "fs" || hasRedis))(
  "a hostile customer costs an honest one no request and no mail, reaches no strangers past its budget and keeps to its quota: %s",
  async (driver) => {
    const { code, said, rows } = await play(driver);
    expect(said).toContain("Every goal is met.");
    expect(code).toBe(0);
    for (const row of rows) expect(row).toMatchObject({ lost: 0, foreign: 0, beyond: 0 });
    // The attacks were real ones: each went as far as it is let.
    const row = (name: string) => rows.find(({ attack }: { attack: string }) => attack === name);
    const answered = (name: string, status: string): number =>
      row(name).answers.reduce((sum: number, round: Record<string, number>) => sum + (round[status] ?? 0), 0);
    expect(answered("requests", "429")).toBeGreaterThan(0);
    expect(row("mail").strangers).toBeGreaterThan(0);
    expect(row("storage").stored).toBeGreaterThan(4_000_000);
    expect(answered("storage", "409")).toBeGreaterThan(0);
  },
  300_000,
);
