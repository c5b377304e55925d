import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { afterAll, describe, expect, it, vi } from "vitest";

import { createWorkerPool } from "../../server/lib/worker-pool.ts";

const options = {
  entry: new URL("worker-child.mjs", import.meta.url),
  running: 2,
  runningPerKey: 1,
  queued: 10,
  queuedPerKey: 10,
  deadlineMs: 3_000,
  memoryMb: 32,
};
const pool = createWorkerPool(options);
const run = (task: string, key = "a", value?: unknown) => pool.run(key, { task, value });
afterAll(() => pool.close());

describe("a worker pool", () => {
  it("runs tasks in threads and returns copies of what they return", async () => {
    const value = { words: ["a", "b"], count: 2 };
    const echoed = await run("echo", "a", value);
    expect(echoed).toEqual(value);
    expect(echoed).not.toBe(value);
  });

  it("passes on what a task throws", async () => {
    await expect(run("unknown")).rejects.toThrow("Unknown task unknown");
  });

  it("ends a task that takes too long and answers other stores meanwhile", async () => {
    const spinning = run("spin");
    expect(await run("echo", "b", 1)).toBe(1);
    await expect(spinning).rejects.toMatchObject({
      type: "unprocessable_content",
      detail: "Processing the request takes longer than 3 seconds. Shorten or simplify it.",
      options: { code: "text_too_complex" },
    });
    expect(await run("echo", "a", 2)).toBe(2);
  });

  it("ends a task that needs too much memory, and the process lives on", async () => {
    await expect(run("fill")).rejects.toMatchObject({
      detail: "Processing the request needs more than 32 MB of memory. Shorten or simplify it.",
      options: { code: "text_too_complex" },
    });
    expect(await run("echo", "a", 3)).toBe(3);
  });

  it("survives a thread that exits", async () => {
    await expect(run("exit")).rejects.toMatchObject({ options: { code: "text_too_complex" } });
    expect(await run("echo", "a", 4)).toBe(4);
  });

  it("runs tasks apart in a process, whose end is that of one task", async () => {
    const apart = (task: string) =>
      pool.run<unknown>("a", { task, value: new Uint8Array([1]) }, { isApart: true });
    expect(await apart("echo")).toEqual(new Uint8Array([1]));
    const child = await apart("process");
    expect([typeof child, child === process.pid]).toEqual(["number", false]);
    expect(await apart("environment")).toEqual(["TINYPOOL_WORKER_ID"]);
    await expect(apart("exit")).rejects.toMatchObject({
      detail: "Processing the request ended before it was complete. Shorten or simplify it.",
      options: { code: "text_too_complex" },
    });
    await expect(apart("spin")).rejects.toThrow("takes longer than 3 seconds");
    expect(await apart("echo")).toEqual(new Uint8Array([1]));
  });

  it("passes a process the folders of libraries, and nothing else of the environment", async () => {
    vi.stubEnv("LD_LIBRARY_PATH", "/opt/vips/lib");
    const own = createWorkerPool(options);
    const names = await own.run<string[]>("a", { task: "environment" }, { isApart: true });
    vi.unstubAllEnvs();
    await own.close();
    expect(names.sort()).toEqual(["LD_LIBRARY_PATH", "TINYPOOL_WORKER_ID"]);
  });

  it("finishes what it accepted before it ends its threads, and starts new ones for a later task", async () => {
    const closing = createWorkerPool(options);
    const events: string[] = [];
    const tasks = ["a", "a", "b"].map(async (key, index) => {
      await closing.run(key, { task: "echo", value: index });
      events.push(`task ${index}`);
    });
    await closing.close();
    events.push("closed");
    await Promise.all(tasks);
    expect(events.at(-1)).toBe("closed");
    expect(await closing.run("a", { task: "echo", value: 5 })).toBe(5);
    await closing.close();
  });

  it("keeps no process alive", async () => {
    const hooks = new URL("../support/typescript.mjs", import.meta.url).href;
    const script = new URL("worker-alone.mjs", import.meta.url).pathname;
    const args = ["--import", hooks, script, JSON.stringify(options)];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout).toBe("done\n");
  });
});
