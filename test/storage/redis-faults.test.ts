import { readdir, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { Redis } from "ioredis";
import { afterEach, describe, expect, it } from "vitest";

import { StoreError } from "../../server/storage/contract.ts";
import type { Key, StoreDriver, Version } from "../../server/storage/contract.ts";
import { openRedisDriver } from "../../server/storage/redis.ts";
import { startProxy } from "../support/redis-proxy.ts";
import type { Proxy } from "../support/redis-proxy.ts";
import { hasRedis, startRedis } from "../support/redis.ts";
import type { RedisServer, RedisServerOptions } from "../support/redis.ts";
import { findMiscount } from "./miscount.ts";
import { createRandom } from "./random.ts";
import type { Random } from "./random.ts";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function start(options?: RedisServerOptions): Promise<RedisServer> {
  const server = await startRedis(options);
  cleanups.push(() => server.stop());
  return server;
}

async function open(url: string, allowVolatile = false): Promise<StoreDriver> {
  const driver = await openRedisDriver({ url, allowVolatile });
  cleanups.push(() => driver.close());
  return driver;
}

async function startBehindProxy(): Promise<{ server: RedisServer; proxy: Proxy; url: string }> {
  const server = await start();
  const proxy = await startProxy(server.port);
  cleanups.push(() => proxy.close());
  return { server, proxy, url: `redis://127.0.0.1:${proxy.port}` };
}

/** What a call came to: its answer, or the code of its error. Anything but a StoreError fails the test. */
async function outcome<T>(call: Promise<T>): Promise<T | string> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof StoreError) return error.code;
    throw error;
  }
}

interface Journal {
  /** Version of every commit that was acknowledged, by its number. */
  readonly acked: Map<string, Version>;
  readonly begun: Set<string>;
  readonly codes: Map<string, number>;
}

const WRITERS = 32;
const pair = (id: string): readonly [Key, Key] => [`p:c:${id}`, `p:d:${id}`];

/** 32 writers, each commit two documents; `isOver` ends them. */
async function write(driver: StoreDriver, isOver: () => boolean): Promise<Journal> {
  const journal: Journal = { acked: new Map(), begun: new Set(), codes: new Map() };
  const writer = async (who: number): Promise<void> => {
    for (let i = 0; !isOver(); i++) {
      const id = `w${who}-${i}`;
      journal.begun.add(id);
      const puts = pair(id).map((put) => ({ put, value: JSON.stringify({ id, pad: "x".repeat(300) }) }));
      const result = await outcome(driver.commit("p", puts));
      if (typeof result !== "string" && result.ok) journal.acked.set(id, result.version);
      else {
        const code = typeof result === "string" ? result : "conflict";
        journal.codes.set(code, (journal.codes.get(code) ?? 0) + 1);
        await sleep(5);
      }
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, who) => writer(who)));
  return journal;
}

/** Waits until Redis has rewritten its log, if it has one: the driver asks for that after each restart. */
async function isRewritten(server: RedisServer): Promise<void> {
  await expect
    .poll(() => server.cli("info", "persistence"), { timeout: 10_000 })
    .toMatch(/aof_enabled:0|aof_rewrite_in_progress:0[^]*aof_last_rewrite_time_sec:\d/);
}

/** Kills and restarts the server some times while 32 writers write, and tells what is wrong afterwards. */
async function killUnderLoad(
  server: RedisServer,
  driver: StoreDriver,
  {
    kills,
    random,
    whileDown = async () => {},
  }: { readonly kills: number; readonly random: Random; readonly whileDown?: () => Promise<void> },
): Promise<Journal & { lost: number; torn: number }> {
  let over = false;
  const writing = write(driver, () => over);
  for (let i = 0; i < kills; i++) {
    await sleep(100 + random.int(200));
    await server.signal("SIGKILL");
    await whileDown();
    await sleep(random.int(100));
    await server.restart();
    await isRewritten(server);
  }
  await expect.poll(() => outcome(driver.get("p:c:none")), { timeout: 10_000 }).toBeNull();
  await sleep(100);
  over = true;
  const journal = await writing;
  let lost = 0;
  let torn = 0;
  for (const id of journal.begun) {
    const [a, b] = await driver.getMany(pair(id));
    if ((a?.version ?? 0) !== (b?.version ?? 0) || (a?.value ?? "") !== (b?.value ?? "")) torn++;
    const version = journal.acked.get(id);
    if (version !== undefined && a?.version !== version) lost++;
  }
  return { ...journal, lost, torn };
}

