import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Driver } from "unstorage";
import fs from "unstorage/drivers/fs";
import lruCache from "unstorage/drivers/lru-cache";
import memory from "unstorage/drivers/memory";
import { describe, expect, it, onTestFinished } from "vitest";

import { systemClock } from "../../server/core/clock.ts";
import { createSystemRandom } from "../../server/core/ids.ts";
import { createBridgeObjects } from "../../server/storage/bridge/objects.ts";
import { createTexts } from "../../server/storage/bridge/texts.ts";
import { createPlatform } from "../../server/platform.ts";
import { openBridgeDriver } from "../../server/storage/bridge.ts";
import { nodeKey } from "../../server/storage/nodes.ts";
import { conformance, createTestClock } from "./conformance.ts";
import type { Subject, TestClock } from "./conformance.ts";

const random = createSystemRandom();

async function makeFolder(): Promise<string> {
  const base = await mkdtemp(join(tmpdir(), "bridge-"));
  onTestFinished(() => rm(base, { recursive: true, force: true, maxRetries: 5 }));
  return base;
}

/** `open` connects again to the same place. */
async function openSubject(
  clock: TestClock,
  open: () => Driver,
  done: () => Promise<void>,
): Promise<Subject> {
  const driver = await openBridgeDriver({ use: open(), clock, random });
  return {
    driver,
    async reopen() {
      await driver.close();
      return openSubject(clock, open, done);
    },
    async dispose() {
      await driver.close();
      await done();
    },
  };
}

/** Memory that outlives its driver. */
const kept =
  (driver: Driver): (() => Driver) =>
  () => ({ ...driver, dispose: () => undefined });
const nothing = async (): Promise<void> => undefined;

conformance({
  name: "unstorage memory",
  seeds: 20,
  open: (clock) => openSubject(clock, kept(memory()), nothing),
});

conformance({
  name: "unstorage lru-cache",
  seeds: 10,
  open: (clock) => openSubject(clock, kept(lruCache({ max: 1_000_000 })), nothing),
});

conformance({
  name: "unstorage fs",
  seeds: 3,
  async open(clock) {
    const base = await makeFolder();
    return openSubject(clock, () => fs({ base }), nothing);
  },
});

describe("a driver that does not keep what it is given is refused", () => {
  const open = (use: Driver | string) => openBridgeDriver({ use, clock: createTestClock(), random });
  const broken = (change: (driver: Driver) => Partial<Driver>): Driver => {
    const driver = memory();
    return { ...driver, ...change(driver) };
  };
  it.each<[string, RegExp, () => Driver]>([
    [
      "trims values",
      /does not return what was written/,
      () => broken((driver) => ({ setItem: (key, value) => driver.setItem?.(key, value.trim(), {}) })),
    ],
    [
      "cuts long values",
      /does not return what was written/,
      () =>
        broken((driver) => ({ setItem: (key, value) => driver.setItem?.(key, value.slice(0, 100_000), {}) })),
    ],
    [
      "ignores case",
      /mixed up/,
      () =>
        broken((driver) => ({
          getItem: (key) => driver.getItem(key.toLowerCase()),
          setItem: (key, value) => driver.setItem?.(key.toLowerCase(), value, {}),
        })),
    ],
    [
      "reads old values",
      /returns old values after a write/,
      () => {
        const old = new Map<string, unknown>();
        return broken((driver) => ({
          getItem: (key) => old.get(key) ?? driver.getItem(key),
          setItem: async (key, value) => {
            old.set(key, await driver.getItem(key));
            await driver.setItem?.(key, value, {});
          },
        }));
      },
    ],
    [
      "lists short",
      /lists 9 of 47 keys/,
      () => broken((driver) => ({ getKeys: async () => (await driver.getKeys("", {})).slice(0, 9) })),
    ],
    ["evicts", /lost or mixed up/, () => lruCache({ max: 10 })],
    ["keeps what was removed", /after its removal/, () => broken(() => ({ removeItem: () => undefined }))],
    [
      "is read-only",
      /is read-only/,
      () => ({ name: "http", getItem: () => null, hasItem: () => false, getKeys: () => [] }),
    ],
  ])("%s", async (_name, why, use) => {
    await expect(open(use())).rejects.toMatchObject({ code: "INVALID", message: expect.stringMatching(why) });
  });

  it("says which package is missing, and which driver is unknown", async () => {
    await expect(open("mongodb")).rejects.toThrow(/mongodb cannot be loaded: run npm i mongodb/);
    await expect(open("no-such-driver")).rejects.toThrow(/run npm i no-such-driver/);
  });

  it("a text that another process is just writing is read again", async () => {
    const driver = memory();
    const texts = createTexts(driver);
    await texts.set("heads:p", "{}");
    await driver.setItem?.("heads:q", "", {});
    const reading = texts.get("heads:q");
    await texts.set("heads:q", "[]");
    expect([await texts.get("heads:p"), await reading]).toEqual(["{}", "[]"]);
    await driver.setItem?.("heads:q", "", {});
    await expect(texts.get("heads:q")).rejects.toMatchObject({ code: "CORRUPT" });
  });

  it("a value that is lost later is an error, not an absent document", async () => {
    const raw = memory();
    onTestFinished(() => raw.dispose?.());
    const objects = await createBridgeObjects(raw, createTestClock());
    const key = "docs/p/c/a.b";
    expect(await objects.writeText(key, "1", { etag: null })).not.toBeNull();
    for (const name of await raw.getKeys("", {})) await raw.removeItem?.(name, {});
    await expect(objects.readText(key)).rejects.toMatchObject({ code: "CORRUPT" });
  });
});

describe("the platform", () => {
  const open = async (use: Driver | string, options = {}) =>
    createPlatform({
      config: {
        storage: { driver: "unstorage", use, options },
        mail: { transport: "console" },
        log: { level: "silent" },
        server: { port: 0 },
        baseUrl: "https://shop.example",
      },
      cwd: await makeFolder(),
    });

  it("runs on a driver by its name", async () => {
    const platform = await open("fs", { base: await makeFolder() });
    onTestFinished(() => platform.close());
    const response = await platform.fetch(new Request("https://shop.example/healthz"));
    expect(response.status).toBe(200);
  });

  it("is refused where another process serves the same store", async () => {
    const base = await makeFolder();
    const other = await openBridgeDriver({ use: fs({ base }), clock: systemClock, random });
    const beat = async (): Promise<void> => {
      const node = { id: "node_0", host: "other.example", pid: 1, started_at: "2026-01-01T00:00:00.000Z" };
      const value = JSON.stringify({ ...node, seen_ms: systemClock.now() });
      await other.commit("storage", [{ put: nodeKey("node_0"), value }]);
    };
    await beat();
    const timer = setInterval(() => void beat(), 100);
    onTestFinished(async () => {
      clearInterval(timer);
      await other.close();
    });
    await expect(open("fs", { base })).rejects.toMatchObject({
      code: "LOCKED",
      message: expect.stringContaining("process 1 on other.example already serves this store"),
    });
  });

  it("runs on a driver that the configuration made", async () => {
    const platform = await open(memory());
    onTestFinished(() => platform.close());
    await platform.services.store.commit("p", [{ put: "p:c:a", value: "1" }]);
    expect((await platform.services.store.get("p:c:a"))?.value).toBe("1");
  });
});
