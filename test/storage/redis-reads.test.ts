import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import type { Check, Doc, Key, StoreDriver } from "../../server/storage/contract.ts";
import { openRedisDriver } from "../../server/storage/redis.ts";
import { verifyStore } from "../../server/storage/verify.ts";
import { hasRedis, startRedis } from "../support/redis.ts";
import type { RedisServer } from "../support/redis.ts";
import { createRandom } from "./random.ts";

let server: RedisServer;
beforeAll(async () => {
  if (hasRedis) server = await startRedis({ settings: ["--appendfsync", "everysec"] });
});
afterAll(() => server?.stop());

let stores = 0;
const nextPrefix = (): string => `r${stores++}:`;
const opened: StoreDriver[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});
const openNode = async (prefix: string): Promise<StoreDriver> => {
  const node = await openRedisDriver({ url: server.url, prefix });
  opened.push(node);
  return node;
};

/** How often Redis ran a command since its statistics were reset. */
function callsOf(command: string): number {
  const found = new RegExp(`^cmdstat_${command}:calls=(\\d+)`, "m").exec(server.cli("info", "commandstats"));
  return Number(found?.[1] ?? 0);
}

const entry = (id: string): Key => `p:ix.c.new:v@${id}~${id}`;
const listing = { limit: 10, prefix: "v@", of: "c" } as const;