/** What a disk that lies about its writes leaves: the append-only file without its last third. */
async function cutLog({ dir }: RedisServer): Promise<void> {
  const folder = join(dir, "appendonlydir");
  for (const name of (await readdir(folder)).filter((one) => one.endsWith(".incr.aof"))) {
    const path = join(folder, name);
    await truncate(path, Math.floor(((await stat(path)).size * 2) / 3));
  }
}

describe.skipIf(!hasRedis)("redis: killed and restarted under 32 writers", () => {
  const SEED = 20_261_121;

  it(
    `loses nothing that it acknowledged and leaves nothing half done (seed ${SEED})`,
    { timeout: 60_000 },
    async () => {
      const server = await start();
      const driver = await open(server.url);
      const found = await killUnderLoad(server, driver, { kills: 5, random: createRandom(SEED) });
      expect(found).toMatchObject({ lost: 0, torn: 0 });
      expect(await findMiscount(driver)).toBeNull();
      expect(found.acked.size).toBeGreaterThan(WRITERS);
      const codes = [...found.codes.keys()].filter(
        (code) => code !== "UNAVAILABLE" && code !== "UNKNOWN_OUTCOME",
      );
      expect(codes).toEqual([]);
      // The versions are those of one history: none was given twice.
      const versions = [...found.acked.values()];
      expect(new Set(versions).size).toBe(versions.length);
      expect((await driver.collections("p")).map(({ name }) => name)).toEqual(["c", "d"]);
      const [c, d] = await driver.collections("p");
      expect(c?.count).toBe(d?.count);
      expect(c?.count).toBeGreaterThanOrEqual(versions.length);
    },
  );

  it(
    "negative control: a log that lost its last third is still the same store, and the loss is seen",
    { timeout: 60_000 },
    async () => {
      const server = await start();
      const driver = await open(server.url);
      const whileDown = () => cutLog(server);
      const found = await killUnderLoad(server, driver, { kills: 1, random: createRandom(SEED), whileDown });
      expect(found.acked.size).toBeGreaterThan(WRITERS);
      expect(found.lost).toBeGreaterThan(0);
    },
  );

  it(
    "is refused as another store when it kept no append-only file and lost everything",
    { timeout: 60_000 },
    async () => {
      const server = await start({ volatile: true });
      const driver = await open(server.url, true);
      const lossy = killUnderLoad(server, driver, { kills: 2, random: createRandom(SEED) });
      await expect(lossy).rejects.toThrow("'REPLACED'");
    },
  );
});

