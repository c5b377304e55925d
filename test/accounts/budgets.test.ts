import { setTimeout as pause } from "node:timers/promises";

import { afterEach, describe, expect, it, vi } from "vitest";

import { createBudgets } from "../../server/core/budgets.ts";
import { storePartition } from "../../server/core/partitions.ts";
import { createPortsOf } from "../../server/outgoing/budgeted.ts";
import { closedPorts, createHarness } from "../harness.ts";
import type { Harness, TestKey } from "../harness.ts";
import { compute, standStill } from "../support/compute.ts";

let harness: Harness;
afterEach(() => harness.close());

const seconds = (count: number): number => count * 1_000;
/** Scoring a draft is heavy; that there is no such draft is found out behind the gates. */
const score = (key: TestKey) => harness.call("POST", "/v1/content/drafts/drf_01/scores", { key });

it("counts heavy routes as several requests, whole or not at all", async () => {
  harness = await createHarness();
  const key = await harness.key({ plan: "free" });
  const left: string[] = [];
  for (let round = 0; round < 7; round += 1) {
    const answer = await score(key);
    left.push(`${answer.status === 429} ${answer.headers.get("x-ratelimit-remaining")}`);
  }
  expect(left).toEqual(["false 50", "false 40", "false 30", "false 20", "false 10", "false 0", "true 0"]);
  await harness.services.store.resetCounter(key.id);
  for (let round = 0; round < 55; round += 1) await harness.call("GET", "/v1/reviews", { key });
  const refused = await score(key);
  expect([refused.status, refused.json.error.detail]).toEqual([
    429,
    "Rate limit of 60 requests per minute exceeded by a request that costs 10. Retry in 60 seconds.",
  ]);
  expect((await harness.call("GET", "/v1/reviews", { key })).status).toBe(200);
});

it("refuses heavy routes while the budget of computing is used up, and nothing else", async () => {
  harness = await createHarness();
  const key = await harness.key({ plan: "free" });
  const { budgets } = harness.services;
  await budgets.charge(key.customerId, "cpu", seconds(120));
  const refused = await score(key);
  expect([refused.status, refused.json.error.detail, refused.headers.get("retry-after")]).toEqual([
    429,
    "The budget of 120 CPU seconds per hour is exhausted. It renews at 2026-06-01T10:00:00.000Z. Larger plans have more. Retry in 3600 seconds.",
    "3600",
  ]);
  expect((await harness.call("GET", "/v1/reviews", { key })).status).toBe(200);
  harness.clock.advance(3_600_000);
  expect((await score(key)).status).not.toBe(429);
  const other = await harness.key({ plan: "free" });
  expect((await score(other)).status).not.toBe(429);
});

