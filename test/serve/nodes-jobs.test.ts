import { spawn } from "node:child_process";

import { afterAll, beforeAll, expect, it } from "vitest";

import { compileScript } from "../support/compile.ts";
import type { Compiled } from "../support/compile.ts";
import { hasRedis, startRedis } from "../support/redis.ts";
import { createCleanup, eventually } from "./outside.ts";

const cleanup = createCleanup();
afterAll(() => cleanup.run(), 60_000);

let node: Compiled;
beforeAll(async () => {
  node = await compileScript("test/serve/job-node");
  cleanup.add(() => node.remove());
}, 60_000);

const ITEMS = 300;

function startJobNode(url: string, offsetMs: number) {
  const child = spawn(
    process.execPath,
    [node.script, JSON.stringify({ url, offsetMs, pauseMs: offsetMs < 0 ? 40 : 0 })],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => void (said += chunk.toString()));
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
  });
  cleanup.add(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  return { kill: () => child.kill("SIGKILL"), exited, said: () => said };
}

const itemsOf = (said: string): number[] =>
  Array.from(said.matchAll(/^item (\d+)$/gm), ([, item]) => Number(item));

it.skipIf(!hasRedis)(
  "the work of a node that is killed in the middle of a job is taken over, and nothing is done twice",
  async () => {
    const redis = await startRedis();
    cleanup.add(() => redis.stop());
    const past = startJobNode(redis.url, -300_000);
    await eventually(() => itemsOf(past.said()).length >= 10);

    // While it lives, nobody else gets the job: seen by the clock that the lease was written with.
    const rival = startJobNode(redis.url, -300_000);
    await rival.exited;
    expect(rival.said()).toMatch(/^refused This job is already running/);

    past.kill();
    await past.exited;
    const before = itemsOf(past.said());
    expect(before.length).toBeLessThan(ITEMS);

    const heir = startJobNode(redis.url, 0);
    await heir.exited;
    expect(heir.said()).toContain("done ");
    const after = itemsOf(heir.said());
    // One item may have been committed and not told before the kill.
    expect(before.length + after.length).toBeGreaterThanOrEqual(ITEMS - 1);
    expect(new Set([...before, ...after]).size).toBe(before.length + after.length);
    const total = redis.cli("hget", "platform:{platform}:d:test.items", "total");
    expect(total).toContain(`"count":${ITEMS}`);
  },
  60_000,
);
