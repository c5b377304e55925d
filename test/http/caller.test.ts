import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { SeenAnswer } from "../contract/validator.ts";
import { createHarness } from "../harness.ts";
import type { Harness, TestKey } from "../harness.ts";
import { openWire } from "./wire.ts";
import type { Wire } from "./wire.ts";

let harness: Harness;
let wire: Wire;
let key: TestKey;
beforeAll(async () => {
  harness = await createHarness();
  wire = await openWire(harness);
  key = await harness.key();
});
afterAll(async () => {
  await wire.close();
  await harness.close();
});

const get = (
  headers: Record<string, string | readonly string[]>,
  path = "/v1/reviews",
): Promise<SeenAnswer> => wire.send({ path, headers });

describe("Authorization", () => {
  it.each([
    ["the usual form", (token: string) => `Bearer ${token}`],
    ["the scheme in lower case", (token: string) => `bearer ${token}`],
    ["the scheme in upper case", (token: string) => `BEARER ${token}`],
    ["more blanks", (token: string) => `Bearer   ${token}  `],
  ])("200 for %s", async (_, form) => {
    expect((await get({ authorization: form(key.plaintext) })).status).toBe(200);
  });

  it.each([
    ["no scheme", (token: string) => token],
    ["another scheme", (token: string) => `Basic ${token}`],
    ["no blank", (token: string) => `Bearer${token}`],
    ["a tab", (token: string) => `Bearer\t${token}`],
    ["two tokens", (token: string) => `Bearer ${token} ${token}`],
    ["a comma", (token: string) => `Bearer ${token},`],
    ["quotes", (token: string) => `Bearer "${token}"`],
    ["no token", () => "Bearer "],
    ["nothing", () => ""],
    ["another letter case", (token: string) => `Bearer ${token.toUpperCase()}`],
    ["a token of 8,000 characters", () => `Bearer ${"a".repeat(8000)}`],
    ["the header twice", (token: string) => [`Bearer ${token}`, `Bearer ${token}`]],
    ["a good and a bad header", (token: string) => [`Bearer ${token}`, "Bearer x"]],
  ])("401 for %s", async (_, form) => {
    const answer = await get({ authorization: form(key.plaintext) });
    const plain = await get({});
    expect([answer.status, answer.text]).toEqual([401, plain.text]);
    expect(answer.text).toBe(
      '{"error":{"type":"unauthorized","title":"Unauthorized","status":401,"detail":"Provide a valid API key in the Authorization header: Authorization: Bearer <API_KEY>."}}',
    );
  });

  it("401 for a key in the query, in another header or in the body", async () => {
    const token = key.plaintext;
    expect((await get({}, `/v1/reviews?api_key=${token}&access_token=${token}`)).status).toBe(401);
    expect((await get({ "x-api-key": token, cookie: `key=${token}` })).status).toBe(401);
  });

  it("tells the reason in WWW-Authenticate at most", async () => {
    const challenge = async (plaintext: string | undefined) =>
      (await get(plaintext === undefined ? {} : { authorization: `Bearer ${plaintext}` })).headers.get(
        "www-authenticate",
      );
    const expired = await harness.key({ expires_at: "2026-05-31T00:00:00.000Z" });
    const revoked = await harness.key({ status: "revoked" });
    expect(await challenge(undefined)).toBe('Bearer realm="platform"');
    expect(await challenge("x")).toBe('Bearer realm="platform", error="invalid_token"');
    expect(await challenge(revoked.plaintext)).toBe('Bearer realm="platform", error="invalid_token"');
    expect(await challenge(expired.plaintext)).toBe(
      'Bearer realm="platform", error="invalid_token", error_description="expired"',
    );
  });

  it("401 on the very next request after a revocation", async () => {
    const doomed = await harness.key();
    const headers = { authorization: `Bearer ${doomed.plaintext}` };
    expect((await get(headers)).status).toBe(200);
    const revoked = await harness.admin("POST", `/api/platform/admin/keys/${doomed.id}/revoke`, {
      body: { reason: "test" },
    });
    expect(revoked.status).toBe(200);
    expect((await get(headers)).status).toBe(401);
  });

  it("never repeats the key in an answer", async () => {
    for (const path of ["/v1/reviews", "/v1/nowhere", "/v1/account", `/v1/reviews?x=${key.plaintext}`]) {
      const answer = await get({ authorization: `Bearer ${key.plaintext}` }, path);
      expect(answer.text + JSON.stringify([...answer.headers])).not.toContain(key.plaintext);
    }
  });
});

