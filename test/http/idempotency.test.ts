import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { storePartition } from "../../server/core/partitions.ts";
import { createHarness } from "../harness.ts";
import type { Answer, Harness, TestKey } from "../harness.ts";

const ZONE = { name: "Centre", patterns: ["SW1A"], fee_tiers: [{ from: 0, fee: 499 }] };
const HOUR_MS = 3_600_000;

let harness: Harness;
let key: TestKey;
beforeEach(async () => {
  harness = await createHarness();
  key = await harness.key();
});
afterEach(() => harness.close());

const create = (idempotencyKey: string, body: unknown = ZONE, more = {}): Promise<Answer> =>
  harness.call("POST", "/v1/delivery/zones", {
    key,
    body,
    headers: { "idempotency-key": idempotencyKey, ...more },
  });
const zones = async (): Promise<number> =>
  (await harness.call("GET", "/v1/delivery/zones", { key })).json.data.length;

describe("Idempotency-Key", () => {
  it("can be sent to the account routes 2,000 times a day, whose responses are in no quota", async () => {
    const change = (n: number) =>
      harness.call("POST", "/v1/account/keys", {
        key,
        body: { preset: "full" },
        headers: { "idempotency-key": `account-${n}` },
      });
    expect((await change(1)).status).toBe(201);
    await harness.store.take(`account-replies.${key.customerId}`, Infinity, 24 * HOUR_MS, 1_999);
    expect((await change(2)).json.error.detail).toBe(
      "At most 2000 requests with an Idempotency-Key to the account routes per day. Retry in 86400 seconds.",
    );
    expect((await create("zone")).status).toBe(201);
    harness.clock.advance(24 * HOUR_MS);
    expect((await change(3)).status).toBe(201);
  });

  it("of visitors stores nothing where they change nothing: it would fill the store of the shop", async () => {
    const visitor = await harness.key({
      kind: "publishable",
      scopes: ["cart:public"],
      customer_id: key.customerId,
      store_id: key.storeId,
    });
    const evaluate = (by: TestKey, idempotencyKey: string) =>
      harness.call("POST", "/v1/cart/evaluations", {
        key: by,
        body: { lines: [{ id: "1", ref: "croissant", quantity: 3, unit_price: 250 }], channel: "web" },
        headers: { "idempotency-key": idempotencyKey },
      });
    const systemBytes = async () =>
      (await harness.store.usage(storePartition(key.storeId, "live"))).systemBytes;
    const before = await systemBytes();
    expect((await evaluate(visitor, "a")).status).toBe(200);
    expect(await systemBytes()).toBe(before);
    expect((await evaluate(key, "a")).status).toBe(200);
    expect(await systemBytes()).toBeGreaterThan(before);
  });

  it("does the work once for 20 simultaneous requests, and tells the others to wait", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create("same")));
    const done = answers.filter(({ status }) => status === 201);
    expect(new Set(done.map(({ json }) => json.data.id)).size).toBe(1);
    for (const { status, headers } of answers.filter((answer) => answer.status !== 201)) {
      expect([status, headers.get("retry-after")]).toEqual([409, "1"]);
    }
    expect(await zones()).toBe(1);
  });

  it("charges what a body of many values takes to be compared", async () => {
    const body = { data: { x: Array.from({ length: 99_000 }, () => 0) } };
    const path = "/v1/forms/frm_01JD8Z5T9QK3M4N5P6R7S8T9V1/submissions";
    const bare = await harness.key();
    const used = async (by: TestKey) => (await harness.store.peek(`budget.cpu.${by.customerId}`))?.count ?? 0;
    // Those of more than 20 ms are charged beyond a second of a minute.
    for (let n = 0; n < 15; n += 1) {
      await harness.call("POST", path, { key, body, headers: { "idempotency-key": `large-${n}` } });
      await harness.call("POST", path, { key: bare, body });
    }
    expect(await used(key)).toBeGreaterThan(2 * (await used(bare)));
  }, 30_000);

  it("takes the members of a body in any order, and the key with or without quotes", async () => {
    const first = await create("order");
    const again = await create('"order"', Object.fromEntries(Object.entries(ZONE).toReversed()));
    expect([again.status, again.json.data.id]).toEqual([201, first.json.data.id]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
  });

  it.each([
    ["a body that is refused", () => create("retry", { name: "x" }), 422],
    ["a body that is no JSON", () => create("retry", "{"), 400],
    ["another media type", () => create("retry", "{}", { "content-type": "text/plain" }), 415],
    ["another's store", () => create("retry", ZONE, { "x-service-store": "x" }), 403],
  ])("is not used up by %s", async (_, refused, status) => {
    expect((await refused()).status).toBe(status);
    const answer = await create("retry");
    expect([answer.status, answer.headers.get("idempotency-replayed")]).toEqual([201, null]);
  });

  it("answers a repeat by its own limits and request id", async () => {
    const first = await create("meta");
    const again = await create("meta");
    expect(again.json.meta.request_id).not.toBe(first.json.meta.request_id);
    expect(again.json.meta.rate_limit.remaining).toBe(first.json.meta.rate_limit.remaining - 1);
    expect(again.headers.get("location")).toBe(first.headers.get("location"));
  });

  it("gives the first answer even when the resource changed since, or is gone", async () => {
    const first = await create("then");
    const path = first.headers.get("location") ?? "";
    await harness.call("PATCH", path, { key, body: { name: "Renamed" } });
    expect((await create("then")).json.data).toEqual(first.json.data);
    expect((await harness.call("DELETE", path, { key })).status).toBe(204);
    expect((await create("then")).json.data).toEqual(first.json.data);
    expect(await zones()).toBe(0);
  });

  it("gives the first answer to a change bound to a version, instead of 412", async () => {
    const path = (await create("made")).headers.get("location") ?? "";
    const etag = (await harness.call("GET", path, { key })).headers.get("etag") ?? "";
    const headers = { "idempotency-key": "bound", "if-match": etag };
    const change = () => harness.call("PATCH", path, { key, body: { name: "Renamed" }, headers });
    const first = await change();
    const again = await change();
    expect([first.status, again.status, again.headers.get("idempotency-replayed")]).toEqual([
      200,
      200,
      "true",
    ]);
    expect(again.json.data).toEqual(first.json.data);
  });

  it("is one store's, one method's and one path's own", async () => {
    const growth = await harness.key({ plan: "growth" });
    await harness.key({ customer_id: growth.customerId, identifier: "branch" });
    const into = (store: string) =>
      harness.call("POST", "/v1/delivery/zones", {
        key: growth,
        body: ZONE,
        headers: { "idempotency-key": "shared", "x-service-store": store },
      });
    const [own, branch] = [await into(growth.storeId), await into("branch")];
    expect([own.status, branch.status]).toEqual([201, 201]);
    expect(branch.json.data.id).not.toBe(own.json.data.id);
    const path = own.headers.get("location") ?? "";
    const removed = await harness.call("DELETE", path, {
      key: growth,
      headers: { "idempotency-key": "shared" },
    });
    expect([removed.status, removed.headers.get("idempotency-replayed")]).toEqual([204, null]);
  });

  it("is forgotten after 24 hours", async () => {
    await create("day");
    harness.clock.advance(24 * HOUR_MS - 1);
    expect((await create("day")).headers.get("idempotency-replayed")).toBe("true");
    harness.clock.advance(1);
    const later = await create("day", { ...ZONE, name: "East", patterns: ["E8"] });
    expect([later.status, later.headers.get("idempotency-replayed")]).toEqual([201, null]);
    expect(await zones()).toBe(2);
  });
});
