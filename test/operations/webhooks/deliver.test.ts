import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { WebhookVerificationError } from "standardwebhooks";

import { replays } from "../../../server/operations/webhooks/collections.ts";
import type { Harness, TestKey } from "../../harness.ts";
import { createRig, deliveriesOf, emit, openReceiver, sendDue, subscribe, verify } from "./rig.ts";
import type { Receiver, Subscribed } from "./rig.ts";

let harness: Harness;
let receiver: Receiver;
let key: TestKey;
let hook: Subscribed;
beforeEach(async () => {
  // The receiver's library goes by the real time.
  harness = await createRig({ now: new Date().toISOString() });
  receiver = await openReceiver();
  key = await harness.key();
  hook = await subscribe(harness, key, { url: receiver.url });
});
afterEach(async () => {
  await harness.close();
  await receiver.close();
});

const MINUTE_MS = 60_000;
const endpoint = async () =>
  (await harness.call("GET", `/v1/account/webhooks/${hook.id}`, { key })).json.data;
const first = () => {
  const [received] = receiver.got;
  if (received === undefined) throw new Error("Nothing was received.");
  return received;
};

describe("a delivery", () => {
  it("is signed so that the receiver's library takes it, with type, time, data and store", async () => {
    const id = await emit(harness, hook.part, "webhook.test", { order_id: "ord_1" });
    expect(await sendDue(harness)).toMatchObject({ events: 1, delivered: 1 });
    expect(receiver.got).toHaveLength(1);
    expect(first().id).toBe(id);
    expect(first().headers["content-type"]).toBe("application/json");
    expect(verify(hook.secret, first())).toEqual({
      type: "webhook.test",
      timestamp: expect.stringMatching(/Z$/),
      data: { order_id: "ord_1" },
      store_id: key.storeId,
      mode: "live",
    });
    const [delivery] = await deliveriesOf(harness, key, hook.id);
    expect(delivery).toMatchObject({ status: "delivered", attempts: 1, event_id: id, next_at: null });
    expect(delivery.history).toEqual([
      { at: expect.any(String), status: 204, duration_ms: expect.any(Number), error: null },
    ]);
  });

  it("is skipped where its endpoint no longer asks for its type", async () => {
    receiver.answer = () => ({ status: 500 });
    const id = await emit(harness, hook.part, "reviews.review.created");
    await sendDue(harness);
    const path = `/v1/account/webhooks/${hook.id}`;
    const body = { types: ["catering.*"] };
    expect((await harness.call("PATCH", path, { key, body })).status).toBe(200);
    harness.clock.advance(60 * MINUTE_MS);
    expect(await sendDue(harness)).toMatchObject({ delivered: 0, failed: 0, skipped: 1 });
    const [delivery] = await deliveriesOf(harness, key, hook.id);
    expect(delivery).toMatchObject({ event_id: id, status: "skipped", attempts: 1, next_at: null });
    expect(receiver.got).toHaveLength(1);
  });

  it("does not pass with another secret, another body or another id", async () => {
    await emit(harness, hook.part);
    await sendDue(harness);
    const other = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    expect(() => verify(other, first())).toThrow(WebhookVerificationError);
    expect(() => verify(hook.secret, { ...first(), body: `${first().body} ` })).toThrow(
      WebhookVerificationError,
    );
    const headers = { ...first().headers, "webhook-id": "evt_other" };
    expect(() => verify(hook.secret, { ...first(), headers })).toThrow(WebhookVerificationError);
  });

  it("is made only for endpoints that ask for its type", async () => {
    const keys = await subscribe(harness, key, { url: receiver.url, types: ["key.*"] });
    const tests = await subscribe(harness, key, { url: receiver.url, types: ["webhook.test"] });
    await emit(harness, hook.part);
    await sendDue(harness);
    expect(receiver.got).toHaveLength(2);
    expect(await deliveriesOf(harness, key, keys.id)).toEqual([]);
    expect(await deliveriesOf(harness, key, tests.id)).toHaveLength(1);
    // One event has one id, whoever is told of it.
    expect(new Set(receiver.got.map(({ id }) => id)).size).toBe(1);
  });

  it("is not made where nobody asks: the event is not even stored", async () => {
    const other = await harness.key();
    const part = other.storeId.toLowerCase();
    await emit(harness, part);
    expect(await harness.store.collections(part)).toEqual([]);
  });

  it("never leaves a store, nor its test data, for another's endpoint", async () => {
    const other = await harness.key();
    const test = await harness.key({ customer_id: key.customerId, store_id: key.storeId, mode: "test" });
    const theirs = await openReceiver();
    await subscribe(harness, other, { url: theirs.url });
    const made = await harness.call("POST", "/v1/account/webhooks", { key: test, body: { url: theirs.url } });
    expect(made.status).toBe(201);
    await emit(harness, hook.part);
    await emit(harness, `${hook.part}_test`);
    await sendDue(harness);
    expect(receiver.got).toHaveLength(1);
    expect(theirs.got).toHaveLength(1);
    expect(JSON.parse(theirs.got[0]?.body ?? "")).toMatchObject({ mode: "test", store_id: key.storeId });
  });

  it("is cut to its ids when it is larger than 20 kB", async () => {
    await emit(harness, hook.part, "webhook.test", { order_id: "ord_1", text: "x".repeat(20_000) });
    await sendDue(harness);
    expect(verify(hook.secret, first())).toMatchObject({ data: { order_id: "ord_1", truncated: true } });
  });
});

