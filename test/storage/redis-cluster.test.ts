import { setTimeout as sleep } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { StoreError } from "../../server/storage/contract.ts";
import type { Key, StoreDriver } from "../../server/storage/contract.ts";
import { openRedisDriver } from "../../server/storage/redis.ts";
import { hasRedis, startRedis, startRedisCluster } from "../support/redis.ts";
import type { RedisCluster, RedisServer } from "../support/redis.ts";
import { conformance } from "./conformance.ts";
import type { Subject, TestClock } from "./conformance.ts";

let cluster: RedisCluster;
beforeAll(async () => {
  // A kill while the disk is busy loses what `everysec` has not written yet.
  if (hasRedis) cluster = await startRedisCluster({ settings: ["--appendfsync", "always"] });
}, 60_000);
afterAll(() => cluster?.stop());

let stores = 0;

async function openSubject(clock: TestClock, prefix = `t${stores++}:`): Promise<Subject> {
  const driver = await openRedisDriver({ url: cluster.urls, prefix, clock });
  return {
    driver,
    async reopen() {
      await driver.close();
      return openSubject(clock, prefix);
    },
    dispose: () => driver.close(),
  };
}

describe.skipIf(!hasRedis)("redis cluster", () => {
  // The same code and scripts as on one server, which run all seeds; what differs here is where the keys lie.
  conformance({ name: "redis cluster", open: (clock) => openSubject(clock), sweeps: false, seeds: 40 });

  it("spreads partitions and counters over the nodes, each of them in one slot", async () => {
    const driver = await openRedisDriver({ url: cluster.urls, prefix: "spread:" });
    try {
      const parts = Array.from({ length: 60 }, (_, i) => `store_${i}`).sort();
      for (const part of parts) {
        await driver.commit(part, [
          { put: `${part}:c:a`, value: "1" },
          { put: `${part}:ix.c.new:1~a`, value: "1" },
        ]);
        await driver.take(part, 1, 60_000);
      }
      expect(await driver.partitions()).toEqual(parts);
      const mixed = parts.flatMap((part): Key[] => [`${part}:c:a`, `${part}:c:none`]);
      expect((await driver.getMany(mixed)).map((doc) => doc?.key ?? null)).toEqual(
        parts.flatMap((part) => [`${part}:c:a`, null]),
      );
      for (const node of cluster.nodes) {
        const keys = node.cli("--scan", "--pattern", "spread:*").split("\n");
        expect(keys.filter((key) => key.endsWith("}:seq")).length).toBeGreaterThan(5);
        expect(keys.filter((key) => key.includes("limit:{")).length).toBeGreaterThan(5);
      }
    } finally {
      await driver.close();
    }
  });

  it("asks every node for its persistence", async () => {
    const [, second] = cluster.nodes;
    second?.cli("config", "set", "maxmemory-policy", "allkeys-lru");
    try {
      await expect(openRedisDriver({ url: cluster.urls })).rejects.toMatchObject({ code: "INVALID" });
    } finally {
      second?.cli("config", "set", "maxmemory-policy", "noeviction");
    }
  });

  it("tells one server and a cluster apart, and what to give instead", async () => {
    const single = await startRedis();
    try {
      const [node = ""] = cluster.urls;
      for (const url of [node, [single.url]]) {
        const error: unknown = await openRedisDriver({ url }).catch((error: unknown) => error);
        expect(error).toMatchObject({ code: "INVALID", message: expect.stringMatching(/Set (nodes|url) /) });
      }
    } finally {
      await single.stop();
    }
  });

  it(
    "goes on when a node was killed and restarted: nothing lost, nothing torn",
    { timeout: 60_000 },
    async () => {
      const driver = await openRedisDriver({ url: cluster.urls, prefix: "killed:" });
      const parts = Array.from({ length: 12 }, (_, i) => `p${i}`);
      const acked = new Map<Key, number>();
      const codes = new Set<string>();
      const test = { over: false };
      const writers = parts.map(async (part) => {
        for (let i = 0; !test.over; i++) {
          const keys: Key[] = [`${part}:c:k${i}`, `${part}:d:k${i}`];
          const puts = keys.map((put) => ({ put, value: String(i) }));
          try {
            const result = await driver.commit(part, puts);
            if (result.ok) for (const key of keys) acked.set(key, result.version);
          } catch (error) {
            if (!(error instanceof StoreError)) throw error;
            codes.add(error.code);
            await sleep(10);
          }
        }
      });
      const [node] = cluster.nodes;
      for (let i = 0; i < 2; i++) {
        await sleep(200);
        await node?.signal("SIGKILL");
        await sleep(300);
        await node?.restart();
        await expect.poll(() => serves(driver, parts), { timeout: 20_000 }).toBe(true);
        await expect
          .poll(() => node?.cli("info", "persistence"), { timeout: 10_000 })
          .toMatch(/aof_last_rewrite_time_sec:\d/);
      }
      test.over = true;
      await Promise.all(writers);
      expect([...codes].filter((code) => !["UNAVAILABLE", "UNKNOWN_OUTCOME"].includes(code))).toEqual([]);
      expect(codes.size).toBeGreaterThan(0);
      const found = await driver.getMany([...acked.keys()]);
      expect(found.map((doc) => doc?.version)).toEqual([...acked.values()]);
      for (const part of parts) {
        const [c, d] = await driver.collections(part);
        expect(c?.count).toBe(d?.count);
      }
      await driver.close();
    },
  );

  it(
    "a primary that is down without a replica costs its own partitions, and nobody else: not readiness, not the list of partitions",
    { timeout: 60_000 },
    async () => {
      const driver = await openRedisDriver({ url: cluster.urls, prefix: "down:" });
      const parts = Array.from({ length: 24 }, (_, i) => `p${String(i).padStart(2, "0")}`);
      for (const part of parts) await driver.commit(part, [{ put: `${part}:c:a`, value: "1" }]);
      // Neither that of the platform's own partition, nor that of the list of partitions.
      const needed = ["down:{platform}", "down:partitions"];
      const down = cluster.nodes.find((node) => !needed.some((key) => isOwner(node, key)));
      const config = (full: string): void => {
        for (const node of cluster.nodes) node.cli("config", "set", "cluster-require-full-coverage", full);
      };
      config("no");
      try {
        await down?.signal("SIGKILL");
        // Until the others have noticed, and forgotten its connection.
        await expect.poll(() => countServed(driver, parts), { timeout: 20_000 }).toBeLessThan(parts.length);
        for (let i = 0; i < 20; i++) {
          await driver.ping();
          expect(await driver.partitions()).toEqual(parts);
          await sleep(50);
        }
        expect(await countServed(driver, parts)).toBeGreaterThan(0);
      } finally {
        await down?.restart();
        config("yes");
      }
      await expect.poll(isWhole, { timeout: 20_000 }).toBe(true);
      await expect.poll(() => countServed(driver, parts), { timeout: 20_000 }).toBe(parts.length);
      await driver.close();
    },
  );

  it("fails to open in time while the cluster is down, and reads by connections that were begun then", async () => {
    const prefix = "late:";
    const driver = await openRedisDriver({ url: cluster.urls, prefix });
    await driver.commit("p", [{ put: "p:c:a", value: "1" }]);
    const page = () => driver.page("p", "c", { limit: 50 });
    const [down, other] = cluster.nodes;
    await down?.signal("SIGKILL");
    await expect.poll(() => other?.cli("cluster", "info"), { timeout: 20_000 }).toContain("state:fail");
    // A first page is read by a connection of its own.
    const failures = [openRedisDriver({ url: cluster.urls, prefix }), page()].map((call) =>
      expect(call).rejects.toMatchObject({ code: "UNAVAILABLE" }),
    );
    await Promise.all(failures);
    await down?.restart();
    await expect.poll(isWhole, { timeout: 20_000 }).toBe(true);
    await expect
      .poll(
        () =>
          page().then(
            ({ items }) => items.length,
            () => 0,
          ),
        { timeout: 20_000 },
      )
      .toBe(1);
    await driver.close();
  }, 60_000);

  it("finds its way when only one node is named", async () => {
    const driver = await openRedisDriver({ url: cluster.urls.slice(0, 1), prefix: "one:" });
    for (let i = 0; i < 20; i++) await driver.commit(`p${i}`, [{ put: `p${i}:c:a`, value: "1" }]);
    expect(await driver.partitions()).toHaveLength(20);
    await driver.close();
  });
});

async function serves(driver: StoreDriver, parts: readonly string[]): Promise<boolean> {
  return (await countServed(driver, parts)) === parts.length;
}

/** Partitions that take a commit. */
async function countServed(driver: StoreDriver, parts: readonly string[]): Promise<number> {
  const commits = parts.map((part) => driver.commit(part, [{ put: `${part}:probe:a`, value: "1" }]));
  return (await Promise.allSettled(commits)).filter(({ status }) => status === "fulfilled").length;
}

/** As each of its nodes sees it. */
const isWhole = (): boolean =>
  cluster.nodes.every((node) => node.cli("cluster", "info").includes("cluster_state:ok"));

/** Whether a node serves the slot of a key. */
const isOwner = (node: RedisServer, key: string): boolean => !node.cli("exists", key).startsWith("MOVED");
