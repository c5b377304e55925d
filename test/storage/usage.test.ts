import { afterAll, afterEach, describe, expect, it } from "vitest";

import type { Quota, StoreDriver } from "../../server/storage/contract.ts";
import { openFsDriver } from "../../server/storage/fs.ts";
import { openRedisDriver } from "../../server/storage/redis.ts";
import { verifyStore } from "../../server/storage/verify.ts";
import { hasRedis, startRedis } from "../support/redis.ts";
import type { RedisServer } from "../support/redis.ts";
import { startS3Double } from "../support/s3-double.ts";
import { openNode } from "../support/s3-node.ts";
import { createTestClock } from "./conformance.ts";
import { makeFolder } from "./folders.ts";
import { findMiscount } from "./miscount.ts";

// A store that an older version wrote, or writes while the nodes are upgraded one by one, has no usage, or an old one.

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const QUOTA: Quota = { documents: 41, bytes: 20_000, systemBytes: 10_000 };

async function fill(driver: StoreDriver): Promise<void> {
  for (let n = 0; n < 40; n += 1)
    await driver.commit("p", [
      { put: `p:c:${n}`, value: `"é${"x".repeat(n)}"` },
      { put: `p:ix.c.new:@${n}~${n}`, value: "1" },
      { put: `p:kernel.events:${n}`, value: "1" },
    ]);
  await driver.commit("p", [{ del: "p:c:7" }, { del: "p:kernel.events:7" }, { del: "p:ix.c.new:@7~7" }]);
  expect(await findMiscount(driver)).toBeNull();
}

/** Of three more documents, two fit. */
async function expectLimited(driver: StoreDriver): Promise<void> {
  const put = (id: string) => driver.commit("p", [{ put: `p:c:${id}`, value: "1" }], [], QUOTA);
  expect((await Promise.all(["x", "y", "z"].map(put))).filter(({ ok }) => ok)).toHaveLength(2);
  expect((await driver.usage("p")).documents).toBe(41);
  expect(await findMiscount(driver)).toBeNull();
}

describe.skipIf(!hasRedis)("redis: a usage that is missing or wrong", () => {
  let server: RedisServer | undefined;
  afterAll(() => server?.stop());
  const open = async (prefix: string) => {
    server ??= await startRedis();
    const driver = await openRedisDriver({ url: server.url, prefix });
    cleanups.push(() => driver.close());
    await fill(driver);
    return { driver, cli: server.cli, key: (name: string) => `${prefix}{p}:${name}` };
  };

  it("is counted by the first commit with a quota, and by the first look", async () => {
    const { driver, cli, key } = await open("a:");
    cli("del", key("usage"));
    await driver.commit("p", [{ put: "p:c:0", value: '"longer than before"' }]);
    await expectLimited(driver);
    cli("del", key("usage"));
    expect((await driver.usage("p")).documents).toBe(41);
    expect(cli("hget", key("usage"), "docs")).toBe("41");
  });

  it("is counted again after a commit by a version that knows nothing of it", async () => {
    const { driver, cli, key } = await open("b:");
    cli("hset", key("d:c"), "old", '42\n"old"');
    cli("zadd", key("i:c"), "0", "old");
    cli("hincrby", key("counts"), "c", "1");
    cli("set", key("seq"), "42");
    expect((await driver.usage("p")).documents).toBe(40);
    expect(await findMiscount(driver)).toBeNull();
  });

  it("is counted again after a commit by a version that counts no index entries", async () => {
    const { driver, cli, key } = await open("d:");
    const old = () =>
      cli(
        "hset",
        key("usage"),
        "seq",
        cli("get", key("seq")),
        "documents",
        "39",
        "bytes",
        "1",
        "system",
        "1",
      );
    old();
    // While nodes are replaced, it may count again what this version wrote.
    expect(await findMiscount(driver)).toBeNull();
    cli("hdel", key("usage"), "version");
    await expectLimited(driver);
    expect(await findMiscount(driver)).toBeNull();
  });

  it("is found and corrected by verify", async () => {
    const { driver, cli, key } = await open("c:");
    cli("hincrby", key("usage"), "size", "5");
    expect(await verifyStore(driver)).toMatchObject({
      problems: [{ key: "p:*:*", problem: "the stored usage is wrong", fixed: false }],
    });
    expect(await verifyStore(driver, { fix: true })).toMatchObject({ problemCount: 1, fixedCount: 1 });
    expect(await findMiscount(driver)).toBeNull();
  });
});

describe("s3: a usage that is missing or wrong", () => {
  const open = async () => {
    const double = await startS3Double();
    cleanups.push(() => double.close());
    const driver = await openNode(double);
    cleanups.push(() => driver.close());
    await fill(driver);
    /** As another node, of an older version, would leave the head. */
    const rewrite = async (change: (head: Record<string, unknown>) => void): Promise<StoreDriver> => {
      const found = double.contents.get("heads/p");
      const head: Record<string, unknown> = JSON.parse(String(found?.body));
      change(head);
      double.contents.put("heads/p", Buffer.from(JSON.stringify(head)), Date.now());
      const fresh = await openNode(double);
      cleanups.push(() => fresh.close());
      return fresh;
    };
    return { rewrite };
  };

  it("is counted by the first commit with a quota, and by the first look", async () => {
    const { rewrite } = await open();
    const fresh = await rewrite((head) => delete head["holds"]);
    await fresh.commit("p", [{ put: "p:c:0", value: '"longer than before"' }]);
    await expectLimited(fresh);
    const again = await rewrite((head) => delete head["holds"]);
    expect((await again.usage("p")).documents).toBe(41);
  });

  it("is counted again where a version wrote it that counts no index entries", async () => {
    const { rewrite } = await open();
    const fresh = await rewrite((head) => {
      head["usage"] = { documents: 39, bytes: 1, systemBytes: 1 };
      delete head["holds"];
    });
    await expectLimited(fresh);
  });

  it("is found and corrected by verify", async () => {
    const { rewrite } = await open();
    const fresh = await rewrite((head) => (head["holds"] = { documents: 1, bytes: 2, systemBytes: 3 }));
    expect(await verifyStore(fresh)).toMatchObject({ problems: [{ key: "p:*:*", fixed: false }] });
    expect(await verifyStore(fresh, { fix: true })).toMatchObject({ problemCount: 1, fixedCount: 1 });
    expect(await findMiscount(fresh)).toBeNull();
  });
});

it("fs: the usage is that of the documents after a compaction and a restart", async () => {
  const { path: base, remove } = await makeFolder();
  cleanups.push(remove);
  const open = () => openFsDriver({ base, clock: createTestClock(), segmentBytes: 1500 });
  const driver = await open();
  await fill(driver);
  await driver.compact();
  expect(await findMiscount(driver)).toBeNull();
  const held = await driver.usage("p");
  await driver.close();
  const again = await open();
  cleanups.push(() => again.close());
  expect(await again.usage("p")).toEqual(held);
  await expectLimited(again);
});
