import { afterEach, expect, it, vi } from "vitest";

import type { Observation } from "../../server/http/principal.ts";
import { createCursorCodec } from "../../server/core/cursor.ts";
import { silentLog } from "../../server/core/log.ts";
import { createRunTx } from "../../server/core/run-tx.ts";
import type { RunTx } from "../../server/core/tx.ts";
import { PLATFORM_PART } from "../../server/core/partitions.ts";
import { createUsage, usageDays } from "../../server/accounts/usage/usage.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { createTestClock } from "../harness.ts";

afterEach(() => {
  vi.useRealTimers();
});

const NOW = Date.parse("2026-06-01T12:00:00.000Z");

const seen = (keyId: string, status = 200, now = NOW): Observation => ({
  now,
  requestId: "req_1",
  routeId: "reviews.reviews.list",
  method: "GET",
  status,
  rate: null,
  durationMs: 1,
  target: "/v1/delivery/zones",
  refusal: null,
  principal: {
    kind: "key",
    keyId,
    customerId: "cus_1",
    mode: "live",
    isPublic: false,
    tier: "free",
    limitPerMinute: 60,
    payer: {
      customerId: "cus",
      limits: { mails: null, new_recipients: null, cpu: null, background: null, outgoing: null, ai: null },
      storage: { documents: null, bytes: null },
    },
    scopes: new Set(),
    store: { id: "sto_1", identifier: "shop" },
    expiresAt: null,
  },
});

function createRig() {
  const store = createMemoryDriver({ clock: createTestClock() });
  const real = createRunTx({ store, cursors: createCursorCodec(new Uint8Array(32)) });
  let failures = 0;
  let commits = 0;
  let gate: Promise<void> = Promise.resolve();
  const runTx: RunTx = async (part, work) => {
    commits += 1;
    await gate;
    if (failures > 0) {
      failures -= 1;
      throw new Error("the disk is full");
    }
    return real(part, work);
  };
  const usage = createUsage({ runTx, log: silentLog });
  const read = (keyId: string, day = "2026-06-01") =>
    real(PLATFORM_PART, async (tx) => (await tx.get(usageDays, `${keyId}.${day}`))?.value ?? null);
  const lastUsed = (keyId: string) => real(PLATFORM_PART, (tx) => usage.lastUsedAt(tx, keyId));
  return {
    usage,
    read,
    lastUsed,
    failNext: (count: number) => {
      failures = count;
    },
    commits: () => commits,
    /** Holds every write until the returned function is called. */
    hold(): () => void {
      let release = (): void => undefined;
      gate = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
  };
}

it("writes many requests of many keys in few commits", async () => {
  const { usage, read, commits } = createRig();
  for (let key = 0; key < 40; key += 1) {
    for (let count = 0; count < 50; count += 1) usage.observe(seen(`key_${key}`));
  }
  await usage.flush();
  expect(commits()).toBe(2);
  expect(await read("key_39")).toMatchObject({ requests: 50, succeeded: 50 });
  await usage.close();
});

it("writes the counts of keys that used most routes in more commits, as they do not fit into one", async () => {
  const { usage, read } = createRig();
  const routes = Array.from({ length: 700 }, (_, n) => `delivery.some_long_name_of_a_route.number_${n}`);
  for (let key = 0; key < 20; key += 1)
    for (const routeId of routes) usage.observe({ ...seen(`key_${key}`), routeId });
  await usage.flush();
  expect((await read("key_19"))?.requests).toBe(700);
  await usage.flush();
  expect((await read("key_0"))?.requests).toBe(700);
  await usage.close();
});

it("adds to what is stored, by outcome", async () => {
  const { usage, read } = createRig();
  for (const status of [200, 304, 404, 422, 429, 500]) {
    usage.observe(seen("key_1", status));
    await usage.flush();
  }
  expect(await read("key_1")).toMatchObject({
    requests: 6,
    succeeded: 2,
    rejected: 2,
    rate_limited: 1,
    failed: 1,
    routes: [{ route: "reviews.reviews.list", requests: 6 }],
  });
  await usage.close();
});

it("keeps the counts of a failed write for the next one, and counts none twice", async () => {
  const { usage, read, failNext } = createRig();
  for (let key = 0; key < 45; key += 1) usage.observe(seen(`key_${key}`));
  failNext(1);
  await expect(usage.flush()).rejects.toThrow("full");
  usage.observe(seen("key_0"));
  await usage.flush();
  expect((await read("key_0"))?.requests).toBe(2);
  expect((await read("key_44"))?.requests).toBe(1);
  await usage.close();
});

it("tells the last use before it is written, while and after", async () => {
  const { usage, lastUsed, hold, commits } = createRig();
  expect(await lastUsed("key_1")).toBeNull();
  usage.observe(seen("key_1"));
  expect(await lastUsed("key_1")).toBe("2026-06-01T12:00:00.000Z");
  const release = hold();
  const writing = usage.flush();
  await expect.poll(commits).toBe(1);
  expect(await lastUsed("key_1")).toBe("2026-06-01T12:00:00.000Z");
  release();
  await writing;
  expect(await lastUsed("key_1")).toBe("2026-06-01T12:00:00.000Z");
  usage.observe(seen("key_1", 200, NOW + 1000));
  expect(await lastUsed("key_1")).toBe("2026-06-01T12:00:01.000Z");
  await usage.close();
});

it("writes the rest when it closes", async () => {
  const { usage, read } = createRig();
  usage.observe(seen("key_1"));
  await usage.close();
  expect((await read("key_1"))?.requests).toBe(1);
});

it("counts no request without a key", async () => {
  const { usage, commits } = createRig();
  usage.observe({ ...seen("key_1"), principal: null });
  await usage.flush();
  expect(commits()).toBe(0);
  await usage.close();
});

it("writes the counts of a key that has called many routes once a minute, and loses none", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { usage, read, lastUsed, commits } = createRig();
  for (let route = 0; route < 60; route += 1) usage.observe({ ...seen("key_1"), routeId: `route.${route}` });
  await vi.advanceTimersByTimeAsync(3_000);
  await expect.poll(() => read("key_1")).toMatchObject({ requests: 60 });
  const written = commits();
  for (let second = 0; second < 60; second += 3) {
    usage.observe({ ...seen("key_1", 200, NOW + second), routeId: `route.${second}` });
    await vi.advanceTimersByTimeAsync(3_000);
  }
  expect(commits() - written).toBeLessThanOrEqual(1);
  usage.observe(seen("key_1", 200, NOW + 70_000));
  expect(await lastUsed("key_1")).toBe("2026-06-01T12:01:10.000Z");
  usage.observe(seen("key_2"));
  await vi.advanceTimersByTimeAsync(3_000);
  await expect.poll(() => read("key_2")).toMatchObject({ requests: 1 });
  await usage.flush();
  expect(await read("key_1")).toMatchObject({ requests: 81, succeeded: 81 });
  expect((await read("key_1"))?.routes).toHaveLength(61);
  // The next day begins with few routes.
  const tomorrow = NOW + 86_400_000;
  usage.observe(seen("key_1", 200, tomorrow));
  await vi.advanceTimersByTimeAsync(3_000);
  await expect.poll(() => read("key_1", "2026-06-02")).toMatchObject({ requests: 1 });
  await usage.close();
});
