import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { ENDPOINTS_MAX } from "../../../server/operations/webhooks/endpoints.ts";
import { eventFilters } from "../../../server/core/events.ts";
import { storePartition } from "../../../server/core/partitions.ts";
import { createHarness } from "../../harness.ts";
import type { Harness, TestKey } from "../../harness.ts";
import { operator } from "../../accounts/support.ts";
import { createRig, deliveriesOf, emit, openReceiver, sendDue, subscribe, verify } from "./rig.ts";
import type { Receiver } from "./rig.ts";

let harness: Harness;
let receiver: Receiver;
beforeAll(async () => {
  harness = await createRig({ now: new Date().toISOString() });
  receiver = await openReceiver();
});
afterAll(async () => {
  await harness.close();
  await receiver.close();
});

const URL = "https://orders.shop.example/hooks";
const add = (key: TestKey, body: object) => harness.call("POST", "/v1/account/webhooks", { key, body });
const wanted = async (key: TestKey) => {
  const part = storePartition(key.storeId, "live");
  return (await harness.services.runTx(part, (tx) => tx.get(eventFilters, "wanted")))?.value.types ?? null;
};

describe("an endpoint", () => {
  it("shows its secret once", async () => {
    const key = await harness.key();
    const made = await add(key, { url: URL, types: ["reviews.*"], description: "Desk" });
    expect(made.json.data).toMatchObject({
      url: URL,
      status: "enabled",
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const path = made.headers.get("location") ?? "";
    const shown = await harness.call("GET", path, { key });
    expect([shown.status, shown.json.data.types]).toEqual([200, ["reviews.*"]]);
    for (const answer of [shown, await harness.call("GET", "/v1/account/webhooks", { key })]) {
      expect(answer.text).not.toContain("whsec_");
    }
  });

  it.each([
    ["plain http", { url: "http://shop.example/hooks" }, "#/url"],
    ["another scheme", { url: "ftp://shop.example/hooks" }, "#/url"],
    ["a password", { url: "https://me:secret@shop.example/hooks" }, "#/url"],
    ["a fragment", { url: "https://shop.example/hooks#a" }, "#/url"],
    ["no address", { url: "shop.example" }, "#/url"],
    ["no type", { url: URL, types: [] }, "#/types"],
    ["a type that nobody sends", { url: URL, types: ["*", "reviews.review.eaten"] }, "#/types/1"],
    ["an engine that is not there", { url: URL, types: ["shoes.*"] }, "#/types/0"],
  ])("422 for %s", async (_, body, pointer) => {
    const strict = await createHarness();
    const key = await strict.key();
    const answer = await strict.call("POST", "/v1/account/webhooks", { key, body });
    expect([answer.status, answer.json.error.errors[0].pointer]).toEqual([422, pointer]);
    await strict.close();
  });

  it("409 webhook_limit past ten, also when they are added side by side", async () => {
    const key = await harness.key();
    const answers = await Promise.all(
      Array.from({ length: ENDPOINTS_MAX + 3 }, () => add(key, { url: URL })),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(ENDPOINTS_MAX);
    const refused = answers.filter(({ status }) => status === 409).map(({ json }) => json.error.code);
    expect(new Set(refused)).toEqual(new Set(["webhook_limit"]));
  });

  it("is another store's to nobody", async () => {
    const key = await harness.key();
    const stranger = await harness.key();
    const { id } = (await add(key, { url: URL })).json.data;
    for (const [method, path] of [
      ["GET", `/v1/account/webhooks/${id}`],
      ["DELETE", `/v1/account/webhooks/${id}`],
      ["POST", `/v1/account/webhooks/${id}/rotate-secret`],
      ["POST", `/v1/account/webhooks/${id}/test`],
      ["GET", `/v1/account/webhooks/${id}/deliveries`],
    ] as const) {
      expect((await harness.call(method, path, { key: stranger })).status).toBe(404);
    }
  });

  it("makes just the events be kept that somebody wants, whatever becomes of the others", async () => {
    const key = await harness.key();
    expect(await wanted(key)).toBeNull();
    const one = (await add(key, { url: URL, types: ["reviews.*"] })).json.data.id;
    const two = (await add(key, { url: URL, types: ["cart.lost", "reviews.*"] })).json.data.id;
    expect(await wanted(key)).toEqual(["reviews.*", "cart.lost"]);
    await harness.call("PATCH", `/v1/account/webhooks/${two}`, { key, body: { types: ["menus.*"] } });
    expect(await wanted(key)).toEqual(["reviews.*", "menus.*"]);
    await harness.call("POST", `/v1/account/webhooks/${one}/disable`, { key });
    expect(await wanted(key)).toEqual(["menus.*"]);
    await harness.call("POST", `/v1/account/webhooks/${one}/enable`, { key });
    await harness.call("DELETE", `/v1/account/webhooks/${two}`, { key });
    expect(await wanted(key)).toEqual(["reviews.*"]);
    await harness.call("DELETE", `/v1/account/webhooks/${one}`, { key });
    expect(await wanted(key)).toBeNull();
  });

  it("takes changes under If-Match", async () => {
    const key = await harness.key();
    const { id } = (await add(key, { url: URL })).json.data;
    const path = `/v1/account/webhooks/${id}`;
    const etag = (await harness.call("GET", path, { key })).headers.get("etag") ?? "";
    const change = (description: string) =>
      harness.call("PATCH", path, { key, body: { description }, headers: { "if-match": etag } });
    expect((await change("one")).status).toBe(200);
    expect((await change("two")).status).toBe(412);
  });
});

describe("a secret", () => {
  it("is changed with both signing during the overlap", async () => {
    const key = await harness.key();
    const hook = await subscribe(harness, key, { url: receiver.url });
    receiver.got.length = 0;
    const rotated = await harness.call("POST", `/v1/account/webhooks/${hook.id}/rotate-secret`, {
      key,
      body: { overlap_seconds: 240 },
    });
    const { secret } = rotated.json.data;
    expect(secret).not.toBe(hook.secret);
    await emit(harness, hook.part);
    await sendDue(harness);
    const [both] = receiver.got;
    expect(both?.headers["webhook-signature"]).toMatch(/^v1,\S+ v1,\S+$/);
    if (both !== undefined) {
      expect(verify(hook.secret, both)).toMatchObject({ type: "webhook.test" });
      expect(verify(secret, both)).toMatchObject({ type: "webhook.test" });
    }
    harness.clock.advance(240_000);
    await emit(harness, hook.part);
    await sendDue(harness);
    const after = receiver.got[1];
    expect(after?.headers["webhook-signature"]).toMatch(/^v1,\S+$/);
    if (after !== undefined) {
      expect(verify(secret, after)).toMatchObject({ type: "webhook.test" });
      expect(() => verify(hook.secret, after)).toThrow(/signature/i);
    }
  });
});

describe("the log of deliveries", () => {
  it("is listed by status, and forgotten after 90 days", async () => {
    const key = await harness.key();
    const hook = await subscribe(harness, key, { url: receiver.url });
    await emit(harness, hook.part);
    await sendDue(harness);
    const of = async (status: string) =>
      (await harness.call("GET", `/v1/account/webhooks/${hook.id}/deliveries?status=${status}`, { key })).json
        .data;
    expect([(await of("delivered")).length, (await of("failed")).length]).toEqual([1, 0]);
    harness.clock.advance(90 * 86_400_000 - 1);
    await harness.services.jobs.run("webhooks.tidy");
    expect(await deliveriesOf(harness, key, hook.id)).toHaveLength(1);
    harness.clock.advance(1);
    expect((await harness.services.jobs.run("webhooks.tidy")).counts).toMatchObject({
      forgotten: expect.any(Number),
    });
    expect(await deliveriesOf(harness, key, hook.id)).toEqual([]);
  });
});

describe("the operator", () => {
  it("sees, tests, resends and switches off what a store has, and leaves a trace", async () => {
    const key = await harness.key();
    const hook = await subscribe(harness, key, { url: receiver.url });
    const where = `?store_id=${key.storeId}`;
    const listed = await operator(harness, "GET", `/webhooks${where}`);
    expect(listed.json.data.map(({ id }: { id: string }) => id)).toEqual([hook.id]);
    expect(listed.text).not.toContain("whsec_");
    expect((await operator(harness, "GET", "/webhooks")).json.data).toEqual([]);
    receiver.got.length = 0;
    await operator(harness, "POST", `/webhooks/${hook.id}/test${where}`);
    await sendDue(harness);
    const sent = (await operator(harness, "GET", `/webhooks/${hook.id}/deliveries${where}`)).json.data;
    expect(sent).toMatchObject([{ status: "delivered", type: "webhook.test" }]);
    await operator(harness, "POST", `/webhooks/${hook.id}/deliveries/${sent[0].id}/resend${where}`);
    await sendDue(harness);
    await operator(harness, "POST", `/webhooks/${hook.id}/resend${where}`, {
      since: sent[0].created_at,
      only: "all",
    });
    await sendDue(harness);
    expect(receiver.got).toHaveLength(3);
    expect(new Set(receiver.got.map(({ id }) => id)).size).toBe(1);
    const off = await operator(harness, "POST", `/webhooks/${hook.id}/disable${where}`);
    expect(off.json.data).toMatchObject({ status: "disabled", disabled_reason: "manual" });
    const tested = await harness.admin("POST", `/api/platform/admin/webhooks/${hook.id}/test${where}`);
    expect(tested.json.error.code).toBe("webhook_disabled");
    const trail = (await operator(harness, "GET", "/audit")).json.data;
    expect(trail.slice(0, 2).map(({ action }: { action: string }) => action)).toEqual([
      "webhook.disabled",
      "webhook.resent",
    ]);
    expect((await harness.admin("GET", "/api/platform/admin/webhooks?store_id=sto_nothing")).status).toBe(
      404,
    );
  });
});
