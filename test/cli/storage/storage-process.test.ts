import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { systemClock } from "../../../server/core/clock.ts";
import type { Doc } from "../../../server/storage/contract.ts";
import { openDriver } from "../../../server/storage/open.ts";
import type { StoreConfig } from "../../../server/storage/describe.ts";
import { findUnfinished } from "../../../server/storage/transfer.ts";
import { snapshotOf } from "../../storage/model.ts";
import { hasRedis, startRedis } from "../../support/redis.ts";
import type { RedisServer } from "../../support/redis.ts";
import { createServiceSandbox } from "../service.ts";
import type { ServiceSandbox } from "../service.ts";

const BIN = fileURLToPath(new URL("../../../dist/bin/platform.js", import.meta.url));
/** Enough that a copy takes a while, in a few dozen groups. */
const DOCUMENTS = 12_000;

let sandbox: ServiceSandbox;
const children: ChildProcess[] = [];
beforeEach(async () => {
  sandbox = createServiceSandbox();
  const store = await openDriver(folder("data"), { clock: systemClock });
  for (let i = 0; i < DOCUMENTS; i += 4000) {
    const docs = Array.from({ length: 4000 }, (_, j): Doc => ({
      key: `sto_${(i + j) % 3}:c:k${String(i + j).padStart(6, "0")}`,
      version: i + j + 1,
      value: JSON.stringify({ n: i + j, pad: "x".repeat(150) }),
    }));
    for (const part of ["sto_0", "sto_1", "sto_2"])
      await store.load(
        part,
        docs.filter(({ key }) => key.startsWith(`${part}:`)),
      );
  }
  await store.close();
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  sandbox.remove();
});

const path = (...names: string[]): string => join(sandbox.dir, ...names);
const folder = (base: string): StoreConfig => ({ driver: "fs", base: path(base) });

interface Started {
  readonly child: ChildProcess;
  readonly out: { stderr: string };
  readonly done: Promise<number | null>;
}

