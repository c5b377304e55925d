import { afterAll, afterEach, describe, expect, it } from "vitest";

import { backupStream } from "../../server/storage/backup.ts";
import type { Doc, Key, Op, StoreDriver } from "../../server/storage/contract.ts";
import { createDigest, differences } from "../../server/storage/digest.ts";
import { openFsDriver } from "../../server/storage/fs.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { openRedisDriver } from "../../server/storage/redis.ts";
import {
  checkFilled,
  claimStore,
  countKept,
  endFilling,
  fillStore,
  findUnfinished,
} from "../../server/storage/transfer.ts";
import { hasRedis, REDIS_MISSING, startRedis } from "../support/redis.ts";
import type { RedisServer } from "../support/redis.ts";
import { startS3Double } from "../support/s3-double.ts";
import { openNode } from "../support/s3-node.ts";
import { createTestClock } from "./conformance.ts";
import { makeFolder } from "./folders.ts";
import { snapshotOf } from "./model.ts";
import { findMiscount } from "./miscount.ts";
import { createRandom } from "./random.ts";
import type { Random } from "./random.ts";

/** A store that can be closed and opened again with what it holds. */
interface Place {
  open(): Promise<StoreDriver>;
  remove(): Promise<void>;
}

/** Every driver that a copy can come from or go to. */
const PLACES: Readonly<Record<string, () => Promise<Place>>> = {
  async memory() {
    const driver = createMemoryDriver({ clock: createTestClock() });
    return { open: async () => ({ ...driver, close: async () => {} }), remove: () => driver.close() };
  },
  async fs() {
    const folder = await makeFolder();
    const options = { base: folder.path, clock: createTestClock(), segmentBytes: 8192, cacheBytes: 512 };
    return { open: () => openFsDriver(options), remove: () => folder.remove() };
  },
  ...(hasRedis ? { redis: makeRedisPlace } : {}),
  async s3() {
    const double = await startS3Double();
    return { open: () => openNode(double), remove: () => double.close() };
  },
};
if (!hasRedis) console.warn(`Copies from and to Redis are skipped. ${REDIS_MISSING}`);

let redis: RedisServer | undefined;
let redisStores = 0;
async function makeRedisPlace(): Promise<Place> {
  redis ??= await startRedis();
  const options = { url: redis.url, prefix: `m${redisStores++}:` };
  return { open: () => openRedisDriver(options), remove: async () => {} };
}
afterAll(() => redis?.stop());

const names = Object.keys(PLACES);
const pairs = names.flatMap((from) => names.map((to): [string, string] => [from, to]));

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).toReversed()) await step();
});

async function place(name: string): Promise<Place> {
  const made = await PLACES[name]?.();
  if (made === undefined) throw new Error(`no driver ${name}`);
  cleanUp.push(made.remove);
  return made;
}

async function open(at: Place): Promise<StoreDriver> {
  const store = await at.open();
  cleanUp.push(() => store.close());
  return store;
}

const PARTS = ["platform", "sto_1", "sto_1_test", "sto_2"];
const COLLS = ["c", "delivery.zones", "ix.delivery.zones.new"];

/** A history of commits with updates, removals and texts of every kind. */
async function writeHistory(random: Random, store: StoreDriver, commits: number): Promise<void> {
  for (let i = 0; i < commits; i++) {
    const part = random.pick(PARTS);
    const keys = new Set(
      Array.from(
        { length: 1 + random.int(4) },
        () =>
          `${part}:${random.pick(COLLS)}:${random.pick(["a", "A", "~", "b.c", "@1~a"])}${random.int(12)}` as Key,
      ),
    );
    const ops = [...keys].map((key): Op =>
      random.chance(0.75) ? { put: key, value: randomText(random) } : { del: key },
    );
    await store.commit(part, ops);
  }
}

function randomText(random: Random): string {
  return random.pick([
    JSON.stringify({ n: random.int(1e9), text: "ü€𝄞", pad: "x".repeat(random.int(300)) }),
    ` {"a" : 9007199254740993 } `,
    `"\\u0000}\\"${random.int(100)}\u2028"`,
    "null",
    '{"k":"a:b:c","v":1,"d":{}}',
    '{"count":3,"sha256":"no"}',
  ]);
}

async function contentOf(store: StoreDriver): Promise<Doc[]> {
  const docs: Doc[] = [];
  for (const part of (await store.partitions()).filter((name) => name !== "storage"))
    docs.push(...(await snapshotOf(store, part)));
  return docs;
}

const backupOf = (store: StoreDriver) => backupStream(store, { takenAt: "2026-06-01T09:00:00.000Z" });

/** Copies and fails after so many groups; Infinity does not. */
async function copy(source: StoreDriver, target: StoreDriver, groups = Infinity) {
  let left = groups;
  return fillStore(target, backupOf(source), {
    onProgress() {
      if (left-- <= 0) throw new Error("interrupted");
    },
  });
}

const SEEDS = 8;
/** What goes over a network takes longer. */
const SEEDS_AWAY = 3;

