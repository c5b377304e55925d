import { execFile } from "node:child_process";
import { chmod, mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { StoreDriver } from "../../server/storage/contract.ts";
import { openFsDriver } from "../../server/storage/fs.ts";
import type { FsDriver, FsOptions } from "../../server/storage/fs.ts";
import { conformance, createTestClock } from "./conformance.ts";
import type { Subject, TestClock } from "./conformance.ts";
import { makeFolder } from "./folders.ts";
import { runSeed } from "./model.ts";
import { createSimDisk } from "./sim-disk.ts";

/** Small segments, and a cache that holds next to nothing: rotation, rewriting and reading from the log all take part. */
const SMALL = { segmentBytes: 8192, cacheBytes: 512 };

conformance({
  name: "fs",
  seeds: 10,
  async open(clock) {
    const folder = await makeFolder();
    const options = { base: folder.path, clock, ...SMALL };
    return toSubject(options, () => folder.remove());
  },
});

describe("fs: 512 random operations against a Map on a simulated disk, 200 seeds", () => {
  for (let from = 1; from <= 200; from += 20) {
    it(`seeds ${from} to ${from + 19}`, { timeout: 120_000 }, async () => {
      for (let seed = from; seed < from + 20; seed++) {
        const io = createSimDisk(seed).io();
        const options = {
          base: "/store",
          clock: createTestClock(),
          io,
          lock: async () => async () => {},
          ...SMALL,
        };
        await runSeed(seed, await toSubject(options, async () => {})).catch((error: unknown) => {
          throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
        });
      }
    });
  }
});

async function toSubject(options: FsOptions, remove: () => Promise<void>): Promise<Subject> {
  const driver = await openFsDriver(options);
  return {
    driver,
    async reopen() {
      await driver.close();
      return toSubject(options, remove);
    },
    async dispose() {
      await driver.close();
      await remove();
    },
  };
}

describe("fs: the folder", () => {
  let folder: Awaited<ReturnType<typeof makeFolder>>;
  let base: string;
  let clock: TestClock;
  const opened: FsDriver[] = [];
  const open = async (options: Partial<FsOptions> = {}): Promise<FsDriver> => {
    const driver = await openFsDriver({ base, clock, ...options });
    opened.push(driver);
    return driver;
  };
  beforeEach(async () => {
    folder = await makeFolder();
    base = join(folder.path, "data", "store");
    clock = createTestClock();
  });
  afterEach(async () => {
    for (const driver of opened.splice(0)) await driver.close();
    await folder.remove();
  });

  it("is private, and holds a text that grep, cut and any JSON reader can read", async () => {
    const driver = await open();
    await driver.commit("p", [
      { put: "p:c:a", value: '{"name":"Zürich"}' },
      { put: "p:c:b", value: '{"name":"Ölten"}' },
    ]);
    await driver.commit("p", [{ del: "p:c:b" }]);
    expect((await stat(base)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(base))
      expect((await stat(join(base, name))).mode & 0o777, name).toBe(0o600);
    const run = promisify(execFile);
    const { stdout } = await run("sh", ["-c", `grep -h ' p:c:a ' ${base}/seg-*.log | cut -d' ' -f5-`]);
    expect(JSON.parse(stdout)).toEqual({ name: "Zürich" });
    const log = await readFile(join(base, "seg-00000001.log"), "utf8");
    expect(log.replaceAll(/^\w{8} /gm, "")).toBe(
      'sync 000000000000\n1/2 1 p:c:a {"name":"Zürich"}\n2/2 1 p:c:b {"name":"Ölten"}\nsync 000000000106\n1/1 2 -p:c:b\n',
    );
  });

  it("makes an empty folder of the operator private, and refuses one that others may read", async () => {
    await mkdir(base, { recursive: true });
    await chmod(base, 0o755);
    await (await open()).close();
    expect((await stat(base)).mode & 0o777).toBe(0o700);
    await chmod(base, 0o755);
    await expect(open()).rejects.toMatchObject({ code: "INVALID", message: expect.stringContaining(base) });
    await chmod(base, 0o700);
    await chmod(join(base, "seg-00000001.log"), 0o644);
    await expect(open()).rejects.toMatchObject({
      code: "INVALID",
      message: expect.stringContaining("seg-00000001"),
    });
  });

  it("refuses a newer format and a folder that lost its parts", async () => {
    await (await open()).close();
    const format = join(base, "format.json");
    await writeFile(format, '{"format":2}');
    await expect(open()).rejects.toMatchObject({
      code: "INVALID",
      message: expect.stringContaining("format 2"),
    });
    await writeFile(format, "{");
    await expect(open()).rejects.toMatchObject({ code: "CORRUPT" });
    await writeFile(format, '{"format":1}');
    await (await open()).close();
  });

  it("keeps documents, versions and each partition's sequence across restarts, whatever was rewritten", async () => {
    let driver = await open({ segmentBytes: 2000 });
    for (let i = 0; i < 100; i++) await driver.commit("p", [{ put: `p:c:k${i % 7}`, value: `"${i}"` }]);
    for (let i = 0; i < 7; i++) await driver.commit("p", [{ del: `p:c:k${i}` }]);
    await driver.commit("q", [{ put: "q:c:a", value: '"stays"' }]);
    await driver.compact();
    await driver.close();
    driver = await open();
    expect(await driver.partitions()).toEqual(["q"]);
    // Were versions given out again, a check on an old version could pass by accident.
    expect(await driver.commit("p", [{ put: "p:c:k1", value: "1" }])).toEqual({ ok: true, version: 108 });
  });

  it("takes rate windows over a restart, unless they have ended or the process was killed", async () => {
    let driver = await open();
    await driver.take("long", 5, 60_000);
    await driver.take("short", 5, 1000);
    await driver.close();
    clock.advance(5000);
    driver = await open();
    expect(await driver.peek("long")).toMatchObject({ count: 1 });
    expect(await driver.peek("short")).toBeNull();
    expect(await readdir(base)).not.toContain("counters.json");
  });

  it("rewrites segments by itself, so that updates do not grow the folder", async () => {
    const driver = await open({ segmentBytes: 20_000 });
    for (let i = 0; i < 1500; i++) {
      await driver.commit("p", [
        { put: `p:c:k${i % 20}`, value: JSON.stringify({ i, pad: "x".repeat(200) }) },
      ]);
    }
    const { bytes = 0, live_bytes = 0, rewrites = 0 } = await driver.stats();
    expect(rewrites).toBeGreaterThan(3);
    expect(live_bytes).toBeLessThan(6000);
    expect(bytes).toBeLessThan(80_000);
    for (let i = 1480; i < 1500; i++)
      expect((await driver.get(`p:c:k${i % 20}`))?.value).toContain(`"i":${i},`);
  });

  it("leaves no byte of an erased document after compact", async () => {
    const driver = await open({ segmentBytes: 3000 });
    for (let i = 0; i < 60; i++) await driver.commit("p", [{ put: `p:c:k${i}`, value: `"personal-${i}"` }]);
    await driver.commit("p", [{ del: "p:c:k3" }, { put: "p:c:k4", value: '"erased"' }]);
    expect(await grep(base, "personal-3\\b|personal-4\\b")).toBe(2);
    const { bytesBefore, bytesAfter } = await driver.compact();
    expect(bytesAfter).toBeLessThan(bytesBefore);
    expect(await grep(base, "personal-3\\b|personal-4\\b|-p:c:k3\\b")).toBe(0);
    expect(await grep(base, "personal-")).toBe(58);
    await checkSixty(driver);
    // Nothing is left to do, so nothing is done.
    const { rewrites } = await driver.stats();
    expect((await driver.compact()).bytesAfter).toBe(bytesAfter);
    expect((await driver.stats())["rewrites"]).toBe(rewrites);
    await driver.close();
    await checkSixty(await open());
  });

  it("goes on with a snapshot while everything in it is rewritten, replaced and removed", async () => {
    const driver = await open({ segmentBytes: 20_000, cacheBytes: 0 });
    const keys = Array.from({ length: 3000 }, (_, i) => `p:c:k${i}` as const);
    for (let i = 0; i < keys.length; i += 100) {
      await driver.commit(
        "p",
        keys.slice(i, i + 100).map((put) => ({ put, value: JSON.stringify({ put, pad: "x".repeat(20) }) })),
      );
    }
    const seen = new Map<string, string>();
    for await (const { key, value } of driver.snapshot("p")) {
      if (seen.size % 1000 === 0) {
        const slice = keys.filter((_, i) => i % 30 === seen.size / 100);
        await driver.commit("p", [
          ...slice.slice(0, 50).map((put) => ({ put, value: '"later"' })),
          ...slice.slice(50).map((del) => ({ del })),
        ]);
        await driver.compact();
      }
      seen.set(key, value);
    }
    expect(seen.size).toBe(3000);
    for (const key of keys) expect(JSON.parse(seen.get(key) ?? "null")).toMatchObject({ put: key });
    // Once nobody reads it any more, what was rewritten is closed and gone.
    expect(await grep(base, "p:c:k0 ")).toBe(1);
  });

  it("lets a snapshot that is left early go, and ends one whose store was closed", async () => {
    const driver = await open({ cacheBytes: 0 });
    for (let i = 0; i < 1500; i += 100) {
      const puts = Array.from({ length: 100 }, (_, j) => ({ put: `p:c:k${i + j}` as const, value: "1" }));
      await driver.commit("p", puts);
    }
    for await (const { version } of driver.snapshot("p")) if (version > 0) break;
    await expect(
      (async () => {
        for await (const { version } of driver.snapshot("p")) if (version > 0) await driver.close();
      })(),
    ).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  it("answers reads and commits while it rewrites", async () => {
    const driver = await open({ segmentBytes: 100_000, cacheBytes: 0 });
    const value = JSON.stringify({ pad: "x".repeat(500) });
    for (let i = 0; i < 1000; i += 50) {
      const keys = Array.from({ length: 50 }, (_, j) => `p:c:k${i + j}` as const);
      await driver.commit(
        "p",
        keys.map((put) => ({ put, value })),
      );
    }
    const progress = { compacting: true };
    const work = driver.compact().finally(() => {
      progress.compacting = false;
    });
    let reads = 0;
    while (progress.compacting) {
      const page = await driver.page("p", "c", { limit: 100 });
      expect(page.items).toHaveLength(100);
      expect(page.items.every((doc) => doc.value === value || doc.value === '"new"')).toBe(true);
      await driver.commit("p", [{ put: `p:c:k${reads++ % 1000}`, value: '"new"' }]);
    }
    await work;
    expect(reads).toBeGreaterThan(0);
    expect((await driver.page("p", "c", { limit: 1000 })).items).toHaveLength(1000);
  });
});

async function grep(base: string, pattern: string): Promise<number> {
  let found = 0;
  for (const name of await readdir(base)) {
    found += [...(await readFile(join(base, name), "utf8")).matchAll(new RegExp(pattern, "g"))].length;
  }
  return found;
}

async function checkSixty(driver: StoreDriver): Promise<void> {
  for (let i = 0; i < 60; i++) {
    const value = i === 3 ? undefined : i === 4 ? '"erased"' : `"personal-${i}"`;
    expect((await driver.get(`p:c:k${i}`))?.value).toBe(value);
  }
}