describe("a failure", () => {
  it("is tried again up the ladder under the same webhook-id, ten times in all", async () => {
    receiver.answer = () => ({ status: 500 });
    const id = await emit(harness, hook.part);
    for (let hour = 0; hour < 100; hour += 1) {
      for (let step = 0; step < 4; step += 1) await sendDue(harness);
      harness.clock.advance(60 * MINUTE_MS);
    }
    expect(receiver.got).toHaveLength(10);
    expect(new Set(receiver.got.map((received) => received.id))).toEqual(new Set([id]));
    const [delivery] = await deliveriesOf(harness, key, hook.id);
    expect(delivery).toMatchObject({ status: "failed", attempts: 10, next_at: null });
    expect(delivery.history.at(-1)).toMatchObject({
      status: 500,
      error: "The receiver responded with status 500.",
    });
    expect((await endpoint()).status).toBe("enabled");
  });

  it("is over with the first success, and the endpoint is well again", async () => {
    receiver.answer = () => ({ status: 503 });
    await emit(harness, hook.part);
    await sendDue(harness);
    expect((await endpoint()).failing_since).not.toBeNull();
    receiver.answer = () => ({ status: 200 });
    expect(await sendDue(harness)).toMatchObject({ delivered: 0 });
    harness.clock.advance(6_000);
    expect(await sendDue(harness)).toMatchObject({ delivered: 1 });
    expect((await endpoint()).failing_since).toBeNull();
  });

  it("waits for as long as Retry-After says", async () => {
    receiver.answer = () => ({ status: 429, headers: { "retry-after": "600" } });
    await emit(harness, hook.part);
    await sendDue(harness);
    harness.clock.advance(599_000);
    await sendDue(harness);
    expect(receiver.got).toHaveLength(1);
    harness.clock.advance(2_000);
    await sendDue(harness);
    expect(receiver.got).toHaveLength(2);
  });

  it("is a redirect, which is not followed", async () => {
    const elsewhere = await openReceiver();
    receiver.answer = () => ({ status: 307, headers: { location: elsewhere.url } });
    await emit(harness, hook.part);
    await sendDue(harness);
    expect(elsewhere.got).toEqual([]);
    const [delivery] = await deliveriesOf(harness, key, hook.id);
    expect(delivery.history[0]).toMatchObject({ status: 307, error: expect.stringContaining("Redirects") });
    await elsewhere.close();
  });

  it("is a receiver that is not there, and an address that may not be reached", async () => {
    await receiver.close();
    const inside = await subscribe(harness, key, { url: "https://10.0.0.1/hooks" });
    await emit(harness, hook.part);
    await sendDue(harness);
    const [gone] = await deliveriesOf(harness, key, hook.id);
    expect(gone.history[0]).toMatchObject({ status: null, error: expect.stringContaining("ECONNREFUSED") });
    const [refused] = await deliveriesOf(harness, key, inside.id);
    expect(refused.history[0]).toMatchObject({
      status: null,
      error: expect.stringContaining("no public address"),
    });
  });
});

