import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { engines, scopes } from "../../server/registry.ts";
import { storePartition } from "../../server/core/partitions.ts";
import { deliveries, endpoints } from "../../server/operations/webhooks/collections.ts";
import { newResource } from "../../server/lib/new-resource.ts";
import type { Harness, TestKey } from "../harness.ts";
import { createRig } from "./webhooks/rig.ts";

// A key reaches by a route of the account what it reaches in the engines, and no more.

const ACCOUNT = ["account:read", "account:write", "account:manage"];
const URL = "https://orders.shop.example/hooks";

let harness: Harness;
let owner: TestKey;
let account: TestKey;
let forms: TestKey;
beforeAll(async () => {
  harness = await createRig({ now: new Date().toISOString() });
  owner = await harness.key();
  const same = { customer_id: owner.customerId, store_id: owner.storeId };
  account = await harness.key({ ...same, scopes: ACCOUNT });
  forms = await harness.key({ ...same, scopes: [...ACCOUNT, "forms:read"] });
});
afterAll(() => harness.close());

const post = (key: TestKey, path: string, body: object = {}) =>
  harness.call("POST", `/v1/account${path}`, { key, body });
const get = (key: TestKey, path: string) => harness.call("GET", `/v1/account${path}`, { key });

describe("webhook endpoints", () => {
  it.each([
    [["*"], 403],
    [["reviews.*"], 403],
    [["forms.*", "reviews.review.published"], 403],
    [["forms.*"], 201],
    [["forms.submission.created", "key.revoked"], 201],
  ])("with the types %j answer %i to a key that reads forms", async (types, status) => {
    const answer = await post(forms, "/webhooks", { url: URL, types });
    expect(answer.status).toBe(status);
    if (status === 403) {
      expect(answer.json.error.detail).toContain("reviews:read");
      expect(answer.headers.get("www-authenticate")).toMatch(/insufficient_scope.*reviews:read/);
    }
  });

  it("are hidden, with what was sent to them, from a key that may not read their events", async () => {
    const made = await post(owner, "/webhooks", { url: URL, types: ["reviews.*"] });
    const { id } = made.json.data;
    const part = storePartition(owner.storeId, "live");
    const delivery = await harness.services.runTx(part, async (tx) =>
      tx.create(deliveries, {
        ...newResource("dlv_01JD8Z5T9QK3M4N5P6R7S8T9V0", "2026-06-01T09:00:00.000Z"),
        endpoint_id: id,
        event_id: "evt_01JD8Z5T9QK3M4N5P6R7S8T9V0",
        type: "reviews.review.published",
        status: "delivered",
        attempts: 1,
        next_at: null,
        delivered_at: "2026-06-01T09:00:00.420Z",
        history: [],
        body: "{}",
      }),
    );
    const listed = await get(forms, "/webhooks");
    expect(listed.json.data.map((one: { id: string }) => one.id)).not.toContain(id);
    const at = `/webhooks/${id}`;
    for (const path of [at, `${at}/deliveries`, `${at}/deliveries/${delivery.id}`])
      expect([path, (await get(forms, path)).status, (await get(owner, path)).status]).toEqual([
        path,
        403,
        200,
      ]);
    for (const path of [
      "/disable",
      "/enable",
      "/rotate-secret",
      "/test",
      `/deliveries/${delivery.id}/resend`,
    ])
      expect([path, (await post(forms, at + path)).status]).toEqual([path, 403]);
    const since = { since: "2026-01-01T00:00:00Z" };
    expect((await post(forms, `${at}/resend`, since)).status).toBe(403);
    const patch = { key: forms, body: { url: "https://thief.example/hooks" } };
    expect((await harness.call("PATCH", `/v1/account${at}`, patch)).status).toBe(403);
    expect((await harness.call("DELETE", `/v1/account${at}`, { key: forms })).status).toBe(403);
    // What it had before its types changed stays out of reach.
    await harness.services.runTx(part, async (tx) => {
      const stored = await tx.require(endpoints, id);
      tx.put(endpoints, stored, { ...stored.value, types: ["forms.*"] });
    });
    expect((await get(forms, at)).status).toBe(200);
    expect((await get(forms, `${at}/deliveries`)).json.data).toEqual([]);
    expect((await get(forms, `${at}/deliveries/${delivery.id}`)).status).toBe(403);
    const types = { key: forms, body: { types: ["*"] } };
    expect((await harness.call("PATCH", `/v1/account${at}`, types)).status).toBe(403);
  });
});

describe("a person's data", () => {
  const wish = (type: "export" | "erase") => ({ type, email: "ada@shop.example" });
  const reads = engines.map(({ name }) => `${name}:read`);
  const writes = engines.map(({ name }) => `${name}:write`);

  it.each([
    ["export", ACCOUNT, 403],
    ["export", ["account:read", "account:write", ...reads.slice(1)], 403],
    ["export", ["account:read", "account:write", ...reads], 201],
    ["erase", ACCOUNT, 403],
    ["erase", scopes.filter((scope) => scope !== "account:manage"), 403],
    ["erase", scopes.filter((scope) => scope !== "reviews:write"), 403],
    ["erase", [...ACCOUNT, ...writes], 201],
  ] as const)("are not reached without the scopes for it: %s with %j: %i", async (type, given, status) => {
    const key = await harness.key({ scopes: [...given] });
    expect((await post(key, "/privacy-requests", wish(type))).status).toBe(status);
  });

  it("are neither released nor fetched by a key that could not ask for them", async () => {
    for (const type of ["export", "erase"] as const) {
      const { id } = (await post(owner, "/privacy-requests", { ...wish(type), verify: true })).json.data;
      expect((await post(account, `/privacy-requests/${id}/verify`)).status).toBe(403);
      expect((await get(account, `/privacy-requests/${id}/export`)).status).toBe(403);
      expect((await get(account, `/privacy-requests/${id}`)).status).toBe(200);
    }
  });

  it.each(["a:b", "..%2F..", "%00%00%00", "sto_x%2F..%2Fy", "sto_%E2%98%83"])(
    "are not there for the operator where a store's id is %s",
    async (id) => {
      for (const tail of ["prv_01JD8Z5T9QK3M4N5P6R7S8T9V0", "prv_01JD8Z5T9QK3M4N5P6R7S8T9V0/export", "a:b"]) {
        const path = `/api/platform/admin/privacy-requests/${id}/${tail}`;
        expect((await harness.admin("GET", path)).status).toBe(404);
      }
    },
  );
});
