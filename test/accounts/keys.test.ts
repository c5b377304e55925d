import { afterEach, expect, it } from "vitest";

import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { makeKey } from "../../server/core/key-format.ts";
import { createSystemRandom } from "../../server/core/ids.ts";
import { makeAccount, operator } from "./support.ts";
import type { Account } from "./support.ts";

let harness: Harness;
let account: Account;
afterEach(() => harness.close());

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

async function start(plan = "growth"): Promise<void> {
  harness = await createHarness();
  account = await makeAccount(harness);
  if (plan !== "free") await operator(harness, "POST", `/customers/${account.customerId}/plan`, { plan });
}

const issue = async (body: object = {}) =>
  (await operator(harness, "POST", "/keys", { customer_id: account.customerId, preset: "full", ...body }))
    .json.data;

const statusOf = async (key: string) => (await harness.call("GET", "/v1/reviews", { key })).status;

it("401 with one body, byte for byte, for every key that is not ACTIVE", async () => {
  await start();
  const pending = await issue({ pending: true });
  const revoked = await issue();
  await operator(harness, "POST", `/keys/${revoked.id}/revoke`, { reason: "test" });
  const expired = await issue({ expires_in_seconds: 1 });
  harness.clock.advance(1000);
  const other = await makeAccount(harness, "other@bakery.example");
  await operator(harness, "POST", `/customers/${other.customerId}/suspend`);
  const tokens: Record<string, string> = {
    pending: pending.api_key,
    revoked: revoked.api_key,
    expired: expired.api_key,
    suspended: other.apiKey,
    unknown: makeKey("live", createSystemRandom()),
    malformed: "plat_live_nonsense",
    mistyped: `${account.apiKey.slice(0, -1)}${account.apiKey.endsWith("0") ? "1" : "0"}`,
  };
  const missing = await harness.call("GET", "/v1/reviews");
  expect(missing.status).toBe(401);
  for (const [state, key] of Object.entries(tokens)) {
    const refused = await harness.call("GET", "/v1/reviews", { key });
    expect([state, refused.status, refused.text]).toEqual([state, 401, missing.text]);
    const told = refused.headers.get("www-authenticate");
    expect(told?.includes("expired"), state).toBe(state === "expired");
    expect(refused.headers.get("x-ratelimit-limit"), state).toBeNull();
  }
  expect(await statusOf(account.apiKey)).toBe(200);
});

it("200 until the very request of the expiry, 401 from it on, without any job", async () => {
  await start();
  const key = await issue({ expires_in_seconds: 60 });
  harness.clock.advance(59_999);
  expect(await statusOf(key.api_key)).toBe(200);
  harness.clock.advance(1);
  expect(await statusOf(key.api_key)).toBe(401);
  expect((await operator(harness, "GET", `/keys/${key.id}`)).json.data).toMatchObject({
    status: "expired",
    accepted: false,
  });
});

it("401 on the very next request after a revocation, which is final and idempotent", async () => {
  await start();
  expect(await statusOf(account.apiKey)).toBe(200);
  const revoked = await operator(harness, "POST", `/keys/${account.keyId}/revoke`, { reason: "leaked" });
  expect(revoked.json.data).toMatchObject({ status: "revoked", accepted: false, revoked_reason: "leaked" });
  expect(await statusOf(account.apiKey)).toBe(401);
  const again = await operator(harness, "POST", `/keys/${account.keyId}/revoke`);
  expect(again.json.data).toEqual(revoked.json.data);
  const trail = await operator(harness, "GET", `/audit?about=${account.keyId}`);
  expect(trail.json.data.map(({ action }: { action: string }) => action)).toEqual([
    "key.revoked",
    "key.issued",
  ]);
  for (const verb of ["activate", "rotate"]) {
    const refused = await harness.admin("POST", `/api/platform/admin/keys/${account.keyId}/${verb}`);
    expect([verb, refused.status]).toEqual([verb, 409]);
  }
});

