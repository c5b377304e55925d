import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { keyClass } from "../../server/core/key-format.ts";
import { openScopes } from "../../server/registry.ts";
import { createHarness } from "../harness.ts";
import type { Harness, TestKey } from "../harness.ts";
import { operator } from "./support.ts";

let harness: Harness;
let owner: TestKey;
beforeAll(async () => {
  harness = await createHarness();
  owner = await harness.key();
});
afterAll(() => harness.close());

const issue = (body: object, key: TestKey | undefined = owner) =>
  harness.call("POST", "/v1/account/keys", { key, body });

describe("issuing a publishable key", () => {
  it("by the customer: for the store and the mode of the key that asks, and readable again", async () => {
    const made = await issue({ name: "Shop", preset: "full" });
    expect(made.status).toBe(201);
    const { api_key, public_key, kind, mode, store_id, scopes } = made.json.data;
    expect(keyClass(api_key)).toBe("pub");
    expect([public_key, kind, mode, store_id]).toEqual([api_key, "publishable", "live", owner.storeId]);
    expect(scopes).toEqual(openScopes);
    const again = await harness.call("GET", made.headers.get("location") ?? "", { key: owner });
    expect(again.json.data.public_key).toBe(api_key);
    const listed = await harness.call("GET", "/v1/account/keys", { key: owner });
    expect(listed.json.data[0].public_key).toBe(api_key);
    const called = await harness.call("GET", "/v1/account", { key: api_key });
    expect([called.status, called.json.error.code]).toEqual([403, "insufficient_scope"]);
  });

  it("never shows a secret key again", async () => {
    const answer = await harness.call("GET", `/v1/account/keys/${owner.id}`, { key: owner });
    expect(answer.json.data.public_key).toBeNull();
    expect(answer.text).not.toContain(owner.plaintext);
  });

  it("by the customer's test key makes one for test data", async () => {
    const test = await harness.key({ customer_id: owner.customerId, store_id: owner.storeId, mode: "test" });
    expect((await issue({ preset: "read-only" }, test)).json.data).toMatchObject({
      mode: "test",
      scopes: openScopes.filter((scope) => scope.endsWith(":public")),
    });
  });

  it.each([
    ["a secret key's scope", { scopes: ["reviews:read"] }],
    ["an unknown scope", { scopes: ["reviews:publish"] }],
    ["no scope", { scopes: [] }],
    ["scopes and a preset", { scopes: [openScopes[0]], preset: "full" }],
    ["nothing", {}],
  ])("422 for %s", async (_, body) => {
    expect((await issue(body)).status).toBe(422);
  });

  it("403 without account:write, 404 for another customer's key", async () => {
    const reader = await harness.key({ scopes: ["account:read"] });
    expect((await issue({ preset: "full" }, reader)).status).toBe(403);
    const other = await harness.call("GET", `/v1/account/keys/${owner.id}`, { key: reader });
    expect(other.status).toBe(404);
  });

  it("429 past ten in an hour, since what is recorded of each outlives it", async () => {
    const free = await harness.key({ plan: "free" });
    const statuses: number[] = [];
    for (let made = 0; made < 12; made += 1) {
      const { status, json } = await issue({ preset: "full" }, free);
      statuses.push(status);
      if (status === 201)
        await harness.call("POST", `/v1/account/keys/${json.data.id}/revoke`, { key: free });
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 201), 429, 429]);
    harness.clock.advance(3_600_000);
    expect((await issue({ preset: "full" }, free)).status).toBe(201);
  });

  it("as many at once as the plan allows: repeated transactions are not counted", async () => {
    const growth = await harness.key({ plan: "growth" });
    const made = await Promise.all(Array.from({ length: 12 }, () => issue({ preset: "full" }, growth)));
    const statuses = made.map(({ status }) => status).sort((one, other) => one - other);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 201), 409, 409]);
  });

  it("409 active_key_limit past the plan's number, which secret keys do not count towards", async () => {
    const free = await harness.key({ plan: "free" });
    const statuses: number[] = [];
    for (let made = 0; made < 50 && statuses.at(-1) !== 409; made += 1) {
      statuses.push((await issue({ preset: "full" }, free)).status);
    }
    const { activeKeys = 0 } = harness.services.config.plans.find(({ id }) => id === "free") ?? {};
    expect(statuses.filter((status) => status === 201)).toHaveLength(activeKeys);
    const last = await issue({ preset: "full" }, free);
    expect(last.json.error.code).toBe("active_key_limit");
  });

  it("by the operator, with the class in the key itself", async () => {
    const body = { customer_id: owner.customerId, kind: "publishable", scopes: [openScopes[0]] };
    const made = await operator(harness, "POST", "/keys", body);
    expect(keyClass(made.json.data.api_key)).toBe("pub");
    const shown = await operator(harness, "GET", `/keys/${made.json.data.id}`);
    expect(shown.json.data.public_key).toBe(made.json.data.api_key);
    const wrong = { customer_id: owner.customerId, scopes: [openScopes[0]] };
    expect((await harness.admin("POST", "/api/platform/admin/keys", { body: wrong })).status).toBe(422);
  });

  it("rotates into another publishable one, also by a secret key that does not hold its scopes", async () => {
    const { id, api_key } = (await issue({ preset: "full" })).json.data;
    const rotated = await harness.call("POST", `/v1/account/keys/${id}/rotate`, {
      key: owner,
      body: { overlap_seconds: 0 },
    });
    expect(rotated.status).toBe(200);
    expect(keyClass(rotated.json.data.api_key)).toBe("pub");
    expect(rotated.json.data.public_key).toBe(rotated.json.data.api_key);
    expect((await harness.call("GET", "/v1/account", { key: api_key })).status).toBe(401);
    const revoked = await harness.call("POST", `/v1/account/keys/${rotated.json.data.id}/revoke`, {
      key: owner,
    });
    expect(revoked.json.data.status).toBe("revoked");
  });
});

describe("the settings of browsers", () => {
  it("begin with no origin at all, at version 0", async () => {
    const key = await harness.key();
    const answer = await harness.call("GET", "/v1/account/browser", { key });
    expect(answer.json.data).toMatchObject({ origins: [], secret_keys: "refuse", version: 0 });
  });

  it.each([
    "shop.example",
    "https://shop.example/",
    "https://shop.example/a",
    "ftp://shop.example",
    "null",
    "",
  ])("422 for %j, which is no origin", async (origin) => {
    const body = { origins: ["https://shop.example", origin] };
    const answer = await harness.call("PATCH", "/v1/account/browser", { key: owner, body });
    expect([answer.status, answer.json.error.errors[0].pointer]).toEqual([422, "#/origins/1"]);
  });

  it("change under If-Match", async () => {
    const key = await harness.key();
    const change = (origin: string, headers: Record<string, string> = {}) =>
      harness.call("PATCH", "/v1/account/browser", { key, body: { origins: [origin] }, headers });
    const first = await change("http://localhost:5173");
    const good = await change("https://a.example", { "if-match": first.headers.get("etag") ?? "" });
    expect([first.status, good.status]).toEqual([200, 200]);
    expect((await change("https://b.example", { "if-match": first.headers.get("etag") ?? "" })).status).toBe(
      412,
    );
    expect((await harness.call("GET", "/v1/account/browser", { key })).json.data.origins).toEqual([
      "https://a.example",
    ]);
  });
});
