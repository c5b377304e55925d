import { once } from "node:events";
import { createServer } from "node:http";

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { StoreError } from "../../server/storage/contract.ts";
import type { Key, Op, StoreDriver } from "../../server/storage/contract.ts";
import { createRedisCounters, openRedisDriver } from "../../server/storage/redis.ts";
import type { RedisOptions } from "../../server/storage/redis.ts";
import { verifyStore } from "../../server/storage/verify.ts";
import { hasRedis, REDIS_MISSING, startRedis } from "../support/redis.ts";
import type { RedisServer } from "../support/redis.ts";
import { conformance } from "./conformance.ts";
import type { Subject, TestClock } from "./conformance.ts";
import { snapshotOf } from "./model.ts";

if (!hasRedis) console.warn(`Tests on Redis are skipped. ${REDIS_MISSING}`);

let server: RedisServer;
beforeAll(async () => {
  // Nothing is killed here, so the log need not be synced before each answer.
  if (hasRedis) server = await startRedis({ settings: ["--appendfsync", "everysec"] });
});
afterAll(() => server?.stop());

let stores = 0;
const nextPrefix = (): string => `t${stores++}:`;

/** A store of its own on the shared server; reopened, it finds what it left. */
async function openSubject(clock: TestClock, prefix = nextPrefix()): Promise<Subject> {
  const driver = await openRedisDriver({ url: server.url, prefix, clock });
  return {
    driver,
    async reopen() {
      await driver.close();
      return openSubject(clock, prefix);
    },
    dispose: () => driver.close(),
  };
}

