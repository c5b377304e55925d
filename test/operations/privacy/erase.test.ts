import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { personalCollections } from "../../../server/core/collection.ts";
import { eachDocOfStore } from "../../storage/each-doc.ts";
import { openFsDriver } from "../../../server/storage/fs.ts";
import { openRedisDriver } from "../../../server/storage/redis.ts";
import type { StoreDriver } from "../../../server/storage/contract.ts";
import { systemClock } from "../../../server/core/clock.ts";
import { makeFolder } from "../../storage/folders.ts";
import { hasRedis, startRedis } from "../../support/redis.ts";
import { startS3Double } from "../../support/s3-double.ts";
import { openNode } from "../../support/s3-node.ts";
import { ADA, BEN, createWorld, leaveTraces, tracesOf } from "./world.ts";

interface Raw {
  readonly store: StoreDriver;
  /** Everything that the storage holds, as text. */
  read(): Promise<string>;
  close(): Promise<void>;
}

async function inFolder(): Promise<Raw> {
  const { path, remove } = await makeFolder();
  const store = await openFsDriver({ base: path, clock: systemClock });
  return {
    store,
    async read() {
      const names = await readdir(path, { recursive: true, withFileTypes: true });
      const files = names.filter((one) => one.isFile()).map(({ parentPath, name }) => join(parentPath, name));
      return (await Promise.all(files.map((file) => readFile(file, "latin1")))).join("\n");
    },
    close: async () => {
      await store.close();
      await remove();
    },
  };
}

async function inRedis(): Promise<Raw> {
  const server = await startRedis({ settings: ["--appendfsync", "everysec"] });
  const store = await openRedisDriver({ url: server.url, prefix: "p:", clock: systemClock });
  return {
    store,
    async read() {
      const client = new Redis(server.url);
      const texts: string[] = [];
      for (const key of await client.keys("*")) {
        const type = await client.type(key);
        const held =
          type === "hash"
            ? Object.entries(await client.hgetall(key))
            : type === "zset"
              ? await client.zrange(key, 0, -1)
              : type === "string"
                ? await client.get(key)
                : type;
        texts.push(JSON.stringify([key, held]));
      }
      client.disconnect();
      return texts.join("\n").replaceAll('\\"', '"');
    },
    close: async () => {
      await store.close();
      await server.stop();
    },
  };
}

async function inBucket(): Promise<Raw> {
  const double = await startS3Double();
  const store = await openNode(double, { clock: systemClock });
  return {
    store,
    read: () =>
      Promise.resolve(
        double.contents.keys
          .map((key) => `${key} ${double.contents.get(key)?.body.toString("latin1") ?? ""}`)
          .join("\n"),
      ),
    close: async () => {
      await store.close();
      await double.close();
    },
  };
}

describe.each([
  ["a folder", inFolder],
  ...(hasRedis ? [["Redis", inRedis] as const] : []),
  ["a bucket", inBucket],
] as const)("a person in %s", (_, open) => {
  let raw: Raw;
  beforeAll(async () => {
    raw = await open();
  });
  afterAll(() => raw.close());

  it("is erased to the last byte, and nobody else", async () => {
    const world = await createWorld(raw.store);
    await leaveTraces(world, ADA);
    await leaveTraces(world, BEN);
    const before = await raw.read();
    for (const trace of [ADA.id, ADA.email, ADA.name, ADA.phone])
      expect([trace, before.includes(trace)]).toEqual([trace, true]);
    const bensBefore = await documentsWith(raw.store, tracesOf(BEN));

    const asked = await world.make("/account/privacy-requests", { type: "erase", email: ADA.email });
    expect(asked).toMatchObject({ status: "verified", email: ADA.email.toLowerCase() });
    await world.work();

    const done = await world.make(`/account/privacy-requests/${asked.id}`, undefined, { method: "GET" });
    expect(done).toMatchObject({
      status: "done",
      email: null,
      customer_ids: [],
      evidence: { left: 0, compacted: true },
    });
    for (const name of [
      "subscriptions.contracts",
      "catering.quotes",
      "cart.carts",
      "catering.feeds",
      "tiers.members",
      "reviews.reviews",
      "reviews.orders",
      "reviews.private_replies",
      "reviews.questions",
      "reviews.answers",
      "forms.submissions",
      "forms.quote_requests",
      "http.idempotency",
    ])
      expect(done.evidence.collections[name]).toBeGreaterThan(0);
    expect(done.evidence.mails).toBeGreaterThan(0);
    expect(await documentsWith(raw.store, tracesOf(ADA))).toEqual({});
    // A bucket's objects are written behind the commit.
    const left = async () => {
      const after = await raw.read();
      return tracesOf(ADA).filter((trace) => after.includes(trace));
    };
    await expect.poll(left, { timeout: 10_000 }).toEqual([]);
    expect(await documentsWith(raw.store, tracesOf(BEN))).toEqual(bensBefore);
    // The books are as they were, and nothing more is charged.
    const contracts = await world.make("/subscriptions/contracts", undefined, { method: "GET" });
    expect(contracts.map(({ status }: { status: string }) => status).sort()).toEqual(["active", "cancelled"]);
  }, 60_000);
});

/** Documents in which one of these texts stands, by key. Jobs write their own books meanwhile. */
async function documentsWith(store: StoreDriver, texts: readonly string[]): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { key, value } of eachDocOfStore(store)) {
    if (texts.some((text) => value.includes(text))) found[key] = value;
  }
  return found;
}

it("the four engines of commerce say what of theirs is about people", () => {
  for (const engine of ["subscriptions", "catering", "cart", "tiers"]) {
    expect([engine, [...personalCollections.keys()].some((name) => name.startsWith(`${engine}.`))]).toEqual([
      engine,
      true,
    ]);
  }
});