it("200 a pending key once it is activated; 401 before; expired after 30 days without", async () => {
  await start();
  const key = await issue({ pending: true });
  expect([key.status, key.accepted, await statusOf(key.api_key)]).toEqual(["pending", false, 401]);
  const active = await operator(harness, "POST", `/keys/${key.id}/activate`);
  expect(active.json.data).toMatchObject({ status: "ACTIVE", accepted: true });
  expect(await statusOf(key.api_key)).toBe(200);
  const twice = await harness.admin("POST", `/api/platform/admin/keys/${key.id}/activate`);
  expect([twice.status, twice.json.error.code]).toEqual([409, "key_not_pending"]);

  const forgotten = await issue({ pending: true });
  harness.clock.advance(30 * DAY_MS);
  expect((await operator(harness, "GET", `/keys/${forgotten.id}`)).json.data.status).toBe("expired");
  const late = await harness.admin("POST", `/api/platform/admin/keys/${forgotten.id}/activate`);
  expect(late.status).toBe(409);
});

it("200 a key from the instant it was to become ACTIVE", async () => {
  await start();
  const at = new Date(harness.clock.now() + HOUR_MS).toISOString();
  const key = await issue({ activates_at: at });
  harness.clock.advance(HOUR_MS - 1);
  expect(await statusOf(key.api_key)).toBe(401);
  harness.clock.advance(1);
  expect(await statusOf(key.api_key)).toBe(200);
  expect((await operator(harness, "GET", `/keys/${key.id}`)).json.data.status).toBe("ACTIVE");
});

it("200 rotate: both keys work during the overlap, then only the new one", async () => {
  await start();
  const old = await issue({
    preset: "read-only",
    tier: "starter",
    name: "Dashboard",
    expires_in_seconds: 400 * 86_400,
  });
  const rotated = (await operator(harness, "POST", `/keys/${old.id}/rotate`)).json.data;
  expect(rotated).toMatchObject({
    name: "Dashboard",
    scopes: old.scopes,
    tier: "starter",
    tier_pinned: true,
    store_id: old.store_id,
    mode: "live",
    expires_at: old.expires_at,
    replaces: old.id,
    status: "ACTIVE",
  });
  const ends = new Date(harness.clock.now() + DAY_MS).toISOString();
  expect(rotated.replaced).toEqual({ id: old.id, status: "ACTIVE", expires_at: ends });
  const seen = await harness.call("GET", "/v1/reviews", { key: old.api_key });
  expect([seen.status, seen.headers.get("x-key-expires-at")]).toEqual([200, ends]);
  const next = await harness.call("GET", "/v1/reviews", { key: rotated.api_key });
  expect([next.status, next.headers.get("x-key-expires-at")]).toEqual([200, null]);
  expect((await operator(harness, "GET", `/keys/${old.id}`)).json.data.replaced_by).toBe(rotated.id);
  harness.clock.advance(DAY_MS);
  expect([await statusOf(old.api_key), await statusOf(rotated.api_key)]).toEqual([401, 200]);
});

it("200 rotate ends the old key no later than it would have ended anyway, at once without overlap", async () => {
  await start();
  const short = await issue({ expires_in_seconds: 60 });
  const rotated = (await operator(harness, "POST", `/keys/${short.id}/rotate`, { overlap_seconds: 3600 }))
    .json.data;
  expect(rotated.replaced.expires_at).toBe(short.expires_at);
  const sharp = await issue();
  const replaced = (await operator(harness, "POST", `/keys/${sharp.id}/rotate`, { overlap_seconds: 0 })).json
    .data;
  expect(replaced.replaced.status).toBe("revoked");
  expect([await statusOf(sharp.api_key), await statusOf(replaced.api_key)]).toEqual([401, 200]);
});

