import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readEvents } from "../../../cli/live/sse.ts";
import { createHarness } from "../../harness.ts";
import type { Harness, TestKey } from "../../harness.ts";
import { createCleanup, serve } from "../../serve/rig.ts";
import { deliveriesOf, emit, sendDue, subscribe } from "./rig.ts";

const cleanup = createCleanup();
let harness: Harness;
beforeAll(async () => {
  harness = await createHarness({ now: new Date().toISOString() });
});
afterAll(async () => {
  await harness.close();
  await cleanup.run();
});

const HOUR_MS = 3_600_000;
const listen = (key: TestKey, types: readonly string[] = ["*"]) =>
  subscribe(harness, key, { url: "", types });
const report = (key: TestKey, id: string, delivery: string, status: number | null) =>
  harness.call("POST", `/v1/account/webhooks/${id}/deliveries/${delivery}/result`, {
    key,
    body: { status, duration_ms: 12 },
  });

describe("a listener", () => {
  it("keeps its deliveries pending until their result is reported; nothing is posted", async () => {
    const key = await harness.key();
    const { id, part } = await listen(key, ["webhook.*"]);
    await emit(harness, part, "webhook.test", { n: 1 });
    await emit(harness, part, "webhook.test", { n: 2 });
    await sendDue(harness);
    const [second, first] = await deliveriesOf(harness, key, id);
    expect([first, second]).toMatchObject([
      { status: "pending", next_at: null, attempts: 0 },
      { status: "pending", next_at: null, attempts: 0 },
    ]);
    const delivered = await report(key, id, first.id, 204);
    expect(delivered.json.data).toMatchObject({
      status: "delivered",
      attempts: 1,
      history: [{ status: 204 }],
    });
    expect((await report(key, id, second.id, null)).json.data).toMatchObject({ status: "failed" });
    const again = await harness.call("POST", `/v1/account/webhooks/${id}/deliveries/${second.id}/resend`, {
      key,
    });
    expect(again.status).toBe(200);
    await sendDue(harness);
    expect((await deliveriesOf(harness, key, id))[0]).toMatchObject({ status: "pending", next_at: null });
  });

  it("is deleted an hour after its last reader, and receives nothing from then on", async () => {
    const key = await harness.key();
    const old = await listen(key);
    harness.clock.advance(HOUR_MS);
    await emit(harness, old.part);
    await sendDue(harness);
    expect(await deliveriesOf(harness, key, old.id)).toEqual([]);
    await listen(key);
    expect((await harness.call("GET", `/v1/account/webhooks/${old.id}`, { key })).status).toBe(404);
    const other = await listen(key);
    harness.clock.advance(HOUR_MS);
    await harness.services.jobs.run("webhooks.tidy");
    expect((await harness.call("GET", `/v1/account/webhooks/${other.id}`, { key })).status).toBe(404);
  });

  it("404 for the key of another store, 403 for one that may not read the events, 409 for an endpoint with a URL", async () => {
    const key = await harness.key();
    const { id } = await listen(key, ["reviews.*"]);
    const path = `/v1/account/webhooks/${id}/stream`;
    expect((await harness.call("GET", path, { key: await harness.key() })).status).toBe(404);
    const blind = await harness.key({
      customer_id: key.customerId,
      store_id: key.storeId,
      scopes: ["account:read", "account:write"],
    });
    expect((await harness.call("GET", path, { key: blind })).status).toBe(403);
    const body = { url: "", types: ["reviews.*"] };
    expect((await harness.call("POST", "/v1/account/webhooks", { key: blind, body })).status).toBe(403);
    const posted = await subscribe(harness, key, { url: "https://shop.example/hooks", types: ["reviews.*"] });
    const refused = await harness.call("GET", `/v1/account/webhooks/${posted.id}/stream`, { key });
    expect([refused.status, refused.json.error.code]).toEqual([409, "webhook_not_listener"]);
    await emit(harness, posted.part, "reviews.review.submitted");
    await sendDue(harness);
    const [delivery] = await deliveriesOf(harness, key, posted.id);
    expect((await report(key, posted.id, delivery.id, 200)).json.error.code).toBe("webhook_not_listener");
  });
});