describe("the budget of outgoing requests", () => {
  it("has deliveries wait for its renewal, which uses up no attempt and is no fault of the endpoint", async () => {
    const free = await harness.key({ plan: "free" });
    const { id, part } = await subscribe(harness, free, { url: receiver.url });
    const { store } = harness.services;
    const counter = `budget.outgoing.${free.customerId}`;
    await store.take(counter, Infinity, 60 * MINUTE_MS, 299);
    for (let event = 0; event < 3; event += 1) await emit(harness, part);
    expect(await sendDue(harness)).toMatchObject({ delivered: 1, failed: 0, skipped: 2 });
    const renewsAt = new Date(harness.clock.now() + 60 * MINUTE_MS).toISOString();
    const waiting = { status: "pending", attempts: 0, next_at: renewsAt, history: [] };
    const [sent, ...others] = (await deliveriesOf(harness, free, id)).toSorted(
      (one: { attempts: number }, other: { attempts: number }) => other.attempts - one.attempts,
    );
    expect(sent).toMatchObject({ status: "delivered", attempts: 1 });
    expect(others).toMatchObject([waiting, waiting]);
    harness.clock.advance(59 * MINUTE_MS);
    expect(await sendDue(harness)).toMatchObject({ delivered: 0, failed: 0, skipped: 0 });
    const endpointNow = (await harness.call("GET", `/v1/account/webhooks/${id}`, { key: free })).json.data;
    expect(endpointNow).toMatchObject({ status: "enabled", failing_since: null });
    harness.clock.advance(MINUTE_MS);
    expect(await sendDue(harness)).toMatchObject({ delivered: 2, failed: 0 });
    expect(receiver.got).toHaveLength(3);
  });
});