describe.skipIf(!hasRedis)("redis: a log that ends in the middle of a commit", () => {
  /** Ends the server as a power failure does while it writes a commit: the log lacks its last bytes. */
  async function failPower(server: RedisServer, bytes: number): Promise<void> {
    await server.signal("SIGKILL");
    const folder = join(server.dir, "appendonlydir");
    const [name] = (await readdir(folder)).filter((one) => one.endsWith(".incr.aof")).toSorted();
    const path = join(folder, name ?? "");
    await truncate(path, (await stat(path)).size - bytes);
    await server.restart();
  }

  // Between the end of the documents and the end of the commit are the bytes of its revisions, usage and version.
  it.each([60, 400, 700, 1000])(
    "does not get half of that commit back after the next restart (%i bytes lost)",
    { timeout: 30_000 },
    async (lost) => {
      const server = await start();
      const driver = await open(server.url);
      const put = (id: string) =>
        driver.commit(
          "p",
          pair(id).map((one) => ({ put: one, value: JSON.stringify({ id, pad: "x".repeat(300) }) })),
        );
      await put("kept");
      await put("cut");
      await failPower(server, lost);
      await expect.poll(() => outcome(driver.getMany(pair("cut")))).toEqual([null, null]);
      await expect.poll(() => outcome(put("later")), { timeout: 10_000 }).toMatchObject({ ok: true });
      await isRewritten(server);
      await server.signal("SIGKILL");
      await server.restart();
      await expect.poll(() => outcome(driver.getMany(pair("cut")))).toEqual([null, null]);
      expect(await driver.getMany(pair("later"))).toMatchObject([{ version: 2 }, { version: 2 }]);
      expect(await findMiscount(driver)).toBeNull();
    },
  );
});

describe.skipIf(!hasRedis)("redis: gone", () => {
  it("answers UNAVAILABLE at once while it is down, and serves again when it is back", async () => {
    const server = await start();
    const driver = await open(server.url);
    await driver.commit("p", [{ put: "p:c:a", value: "1" }]);
    await server.signal("SIGKILL");
    await expect.poll(() => outcome(driver.get("p:c:a"))).toBe("UNAVAILABLE");
    const calls: (() => Promise<unknown>)[] = [
      () => driver.get("p:c:a"),
      () => driver.getMany(["p:c:a"]),
      () => driver.page("p", "c", { limit: 1 }),
      () => driver.commit("p", [{ put: "p:c:b", value: "1" }]),
      () => driver.take("k", 1, 1000),
      () => driver.ping(),
      () => driver.partitions(),
    ];
    for (let i = 0; i < 50; i++) for (const call of calls) expect(await outcome(call())).toBe("UNAVAILABLE");
    await server.restart();
    await expect.poll(() => outcome(driver.ping()), { timeout: 10_000 }).toBeUndefined();
    expect(await driver.get("p:c:a")).toEqual({ key: "p:c:a", version: 1, value: "1" });
    expect(await driver.get("p:c:b")).toBeNull();
  });

  it("refuses to open where nobody listens, and can be closed while it is down", async () => {
    const server = await start();
    const driver = await open(server.url);
    await server.signal("SIGKILL");
    await driver.close();
    await expect(openRedisDriver({ url: server.url })).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringContaining("ECONNREFUSED"),
    });
  });
});

