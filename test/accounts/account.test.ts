import { afterEach, expect, it } from "vitest";

import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { makeAccount, operator } from "./support.ts";

let harness: Harness;
afterEach(() => harness.close());

it("200 the account: customer, plan, stores, key", async () => {
  harness = await createHarness();
  const { apiKey, customerId, keyId } = await makeAccount(harness);
  const { json } = await harness.call("GET", "/v1/account", { key: apiKey });
  expect(json.data).toMatchObject({
    customer: {
      id: customerId,
      email: "dev@bakery.example",
      plan: "free",
      plan_state: "free",
      trial_days_left: 0,
    },
    stores: [{ identifier: "demo-bakery", primary: true }],
    store: { identifier: "demo-bakery" },
    key: {
      id: keyId,
      status: "ACTIVE",
      prefix: apiKey.slice(0, 14),
      last4: apiKey.slice(-4),
      expires_at: null,
    },
  });
  expect(JSON.stringify(json)).not.toContain(apiKey);
  await operator(harness, "POST", `/customers/${customerId}/plan`, { plan: "scale", trial: true });
  harness.clock.advance(36 * 3_600_000);
  const trial = await harness.call("GET", "/v1/account", { key: apiKey });
  expect(trial.json.data.customer).toMatchObject({
    plan: "scale",
    base_plan: "free",
    plan_state: "trialing",
    trial_days_left: 13,
  });
});

it("200 the rate limit costs nothing, whatever is left", async () => {
  harness = await createHarness();
  const { apiKey } = await makeAccount(harness);
  const look = () => harness.call("GET", "/v1/account/rate-limit", { key: apiKey });
  const fresh = await look();
  expect(fresh.json.data).toMatchObject({ limit: 60, remaining: 60, used: 0, window_seconds: 60 });
  await harness.call("GET", "/v1/reviews", { key: apiKey });
  for (let count = 0; count < 3; count += 1) {
    expect((await look()).json.data).toMatchObject({ remaining: 59, used: 1 });
  }
  await Promise.all(Array.from({ length: 80 }, () => harness.call("GET", "/v1/reviews", { key: apiKey })));
  const spent = await look();
  expect([spent.status, spent.json.data.remaining, spent.json.meta.rate_limit.remaining]).toEqual([
    200, 0, 0,
  ]);
});

it("403 without the account scopes", async () => {
  harness = await createHarness();
  const key = await harness.key({ scopes: ["account:read"] });
  expect((await harness.call("GET", "/v1/account", { key })).status).toBe(200);
  expect((await harness.call("POST", `/v1/account/keys/${key.id}/rotate`, { key })).status).toBe(403);
  const none = await harness.key({ scopes: ["reviews:read"] });
  expect((await harness.call("GET", "/v1/account", { key: none })).status).toBe(403);
});

it("200 a key rotates itself without a body; the secret is never replayed", async () => {
  harness = await createHarness();
  const { apiKey, keyId } = await makeAccount(harness);
  const headers = { "idempotency-key": "rotate-1" };
  const rotated = await harness.call("POST", `/v1/account/keys/${keyId}/rotate`, { key: apiKey, headers });
  expect([rotated.status, rotated.json.data.replaced.id]).toEqual([200, keyId]);
  const again = await harness.call("POST", `/v1/account/keys/${keyId}/rotate`, { key: apiKey, headers });
  expect(again.status).toBe(409);
  expect(again.text).not.toContain("plat_live_");
  const seen = await harness.call("GET", "/v1/account", { key: rotated.json.data.api_key });
  expect(seen.json.data.key.id).toBe(rotated.json.data.id);
  const { json } = await harness.call("GET", "/v1/account/keys", { key: apiKey });
  expect(json.data.map(({ id }: { id: string }) => id)).toEqual([rotated.json.data.id, keyId]);
});

it("429 past ten rotations in an hour, since every successor begins a window of its own", async () => {
  harness = await createHarness();
  const { apiKey, keyId, customerId } = await makeAccount(harness);
  let key = { api_key: apiKey, id: keyId };
  const rotate = () =>
    harness.call("POST", `/v1/account/keys/${key.id}/rotate`, {
      key: key.api_key,
      body: { overlap_seconds: 0 },
    });
  for (let count = 0; count < 10; count += 1) {
    const rotated = await rotate();
    expect(rotated.status).toBe(200);
    key = rotated.json.data;
  }
  const refused = await rotate();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "3600"]);
  expect((await harness.call("GET", "/v1/account", { key: key.api_key })).status).toBe(200);
  harness.clock.advance(3_600_000);
  const later = await rotate();
  expect(later.status).toBe(200);
  // A larger plan has more keys to rotate.
  await operator(harness, "POST", `/customers/${customerId}/plan`, { plan: "growth" });
  key = later.json.data;
  for (let count = 1; count < 20; count += 1) key = (await rotate()).json.data;
  expect((await rotate()).status).toBe(429);
});

