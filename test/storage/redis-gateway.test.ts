import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { createBudgets } from "../../server/core/budgets.ts";
import type { StoreDriver } from "../../server/storage/contract.ts";
import { openRedisDriver } from "../../server/storage/redis.ts";
import { createHarness } from "../harness.ts";
import type { Harness, TestKey } from "../harness.ts";
import { hasRedis, startRedis } from "../support/redis.ts";
import type { RedisServer } from "../support/redis.ts";

const START = "2026-06-01T09:00:00.000Z";
let server: RedisServer;
beforeAll(async () => {
  if (hasRedis) server = await startRedis({ settings: ["--appendfsync", "everysec"] });
});
afterAll(() => server?.stop());

/** A store that writes down which of its calls are made; each is one call to Redis. */
function watched(store: StoreDriver, calls: string[]): StoreDriver {
  const { takeIf } = store;
  return {
    ...store,
    get: (...args) => (calls.push("get"), store.get(...args)),
    getMany: (...args) => (calls.push("getMany"), store.getMany(...args)),
    page: (...args) => (calls.push("page"), store.page(...args)),
    take: (...args) => (calls.push("take"), store.take(...args)),
    ...(takeIf === undefined ? {} : { takeIf: (...args) => (calls.push("takeIf"), takeIf(...args)) }),
  };
}

describe.skipIf(!hasRedis)("redis: an authenticated request", () => {
  let stores = 0;
  let harness: Harness;
  let key: TestKey;
  let calls: string[];
  let redis: StoreDriver;
  beforeEach(async () => {
    const clock = { now: () => Date.parse(START) };
    redis = await openRedisDriver({ url: server.url, prefix: `g${stores++}:`, clock });
    calls = [];
    harness = await createHarness({ now: START, store: watched(redis, calls) });
    key = await harness.key({ plan: "free" });
  });
  afterEach(async () => {
    await harness.close();
    await redis.close();
  });
  const get = () => harness.call("GET", "/v1/reviews", { key });

  it("costs one call for key, customer, store and limit, and one for its page", async () => {
    await get();
    calls.length = 0;
    expect((await get()).status).toBe(200);
    expect(calls).toEqual(["takeIf", "page"]);
    expect(await redis.peek(key.id)).toMatchObject({ count: 2 });
  });

  it("is counted exactly, and neither counted nor answered once its key is revoked", async () => {
    const first = await get();
    const limit = Number(first.headers.get("x-ratelimit-limit"));
    const rest = await Promise.all(Array.from({ length: limit + 5 }, get));
    expect(rest.filter(({ status }) => status === 200)).toHaveLength(limit - 1);
    expect(rest.filter(({ status }) => status === 429)).toHaveLength(6);
    await redis.resetCounter(key.id);
    expect((await get()).status).toBe(200);
    const revoked = await harness.admin("POST", `/api/platform/admin/keys/${key.id}/revoke`, {
      body: { reason: "test" },
    });
    expect(revoked.status).toBeLessThan(300);
    for (let i = 0; i < 3; i++) expect((await get()).status).toBe(401);
    expect(await redis.peek(key.id)).toMatchObject({ count: 1 });
  });

  it("counts once when what it rests on has changed and still holds", async () => {
    await get();
    const customer = await harness.admin("POST", `/api/platform/admin/customers/${key.customerId}/plan`, {
      body: { plan: "growth" },
    });
    expect(customer.status).toBeLessThan(300);
    calls.length = 0;
    const answer = await get();
    expect(answer.status).toBe(200);
    expect(calls.filter((call) => call.startsWith("take"))).toEqual(["takeIf", "take"]);
    expect(await redis.peek(key.id)).toMatchObject({ count: 2 });
  });
});

it.skipIf(!hasRedis)(
  "budgets are exact over two nodes: of what both take at once, the limit is taken",
  async () => {
    const clock = { now: () => Date.parse(START) };
    const nodes = await Promise.all(
      [0, 1].map(() => openRedisDriver({ url: server.url, prefix: "budgets:", clock })),
    );
    const budgets = nodes.map((store) => createBudgets({ store, clock }));
    const limits = {
      mails: 100,
      new_recipients: null,
      cpu: null,
      background: null,
      outgoing: null,
      ai: null,
    };
    const payer = { customerId: "cus_1", limits };
    const taken = await Promise.all(
      Array.from({ length: 160 }, (_, index) => budgets[index % 2]!.take(payer, "mails")),
    );
    expect(taken.filter(Boolean)).toHaveLength(100);
    for (const node of budgets) {
      expect(await node.look(payer, "mails")).toMatchObject({ used: 100, remaining: 0 });
      await expect(node.require(payer, "mails")).rejects.toMatchObject({ type: "too_many_requests" });
    }
    for (const store of nodes) await store.close();
  },
);