function start(argv: readonly string[], env: Record<string, string> = {}): Started {
  const child = spawn(process.execPath, [BIN, ...argv], {
    cwd: sandbox.dir,
    env: { PATH: process.env.PATH, XDG_CONFIG_HOME: path(".home"), ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  children.push(child);
  const out = { stderr: "" };
  child.stderr.on("data", (chunk: Buffer) => void (out.stderr += chunk.toString("utf8")));
  return { child, out, done: once(child, "close").then(([code]) => code as number | null) };
}

/** Waits until something was done; fails when the command ends before. */
async function untilDone({ done, out }: Started, isDone: () => boolean): Promise<void> {
  let ended = false;
  void done.then(() => (ended = true));
  while (!isDone()) {
    if (ended) throw new Error(`It ended too early: ${out.stderr}`);
    await sleep(5);
  }
}

/** Bytes of a folder's logs; of a file. */
const sizeOf = (name: string): number => {
  if (!existsSync(path(name))) return 0;
  if (statSync(path(name)).isFile()) return statSync(path(name)).size;
  return readdirSync(path(name))
    .filter((file) => file.endsWith(".log"))
    .reduce((sum, file) => sum + (statSync(path(name, file), { throwIfNoEntry: false })?.size ?? 0), 0);
};

async function killAt(argv: readonly string[], name: string, bytes: number): Promise<void> {
  const started = start(argv);
  const before = sizeOf(name);
  await untilDone(started, () => sizeOf(name) > before + bytes);
  started.child.kill("SIGKILL");
  await started.done;
}

async function contentOf(config: StoreConfig): Promise<Doc[]> {
  const store = await openDriver(config, { clock: systemClock });
  try {
    const parts = (await store.partitions()).filter((part) => part !== "storage");
    return (await Promise.all(parts.map((part) => snapshotOf(store, part)))).flat();
  } finally {
    await store.close();
  }
}

/** The target holds what the source holds, byte for byte. */
async function expectSame(target: StoreConfig): Promise<void> {
  const content = await contentOf(folder("data"));
  expect(content.length).toBeGreaterThan(DOCUMENTS);
  // A difference of thousands of documents could not be read anyway.
  expect(JSON.stringify(await contentOf(target)) === JSON.stringify(content)).toBe(true);
}

async function isHalf(config: StoreConfig): Promise<boolean> {
  const store = await openDriver(config, { clock: systemClock });
  const begun = await findUnfinished(store);
  await store.close();
  return begun !== null;
}

const KILLS = [150_000, 900_000];

describe("kill -9", () => {
  it("in the middle of a migration: it goes on, and ends with every byte", async () => {
    const migrate = ["storage", "migrate", "--to", "fs:./copy", "--confirm", "copy"];
    for (const bytes of KILLS) {
      await killAt(migrate, "copy", bytes);
      expect(await isHalf(folder("copy"))).toBe(true);
      const refused = start(["customers", "list"], { PLATFORM_STORAGE_BASE: "./copy" });
      expect(await refused.done).toBe(10);
      expect(refused.out.stderr).toContain("was interrupted. Run it again");
    }
    const last = start(migrate);
    expect({ code: await last.done, said: last.out.stderr }).toMatchObject({
      code: 0,
      said: expect.stringContaining("Continuing"),
    });
    expect(await isHalf(folder("copy"))).toBe(false);
    await expectSame(folder("copy"));
  }, 120_000);

  it("in the middle of a backup: nothing looks like one; of a restore: it goes on", async () => {
    await killAt(["storage", "backup", "-o", "b.ndjson"], "b.ndjson.part", 500_000);
    expect(existsSync(path("b.ndjson"))).toBe(false);
    copyFileSync(path("b.ndjson.part"), path("half.ndjson"));
    const restore = ["storage", "restore"];
    const env = { PLATFORM_STORAGE_BASE: "./copy" };
    expect(await start([...restore, "half.ndjson"], env).done).toBe(11);
    expect(await start(["storage", "backup", "-o", "b.ndjson"]).done).toBe(0);
    expect(existsSync(path("b.ndjson.part"))).toBe(false);

    writeFileSync(path("copy.json"), JSON.stringify({ storage: { driver: "fs", base: "./copy" } }));
    for (const bytes of KILLS) {
      await killAt(["-c", "copy.json", ...restore, "b.ndjson"], "copy", bytes);
      expect(await isHalf(folder("copy"))).toBe(true);
    }
    const last = start(["-c", "copy.json", ...restore, "b.ndjson"]);
    expect({ code: await last.done, said: last.out.stderr }).toMatchObject({ code: 0 });
    await expectSame(folder("copy"));
  }, 120_000);

  it("of the server that is copied: the command says so, and goes on without it", async () => {
    const server = start(["serve", "--port", "0", "--base-url", "http://127.0.0.1:1"]);
    await untilDone(server, () => server.out.stderr.includes("Serving"));
    const migrate = ["storage", "migrate", "--to", "fs:./copy", "--confirm", "copy"];
    const first = start(migrate);
    await untilDone(first, () => sizeOf("copy") > 300_000);
    server.child.kill("SIGKILL");
    expect(await first.done).toBe(10);
    expect(await isHalf(folder("copy"))).toBe(true);
    const last = start(migrate);
    expect({ code: await last.done, said: last.out.stderr }).toMatchObject({ code: 0 });
    await expectSame(folder("copy"));
  }, 120_000);
});

describe.skipIf(!hasRedis)("on the way to Redis, kill -9", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis?.stop());

  it("of the command and of Redis: it goes on, and ends with every byte", async () => {
    const target: StoreConfig = { driver: "redis", url: redis.url };
    const migrate = ["storage", "migrate", "--to", redis.url, "--confirm", "127.0.0.1"];
    const loaded = (): number => Number(redis.cli("hlen", "platform:{sto_0}:d:c").replace(/\D/g, "") || 0);
    for (const documents of [300, 1500]) {
      const started = start(migrate);
      await untilDone(started, () => loaded() > documents);
      started.child.kill("SIGKILL");
      await started.done;
      expect(await isHalf(target)).toBe(true);
    }
    const broken = start(migrate);
    await untilDone(broken, () => loaded() > 3000);
    await redis.signal("SIGKILL");
    expect(await broken.done).toBe(10);
    await redis.restart();
    expect(await isHalf(target)).toBe(true);
    const last = start(migrate);
    expect({ code: await last.done, said: last.out.stderr }).toMatchObject({ code: 0 });
    expect(await isHalf(target)).toBe(false);
    await expectSame(target);
  }, 120_000);
});
