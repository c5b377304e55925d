import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Key } from "../../server/storage/contract.ts";
import { openRedisDriver } from "../../server/storage/redis.ts";
import { hasRedis, startRedisCluster } from "../support/redis.ts";
import type { RedisCluster } from "../support/redis.ts";
import { conformance } from "./conformance.ts";
import type { Subject, TestClock } from "./conformance.ts";

let cluster: RedisCluster;
beforeAll(async () => {
  if (hasRedis) cluster = await startRedisCluster();
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

  it("finds its way when only one node is named", async () => {
    const driver = await openRedisDriver({ url: cluster.urls.slice(0, 1), prefix: "one:" });
    for (let i = 0; i < 20; i++) await driver.commit(`p${i}`, [{ put: `p${i}:c:a`, value: "1" }]);
    expect(await driver.partitions()).toHaveLength(20);
    await driver.close();
  });
});
