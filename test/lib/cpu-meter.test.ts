import { setTimeout as pause } from "node:timers/promises";

import { afterAll, describe, expect, it } from "vitest";

import { meteredStream, withCpuMeter } from "../../server/lib/cpu-meter.ts";
import { atWork } from "../../server/lib/slices.ts";
import { createWorkerPool } from "../../server/lib/worker-pool.ts";
import { compute, standStill } from "../support/compute.ts";

const pool = createWorkerPool({
  entry: new URL("worker-child.mjs", import.meta.url),
  running: 2,
  runningPerKey: 2,
  queued: 10,
  queuedPerKey: 10,
  deadlineMs: 300,
  memoryMb: 32,
});
afterAll(() => pool.close());

/** What a piece of work is charged. */
async function msOf(work: () => Promise<unknown>): Promise<number> {
  let charged = -1;
  await withCpuMeter(work, async (ms) => void (charged = ms)).catch(() => null);
  return charged;
}

/** Computes 40 ms in pieces, each after a wait of another kind. */
async function computeInPieces(): Promise<void> {
  compute(10);
  await Promise.resolve();
  compute(10);
  await pause(1);
  compute(10);
  await new Promise<void>((resolve) => {
    setImmediate(() => {
      compute(10);
      resolve();
    });
  });
}

describe("the time that a piece of work computes", () => {
  standStill();

  it("is counted before and after each wait, without the wait", async () => {
    const others = setInterval(() => compute(200), 1);
    const ms = await msOf(() => computeInPieces().then(() => pause(10)));
    clearInterval(others);
    expect(ms).toBe(40);
  });

  it("is not that of others meanwhile", async () => {
    const idle = msOf(() => pause(20));
    const busy = msOf(computeInPieces);
    compute(300);
    expect(await Promise.all([idle, busy])).toEqual([0, 40]);
  });

  it("is that of each of several works", async () => {
    const works = await Promise.all([computeInPieces, computeInPieces, computeInPieces].map(msOf));
    expect(works).toEqual([40, 40, 40]);
  });

  it("is counted where the work fails", async () => {
    const failing = async (): Promise<void> => {
      await computeInPieces();
      throw new Error("failed");
    };
    expect(await msOf(failing)).toBe(40);
    const atOnce = (): Promise<void> => {
      compute(30);
      throw new Error("failed");
    };
    expect(await msOf(atOnce)).toBe(30);
  });
});

it("the time of a piece of work includes threads that work for it, and not those that work for others", async () => {
  const idle = msOf(() => pause(400));
  expect(await msOf(() => pool.run("a", { task: "spin" }))).toBeGreaterThanOrEqual(300);
  expect(await idle).toBeLessThan(50);
});

it("counts an answer that is computed as it is read among the work for which others rest", async () => {
  const seen: number[] = [];
  const body = new ReadableStream(
    {
      pull(controller) {
        seen.push(atWork.jobs);
        if (seen.length < 3) controller.enqueue(new Uint8Array(1));
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const before = atWork.jobs;
  await new Response(meteredStream(body, () => Promise.resolve())).arrayBuffer();
  expect(seen).toEqual([before + 1, before + 1, before + 1]);
  expect(atWork.jobs).toBe(before);
});