describe.each(pairs)("from %s to %s", (from, to) => {
  const seeds = [from, to].some((name) => name === "redis" || name === "s3") ? SEEDS_AWAY : SEEDS;

  it(`${seeds} random stores arrive byte for byte with their versions, whatever interrupted it`, async () => {
    for (let seed = 1; seed <= seeds; seed++) {
      await copySeed(seed).catch((error: unknown) => {
        throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
      });
    }
  }, 120_000);

  async function copySeed(seed: number): Promise<void> {
    const random = createRandom(seed);
    const source = await open(await place(from));
    await writeHistory(random, source, 60 + random.int(60));
    const at = await place(to);
    let target = await open(at);
    for (let attempts = random.int(4); attempts > 0; attempts--) {
      await expect(copy(source, target, random.int(PARTS.length))).rejects.toThrow("interrupted");
      // The source was served again in between, and the process of the copy is another one.
      await writeHistory(random, source, random.int(20));
      await target.close();
      target = await open(at);
    }
    const filled = await copy(source, target);
    expect(await checkFilled(target, filled.expected)).toEqual([]);
    const content = await contentOf(source);
    expect(await contentOf(target)).toEqual(content);
    expect(filled.trailer.count).toBe(content.length);
    // Once more changes nothing.
    expect(await copy(source, target)).toMatchObject({ written: 0, removed: 0 });
    await target.close();
    const again = await open(at);
    expect(await contentOf(again)).toEqual(content);
    expect(await findMiscount(again)).toBeNull();
    for (const part of PARTS) {
      const top = Math.max(
        0,
        ...content.flatMap((doc) => (doc.key.startsWith(`${part}:`) ? doc.version : 0)),
      );
      const result = await again.commit(part, [{ put: `${part}:c:later`, value: "1" }]);
      expect(result.ok && result.version).toBeGreaterThan(top);
    }
  }
});

describe("a round", () => {
  it(`through every driver (${[...names, names[0]].join(" → ")}) ends where it began`, async () => {
    const first = await open(await place(names[0] ?? ""));
    await writeHistory(createRandom(7), first, 300);
    const content = await contentOf(first);
    let source = first;
    for (const name of [...names.slice(1), names[0] ?? ""]) {
      const target = await open(await place(name));
      await copy(source, target);
      expect(await contentOf(target), name).toEqual(content);
      expect(await findMiscount(target), name).toBeNull();
      source = target;
    }
  }, 60_000);
});

describe("the check of a copy", () => {
  it("finds a document that is missing, added, changed, or of another version", async () => {
    const source = await open(await place("memory"));
    await writeHistory(createRandom(1), source, 80);
    const harm: ((store: StoreDriver, doc: Doc) => Promise<unknown>)[] = [
      (store, { key }) => store.commit("platform", [{ del: key }]),
      (store) => store.commit("platform", [{ put: "platform:c:foreign", value: "1" }]),
      (store, { key, value }) => store.commit("platform", [{ put: key, value: `${value} ` }]),
      (store, { key, value }) => store.commit("platform", [{ put: key, value }]),
    ];
    for (const [i, damage] of harm.entries()) {
      const target = await open(await place("memory"));
      const { expected } = await copy(source, target);
      expect(await checkFilled(target, expected)).toEqual([]);
      const [doc] = await snapshotOf(target, "platform");
      if (doc === undefined) throw new Error("nothing to damage");
      await damage(target, doc);
      expect(
        (await checkFilled(target, expected)).map(({ part }) => part),
        `damage ${i}`,
      ).toEqual(["platform"]);
      // And a second copy mends it.
      const mended = await copy(source, target);
      expect(await checkFilled(target, mended.expected)).toEqual([]);
    }
  });

  it("does not depend on the order, and tells counts", () => {
    const docs: Doc[] = ["a", "b", "c"].map((id, i) => ({
      key: `p:c:${id}` as Key,
      version: i + 1,
      value: "1",
    }));
    const [one, other, less] = [createDigest(), createDigest(), createDigest()];
    for (const doc of docs) one.add(doc);
    for (const doc of docs.toReversed()) other.add(doc);
    for (const doc of docs.slice(1)) less.add(doc);
    expect(differences(one, other)).toEqual([]);
    expect(differences(one, less)).toEqual([{ part: "p", coll: "c", expected: 3, found: 2 }]);
    expect(differences(createDigest(), less)).toEqual([{ part: "p", coll: "c", expected: 0, found: 2 }]);
  });
});

describe("a store that is being filled", () => {
  it("says so until it is done, and none of that is copied on", async () => {
    const source = await open(await place("memory"));
    await source.commit("sto_1", [{ put: "sto_1:c:a", value: "1" }]);
    const target = await open(await place("memory"));
    const filling = {
      what: "migration",
      source: "fs /a",
      id: "1",
      started_at: "2026-06-01T09:00:00.000Z",
    } as const;
    await claimStore(target, filling);
    expect(await findUnfinished(target)).toEqual(filling);
    await copy(source, target);
    const third = await open(await place("memory"));
    await copy(target, third);
    expect(await findUnfinished(third)).toBeNull();
    await endFilling(target);
    expect(await findUnfinished(target)).toBeNull();
  });

  it("counts as empty when it only was opened once", async () => {
    const store = await open(await place("memory"));
    await store.commit("platform", [
      { put: "platform:platform.meta:secret", value: "{}" },
      { put: "platform:jobs.state:a", value: "{}" },
    ]);
    expect(await countKept(store)).toEqual({ documents: 2, kept: 0 });
    await store.commit("platform", [{ put: "platform:platform.customers:cus_1", value: "{}" }]);
    expect(await countKept(store)).toEqual({ documents: 3, kept: 1 });
  });
});