describe("a test event of a type", () => {
  const trigger = (key: TestKey, id: string, type: string) =>
    harness.call("POST", `/v1/account/webhooks/${id}/test`, { key, body: { type } });

  it("has the example of the type, for a listener and for test data, never for a URL with live data", async () => {
    const type = "reviews.review.submitted";
    const live = await harness.key();
    const { id } = await listen(live, ["reviews.*"]);
    const sent = await trigger(live, id, type);
    expect(sent.status).toBe(202);
    expect(JSON.parse(sent.json.data.body)).toMatchObject({
      type,
      mode: "live",
      data: { review_id: expect.any(String) },
    });
    const posted = await subscribe(harness, live, { url: "https://shop.example/hooks" });
    expect((await trigger(live, posted.id, type)).json.error.code).toBe("webhook_live");
    expect((await trigger(live, posted.id, "webhook.test")).status).toBe(202);
    expect((await trigger(live, id, "reviews.review.eaten")).status).toBe(422);
    const test = await harness.key({ mode: "test" });
    const made = await harness.call("POST", "/v1/account/webhooks", {
      key: test,
      body: { url: "https://shop.example/hooks" },
    });
    const inTest = await trigger(test, made.json.data.id, type);
    expect([inTest.status, JSON.parse(inTest.json.data.body).mode]).toEqual([202, "test"]);
  });
});

describe("the stream of a listener", () => {
  it("sends what is pending, then what happens, and again what was not reported; three at a time for a key", async () => {
    const server = await serve(cleanup);
    const headers = { authorization: `Bearer ${server.adminToken}`, "content-type": "application/json" };
    const admin = async (path: string, body: object) =>
      (
        await fetch(`${server.url}/api/platform/admin${path}`, {
          method: "POST",
          headers,
          body: JSON.stringify(body),
        })
      ).json();
    const customer = await admin("/customers", {
      email: "ada@shop.example",
      storeIdentifier: "ada",
      mail: false,
    });
    const customer_id: string = customer.data.customer_id;
    await admin(`/customers/${customer_id}/verify`, {});
    const issued = await admin("/keys", { customer_id, preset: "full", name: "listener" });
    const own = { ...headers, authorization: `Bearer ${issued.data.api_key}` };
    const call = async (path: string, body: object) =>
      (
        await fetch(`${server.url}/v1/account/webhooks${path}`, {
          method: "POST",
          headers: own,
          body: JSON.stringify(body),
        })
      ).json();
    const { id } = (await call("", { types: ["reviews.*"] })).data;
    const open = async () => {
      const cut = new AbortController();
      const response = await fetch(`${server.url}/v1/account/webhooks/${id}/stream`, {
        headers: own,
        signal: cut.signal,
      });
      cleanup.add(async () => cut.abort());
      if (response.body === null || response.status !== 200)
        return { status: response.status, next: null, cut };
      const events = readEvents(response.body);
      const next = async () => (await events.next()).value;
      return { status: 200, next, cut };
    };
    await call(`/${id}/test`, { type: "reviews.review.submitted" });
    const first = await open();
    const seen = [await first.next?.(), await first.next?.()].map((event) => event?.event);
    expect(new Set(seen)).toEqual(new Set(["delivery", "ready"]));
    await call(`/${id}/test`, { type: "reviews.review.published" });
    expect(JSON.parse((await first.next?.())?.data ?? "")).toMatchObject({
      event_type: "reviews.review.published",
      body: expect.stringContaining('"timestamp"'),
    });

    const second = await open();
    const types = [await second.next?.(), await second.next?.(), await second.next?.()].flatMap((event) =>
      event?.event === "delivery" ? [JSON.parse(event.data).event_type] : [],
    );
    expect(types).toEqual(["reviews.review.submitted", "reviews.review.published"]);
    const third = await open();
    expect([third.status, (await open()).status]).toEqual([200, 429]);
    for (const { cut } of [first, second, third]) cut.abort();
  });

  // In one piece, a hundred deliveries of 20 KB kept the event loop for 100 ms.
  it("sends many in pieces, of which each is written when the one before was taken", async () => {
    const key = await harness.key();
    const { id, part } = await listen(key, ["webhook.*"]);
    for (let n = 0; n < 20; n += 1)
      await emit(harness, part, "webhook.test", { n, text: "x".repeat(19_000) });
    await sendDue(harness);
    const headers = { authorization: `Bearer ${key.plaintext}` };
    const path = `http://platform.test/v1/account/webhooks/${id}/stream`;
    const response = await harness.app.fetch(new Request(path, { headers }));
    const reader = response.body?.getReader();
    const sizes: number[] = [];
    for (let sum = 0; sum < 380_000; sum += sizes.at(-1) ?? 0)
      sizes.push((await reader?.read())?.value?.length ?? Infinity);
    await reader?.cancel();
    expect(Math.max(...sizes)).toBeLessThan(100_000);
  });
});