describe.skipIf(!hasRedis)("redis", () => {
  conformance({ name: "redis", open: (clock) => openSubject(clock), sweeps: false });

  const opened: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });
  const open = async (options: Partial<RedisOptions> = {}): Promise<StoreDriver> => {
    const driver = await openRedisDriver({ url: server.url, prefix: nextPrefix(), ...options });
    opened.push(driver);
    return driver;
  };

  describe("redis: counters", () => {
    it("counts by Redis's own time, exactly, over several connections, and leaves nothing behind", async () => {
      const prefix = nextPrefix();
      const nodes = await Promise.all([0, 1, 2, 3].map(() => open({ prefix })));
      const taken = await Promise.all(
        nodes.flatMap((node) => Array.from({ length: 300 }, () => node.take("k", 600, 60_000))),
      );
      expect(taken.filter(({ allowed }) => allowed)).toHaveLength(600);
      expect(new Set(taken.map(({ resetAtMs }) => resetAtMs)).size).toBe(1);
      expect((await nodes[0]?.peek("k"))?.count).toBe(600);
      const leftMs = Number(server.cli("pttl", `${prefix}limit:{k}`));
      expect(leftMs).toBeGreaterThan(0);
      expect(leftMs).toBeLessThanOrEqual(60_000);

      expect((await nodes[1]?.take("short", 1, 2_000))?.allowed).toBe(true);
      expect((await nodes[2]?.take("short", 1, 2_000))?.allowed).toBe(false);
      await expect.poll(() => nodes[3]?.peek("short"), { timeout: 30_000 }).toBeNull();
      expect(server.cli("exists", `${prefix}limit:{short}`)).toBe("0");
      expect((await nodes[0]?.take("short", 1, 2_000))?.allowed).toBe(true);
    });

    it("takes limits without bound and names with any character", async () => {
      const driver = await open();
      expect(await driver.take("a}{b:*", Infinity, 1000)).toMatchObject({ allowed: true, limit: Infinity });
      expect(await driver.peek("a}{b:*")).toMatchObject({ count: 1 });
    });

    it("serves as the limits of a store that lies elsewhere", async () => {
      const prefix = nextPrefix();
      const counters = await createRedisCounters({ url: server.url, prefix });
      opened.push(counters);
      await counters.ping();
      const driver = await open({ prefix });
      expect(await counters.take("k", 2, 60_000)).toMatchObject({ allowed: true, remaining: 1 });
      expect(await driver.take("k", 2, 60_000)).toMatchObject({ allowed: true, remaining: 0 });
      expect(await counters.take("k", 2, 60_000)).toMatchObject({ allowed: false, remaining: 0 });
      await counters.resetCounter("k");
      expect(await driver.peek("k")).toBeNull();
      await counters.close();
      await expect(counters.take("k", 1, 1000)).rejects.toMatchObject({
        code: "UNAVAILABLE",
        retryable: false,
      });
    });
  });

  describe("redis: start-up", () => {
    it("demands an append-only file and no eviction, naming the mend, unless told to accept their absence", async () => {
      const volatile = await startRedis({ volatile: true });
      const evicting = await startRedis({
        settings: ["--maxmemory", "50mb", "--maxmemory-policy", "allkeys-lru"],
      });
      try {
        const refused = (options: RedisOptions) =>
          openRedisDriver(options).then(
            () => null,
            (error: unknown) => error,
          );
        const noLog = await refused({ url: volatile.url });
        expect(noLog).toMatchObject({
          code: "INVALID",
          message: expect.stringContaining("CONFIG SET appendonly yes"),
        });
        const evicts = await refused({ url: evicting.url });
        expect(evicts).toMatchObject({
          code: "INVALID",
          message: expect.stringContaining("maxmemory-policy noeviction"),
        });
        opened.push(await openRedisDriver({ url: volatile.url, allowVolatile: true }));
        opened.push(await openRedisDriver({ url: evicting.url, allowVolatile: true }));
        // Windows live a minute: they may be volatile, but not evicted.
        opened.push(await createRedisCounters({ url: volatile.url }));
        await expect(createRedisCounters({ url: evicting.url })).rejects.toMatchObject({ code: "INVALID" });
      } finally {
        for (const one of opened.splice(0)) await one.close();
        await Promise.all([volatile.stop(), evicting.stop()]);
      }
    });

    it("reads INFO where CONFIG is forbidden", async () => {
      const guarded = await startRedis({ settings: ["--rename-command", "CONFIG", ""] });
      const careless = await startRedis({ volatile: true, settings: ["--rename-command", "CONFIG", ""] });
      try {
        opened.push(await openRedisDriver({ url: guarded.url }));
        await expect(openRedisDriver({ url: careless.url })).rejects.toMatchObject({ code: "INVALID" });
      } finally {
        for (const one of opened.splice(0)) await one.close();
        await Promise.all([guarded.stop(), careless.stop()]);
      }
    });

    it("refuses a newer format, and anything that is no address", async () => {
      const prefix = nextPrefix();
      await (await openRedisDriver({ url: server.url, prefix })).close();
      expect(server.cli("get", `${prefix}format`)).toBe("1");
      server.cli("set", `${prefix}format`, "2");
      await expect(openRedisDriver({ url: server.url, prefix })).rejects.toMatchObject({
        code: "INVALID",
        message: expect.stringContaining("newer"),
      });
      for (const url of [
        "",
        "localhost",
        "http://localhost",
        "redis://",
        "redis://h/x",
        "redis://h?family=6",
        [],
      ]) {
        await expect(openRedisDriver({ url })).rejects.toMatchObject({ code: "INVALID" });
      }
      await expect(openRedisDriver({ url: server.url, prefix: "a{b}" })).rejects.toMatchObject({
        code: "INVALID",
      });
    });

    it("refuses a database that is not there, instead of writing into database 0", async () => {
      const prefix = nextPrefix();
      await expect(openRedisDriver({ url: `${server.url}/99`, prefix })).rejects.toMatchObject({
        code: "INVALID",
        message: expect.stringContaining("DB index is out of range"),
      });
      expect(server.cli("--scan", "--pattern", `${prefix}*`)).toBe("");

      await open({ url: `${server.url}/3`, prefix });
      expect(server.cli("--scan", "--pattern", `${prefix}*`)).toBe("");
      expect(server.cli("-n", "3", "exists", `${prefix}format`)).toBe("1");
    });

    it("says that something else listens there", async () => {
      const web = createServer((_, response) => response.end("hello")).listen(0, "127.0.0.1");
      await once(web, "listening");
      const address = web.address();
      const port = typeof address === "object" ? address?.port : 0;
      try {
        const url = `redis://127.0.0.1:${port}`;
        await expect(openRedisDriver({ url })).rejects.toMatchObject({
          code: "UNAVAILABLE",
          message: expect.stringMatching(/^Redis at 127\.0\.0\.1:\d+: Not a Redis server, got "H"/),
        });
      } finally {
        web.close();
        web.closeAllConnections();
      }
    });

    it("logs in, and says so when it may not, without the password", async () => {
      const locked = await startRedis({ settings: ["--requirepass", "s3cret/ä"] });
      try {
        const url = (password: string): string =>
          `redis://:${encodeURIComponent(password)}@127.0.0.1:${locked.port}`;
        opened.push(await openRedisDriver({ url: url("s3cret/ä") }));
        for (const wrong of [url("wr0ng"), locked.url]) {
          const error: unknown = await openRedisDriver({ url: wrong }).catch((error: unknown) => error);
          expect(error).toMatchObject({ code: "UNAVAILABLE", retryable: false });
          expect(String(error)).not.toContain("wr0ng");
        }
      } finally {
        for (const one of opened.splice(0)) await one.close();
        await locked.stop();
      }
    });

    it("keeps to its database number", async () => {
      const prefix = nextPrefix();
      const third = await open({ url: `${server.url}/3`, prefix });
      await third.commit("p", [{ put: "p:c:a", value: "1" }]);
      expect(await (await open({ prefix })).get("p:c:a")).toBeNull();
      expect(server.cli("-n", "3", "hget", `${prefix}{p}:d:c`, "a")).toBe("1\n1");
    });
  });

  describe("redis: faults that Redis reports", () => {
    it("answers FULL when the memory is full, changes nothing, goes on reading and counting, and lets removals through", async () => {
      const small = await startRedis();
      const driver = await openRedisDriver({ url: small.url });
      try {
        await driver.commit("p", [
          { put: "p:a:1", value: "1" },
          { put: "p:b:1", value: "1" },
        ]);
        await driver.take("k", 9, 60_000);
        // Less than an empty server uses.
        small.cli("config", "set", "maxmemory", "100kb");
        const full = { code: "FULL", retryable: true };
        const ops: Op[] = [{ put: "p:a:2", value: "2" }, { del: "p:b:1" }];
        await expect(driver.commit("p", ops)).rejects.toMatchObject(full);
        await expect(driver.commit("p", ops.toReversed())).rejects.toMatchObject(full);
        await expect(driver.commit("new", [{ put: "new:a:1", value: "2" }])).rejects.toMatchObject(full);
        await expect(driver.ping()).rejects.toMatchObject(full);
        // A request that only reads is counted too, and must not be refused.
        expect(await driver.take("k", 9, 60_000)).toMatchObject({ allowed: true, remaining: 7 });
        expect(await driver.takeIf?.([{ key: "p:a:1", version: 1 }], "k", 9, 60_000)).toMatchObject({
          remaining: 6,
        });
        expect(await driver.takeIf?.([{ key: "p:a:1", version: 2 }], "k", 9, 60_000)).toBeNull();
        expect(await driver.peek("k")).toMatchObject({ count: 3 });
        expect((await driver.getMany(["p:a:1", "p:b:1"])).map((doc) => doc?.version)).toEqual([1, 1]);
        expect((await driver.page("p", "b", { limit: 1 })).items).toHaveLength(1);
        expect(await driver.commit("p", [{ del: "p:b:1" }])).toEqual({ ok: true, version: 2 });
        small.cli("config", "set", "maxmemory", "0");
        await driver.ping();
        expect(await driver.commit("p", [ops[0] ?? { del: "p:a:1" }])).toEqual({ ok: true, version: 3 });
        expect(await driver.collections("p")).toEqual([{ name: "a", count: 2 }]);
      } finally {
        await driver.close();
        await small.stop();
      }
    });

    it("is not ready where less memory is left than a large commit takes", async () => {
      const small = await startRedis();
      const driver = await openRedisDriver({ url: small.url });
      try {
        await driver.ping();
        const used = Number(/^used_memory:(\d+)/m.exec(small.cli("info", "memory"))?.[1]);
        const large: Op[] = [{ put: "p:a:1", value: JSON.stringify("x".repeat(65_536)) }];
        for (const [room, code] of [
          [2_000, "FULL"],
          [20_000, "FULL"],
          [10_000_000, undefined],
        ] as const) {
          small.cli("config", "set", "maxmemory", String(used + room));
          const refused = (call: Promise<unknown>): Promise<unknown> =>
            call.then(
              () => undefined,
              (error: unknown) => (error instanceof StoreError ? error.code : error),
            );
          expect([await refused(driver.ping()), await refused(driver.commit("p", large))]).toEqual([
            code,
            code,
          ]);
        }
      } finally {
        await driver.close();
        await small.stop();
      }
    });

    it("is not ready on a server that lost everything", async () => {
      const small = await startRedis();
      const driver = await openRedisDriver({ url: small.url });
      try {
        await driver.ping();
        small.cli("flushall");
        await expect(driver.ping()).rejects.toMatchObject({ code: "REPLACED", retryable: false });
      } finally {
        await driver.close();
        await small.stop();
      }
    });

    it("finds by verify what was changed by hand, and mends its lists by the documents", async () => {
      const prefix = nextPrefix();
      const driver = await open({ prefix });
      const ids = Array.from({ length: 1200 }, (_, i) => `id${String(i).padStart(4, "0")}`);
      for (let i = 0; i < ids.length; i += 200)
        await driver.commit(
          "p",
          ids.slice(i, i + 200).map((id) => ({ put: `p:c:${id}`, value: "1" })),
        );
      await driver.commit("p", [{ put: "p:d:one", value: "1" }]);
      const before = await snapshotOf(driver, "p");
      expect(await verifyStore(driver)).toMatchObject({ documents: 1201, problemCount: 0 });

      const [order, counts] = [`${prefix}{p}:i:c`, `${prefix}{p}:counts`];
      server.cli("zrem", order, "id0007", "id1100");
      server.cli("zadd", order, "0", "ghost", "3", "id0009");
      server.cli("hset", counts, "c", "7");
      const found = await verifyStore(driver);
      expect(found).toMatchObject({ problemCount: 6, fixedCount: 0 });
      expect(found.problems.map(({ key, problem }) => `${key} ${problem}`).sort()).toEqual([
        expect.stringMatching(/^p:c:\* cannot be read completely: .*ghost/),
        "p:c:* the stored count of documents is wrong",
        "p:c:ghost is listed but not stored",
        "p:c:id0007 is stored but not listed",
        "p:c:id0009 is stored but not listed",
        "p:c:id1100 is stored but not listed",
      ]);
      expect(await verifyStore(driver, { fix: true })).toMatchObject({
        documents: 1201,
        problemCount: 5,
        fixedCount: 5,
      });
      expect(await verifyStore(driver)).toMatchObject({ documents: 1201, problemCount: 0 });
      expect(await snapshotOf(driver, "p")).toEqual(before);
      expect(await driver.collections("p")).toEqual([
        { name: "c", count: 1200 },
        { name: "d", count: 1 },
      ]);

      server.cli("hset", `${prefix}{p}:d:d`, "one", "junk");
      expect(await verifyStore(driver, { fix: true })).toMatchObject({
        documents: 1200,
        problems: [
          { key: "p:*:*", fixed: true },
          { key: "p:d:*", fixed: false },
        ],
      });
    });

    it("tells what it did not write as CORRUPT", async () => {
      const prefix = nextPrefix();
      const driver = await open({ prefix });
      await driver.commit("p", [
        { put: "p:c:a", value: "1" },
        { put: "p:c:b", value: "1" },
      ]);
      const docs = `${prefix}{p}:d:c`;
      for (const junk of ["junk", "x\n1", "99999999999999999999\n1", "\n1"]) {
        server.cli("hset", docs, "a", junk);
        await expect(driver.get("p:c:a")).rejects.toMatchObject({ code: "CORRUPT", retryable: false });
        await expect(driver.getMany(["p:c:a", "p:c:b"])).rejects.toMatchObject({ code: "CORRUPT" });
        await expect(driver.page("p", "c", { limit: 2 })).rejects.toMatchObject({ code: "CORRUPT" });
      }
      server.cli("hdel", docs, "a");
      await expect(driver.page("p", "c", { limit: 2 })).rejects.toMatchObject({ code: "CORRUPT" });
      server.cli("set", `${prefix}{q}:seq`, "1");
      server.cli("set", `${prefix}{q}:d:c`, "no hash");
      await expect(driver.commit("q", [{ put: "q:c:a", value: "1" }])).rejects.toMatchObject({
        code: "CORRUPT",
      });
    });

    it("runs its scripts also after Redis has forgotten them", async () => {
      const driver = await open();
      await driver.commit("p", [{ put: "p:c:a", value: "1" }]);
      server.cli("script", "flush");
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, i) => driver.commit("p", [{ put: `p:c:${i}`, value: "1" }])),
      );
      expect(results.map((result) => result.ok && result.version)).toEqual(
        Array.from({ length: 20 }, (_, i) => i + 2),
      );
    });

    it("answers UNAVAILABLE, and knows that nothing happened, while Redis is a replica", async () => {
      const other = await startRedis();
      const driver = await openRedisDriver({ url: other.url });
      try {
        await driver.commit("p", [{ put: "p:c:a", value: "1" }]);
        other.cli("config", "set", "min-replicas-to-write", "1");
        await expect(driver.commit("p", [{ put: "p:c:a", value: "2" }])).rejects.toMatchObject({
          code: "UNAVAILABLE",
        });
        await expect(driver.ping()).rejects.toMatchObject({ code: "UNAVAILABLE" });
        other.cli("config", "set", "min-replicas-to-write", "0");
        other.cli("replicaof", "127.0.0.1", "1");
        await expect(driver.commit("p", [{ put: "p:c:a", value: "2" }])).rejects.toMatchObject({
          code: "UNAVAILABLE",
        });
        other.cli("replicaof", "no", "one");
        await expect
          .poll(() =>
            driver.ping().then(
              () => "serves",
              () => "refuses",
            ),
          )
          .toBe("serves");
        expect(await driver.get("p:c:a")).toMatchObject({ version: 1, value: "1" });
      } finally {
        await driver.close();
        await other.stop();
      }
    });
  });

  it("tells its own numbers", async () => {
    const stats = await (await open()).stats();
    expect(stats).toMatchObject({ nodes: 1, maxmemory: 0 });
    expect(stats["used_memory"]).toBeGreaterThan(0);
  });

  describe("redis: snapshots", () => {
    const fill = async (driver: StoreDriver, count: number): Promise<void> => {
      for (let i = 0; i < count; i += 100) {
        await driver.commit(
          "p",
          Array.from({ length: 100 }, (_, j) => ({ put: `p:c:k${i + j}` as Key, value: "0" })),
        );
      }
    };
    const keysOf = (prefix: string): string[] =>
      server.cli("--scan", "--pattern", `${prefix}{p}:*`).split("\n").sort();

    it("shows two readers at once the moment that each of them began, and keeps nothing aside afterwards", async () => {
      const prefix = nextPrefix();
      const driver = await open({ prefix });
      await fill(driver, 1000);
      const first = driver.snapshot("p")[Symbol.asyncIterator]();
      const seenFirst = [(await first.next()).value];
      const change = async (value: string): Promise<void> => {
        for (let i = 0; i < 1000; i += 200) {
          await driver.commit(
            "p",
            Array.from({ length: 200 }, (_, j) => ({ put: `p:c:k${i + j}` as Key, value })),
          );
        }
      };
      await change("1");
      await driver.commit("p", [{ del: "p:c:k999" }, { put: "p:d:new", value: "1" }]);
      const second = driver.snapshot("p")[Symbol.asyncIterator]();
      const seenSecond = [(await second.next()).value];
      await change("2");
      await change("3");
      for (let i = 0; i < 999; i += 100) {
        await driver.commit(
          "p",
          Array.from({ length: 99 }, (_, j) => ({ del: `p:c:k${i + j}` as Key })),
        );
      }
      for (let next = await first.next(); next.done !== true; next = await first.next())
        seenFirst.push(next.value);
      for (let next = await second.next(); next.done !== true; next = await second.next())
        seenSecond.push(next.value);
      expect(seenFirst).toHaveLength(1000);
      expect(new Set(seenFirst.map((doc) => doc?.key)).size).toBe(1000);
      expect(new Set(seenFirst.map((doc) => doc?.value))).toEqual(new Set(["0"]));
      expect(seenSecond).toHaveLength(1000);
      expect(new Set(seenSecond.map((doc) => doc?.key)).size).toBe(1000);
      expect(new Set(seenSecond.map((doc) => doc?.value))).toEqual(new Set(["1"]));
      expect(keysOf(prefix)).not.toContain(`${prefix}{p}:kept`);
      expect(keysOf(prefix)).not.toContain(`${prefix}{p}:marks`);
    });

    it("ends with its lease when its reader pauses too long, and never gives a mixture", async () => {
      const prefix = nextPrefix();
      const driver = await open({ prefix });
      await fill(driver, 500);
      const reader = driver.snapshot("p")[Symbol.asyncIterator]();
      await reader.next();
      await driver.commit("p", [{ put: "p:c:k0", value: "later" }]);
      const marks = `${prefix}{p}:marks`;
      const kept = `${prefix}{p}:kept`;
      expect(Number(server.cli("pttl", marks))).toBeGreaterThan(0);
      expect(Number(server.cli("pttl", kept))).toBeGreaterThan(Number(server.cli("pttl", marks)));
      server.cli("pexpire", marks, "0");
      const rest = async (): Promise<void> => {
        for (let next = await reader.next(); next.done !== true; next = await reader.next());
      };
      await expect(rest()).rejects.toMatchObject({ code: "UNAVAILABLE" });
      expect(await snapshotOf(driver, "p")).toHaveLength(500);
    });

    it("lets go of its mark when it is left early", async () => {
      const prefix = nextPrefix();
      const driver = await open({ prefix });
      await fill(driver, 500);
      for await (const doc of driver.snapshot("p")) if (doc.version > 0) break;
      expect(keysOf(prefix)).not.toContain(`${prefix}{p}:marks`);
    });
  });

  it("throws nothing but StoreErrors", async () => {
    const driver = await open();
    const error: unknown = await driver.get("no key" as Key).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(StoreError);
  });
});