describe("while the clock stands still", () => {
  standStill();

  it("charges a heavy request what it computes, not what others do while it waits", async () => {
    harness = await createHarness();
    const key = await harness.key({ plan: "free" });
    const { store } = harness.services;
    const commit = store.commit.bind(store);
    vi.spyOn(store, "commit").mockImplementation((...args) => {
      compute(20);
      return commit(...args);
    });
    let body: ReadableStreamDefaultController<Uint8Array> | undefined;
    const log = new ReadableStream<Uint8Array>({ start: (controller) => void (body = controller) });
    const init: RequestInit & { duplex: "half" } = {
      method: "POST",
      body: log,
      duplex: "half",
      headers: { authorization: `Bearer ${key.plaintext}`, "content-type": "text/plain" },
    };
    const url = "http://platform.test/v1/answeros/crawler-logs/stream";
    const answer = harness.app.fetch(new Request(url, init));
    const line =
      '192.0.2.7 - - [01/Jun/2026:06:12:01 +0000] "GET / HTTP/1.1" 200 5120 "-" "Mozilla/5.0 (compatible; OAI-SearchBot/1.0)"\n';
    for (let part = 0; part < 3; part += 1) {
      body?.enqueue(Buffer.from(line));
      await pause(20);
      compute(500);
    }
    body?.close();
    expect((await answer).status).toBe(200);
    const { json } = await harness.call("GET", "/v1/account/usage/budgets", { key });
    const { used } = json.data.find(({ budget }: { budget: string }) => budget === "cpu");
    expect(used).toBeGreaterThan(0);
    expect(used).toBeLessThan(0.4);
  });

  it("charges a route that was slow for a customer, and refuses it while the budget is used up and it computes long", async () => {
    harness = await createHarness();
    const { budgets, store } = harness.services;
    const [key, other] = [await harness.key({ plan: "free" }), await harness.key({ plan: "free" })];
    const list = (by = key) => harness.call("GET", "/v1/reviews", { key: by });
    const usedBy = async (by: TestKey) => {
      const { json } = await harness.call("GET", "/v1/account/usage/budgets", { key: by });
      return json.data.find(({ budget }: { budget: string }) => budget === "cpu").used;
    };
    const slowList = async () => {
      const answer = list();
      harness.clock.advance(300);
      return (await answer).status;
    };
    expect([await slowList(), await usedBy(key)]).toEqual([200, 0]);
    const read = store.page.bind(store);
    const page = vi.spyOn(store, "page").mockImplementation((...args) => {
      compute(150);
      return read(...args);
    });
    expect([await slowList(), await usedBy(key)]).toEqual([200, 0.15]);
    page.mockRestore();
    await budgets.charge(key.customerId, "cpu", seconds(120));
    const { status, json } = await list();
    expect([status, json.error.detail]).toEqual([429, expect.stringContaining("CPU seconds")]);
    expect((await harness.call("GET", "/v1/delivery/zones", { key })).status).toBe(200);
    expect([(await list(other)).status, await usedBy(other)]).toEqual([200, 0]);
    harness.clock.advance(3_600_000);
    expect([(await list()).status, await usedBy(key)]).toEqual([200, 0]);
  });
});

it("leaves a store's jobs due while the budget of background work is used up", async () => {
  harness = await createHarness();
  const key = await harness.key({ plan: "free" });
  const { budgets, jobs } = harness.services;
  await harness.services.runTx(storePartition(key.storeId, "live"), async (tx) => {
    tx.stage([{ put: `${tx.part}:probe:1`, value: "{}" }]);
  });
  expect((await jobs.run("mail.forward")).partitions).toBe(1);
  const look = async () =>
    (await harness.call("GET", "/v1/account/usage/budgets", { key })).json.data.find(
      ({ budget }: { budget: string }) => budget === "background",
    );
  expect((await look()).used).toBeGreaterThan(0);
  await budgets.charge(key.customerId, "background", seconds(300));
  expect(await look()).toMatchObject({ limit: 300, remaining: 0, renews_at: "2026-06-01T10:00:00.000Z" });
});

it("refuses requests to other servers past their budget, before they leave", async () => {
  harness = await createHarness();
  let left = 0;
  const ports = {
    ...closedPorts,
    post: async () => ((left += 1), { status: 200, body: "" }),
  };
  const { store, clock } = harness.services;
  const limits = { mails: 0, new_recipients: 0, cpu: 0, background: 0, outgoing: 3, ai: 0 };
  const portsOf = createPortsOf(ports, {
    budgets: createBudgets({ store, clock }),
    findOwner: async () => ({ customerId: "cus_1", isActive: true, limits }),
  });
  const request = { url: "https://shop.example/", headers: {}, body: "", timeoutMs: 1_000 };
  for (let n = 0; n < 3; n += 1) await portsOf(`sto_${n}`).post(request);
  await expect(portsOf("sto_9").post(request)).rejects.toMatchObject({
    fault: "refused",
    message: "The budget of 3 outgoing requests per hour is exhausted.",
  });
  expect(left).toBe(3);
});

it("returns when to send again also where the window ends while it refuses: the request did not fail", async () => {
  harness = await createHarness();
  const { store, clock } = harness.services;
  const limits = { mails: 0, new_recipients: 0, cpu: 0, background: 0, outgoing: 1, ai: 0 };
  const budgets = createBudgets({ store, clock });
  const ports = { ...closedPorts, post: async () => ({ status: 200, body: "" }), realNow: () => clock.now() };
  const portsOf = createPortsOf(ports, {
    budgets: {
      ...budgets,
      look: (...question) => {
        harness.clock.advance(3_600_000);
        return budgets.look(...question);
      },
    },
    findOwner: async () => ({ customerId: "cus_1", isActive: true, limits }),
  });
  const request = { url: "https://shop.example/", headers: {}, body: "", timeoutMs: 1_000 };
  await portsOf("sto_1").post(request);
  await expect(portsOf("sto_1").post(request)).rejects.toMatchObject({ renewsAtMs: expect.any(Number) });
});