describe("X-Service-Store", () => {
  const FORBIDDEN =
    '{"error":{"type":"forbidden","title":"Forbidden","status":403,"detail":"The store in X-Service-Store does not exist or does not belong to this API key."}}';
  const from = (caller: TestKey, named: string | readonly string[]) =>
    get({ authorization: `Bearer ${caller.plaintext}`, "x-service-store": named });

  it("names the store that was resolved, also when none was asked for", async () => {
    const answer = await get({ authorization: `Bearer ${key.plaintext}` });
    expect(answer.headers.get("x-service-store")).toBe(key.storeId);
  });

  it("200 for the key's own store by identifier or id, on any plan", async () => {
    const free = await harness.key({ plan: "free", identifier: "Bäckerei Süd" });
    for (const named of [Buffer.from("Bäckerei Süd").toString("latin1"), free.storeId]) {
      const answer = await from(free, named);
      expect([answer.status, answer.headers.get("x-service-store")]).toEqual([200, free.storeId]);
    }
  });

  it("200 for another store of the same customer, on a plan with several", async () => {
    const first = await harness.key({ plan: "growth" });
    const second = await harness.key({ customer_id: first.customerId, identifier: "second" });
    for (const named of ["second", second.storeId]) {
      const answer = await from(first, named);
      expect([answer.status, answer.headers.get("x-service-store")]).toEqual([200, second.storeId]);
    }
  });

  it("403, always the same one, for every other store", async () => {
    const stranger = await harness.key({ identifier: "theirs" });
    const single = await harness.key({ plan: "free" });
    const sister = await harness.key({ customer_id: single.customerId, identifier: "sister" });
    const cases: [TestKey, string | readonly string[]][] = [
      [key, "theirs"],
      [key, stranger.storeId],
      [key, "no-such-store"],
      [key, ""],
      [key, "sto_01JD8Z5T9QK3M4N5P6R7S8T9V0"],
      [key, [key.storeId, key.storeId]],
      [key, [key.storeId, stranger.storeId]],
      [key, "__proto__"],
      [key, "../platform"],
      [key, "x".repeat(4000)],
      [single, "sister"],
      [single, sister.storeId],
    ];
    for (const [caller, named] of cases) {
      const answer = await from(caller, named);
      expect([named, answer.status, answer.text]).toEqual([named, 403, FORBIDDEN]);
      expect(answer.headers.get("www-authenticate")).toBeNull();
      expect(answer.headers.get("x-service-store")).toBe(caller.storeId);
    }
  });

  it("writes into the store that is named, and nowhere else", async () => {
    const first = await harness.key({ plan: "growth" });
    await harness.key({ customer_id: first.customerId, identifier: "branch" });
    const body = { name: "Branch zone", patterns: ["SW1A"], fee_tiers: [{ from: 0, fee: 499 }] };
    const made = await harness.call("POST", "/v1/delivery/zones", {
      key: first,
      body,
      headers: { "x-service-store": "branch" },
    });
    expect(made.status).toBe(201);
    const path = `/v1/delivery/zones/${made.json.data.id}`;
    expect((await harness.call("GET", path, { key: first })).status).toBe(404);
    expect(
      (await harness.call("GET", path, { key: first, headers: { "x-service-store": "branch" } })).status,
    ).toBe(200);
  });
});
