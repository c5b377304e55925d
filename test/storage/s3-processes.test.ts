import { setTimeout as sleep } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { compileScript } from "../support/compile.ts";
import type { Compiled } from "../support/compile.ts";
import { TEST_SIGNER, startS3Double } from "../support/s3-double.ts";
import { HAS_REAL_S3, startRealS3 } from "../support/s3-real.ts";
import { badWeather } from "../support/s3-weather.ts";
import { MONEY, audit, countMoney, openBank } from "./bank.ts";
import { startChild } from "./processes.ts";
import type { Child } from "./processes.ts";
import { createRandom } from "./random.ts";
import { openNode } from "../support/s3-node.ts";
import type { TestBucket } from "../support/s3-node.ts";

// Three processes of four lanes each move money in one partition, and are killed. STORAGE_KILLS=100 kills more often.
const KILLS = Number(process.env["STORAGE_KILLS"] ?? 12);
const PROCESSES = 3;
const SEED = 11;

let compiled: Compiled;
beforeAll(async () => {
  compiled = await compileScript("test/storage/s3-child");
}, 60_000);
afterAll(() => compiled.remove());

interface Outcome {
  readonly faults: string[];
  readonly acknowledged: number;
  /** How often all accounts were counted, together, while the processes were at it. */
  readonly counts: number;
}

/** Lets the processes work, kills one of them after the other, and audits the books in between and at the end. */
async function rob(bucket: TestBucket, kills: number, how = ""): Promise<Outcome> {
  const random = createRandom(SEED);
  const watcher = await openNode(bucket);
  await openBank(watcher);
  const acknowledged = new Map<string, number>();
  const faults: string[] = [];
  let started = 0;
  let counts = 0;
  const start = (): Child =>
    startChild(compiled.script, [
      "bank",
      bucket.endpoint,
      bucket.bucket,
      String(SEED * 1000 + started++),
      how,
    ]);
  const note = async (child: Child): Promise<void> => {
    child.process.kill("SIGKILL");
    await child.ended;
    for (const line of child.lines.slice(1)) {
      const [id = "", version] = line.split(" ");
      acknowledged.set(id, Number(version));
    }
  };
  const children = Array.from({ length: PROCESSES }, start);
  try {
    for (let kill = 0; kill < kills && faults.length === 0; kill++) {
      const [child] = children.splice(0, 1);
      if (child === undefined || (await child.first) !== "READY") throw new Error("a child did not start");
      await sleep(100 + random.int(500));
      await note(child);
      children.push(start());
      const money = await countMoney(watcher);
      counts++;
      if (money !== MONEY) faults.push(`kill ${kill}: there is ${money} instead of ${MONEY}`);
    }
  } finally {
    for (const child of children) await note(child);
  }
  const wrong = await audit(watcher, acknowledged);
  if (wrong !== null) faults.push(wrong);
  await watcher.close();
  return { faults, acknowledged: acknowledged.size, counts };
}

async function onDouble<T>(work: (bucket: TestBucket) => Promise<T>): Promise<T> {
  const double = await startS3Double();
  double.fault = badWeather(createRandom(SEED), 0.15);
  try {
    return await work(double);
  } finally {
    await double.close();
  }
}

describe(`s3: a bank of ${PROCESSES} processes, killed ${KILLS} times (seed ${SEED})`, () => {
  const timeout = 60_000 + KILLS * 5000;

  it("loses and doubles nothing in bad weather", { timeout }, async () => {
    const { faults, acknowledged, counts } = await onDouble((double) => rob(double, KILLS));
    expect(faults).toEqual([]);
    expect(acknowledged).toBeGreaterThan(KILLS);
    expect(counts).toBe(KILLS);
  });

  it("negative control: without redo it does", { timeout }, async () => {
    const { faults } = await onDouble((double) => rob(double, 30, "blind"));
    expect(faults[0]).toMatch(/instead of|by the journal|was acknowledged/);
  });

  it.runIf(HAS_REAL_S3)(
    "loses and doubles nothing on a real server",
    { timeout: timeout + 120_000 },
    async () => {
      const real = await startRealS3();
      try {
        const { faults, acknowledged } = await rob(real, KILLS);
        expect(faults).toEqual([]);
        expect(acknowledged).toBeGreaterThan(KILLS);
      } finally {
        await real.stop();
      }
    },
  );
});

describe("s3: a server of its own process", () => {
  it("serves nodes in bad weather, and is missed when it is killed", { timeout: 60_000 }, async () => {
    const server = startChild(compiled.script, ["double", "0.15", String(SEED)]);
    const bucket = { endpoint: await server.first, bucket: "test", signer: TEST_SIGNER };
    const driver = await openNode(bucket);
    for (let i = 1; i <= 20; i++)
      expect(await driver.commit("p", [{ put: "p:c:a", value: String(i) }])).toEqual({
        ok: true,
        version: i,
      });
    server.process.kill("SIGKILL");
    await server.ended;
    await expect(driver.get("p:c:a")).rejects.toMatchObject({ code: "UNAVAILABLE", retryable: true });
    await expect(driver.commit("p", [{ put: "p:c:a", value: "1" }])).rejects.toMatchObject({
      code: "UNAVAILABLE",
      retryable: true,
    });
    await expect(driver.ping()).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await driver.close();
  });
});