it("refuses those of a plan without any finally: a request that waited for the budget would never be sent", async () => {
  harness = await createHarness();
  const { store, clock } = harness.services;
  const limits = { mails: 0, new_recipients: 0, cpu: 0, background: 0, outgoing: 0, ai: 0 };
  const portsOf = createPortsOf(closedPorts, {
    budgets: createBudgets({ store, clock }),
    findOwner: async () => ({ customerId: "cus_1", isActive: true, limits }),
  });
  const request = { url: "https://shop.example/", headers: {}, body: "", timeoutMs: 1_000 };
  for (const by of [undefined, "visitors"] as const)
    await expect(portsOf("sto_1", by).post(request)).rejects.toMatchObject({
      fault: "refused",
      message: "The plan of the customer has no outgoing requests.",
      renewsAtMs: null,
    });
});

it("has requests to other servers wait while the customer is suspended or closed, and after its store was removed", async () => {
  harness = await createHarness();
  const { budgets, clock } = harness.services;
  let left = 0;
  const ports = {
    ...closedPorts,
    post: async () => ((left += 1), { status: 200, body: "" }),
    realNow: () => clock.now(),
  };
  const limits = { mails: 0, new_recipients: 0, cpu: 0, background: 0, outgoing: 5, ai: 0 };
  const request = { url: "https://shop.example/", headers: {}, body: "", timeoutMs: 1_000 };
  for (const owner of [{ customerId: "cus_1", isActive: false, limits }, null]) {
    const portsOf = createPortsOf(ports, { budgets, findOwner: async () => owner });
    await expect(portsOf("sto_1").post(request)).rejects.toMatchObject({
      message: "The customer of the store is not active.",
      renewsAtMs: clock.now() + 3_600_000,
    });
    // The operator's own webhooks belong to no customer.
    await portsOf("platform").post(request);
  }
  expect(left).toBe(2);
});

it("leaves half of the requests to other servers to the shop where visitors cause the others", async () => {
  harness = await createHarness();
  const { store, clock } = harness.services;
  const limits = { mails: 0, new_recipients: 0, cpu: 0, background: 0, outgoing: 5, ai: 0 };
  const portsOf = createPortsOf(
    { ...closedPorts, post: async () => ({ status: 200, body: "" }) },
    {
      budgets: createBudgets({ store, clock }),
      findOwner: async () => ({ customerId: "cus_1", isActive: true, limits }),
    },
  );
  const request = { url: "https://shop.example/", headers: {}, body: "", timeoutMs: 1_000 };
  const [shop, visitors] = [portsOf("sto_1"), portsOf("sto_1", "visitors")];
  for (let n = 0; n < 3; n += 1) await visitors.post(request);
  await expect(visitors.post(request)).rejects.toMatchObject({
    fault: "refused",
    message: "The budget of 3 outgoing requests per hour is exhausted.",
  });
  for (let n = 0; n < 2; n += 1) await shop.post(request);
  await expect(shop.post(request)).rejects.toMatchObject({ fault: "refused" });
});

it("shows every budget to the customer and the operator, free of cost", async () => {
  harness = await createHarness();
  const key = await harness.key({ plan: "free" });
  const own = await harness.call("GET", "/v1/account/usage/budgets", { key });
  expect(own.headers.get("x-ratelimit-remaining")).toBe("60");
  expect(own.json.data.map(({ budget, limit }: Record<string, unknown>) => [budget, limit])).toEqual([
    ["mails", 100],
    ["new_recipients", 20],
    ["cpu", 120],
    ["background", 300],
    ["outgoing", 300],
    ["ai", 200_000],
    ["documents", 50_000],
    ["storage", 250_000_000],
  ]);
  const path = `/api/platform/admin/customers/${key.customerId}/budgets`;
  const isOwn = ({ mode }: { mode: string | null }): boolean => mode !== "test";
  expect((await harness.admin("GET", path)).json.data.filter(isOwn)).toEqual(own.json.data);
});
