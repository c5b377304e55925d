import { setTimeout as sleep } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Doc, Key, StoreDriver } from "../../server/storage/contract.ts";
import { openRedisDriver } from "../../server/storage/redis.ts";
import { isLinearizable, recordHistory, storeModel } from "../support/linearizable.ts";
import { startProxy } from "../support/redis-proxy.ts";
import { hasRedis, startRedis } from "../support/redis.ts";
import type { RedisServer } from "../support/redis.ts";
import { createRandom } from "./random.ts";

const CLIENTS = 8;
const SEED = 7;

let server: RedisServer;
let clients: StoreDriver[] = [];
beforeAll(async () => {
  if (!hasRedis) return;
  server = await startRedis({ settings: ["--appendfsync", "everysec"] });
  clients = await Promise.all(Array.from({ length: CLIENTS }, () => openRedisDriver({ url: server.url })));
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await server?.stop();
});

describe.skipIf(!hasRedis)(`redis: histories of ${CLIENTS} clients on five keys`, () => {
  it(`are linearizable, 1000 of them (seed ${SEED})`, { timeout: 120_000 }, async () => {
    const random = createRandom(SEED);
    for (let i = 0; i < 1000; i++) {
      const history = await recordHistory({ clients, part: `h${i}`, random, callsPerClient: 8 });
      if (!isLinearizable(history, storeModel(history)))
        throw new Error(`history ${i}: ${JSON.stringify(history)}`);
    }
  });

  it(
    `are linearizable also when answers are lost and connections break (seed ${SEED})`,
    { timeout: 120_000 },
    async () => {
      const random = createRandom(SEED);
      const proxy = await startProxy(server.port);
      const url = `redis://127.0.0.1:${proxy.port}`;
      const shaken = await Promise.all(Array.from({ length: CLIENTS }, () => openRedisDriver({ url })));
      const faults = { over: false };
      const shaking = (async () => {
        while (!faults.over) {
          await sleep(random.int(10));
          proxy.swallow();
          await sleep(random.int(5));
          proxy.mend();
          await sleep(60);
        }
      })();
      let open = 0;
      for (let i = 0; i < 100; i++) {
        const history = await recordHistory({ clients: shaken, part: `f${i}`, random, callsPerClient: 12 });
        open += history.filter(({ end }) => end === Infinity).length;
        if (!isLinearizable(history, storeModel(history)))
          throw new Error(`history ${i}: ${JSON.stringify(history)}`);
        await sleep(20);
      }
      faults.over = true;
      await shaking;
      expect(open).toBeGreaterThan(0);
      for (const client of shaken) await client.close();
      await proxy.close();
    },
  );

  it("are caught when one client reads what was true a moment ago", { timeout: 60_000 }, async () => {
    const random = createRandom(SEED);
    const [first, ...others] = clients;
    if (first === undefined) throw new Error("no client");
    let caught = false;
    // Which of them it is depends on the order of the answers.
    for (let i = 0; i < 1000 && !caught; i++) {
      const history = await recordHistory({
        clients: [remembering(first), ...others],
        part: `s${i}`,
        random,
        callsPerClient: 8,
      });
      caught = !isLinearizable(history, storeModel(history));
    }
    expect(caught).toBe(true);
  });
});

/** A store that answers a key as it was when it was first asked for. */
function remembering(store: StoreDriver): Pick<StoreDriver, "get" | "getMany" | "commit"> {
  const known = new Map<Key, Doc | null>();
  return {
    async get(key) {
      const doc = known.get(key) ?? (await store.get(key));
      known.set(key, doc);
      return doc;
    },
    getMany: (keys) => store.getMany(keys),
    commit: (...args) => store.commit(...args),
  };
}