it("409 rotate of a key that is not ACTIVE or was rotated; 422 an overlap past 30 days", async () => {
  await start();
  const key = await issue();
  const path = `/api/platform/admin/keys/${key.id}/rotate`;
  await operator(harness, "POST", `/keys/${key.id}/rotate`, { overlap_seconds: 30 * 86_400 });
  const again = await harness.admin("POST", path);
  expect([again.status, again.json.error.code]).toEqual([409, "key_replaced"]);
  const pending = await issue({ pending: true });
  const early = await harness.admin("POST", `/api/platform/admin/keys/${pending.id}/rotate`);
  expect([early.status, early.json.error.code]).toEqual([409, "key_not_active"]);
  for (const overlap_seconds of [-1, 30 * 86_400 + 1, 1.5, "1"]) {
    expect((await harness.admin("POST", path, { body: { overlap_seconds } })).status).toBe(422);
  }
  expect((await harness.admin("POST", "/api/platform/admin/keys/key_nowhere/rotate")).status).toBe(404);
});

it("200 once for 10 simultaneous rotations of one key", async () => {
  await start();
  const key = await issue();
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => harness.admin("POST", `/api/platform/admin/keys/${key.id}/rotate`)),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
});

it("409 at the plan's cap of active keys, also for simultaneous orders and for overlaps", async () => {
  await start("free");
  const order = () =>
    harness.admin("POST", "/api/platform/admin/keys", {
      body: { customer_id: account.customerId, preset: "full" },
    });
  const answers = await Promise.all(Array.from({ length: 6 }, order));
  expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409, 409, 409, 409, 409]);
  expect(answers.find(({ status }) => status === 409)?.json.error.code).toBe("active_key_limit");
  const rotate = `/api/platform/admin/keys/${account.keyId}/rotate`;
  expect((await harness.admin("POST", rotate)).json.error.code).toBe("active_key_limit");
  const sharp = await harness.admin("POST", rotate, { body: { overlap_seconds: 0 } });
  expect(sharp.status).toBe(200);
  const pending = await issue({ pending: true });
  const activation = await harness.admin("POST", `/api/platform/admin/keys/${pending.id}/activate`);
  expect(activation.json.error.code).toBe("active_key_limit");
  await operator(harness, "POST", `/keys/${sharp.json.data.id}/revoke`);
  expect((await operator(harness, "POST", `/keys/${pending.id}/activate`)).json.data.status).toBe("ACTIVE");
});

it("201 presets spell their scopes out; 403 past them", async () => {
  await start();
  const readOnly = await issue({ preset: "read-only" });
  expect(readOnly.scopes).toEqual(harness.services.scopes.filter((scope) => scope.endsWith(":read")));
  const one = await issue({ preset: undefined, scopes: ["reviews:read", "reviews:read", "account:read"] });
  expect(one.scopes).toEqual(["reviews:read", "account:read"]);
  expect((await harness.call("GET", "/v1/reviews", { key: one.api_key })).status).toBe(200);
  const refused = await harness.call("GET", "/v1/forms", { key: one.api_key });
  expect(refused.status).toBe(403);
  expect(refused.headers.get("www-authenticate")).toContain('scope="forms:read"');
});

it("200 a pinned tier has its own limit whatever the customer pays for", async () => {
  await start("free");
  const key = await issue({ tier: "enterprise" });
  const seen = await harness.call("GET", "/v1/reviews", { key: key.api_key });
  expect(seen.headers.get("x-ratelimit-limit")).toBe("30000");
});