describe.skipIf(!hasRedis)("redis: reads that a node remembers", () => {
  it("shows each write of another node to the very next read, whatever was read before", async () => {
    const prefix = nextPrefix();
    const [writer, reader] = [await openNode(prefix), await openNode(prefix)];
    for (let n = 0; n < 40; n += 1) {
      const version = n + 1;
      const value = JSON.stringify({ n });
      const [fresh, gone]: Key[] = [`p:c:d${n % 7}`, `p:c:d${(n + 3) % 7}`];
      if (fresh === undefined || gone === undefined) throw new Error("two keys");
      const key = (id: Key): Key => entry(id.slice("p:c:".length));
      await writer.commit("p", [
        { put: fresh, value },
        { put: key(fresh), value: "1" },
        { del: gone },
        { del: key(gone) },
      ]);
      for (let again = 0; again < 2; again += 1) {
        const [one, group, page, plain] = await Promise.all([
          reader.get(fresh),
          reader.getMany([gone, fresh]),
          reader.page("p", "ix.c.new", listing),
          reader.page("p", "c", { limit: 500 }),
        ]);
        expect(one).toEqual({ key: fresh, version, value });
        expect(group).toEqual([null, one]);
        expect(page.items).toContainEqual(one);
        expect(page.items.map((doc) => doc.key)).not.toContain(gone);
        expect(plain.items).toEqual(page.items);
      }
    }
  });

  it("refuses a key from the very next request on, when another node revokes it between every two", async () => {
    const prefix = nextPrefix();
    const [writer, reader] = [await openNode(prefix), await openNode(prefix)];
    let checks: Check[] = [];
    for (let n = 0; n < 30; n += 1) {
      const ops = ["key", "customer", "store"].map((id) => ({
        put: `p:${id}s:${id}` as const,
        value: `${n}`,
      }));
      const written = await writer.commit("p", n === 0 ? ops : ops.slice(n % 3, (n % 3) + 1));
      const version = written.ok ? written.version : 0;
      // What was accepted before is refused, and what is current is accepted as often as one asks.
      if (n > 0) expect(await reader.takeIf?.(checks, "key", 1_000, 60_000)).toBeNull();
      const docs = await reader.getMany(["p:keys:key", "p:customers:customer", "p:stores:store"]);
      checks = docs.flatMap((doc) => (doc === null ? [] : [{ key: doc.key, version: doc.version }]));
      expect(checks.map((check) => check.version)).toContain(version);
      for (let again = 0; again < 2; again += 1)
        expect(await reader.takeIf?.(checks, "key", 1_000, 60_000)).toMatchObject({ allowed: true });
    }
    expect(await writer.peek("key")).toMatchObject({ count: 60 });
  });

  it.each(Array.from({ length: 10 }, (_, index) => index + 1))(
    "agrees with a node that remembers nothing, while both write (seed %i)",
    async (seed) => {
      const prefix = nextPrefix();
      const nodes = [await openNode(prefix), await openNode(prefix)];
      const random = createRandom(seed);
      const colls = ["c", "d", "e.f"];
      for (let step = 0; step < 80; step += 1) {
        const node = nodes[random.int(2)];
        const coll = colls[random.int(3)] ?? "c";
        const key: Key = `p:${coll}:k${random.int(6)}`;
        if (random.int(3) === 0)
          await node?.commit("p", [random.int(4) === 0 ? { del: key } : { put: key, value: `${step}` }]);
        else {
          const blank = await openRedisDriver({ url: server.url, prefix });
          const [limit, after] = [1 + random.int(4), `k${random.int(6)}`];
          const look = (at: StoreDriver | undefined) =>
            Promise.all([
              at?.get(key),
              at?.getMany([key, "p:c:k0", "p:d:k1"]),
              at?.page("p", coll, { limit }),
              at?.page("p", coll, { limit, after }),
            ]);
          expect(await look(node)).toEqual(await look(blank));
          await blank.close();
        }
      }
    },
  );

  describe("of more than a megabyte", () => {
    const ids = Array.from({ length: 60 }, (_, i) => `d${String(i).padStart(2, "0")}`);
    const keys = ids.map((id): Key => `p:c:${id}`);
    const large = (n: number, letter = "x") => JSON.stringify({ n, text: letter.repeat(150_000) });
    const fill = async (driver: StoreDriver): Promise<void> => {
      for (const [n, key] of keys.entries())
        await driver.commit("p", [
          { put: key, value: large(n) },
          { put: entry(ids[n] ?? ""), value: "1" },
        ]);
    };
    const numbersOf = (docs: readonly (Doc | null)[]): unknown[] =>
      docs.map((doc) => JSON.parse(doc?.value ?? "null")?.n);

    it("come in several calls, so that no script reads more than that, and others are answered meanwhile", async () => {
      const prefix = nextPrefix();
      const [writer, reader] = [await openNode(prefix), await openNode(prefix)];
      await fill(writer);
      for (const read of [
        async () => numbersOf(await reader.getMany(keys)),
        async () => numbersOf((await reader.page("p", "c", { limit: 100 })).items),
        async () => numbersOf((await reader.page("p", "ix.c.new", { ...listing, limit: 100 })).items),
      ]) {
        server.cli("config", "resetstat");
        expect(await read()).toEqual(ids.map((_, n) => n));
        // 60 documents of 150 KB are 9 MB.
        expect(callsOf("evalsha")).toBeGreaterThanOrEqual(8);
        expect(callsOf("hmget")).toBeLessThanOrEqual(callsOf("evalsha"));
      }
      const { items, next } = await reader.page("p", "c", { limit: 100, bytes: 1_000_000 });
      expect(items.length).toBeLessThan(10);
      expect(next).toBe(ids[items.length - 1]);
      let snapshot = 0;
      server.cli("config", "resetstat");
      for await (const one of reader.snapshot("p")) if (one.key.startsWith("p:c:")) snapshot += 1;
      expect(snapshot).toBe(60);
      expect(callsOf("evalsha")).toBeGreaterThanOrEqual(8);
    });

    it("show one moment, unless they are written faster than they are read", async () => {
      const prefix = nextPrefix();
      const [writer, reader] = [await openNode(prefix), await openNode(prefix)];
      await fill(writer);
      const [first, last] = [keys[0], keys.at(-1)];
      if (first === undefined || last === undefined) throw new Error("two keys");
      for (let n = 100; n < 110; n += 1) {
        const [docs] = await Promise.all([
          reader.getMany(keys),
          writer.commit("p", [
            { put: first, value: large(n) },
            { put: last, value: large(n) },
          ]),
        ]);
        const found = numbersOf(docs);
        const before = n === 100 ? [0, 59] : [n - 1, n - 1];
        expect([before, [n, n]]).toContainEqual([found[0], found[59]]);
      }
      const test = { over: false };
      const writing = (async () => {
        while (!test.over) await writer.commit("p", [{ put: "p:c:other", value: "1" }]);
      })();
      expect(numbersOf(await reader.getMany(keys)).slice(1, -1)).toEqual(ids.map((_, n) => n).slice(1, -1));
      test.over = true;
      await writing;
    });
  });

  it.each([true, false])(
    "answers a store before another one that asks for large documents in the same turn (read before: %s)",
    async (isKnown) => {
      const prefix = nextPrefix();
      const [writer, reader] = [await openNode(prefix), await openNode(prefix)];
      const large = (n: number): string => JSON.stringify(`${n}${"x".repeat(240_000)}`);
      const keys = Array.from({ length: 8 }, (_, n): Key => `p:c:d${n}`);
      const write = async (): Promise<void> => {
        for (const [n, key] of keys.entries()) await writer.commit("p", [{ put: key, value: large(n) }]);
      };
      await write();
      await writer.commit("other", [{ put: "other:c:a", value: "1" }]);
      if (isKnown) await Promise.all(keys.map((key) => reader.get(key)));
      await write();
      const order: string[] = [];
      const note = async (key: Key): Promise<Doc | null> => {
        const found = await reader.get(key);
        order.push(key);
        return found;
      };
      server.cli("config", "resetstat");
      const docs = await Promise.all([...keys, "other:c:a" as const].map(note));
      // Each document is read once.
      expect(callsOf("hget")).toBe(9);
      expect(docs.map((doc) => doc?.value)).toEqual([...keys.map((_, n) => large(n)), "1"]);
      expect(order[0]).toBe("other:c:a");
      // What has not changed since is carried once more by no call.
      server.cli("config", "resetstat");
      expect(await Promise.all(keys.map((key) => reader.get(key)))).toEqual(docs.slice(0, -1));
      expect(callsOf("hget")).toBe(0);
      expect(callsOf("evalsha")).toBe(1);
    },
  );

  it("carries what has not changed once, and all that is asked in one turn as one call", async () => {
    const prefix = nextPrefix();
    const [writer, reader] = [await openNode(prefix), await openNode(prefix)];
    await writer.commit("p", [
      { put: "p:c:a", value: "1" },
      { put: entry("a"), value: "1" },
      { put: "p:other:a", value: "1" },
    ]);
    const checks: Check[] = [{ key: "p:c:a", version: 1 }];
    const ask = async () => {
      const work = Array.from({ length: 50 }, () =>
        Promise.all([
          reader.get("p:c:a"),
          reader.get("p:none:a"),
          reader.page("p", "ix.c.new", listing),
          reader.takeIf?.(checks, "k", 1_000, 60_000),
        ]),
      );
      await Promise.all(work);
      return reader.page("p", "ix.c.new", listing);
    };
    const before = await ask();
    server.cli("config", "resetstat");
    const after = await ask();
    // Being the same object, it has its text still.
    expect(after).toBe(before);
    expect(callsOf("evalsha")).toBe(2);
    for (const command of ["hget", "zrangebylex", "zrange"]) expect(callsOf(command)).toBe(0);
    expect(await reader.peek("k")).toMatchObject({ count: 100 });

    // A change elsewhere in the partition leaves them valid, a change of their own collection does not.
    await writer.commit("p", [{ put: "p:other:a", value: "2" }]);
    expect(await ask()).toBe(before);
    await writer.commit("p", [{ put: "p:c:a", value: "2" }]);
    expect((await reader.page("p", "ix.c.new", listing)).items).toMatchObject([{ value: "2" }]);
  });

  it("reads a large page once for all who wait for it, and pages of its collection one after another", async () => {
    const prefix = nextPrefix();
    const [writer, reader] = [await openNode(prefix), await openNode(prefix)];
    const value = (text: string): string => JSON.stringify(text.repeat(50_000));
    const ids = Array.from({ length: 40 }, (_, n) => `${n}`.padStart(2, "0"));
    for (const some of [ids.slice(0, 20), ids.slice(20)])
      await writer.commit(
        "p",
        some.map((id) => ({ put: `p:c:${id}`, value: value("a") })),
      );
    const sentBytes = (): number =>
      Number(/^total_net_output_bytes:(\d+)/m.exec(server.cli("info", "stats"))?.[1]);
    const askInTurns = async (limits: readonly number[]) => {
      const pages = limits.map(async (limit, n) => {
        for (let turn = 0; turn < n; turn += 1) await new Promise(setImmediate);
        return reader.page("p", "c", { limit });
      });
      return Promise.all(pages);
    };
    const before = sentBytes();
    const pages = await askInTurns(Array.from({ length: 30 }, () => 40));
    expect(new Set(pages).size).toBe(1);
    expect(sentBytes() - before).toBeLessThan(1.5 * 40 * 50_000);

    // Behind one that is under way, each write before the question is seen.
    await writer.commit("p", [{ put: "p:c:00", value: value("b") }]);
    const early = reader.page("p", "c", { limit: 40 });
    await new Promise(setImmediate);
    await writer.commit("p", [{ put: "p:c:00", value: value("c") }]);
    const late = await askInTurns(Array.from({ length: 9 }, (_, n) => 30 + n));
    expect(late.map(({ items }) => items[0]?.value.slice(1, 2))).toEqual(
      Array.from({ length: 9 }, () => "c"),
    );
    expect((await early).items[0]?.value.slice(1, 2)).toMatch(/[bc]/);
  });

  it("knows how large documents are by those that it found, not by how many it asked for", async () => {
    const node = await openNode(nextPrefix());
    const value = JSON.stringify("x".repeat(50_000));
    const ids = Array.from({ length: 10 }, (_, n) => `${n}`);
    await node.commit(
      "p",
      ids.map((id) => ({ put: `p:c:${id}`, value })),
    );
    await node.page("p", "c", { limit: 100 });
    server.cli("config", "resetstat");
    await Promise.all([11, 12, 13, 14, 15].map((limit) => node.page("p", "c", { limit })));
    expect(callsOf("evalsha")).toBe(5);
  });

  it("sees a commit of an older release, which writes no revisions", async () => {
    const prefix = nextPrefix();
    const [writer, reader] = [await openNode(prefix), await openNode(prefix)];
    await writer.commit("p", [{ put: "p:c:a", value: "1" }]);
    const look = async () => [
      await reader.get("p:c:a"),
      ...(await reader.page("p", "c", { limit: 2 })).items,
    ];
    for (let version = 2; version < 6; version += 1) {
      await look();
      server.cli("hset", `${prefix}{p}:d:c`, "a", `${version}\n"old"`);
      server.cli("set", `${prefix}{p}:seq`, String(version));
      expect((await look()).map((doc) => doc?.version)).toEqual([version, version]);
      if (version === 4) {
        await writer.commit("p", [{ put: "p:d:a", value: "1" }]);
        version += 1;
      }
    }
  });

  it("sees what was written under a version that Redis gave before, and lost", async () => {
    const prefix = nextPrefix();
    const [writer, reader] = [await openNode(prefix), await openNode(prefix)];
    await writer.commit("p", [{ put: "p:c:a", value: "1" }]);
    const saved = ["seq", "revs", "d:c", "i:c", "counts", "usage"].map((name) => `${prefix}{p}:${name}`);
    for (const name of saved) server.cli("copy", name, `saved:${name}`);
    await writer.commit("p", [{ put: "p:c:a", value: `"lost"` }]);
    expect(await reader.get("p:c:a")).toMatchObject({ version: 2, value: `"lost"` });
    for (const name of saved) server.cli("copy", `saved:${name}`, name, "replace");
    await writer.commit("p", [{ put: "p:c:a", value: `"kept"` }]);
    expect(await reader.get("p:c:a")).toMatchObject({ version: 2, value: `"kept"` });
  });

  it("sees what was repaired or loaded", async () => {
    const prefix = nextPrefix();
    const [writer, reader] = [await openNode(prefix), await openNode(prefix)];
    await writer.commit("p", [
      { put: "p:c:a", value: "1" },
      { put: "p:c:b", value: "1" },
    ]);
    server.cli("zrem", `${prefix}{p}:i:c`, "b");
    expect((await reader.page("p", "c", { limit: 5 })).items).toHaveLength(1);
    expect(await verifyStore(writer, { fix: true })).toMatchObject({ fixedCount: 1 });
    expect((await reader.page("p", "c", { limit: 5 })).items).toHaveLength(2);
    await writer.load("p", [{ key: "p:c:c", version: 1, value: "1" }]);
    expect((await reader.page("p", "c", { limit: 5 })).items).toHaveLength(3);
  });

  it("answers the others of a turn when the data of one partition are damaged", async () => {
    const prefix = nextPrefix();
    const node = await openNode(prefix);
    for (const part of ["p", "q"]) await node.commit(part, [{ put: `${part}:c:a`, value: "1" }]);
    server.cli("set", `${prefix}{q}:d:c`, "no hash");
    server.cli("set", `${prefix}limit:{bad}`, "no window");
    const [good, bad, page, counted, uncounted] = await Promise.allSettled([
      node.get("p:c:a"),
      node.get("q:c:a"),
      node.page("p", "c", { limit: 1 }),
      node.take("good", 2, 60_000),
      node.take("bad", 2, 60_000),
    ]);
    const corrupt = { status: "rejected", reason: { code: "CORRUPT" } };
    expect([good, page, counted].map((result) => result.status)).toEqual(Array(3).fill("fulfilled"));
    expect([bad, uncounted]).toMatchObject([corrupt, corrupt]);
  });
});
