import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { collectGarbage } from "../support/collect-garbage.ts";
import { ConfigSchema } from "../../server/config/schema.ts";
import type { Observation } from "../../server/http/principal.ts";
import { createRequestLog } from "../../server/observability/request-log.ts";
import type { RequestLogSettings } from "../../server/observability/request-log.ts";
import { pageStored, requestBatches } from "../../server/observability/request-store.ts";
import { remember, toEntry } from "../../server/observability/request-entry.ts";
import { createMemoryDriver } from "../../server/storage/memory.ts";
import { createHarness, createTestClock } from "../harness.ts";
import type { Harness, TestKey } from "../harness.ts";

const settings = (given: Partial<RequestLogSettings> = {}): RequestLogSettings => ({
  ...ConfigSchema.parse({}).requestLog,
  ...given,
});

describe("the log of a service", () => {
  let app: Harness;
  let key: TestKey;
  beforeAll(async () => {
    app = await createHarness();
    key = await app.key();
  });
  afterAll(() => app.close());

  const idOf = (answer: { headers: Headers }): string => answer.headers.get("x-request-id") ?? "";

  it("tells by request id what a customer was refused, and who it was", async () => {
    const body = { postcode: "", basketTotal: "ada@shop.example" };
    const refused = await app.call("POST", "/v1/delivery/validate?token=abc", { key, body });
    expect(refused.status).toBe(422);
    const shown = await app.admin("GET", `/api/platform/admin/logs/${idOf(refused)}`);
    expect(shown.json.data).toMatchObject({
      request_id: idOf(refused),
      method: "POST",
      route: "delivery.validate",
      path: null,
      status: 422,
      key_id: key.id,
      customer_id: key.customerId,
      store_id: key.storeId,
      error: { type: "unprocessable_content", cause: null },
    });
    expect(shown.json.data.error.fields.length).toBeGreaterThan(0);
    expect(shown.text).not.toMatch(/ada@|token=abc|plat_live/);
  });

  it("remembers what went well in this process, and stores what did not", async () => {
    const fine = await app.call("GET", "/v1/delivery/zones", { key });
    const missing = await app.call("GET", "/v1/delivery/zonez/zon_7/x@y.example", { key });
    expect((await app.admin("GET", `/api/platform/admin/logs/${idOf(fine)}`)).json.data).toMatchObject({
      status: 200,
      error: null,
    });
    const recent = await app.admin("GET", "/api/platform/admin/logs?recent=true&limit=100");
    const ids = recent.json.data.map((entry: { request_id: string }) => entry.request_id);
    expect(ids.slice(0, 2)).toEqual([idOf(missing), idOf(fine)]);
    const stored = await app.admin("GET", "/api/platform/admin/logs?limit=100");
    const statuses = new Set(stored.json.data.map((entry: { status: number }) => entry.status));
    expect(statuses.has(200)).toBe(false);
    expect(stored.json.data[0]).toMatchObject({
      request_id: idOf(missing),
      route: null,
      path: "/v1/delivery/zonez/…/…",
    });
  });

  it("filters by key, status and route", async () => {
    const other = await app.key();
    await app.call("GET", "/v1/delivery/zones/zon_none", { key: other });
    await app.call("GET", "/v1/delivery/zones", { key: `plat_live_${"0".repeat(36)}` });
    const list = async (query: string) =>
      (await app.admin("GET", `/api/platform/admin/logs?limit=100&${query}`)).json.data;
    expect(await list(`key_id=${other.id}`)).toMatchObject([{ status: 404, route: "delivery.zones.get" }]);
    expect(await list("status=401")).toMatchObject([{ key_id: null, error: { type: "unauthorized" } }]);
    const zones: { route: string }[] = await list("route=delivery.zones");
    expect(new Set(zones.map(({ route }) => route))).toEqual(new Set(["delivery.zones.get"]));
    expect(await list("status=5xx")).toEqual([]);
    expect((await app.admin("GET", "/api/platform/admin/logs?status=9xx")).status).toBe(422);
  });

  it("pages through everything once, newest first", async () => {
    for (let sent = 0; sent < 7; sent += 1) {
      await app.call("GET", `/v1/delivery/zones/zon_${sent}`, { key });
      if (sent % 3 === 0) await app.services.requestLog.flush();
      app.clock.advance(1_000);
    }
    const whole = (await app.admin("GET", "/api/platform/admin/logs?limit=100")).json.data;
    const seen: string[] = [];
    let cursor = "";
    do {
      const query: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const page = (await app.admin("GET", `/api/platform/admin/logs?limit=2${query}`)).json;
      seen.push(...page.data.map((entry: { request_id: string }) => entry.request_id));
      cursor = page.meta.pagination.next_cursor ?? "";
    } while (cursor !== "");
    expect(seen).toEqual(whole.map((entry: { request_id: string }) => entry.request_id));
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBeGreaterThan(7);
  });

  it("404 says how long what is kept", async () => {
    const answer = await app.admin("GET", "/api/platform/admin/logs/req_01JD8Z5T9QK3M4N5P6R7S8T9V0");
    expect(answer.status).toBe(404);
    expect(answer.json.error.detail).toContain("14 days");
  });

  it("streams requests as they are answered", async () => {
    const response = await app.app.fetch(
      new Request("http://platform.test/api/platform/admin/logs/stream?status=4xx", {
        headers: { authorization: `Bearer ${app.adminToken}` },
      }),
    );
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const read = async (until: RegExp): Promise<string> => {
      let text = "";
      while (!until.test(text)) text += (await reader?.read())?.value ?? "";
      return text;
    };
    await read(/event: ready/);
    await app.call("GET", "/v1/delivery/zones", { key });
    const refused = await app.call("GET", "/v1/delivery/zones/zon_none", { key });
    const news = await read(/event: request\ndata: .*\n\n/);
    expect(news).toContain(idOf(refused));
    expect(news.match(/event: request/g)).toHaveLength(1);
    await reader?.cancel();
  });
});