it.each([
  [{ preset: "full" }, "#/customer_id"],
  [{ customer_id: "cus_x1", email: "a@b.example", preset: "full" }, "#/customer_id"],
  [{ customer_id: "CUSTOMER" }, "#/scopes"],
  [{ customer_id: "CUSTOMER", preset: "full", scopes: ["reviews:read"] }, "#/scopes"],
  [{ customer_id: "CUSTOMER", scopes: ["reviews:read", "reviews:everything"] }, "#/scopes/1"],
  [{ customer_id: "CUSTOMER", scopes: [] }, "#/scopes"],
  [{ customer_id: "CUSTOMER", preset: "full", tier: "platinum" }, "#/tier"],
  [{ customer_id: "CUSTOMER", preset: "full", store: "elsewhere" }, "#/store"],
  [{ customer_id: "CUSTOMER", preset: "full", expires_in_seconds: 0 }, "#/expires_in_seconds"],
  [{ customer_id: "CUSTOMER", preset: "full", name: "a\nb" }, "#/name"],
  [{ customer_id: "CUSTOMER", preset: "full", name: "KEY" }, "#/name"],
  [{ customer_id: "CUSTOMER", preset: "full", status: "ACTIVE" }, "#/status"],
])("422 an order %j", async (body, pointer) => {
  await start();
  const text = JSON.stringify(body)
    .replace("CUSTOMER", account.customerId)
    .replace('"KEY"', `"${account.apiKey}"`);
  const { status, json } = await harness.admin("POST", "/api/platform/admin/keys", { body: text });
  expect([status, json.error.errors?.[0]?.pointer]).toEqual([422, pointer]);
});

it("404 an unknown customer, 409 an address with two customers, 201 with the store named", async () => {
  await start();
  await makeAccount(harness, "dev@bakery.example", "second-bakery");
  const order = (body: object) =>
    harness.admin("POST", "/api/platform/admin/keys", { body: { preset: "full", ...body } });
  expect((await order({ customer_id: "cus_nobody" })).status).toBe(404);
  expect((await order({ email: "nobody@bakery.example" })).status).toBe(404);
  const ambiguous = await order({ email: "Dev@Bakery.example" });
  expect([ambiguous.status, ambiguous.json.error.code]).toEqual([409, "customer_ambiguous"]);
  const made = await order({ email: "dev@bakery.example", store: "second-bakery" });
  expect([made.status, made.json.data.store]).toEqual([201, "second-bakery"]);
  expect(made.headers.get("location")).toBe(`/api/platform/admin/keys/${made.json.data.id}`);
});

it("201 by the address of a customer whose other account is closed", async () => {
  await start();
  const other = await makeAccount(harness, "dev@bakery.example", "second-bakery");
  expect((await operator(harness, "DELETE", `/customers/${other.customerId}`)).status).toBe(204);
  const body = { preset: "full", email: "dev@bakery.example" };
  const made = await harness.admin("POST", "/api/platform/admin/keys", { body });
  expect([made.status, made.json.data.customer_id]).toEqual([201, account.customerId]);
});

it("200 listing by customer, state and expiry, with the state that holds now", async () => {
  await start();
  const soon = await issue({ expires_in_seconds: 86_400 });
  const later = await issue({ expires_in_seconds: 10 * 86_400 });
  const gone = await issue({ expires_in_seconds: 1 });
  const pending = await issue({ pending: true });
  harness.clock.advance(1000);
  const ids = async (query: string): Promise<string[]> =>
    (await operator(harness, "GET", `/keys?${query}`)).json.data.map(({ id }: { id: string }) => id);
  expect(await ids("")).toEqual([pending.id, gone.id, later.id, soon.id, account.keyId]);
  expect(await ids("status=expired")).toEqual([gone.id]);
  expect(await ids("status=ACTIVE")).toEqual([later.id, soon.id, account.keyId]);
  expect(await ids("status=pending")).toEqual([pending.id]);
  expect(await ids("expiring_days=2")).toEqual([soon.id]);
  expect(await ids("expiring_days=20&status=ACTIVE")).toEqual([soon.id, later.id]);
  expect(await ids(`customer_id=${account.customerId}&status=pending`)).toEqual([pending.id]);
  expect(await ids("customer_id=cus_nobody")).toEqual([]);
  const first = await operator(harness, "GET", "/keys?limit=2");
  expect(first.json.meta.pagination).toMatchObject({ limit: 2, has_more: true });
  const cursor = first.json.meta.pagination.next_cursor;
  expect(await ids(`limit=2&cursor=${cursor}`)).toEqual([later.id, soon.id]);
  const odd = await harness.admin("GET", "/api/platform/admin/keys?customer_id=a%2Fb");
  expect(odd.status).toBe(422);
});