describe("an endpoint that fails", () => {
  const disabledMail = async () =>
    (await harness.services.mail.list({ limit: 50 })).items.filter(
      ({ message }) => message.template === "webhook-disabled",
    );
  const trail = async () =>
    (await harness.admin("GET", "/api/platform/admin/audit")).json.data.filter(
      ({ action }: { action: string }) => action === "webhook.disabled",
    );

  it("is switched off after 120 hours, with an audit entry, a mail and an event, once", async () => {
    const watcher = await openReceiver();
    const other = await subscribe(harness, key, { url: watcher.url, types: ["webhook.disabled"] });
    receiver.answer = () => ({ status: 500 });
    for (let hours = 0; hours <= 120; hours += 8) {
      await emit(harness, hook.part);
      await sendDue(harness);
      expect((await endpoint()).status).toBe(hours < 120 ? "enabled" : "disabled");
      harness.clock.advance(8 * 60 * MINUTE_MS);
    }
    await sendDue(harness);
    expect(await endpoint()).toMatchObject({ status: "disabled", disabled_reason: "failing" });
    expect(await trail()).toMatchObject([
      { subject: hook.id, customer_id: key.customerId, details: { reason: "failing" } },
    ]);
    await harness.services.jobs.run("mail.forward");
    const [mail] = await disabledMail();
    expect(mail?.message.to).toMatch(/@shop\.test$/);
    expect(mail?.message.text).toContain(`/v1/account/webhooks/${hook.id}/enable`);
    expect(watcher.got.map(({ body }) => JSON.parse(body).data)).toEqual([
      { endpoint_id: hook.id, reason: "failing" },
    ]);
    expect(await deliveriesOf(harness, key, other.id)).toHaveLength(1);
    await sendDue(harness);
    await harness.services.jobs.run("mail.forward");
    expect([(await trail()).length, (await disabledMail()).length]).toEqual([1, 1]);
    await watcher.close();
  });

  it("is switched off at once by 410", async () => {
    receiver.answer = () => ({ status: 410 });
    await emit(harness, hook.part);
    await sendDue(harness);
    expect(await endpoint()).toMatchObject({ status: "disabled", disabled_reason: "gone" });
    expect(await trail()).toHaveLength(1);
    await emit(harness, hook.part);
    await sendDue(harness);
    expect(receiver.got).toHaveLength(1);
  });

  it("is sent what it missed once it is on again", async () => {
    receiver.answer = () => ({ status: 500 });
    const since = new Date(harness.clock.now()).toISOString();
    for (let hours = 0; hours <= 120; hours += 24) {
      await emit(harness, hook.part);
      await sendDue(harness);
      harness.clock.advance(24 * 60 * MINUTE_MS);
    }
    expect((await endpoint()).status).toBe("disabled");
    const missed = await emit(harness, hook.part);
    await sendDue(harness);
    const [skipped] = await deliveriesOf(harness, key, hook.id);
    expect(skipped).toMatchObject({ event_id: missed, status: "skipped", attempts: 0 });
    const resend = () =>
      harness.call("POST", `/v1/account/webhooks/${hook.id}/resend`, { key, body: { since } });
    expect((await resend()).json.error.code).toBe("webhook_disabled");
    receiver.answer = () => ({ status: 204 });
    receiver.got.length = 0;
    expect((await harness.call("POST", `/v1/account/webhooks/${hook.id}/enable`, { key })).status).toBe(200);
    const ordered = await resend();
    expect(ordered.status).toBe(202);
    await sendDue(harness);
    const all = await deliveriesOf(harness, key, hook.id);
    expect(all.map(({ status }: { status: string }) => status)).toEqual(all.map(() => "delivered"));
    expect(new Set(receiver.got.map(({ id }) => id)).size).toBe(all.length);
    const replay = await harness.call("GET", ordered.headers.get("location") ?? "", { key });
    expect(replay.json.data).toMatchObject({ status: "done", resent: all.length });
  });
});

it("is sent, by a resend, what waits for its next attempt", async () => {
  receiver.answer = () => ({ status: 503 });
  const since = new Date(harness.clock.now()).toISOString();
  const event = await emit(harness, hook.part);
  await sendDue(harness);
  harness.clock.advance(10_000);
  await sendDue(harness);
  expect(await deliveriesOf(harness, key, hook.id)).toMatchObject([{ status: "pending", attempts: 2 }]);
  receiver.answer = () => ({ status: 204 });
  receiver.got.length = 0;
  const body = { since };
  const ordered = await harness.call("POST", `/v1/account/webhooks/${hook.id}/resend`, { key, body });
  await sendDue(harness);
  expect(receiver.got.map(({ id }) => id)).toEqual([event]);
  const replay = await harness.call("GET", ordered.headers.get("location") ?? "", { key });
  expect(replay.json.data).toMatchObject({ status: "done", resent: 1 });
});

it("looks through a bounded number of pages of replays at a time", async () => {
  const { newId, runTx } = harness.services;
  await emit(harness, hook.part);
  await sendDue(harness);
  const at = new Date(harness.clock.now()).toISOString();
  const about = { endpoint_id: hook.id, since: at, until: at, only: "all", resent: 0, cursor: null } as const;
  for (let round = 0; round < 5; round += 1) {
    await runTx(hook.part, async (tx) => {
      for (let count = 0; count < 50; count += 1)
        tx.create(replays, { ...about, id: newId("rpl"), created_at: at, updated_at: at, status: "running" });
    });
  }
  const running = async (): Promise<number> => {
    const { items } = await runTx(hook.part, (tx) => tx.peekPage(replays, { index: "open", limit: 500 }));
    return items.length;
  };
  await sendDue(harness);
  expect(await running()).toBe(50);
  await sendDue(harness);
  expect(await running()).toBe(0);
});