describe.skipIf(!hasRedis)("redis: answers that are lost", () => {
  const CALLS = 20;
  const callAll = (driver: StoreDriver) => ({
    commits: Array.from({ length: CALLS }, (_, i) =>
      outcome(driver.commit("p", [{ put: `p:c:k${i}`, value: "1" }])),
    ),
    takes: Array.from({ length: CALLS }, () => outcome(driver.take("k", 1000, 60_000))),
    reads: Array.from({ length: CALLS }, () => outcome(driver.get("p:c:first"))),
  });
  const expectOnce = async (driver: StoreDriver): Promise<void> => {
    expect(await driver.peek("k")).toMatchObject({ count: 1 + CALLS });
    expect(await driver.commit("p", [])).toEqual({ ok: true, version: 1 + CALLS });
    const { items } = await driver.page("p", "c", { limit: 100 });
    expect(new Set(items.map(({ version }) => version)).size).toBe(1 + CALLS);
  };

  it("are told as such when the connection breaks, and nothing is sent again", async () => {
    const { server, proxy, url } = await startBehindProxy();
    const driver = await open(url);
    const direct = await open(server.url);
    await driver.commit("p", [{ put: "p:c:first", value: "1" }]);
    await driver.take("k", 1000, 60_000);
    proxy.swallow();
    const { commits, takes, reads } = callAll(driver);
    await expect.poll(() => direct.commit("p", [])).toEqual({ ok: true, version: 1 + CALLS });
    proxy.mend();
    expect(new Set(await Promise.all(commits))).toEqual(new Set(["UNKNOWN_OUTCOME"]));
    expect(new Set(await Promise.all([...takes, ...reads]))).toEqual(new Set(["UNAVAILABLE"]));
    await expect.poll(() => outcome(driver.ping())).toBeUndefined();
    await expectOnce(driver);
  });

  it("end the calls also while the connection stands, and a silent connection is made anew", async () => {
    const { proxy, url } = await startBehindProxy();
    const driver = await open(url);
    await driver.commit("p", [{ put: "p:c:first", value: "1" }]);
    await driver.take("k", 1000, 60_000);
    proxy.swallow();
    const { commits, takes, reads } = callAll(driver);
    expect(new Set(await Promise.all(commits))).toEqual(new Set(["UNKNOWN_OUTCOME"]));
    expect(new Set(await Promise.all([...takes, ...reads]))).toEqual(new Set(["UNAVAILABLE"]));
    proxy.pass();
    await expect.poll(() => outcome(driver.ping()), { timeout: 10_000 }).toBeUndefined();
    await expectOnce(driver);
  });

  it("make a client with its usual settings count twice, which this test would see", async () => {
    const { server, proxy } = await startBehindProxy();
    const usual = new Redis(proxy.port, "127.0.0.1");
    usual.on("error", () => {});
    await usual.set("n", "0");
    proxy.swallow();
    const counted = usual.incr("n");
    await expect.poll(() => server.cli("get", "n")).toBe("1");
    proxy.mend();
    expect(await counted).toBe(2);
    usual.disconnect();
  });
});

describe.skipIf(!hasRedis)("redis: paused", () => {
  it("ends every call, and has done each at most once when it goes on", { timeout: 30_000 }, async () => {
    const server = await start();
    const driver = await open(server.url);
    await driver.commit("p", [{ put: "p:c:n", value: "0" }]);
    await server.signal("SIGSTOP");
    const pause = { over: false };
    const resumed = sleep(5000).then(async () => {
      await server.signal("SIGCONT");
      pause.over = true;
    });
    const codes = new Set<unknown>();
    let asked = 0;
    while (!pause.over) {
      asked += 20;
      const calls = Array.from({ length: 20 }, (_, i) =>
        i % 2 === 0
          ? outcome(driver.commit("p", [{ put: `p:c:n${asked + i}`, value: "1" }]))
          : outcome(driver.take("k", 1_000_000, 60_000)),
      );
      for (const result of await Promise.all(calls))
        codes.add(typeof result === "string" ? result : "answered");
      await sleep(20);
    }
    await resumed;
    expect(codes).toContain("UNKNOWN_OUTCOME");
    expect(codes).toContain("UNAVAILABLE");
    await expect.poll(() => outcome(driver.ping()), { timeout: 10_000 }).toBeUndefined();
    const taken = await driver.peek("k");
    expect(taken?.count ?? 0).toBeLessThanOrEqual(asked / 2);
    const sequence = await driver.commit("p", []);
    expect(sequence.ok && sequence.version).toBeLessThanOrEqual(1 + asked / 2);
  });

  it("lets whoever waited for a call without an answer not wait as long again", async () => {
    const server = await start();
    const driver = await open(server.url);
    const elapsed = async (): Promise<number> => {
      const began = performance.now();
      expect(await outcome(driver.get("p:c:n"))).toBe("UNAVAILABLE");
      return performance.now() - began;
    };
    await server.signal("SIGSTOP");
    const first = await elapsed();
    expect(await elapsed()).toBeLessThan(first / 2);
    await server.signal("SIGCONT");
    await expect.poll(() => outcome(driver.ping()), { timeout: 10_000 }).toBeUndefined();
  });
});