it("404 another customer's key; 403 a key that may do more", async () => {
  harness = await createHarness();
  const { apiKey, keyId, customerId } = await makeAccount(harness);
  await operator(harness, "POST", `/customers/${customerId}/plan`, { plan: "growth" });
  const stranger = await makeAccount(harness, "stranger@bakery.example");
  for (const verb of ["rotate", "revoke"]) {
    const path = `/v1/account/keys/${stranger.keyId}/${verb}`;
    expect((await harness.call("POST", path, { key: apiKey })).status).toBe(404);
  }
  const issue = async (body: object) =>
    (await operator(harness, "POST", "/keys", { customer_id: customerId, ...body })).json.data;
  const weak = await issue({ scopes: ["account:read", "account:write"] });
  const test = await issue({ preset: "full", mode: "test" });
  for (const key of [weak.api_key, test.api_key]) {
    for (const verb of ["rotate", "revoke"]) {
      const refused = await harness.call("POST", `/v1/account/keys/${keyId}/${verb}`, { key });
      expect([verb, refused.status, Object.keys(refused.json.error)]).toEqual([
        verb,
        403,
        ["type", "title", "status", "detail"],
      ]);
    }
  }
  const own = await harness.call("POST", `/v1/account/keys/${weak.id}/revoke`, { key: weak.api_key });
  expect([own.status, own.json.data.status]).toEqual([200, "revoked"]);
  expect((await harness.call("GET", "/v1/account", { key: weak.api_key })).status).toBe(401);
  const strong = await harness.call("POST", `/v1/account/keys/${test.id}/rotate`, { key: test.api_key });
  expect([strong.status, strong.json.data.mode]).toEqual([200, "test"]);
});

it("200 usage by key, day and route, of the own customer only", async () => {
  harness = await createHarness({ now: "2026-06-01T23:59:00.000Z" });
  const { apiKey, keyId } = await makeAccount(harness);
  const stranger = await makeAccount(harness, "stranger@bakery.example");
  await harness.call("GET", "/v1/reviews", { key: apiKey });
  await harness.call("GET", "/v1/nowhere", { key: apiKey });
  await harness.call("GET", "/v1/reviews?limit=0", { key: apiKey });
  await Promise.all(Array.from({ length: 60 }, () => harness.call("GET", "/v1/reviews", { key: apiKey })));
  await harness.call("GET", "/v1/reviews", { key: stranger.apiKey });
  harness.clock.advance(60_000);
  await harness.call("GET", "/v1/forms", { key: apiKey });
  await harness.services.usage.flush();
  const { json } = await harness.call("GET", "/v1/account/usage", { key: apiKey });
  expect(json.data.map(({ day }: { day: string }) => day)).toEqual(["2026-06-02", "2026-06-01"]);
  expect(json.data[1]).toMatchObject({
    key_id: keyId,
    last_used_at: "2026-06-01T23:59:00.000Z",
    requests: 63,
    succeeded: 58,
    rejected: 2,
    rate_limited: 3,
    failed: 0,
    routes: [
      { route: null, requests: 1, rejected: 1, rate_limited: 0 },
      // A request that exceeds the limit counts towards the route that it was for.
      { route: "reviews.reviews.list", requests: 62, succeeded: 58, rejected: 1, rate_limited: 3 },
    ],
  });
  const narrow = await harness.call("GET", `/v1/account/usage?key_id=${keyId}&day=2026-06-02`, {
    key: apiKey,
  });
  expect(narrow.json.data).toHaveLength(1);
  const foreign = await harness.call("GET", `/v1/account/usage?key_id=${stranger.keyId}`, { key: apiKey });
  expect(foreign.json.data).toEqual([]);
  const all = await operator(harness, "GET", "/usage?day=2026-06-01");
  expect(all.json.data).toHaveLength(2);
});

it("200 X-Service-Store on a multi-store plan, 403 after the fall to Free and for every store not owned", async () => {
  harness = await createHarness();
  const { apiKey, customerId } = await makeAccount(harness);
  const stranger = await makeAccount(harness, "stranger@bakery.example", "stranger-store");
  const call = (store: string) =>
    harness.call("GET", "/v1/account", {
      key: apiKey,
      headers: { "x-service-store": Buffer.from(store, "utf8").toString("latin1") },
    });
  await operator(harness, "POST", `/customers/${customerId}/plan`, { plan: "growth", trial: true });
  const second = await operator(harness, "POST", "/stores", {
    customer_id: customerId,
    identifier: "Bäckerei 2",
  });
  const { id } = second.json.data;
  for (const named of ["Bäckerei 2", id]) {
    const seen = await call(named);
    expect([seen.status, seen.json.data?.store]).toEqual([200, { id, identifier: "Bäckerei 2" }]);
    expect(seen.headers.get("x-service-store")).toBe(id);
  }
  const foreignStore = (await operator(harness, "GET", `/stores?customer_id=${stranger.customerId}`)).json
    .data[0];
  const bodies = new Set<string>();
  for (const named of [
    "stranger-store",
    foreignStore.id,
    "unknown",
    "bäckerei 2",
    `sto_${"A".repeat(300)}`,
  ]) {
    const refused = await call(named);
    expect([named, refused.status]).toEqual([named, 403]);
    bodies.add(refused.text);
  }
  harness.clock.advance(14 * 86_400_000);
  const fallen = await call("Bäckerei 2");
  expect(fallen.status).toBe(403);
  bodies.add(fallen.text);
  expect(bodies.size).toBe(1);
  expect((await call("demo-bakery")).status).toBe(200);
});