describe("what is kept", () => {
  let store: ReturnType<typeof createMemoryDriver>;
  let rig: Awaited<ReturnType<typeof createRig>>;
  beforeEach(async () => {
    store = createMemoryDriver({ clock: createTestClock() });
    rig = await createRig(settings());
  });

  async function createRig(given: RequestLogSettings) {
    const app = await createHarness({ store });
    const { runTx, clock, newId, log } = app.services;
    const requestLog = createRequestLog({ runTx, clock, newId, log, settings: given });
    const seen = (more: Partial<Observation> = {}): Observation => ({
      now: clock.now(),
      requestId: newId("req"),
      principal: null,
      routeId: "delivery.zones.list",
      method: "GET",
      status: 404,
      rate: null,
      durationMs: 2,
      target: "/v1/delivery/zones",
      refusal: { type: "not_found", detail: "No resource with this id.", options: {}, bug: null },
      ...more,
    });
    const stored = () => runTx("platform", (tx) => tx.peekAll(requestBatches));
    return { requestLog, seen, stored, runTx, clock: app.clock };
  }

  const KEYED = {
    kind: "key",
    keyId: "key_1",
    customerId: "cus_1",
    mode: "live",
    tier: "free",
    isPublic: false,
    limitPerMinute: 60,
    payer: {
      customerId: "cus_1",
      limits: { mails: null, new_recipients: null, cpu: null, background: null, outgoing: null, ai: null },
      storage: { documents: null, bytes: null },
    },
    scopes: new Set<string>(),
    store: { id: "sto_1", identifier: "shop" },
    expiresAt: null,
  } as const;

  it("stores entries with long names in several batches: they do not fit into one", async () => {
    const { requestLog, seen, stored } = await createRig(settings());
    const errors = Array.from({ length: 5 }, (_, n) => ({
      pointer: `/${"漢".repeat(290)}${n}`,
      detail: "Unknown.",
    }));
    const refusal = {
      type: "unprocessable_content",
      detail: "Invalid.",
      options: { errors },
      bug: null,
    } as const;
    for (let count = 0; count < 100; count += 1) requestLog.observe(seen({ principal: KEYED, refusal }));
    await requestLog.flush();
    const batches = await stored();
    expect(batches.flatMap(({ value }) => value.entries)).toHaveLength(100);
    expect(batches.length).toBeGreaterThan(1);
    await requestLog.close();
  });

  it("survives a restart", async () => {
    const seen = rig.seen();
    rig.requestLog.observe(seen);
    await rig.requestLog.close();
    const next = await createRig(settings());
    expect(await next.requestLog.find(seen.requestId)).toEqual(toEntry(remember(seen)));
    expect(next.requestLog.recent()).toEqual([]);
  });

  it("lists what two nodes stored at the same time in the order of time", async () => {
    const other = await createRig(settings());
    const sent: string[] = [];
    for (const { requestLog, seen } of [rig, other, rig, other]) {
      const observed = rig.seen({ principal: KEYED, requestId: seen().requestId });
      sent.push(observed.requestId);
      requestLog.observe(observed);
      rig.clock.advance(1_000);
    }
    await rig.requestLog.flush();
    await other.requestLog.flush();
    const query = { limit: 4, from: null, isWanted: () => true };
    const { items } = await rig.runTx("platform", (tx) => pageStored(tx, query));
    expect(items.map((entry) => entry.request_id)).toEqual(sent.toReversed());
    await other.requestLog.close();
  });

  it("is found across minutes, wherever its batch was written", async () => {
    const slow = rig.seen();
    rig.clock.advance(300_000);
    rig.requestLog.observe(slow);
    rig.requestLog.observe(rig.seen());
    await rig.requestLog.close();
    const next = await createRig(settings());
    expect((await next.requestLog.find(slow.requestId))?.request_id).toBe(slow.requestId);
    expect(await next.requestLog.find("req_nonsense")).toBeNull();
  });

  it("writes one document for many requests, and none for what went well", async () => {
    for (let count = 0; count < 60; count += 1) {
      rig.requestLog.observe(rig.seen({ principal: KEYED }));
      rig.requestLog.observe(rig.seen({ status: 200, refusal: null }));
    }
    await rig.requestLog.flush();
    const batches = await rig.stored();
    expect(batches).toHaveLength(1);
    expect(batches[0]?.value.entries).toHaveLength(60);
  });

  it("lets a flood of strangers push out no failure of a customer", async () => {
    for (let count = 0; count < 500; count += 1) rig.requestLog.observe(rig.seen({ status: 401 }));
    const failure = rig.seen({ status: 500 });
    rig.requestLog.observe(failure);
    await rig.requestLog.flush();
    const batches = await rig.stored();
    const entries = batches.flatMap(({ value }) => value.entries);
    expect(entries).toHaveLength(51);
    expect(entries[0]?.request_id).toBe(failure.requestId);
    expect(batches.reduce((sum, { value }) => sum + value.skipped, 0)).toBe(450);
  });

  it("is bounded in number", async () => {
    rig = await createRig(settings({ entries: 100 }));
    for (let round = 0; round < 30; round += 1) {
      for (let count = 0; count < 20; count += 1) rig.requestLog.observe(rig.seen({ status: 500 }));
      await rig.requestLog.flush();
      rig.clock.advance(1_000);
    }
    const kept = (await rig.stored()).reduce((sum, { value }) => sum + value.entries.length, 0);
    expect(kept).toBeGreaterThanOrEqual(100);
    expect(kept).toBeLessThanOrEqual(120);
  });

  it("is bounded in memory, and stores nothing where it is told so", async () => {
    rig = await createRig(settings({ memory: 100, store: "none" }));
    const all = Array.from({ length: 250 }, () => rig.seen());
    for (const seen of all) rig.requestLog.observe(seen);
    await rig.requestLog.close();
    expect(rig.requestLog.recent().map(({ request_id }) => request_id)).toEqual(
      all
        .slice(-100)
        .toReversed()
        .map(({ requestId }) => requestId),
    );
    expect(await rig.stored()).toEqual([]);
  });

  it("keeps what went well too where it is told so", async () => {
    rig = await createRig(settings({ store: "all" }));
    rig.requestLog.observe(rig.seen({ status: 200, refusal: null }));
    await rig.requestLog.flush();
    expect((await rig.stored())[0]?.value.entries).toMatchObject([{ status: 200, error: null }]);
  });

  it("keeps nothing of a long body that a refusal quotes, not even through a part of its text", () => {
    const heapMb = (): number => {
      collectGarbage();
      return process.memoryUsage().heapUsed / 1_048_576;
    };
    const before = heapMb();
    for (let count = 0; count < 200; count += 1) {
      const sent = Buffer.alloc(1_000_000, `${count} `).toString("latin1");
      const detail = `No category has the id ${sent.slice(0, 100)}.`;
      const options = { errors: [{ pointer: `#/${sent}`, detail }], cause: { sent } };
      const refusal = { type: "unprocessable_content", detail, options, bug: new Error(sent) } as const;
      rig.requestLog.observe(rig.seen({ refusal, routeId: null, target: `/v1/${sent}` }));
    }
    expect(heapMb() - before).toBeLessThan(20);
    expect(rig.requestLog.recent()[0]?.error?.detail).toMatch(/^No category has the id (199 )+\.$/);
  });

  it("keeps no secret that a detail quotes", () => {
    const detail = `plat_live_${"A".repeat(36)} ada@shop.example token=s3cr3t Bearer abc.def`;
    const refusal = { type: "conflict", detail, options: {}, bug: new Error(detail) } as const;
    const entry = toEntry(remember(rig.seen({ refusal })));
    expect(JSON.stringify(entry)).not.toMatch(/AAAA|ada@|s3cr3t|abc\.def/);
  });
});
