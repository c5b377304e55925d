import { AwsClient } from "aws4fetch";
import { afterEach, describe, expect, it } from "vitest";

import type { StoreDriver } from "../../server/storage/contract.ts";
import type { StoreConfig } from "../../server/storage/describe.ts";
import { openStore } from "../../server/storage/open.ts";
import { hasRedis, startRedisCluster } from "../support/redis.ts";
import { startS3Double, TEST_SIGNER } from "../support/s3-double.ts";
import { HAS_REAL_S3, startRealS3 } from "../support/s3-real.ts";
import type { TestBucket } from "../support/s3-node.ts";
import { createTestClock } from "./conformance.ts";

// Where scripts cannot compare the identity, a node looks at it before the first call after a second (S3: ten seconds).

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Two nodes serve a store; it is emptied; both refuse every call until an operator accepts what is there. */
async function expectNoticed(config: StoreConfig, lookMs: number, empty: () => Promise<void>): Promise<void> {
  const clock = createTestClock();
  let adopted = 0;
  const open = async () => {
    const store = await openStore(config, { clock, onAdopted: () => (adopted += 1) });
    cleanups.push(() => store.close());
    return store;
  };
  const nodes = [await open(), await open()];
  for (const [n, store] of nodes.entries())
    expect(await store.commit("p", [{ put: `p:c:${n}`, value: "1" }])).toMatchObject({ ok: true });
  await empty();
  clock.advance(lookMs);
  const calls: ((store: StoreDriver) => Promise<unknown>)[] = [
    (store) => store.get("p:c:0"),
    (store) => store.page("p", "c", { limit: 1 }),
    (store) => store.commit("p", [{ put: "p:c:new", value: "1" }]),
    (store) => store.take("key", 10, 60_000),
    (store) => store.ping(),
  ];
  const refuse = async () => {
    for (const store of nodes)
      for (const call of calls) await expect(call(store)).rejects.toMatchObject({ code: "REPLACED" });
  };
  await refuse();
  // Another process makes a new store at the same address: that is not the old one either.
  const fresh = await open();
  expect(await fresh.get("p:c:0")).toBeNull();
  await refuse();
  expect(adopted).toBe(0);
  await fresh.adopt();
  await refuse();
  expect(adopted).toBeGreaterThan(0);
}

describe.skipIf(!hasRedis)("a Redis Cluster that was emptied under running nodes", () => {
  it("is noticed within a second", { timeout: 60_000 }, async () => {
    const cluster = await startRedisCluster();
    cleanups.push(() => cluster.stop());
    await expectNoticed({ driver: "redis", nodes: [...cluster.urls] }, 1000, async () => {
      for (const node of cluster.nodes) expect(node.cli("flushall")).toBe("OK");
    });
  });
});

const toConfig = ({ endpoint, bucket }: Pick<TestBucket, "endpoint" | "bucket">): StoreConfig => ({
  driver: "s3",
  ...TEST_SIGNER,
  endpoint,
  bucket,
});

describe("a bucket that was emptied under running nodes", () => {
  it("is noticed within ten seconds", async () => {
    const double = await startS3Double();
    cleanups.push(() => double.close());
    await expectNoticed(toConfig(double), 10_000, async () => {
      for (const key of double.contents.keys.toReversed()) double.contents.remove(key);
    });
  });

  it.runIf(HAS_REAL_S3)("is noticed on a real server", { timeout: 120_000 }, async () => {
    const real = await startRealS3();
    cleanups.push(() => real.stop());
    const client = new AwsClient({ ...real.signer, service: "s3" });
    await expectNoticed(toConfig(real), 10_000, async () => {
      const listed = await client.fetch(`${real.endpoint}/${real.bucket}?list-type=2`);
      const keys = [...(await listed.text()).matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key = ""]) => key);
      expect(keys).toContain("format.json");
      for (const key of keys)
        await client.fetch(`${real.endpoint}/${real.bucket}/${key}`, { method: "DELETE" });
    });
  });
});
