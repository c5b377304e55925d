import { afterAll, describe, expect, it } from "vitest";

import { hasRedis, startRedis } from "../support/redis.ts";
import { makeShop, startNode } from "./nodes.ts";
import type { Node, NodeAnswer } from "./nodes.ts";
import { createCleanup } from "./outside.ts";

const plans = [{ id: "free", requestsPerMinute: 1_000_000, activeKeys: 100 }];
const CLIENTS = 16;
const KILLS = 3;
/** A store holds at most 200 zones; each client has a shop of its own. */
const ZONES_MAX = 190;

interface Client {
  readonly key: string;
  /** Names of zones that a 201 was seen for. */
  readonly acknowledged: string[];
  /** Sent, and no 201 seen. */
  readonly open: string[];
}

describe.skipIf(!hasRedis)("two nodes whose Redis is killed under load", () => {
  const cleanup = createCleanup();
  afterAll(() => cleanup.run(), 60_000);

  it("answer 2xx or 503 and nothing else, lose nothing that was acknowledged, and go on by themselves", async () => {
    const redis = await startRedis();
    cleanup.add(() => redis.stop());
    const config = { storage: { driver: "redis", url: redis.url }, plans, log: { level: "silent" } };
    const nodes = [await startNode(cleanup, config), await startNode(cleanup, config)] as const;
    const clients: Client[] = [];
    for (let index = 0; index < CLIENTS; index += 1) {
      const { key } = await makeShop(nodes[0], `shop-${index}`);
      clients.push({ key, acknowledged: [], open: [] });
    }
    const answers: NodeAnswer[] = [];
    const end = new AbortController();
    const work = clients.map(async (client, index) => {
      for (let count = 0; !end.signal.aborted && count < ZONES_MAX; count += 1) {
        const answer = await createZone(nodes[(index + count) % 2 === 0 ? 0 : 1], client, `z${count}`);
        answers.push(answer);
        if (answer.status === 503) await pause(50);
      }
    });
    for (let kill = 0; kill < KILLS; kill += 1) {
      await pause(400);
      await redis.signal("SIGKILL");
      await pause(300);
      await redis.restart();
    }
    await pause(500);
    end.abort();
    await Promise.all(work);

    const odd = answers.filter(({ status }) => status !== 201 && status !== 503);
    expect(odd).toEqual([]);
    expect(answers.some(({ status }) => status === 503)).toBe(true);
    for (const { status, json, retryAfter } of answers) {
      if (status !== 503) continue;
      expect(json.error.type).toBe("service_unavailable");
      expect(Number(retryAfter)).toBeGreaterThan(0);
    }
    for (const client of clients) {
      // A careful client repeats with its key what it got no answer to.
      for (const name of client.open.splice(0)) {
        const again = await createZone(nodes[1], client, name);
        expect(again.status, JSON.stringify(again.json)).toBe(201);
      }
      const names = await zoneNames(nodes[0], client.key);
      expect(names.toSorted()).toEqual([...new Set(client.acknowledged)].toSorted());
    }
    for (const node of nodes) expect(node.process.exitCode).toBeNull();
  }, 120_000);
});

async function createZone(node: Node, client: Client, name: string): Promise<NodeAnswer> {
  const answer = await node.call(client.key, "POST", "/v1/delivery/zones", {
    body: { name, fee_tiers: [{ from: 0, fee: 395 }], active: false },
    headers: { "idempotency-key": name },
  });
  (answer.status === 201 ? client.acknowledged : client.open).push(name);
  return answer;
}

async function zoneNames(node: Node, key: string): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const path: string = `/v1/delivery/zones?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`;
    const { json } = await node.call(key, "GET", path);
    names.push(...json.data.map((zone: { name: string }) => zone.name));
    cursor = json.meta.pagination.next_cursor;
  }
  return names;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
