import { afterEach, expect, it } from "vitest";

import { createQuotaOf } from "../../server/accounts/quota.ts";
import { ConfigSchema } from "../../server/config/schema.ts";
import { storePartition } from "../../server/core/partitions.ts";
import type { Op } from "../../server/storage/contract.ts";
import { createHarness } from "../harness.ts";
import type { Harness, TestKey } from "../harness.ts";

let harness: Harness;
afterEach(() => harness.close());

const start = async (plan: { documentsPerStore?: number; megabytesPerStore?: number }): Promise<TestKey> => {
  const free = { id: "free", requestsPerMinute: 6_000, activeKeys: 5, ...plan };
  const larger = { id: "larger", requestsPerMinute: 6_000 };
  harness = await createHarness({ config: { plans: ConfigSchema.parse({ plans: [free, larger] }).plans } });
  return harness.key({ plan: "free" });
};
const calendar = (name: string) => ({ name, events: [{ date: "2026-09-12", title: "Market" }] });
const create = (key: TestKey, name: string, headers: Record<string, string> = {}) =>
  harness.call("POST", "/v1/delivery/calendars", { key, body: calendar(name), headers });
/** Documents as large as they may be. */
const fill = async (key: TestKey, count: number, coll = "filler"): Promise<void> => {
  const part = storePartition(key.storeId, "live");
  const value = `"${"x".repeat(250_000)}"`;
  for (let n = 0; n < count; n += 1)
    await harness.store.commit(part, [{ put: `${part}:${coll}:${n}`, value }] satisfies Op[]);
};
const lookAt = async (key: TestKey, budget: string) =>
  (await harness.call("GET", "/v1/account/usage/budgets", { key })).json.data.find(
    (one: { budget: string }) => one.budget === budget,
  );

it("refuses what would exceed the documents of a store with 409 and its numbers, reads and deletes on", async () => {
  const key = await start({ documentsPerStore: 12 });
  const names = Array.from({ length: 12 }, (_, n) => `calendar-${n}`);
  const answers = [];
  for (const name of names) answers.push(await create(key, name, { "Idempotency-Key": name }));
  const made = answers.filter(({ status }) => status === 201);
  const refused = answers.find(({ status }) => status !== 201);
  expect(made.length).toBeGreaterThan(2);
  const { used } = await lookAt(key, "documents");
  expect([refused?.status, refused?.json.error.code, refused?.json.error.detail]).toEqual([
    409,
    "quota_exceeded",
    expect.stringMatching(
      new RegExp(
        `^This request would exceed the storage quota of the store, which contains ${used} of 12 documents, \\d+ of 25000000000 bytes with files and index entries, .* Delete data that is no longer needed, or choose a larger plan\\.$`,
      ),
    ),
  ]);
  expect((await harness.call("GET", "/v1/delivery/calendars", { key })).status).toBe(200);
  for (const { json } of made.slice(0, 2)) {
    const gone = await harness.call("DELETE", `/v1/delivery/calendars/${json.data.id}`, {
      key,
      headers: { "Idempotency-Key": `delete-${json.data.id}` },
    });
    expect(gone.status).toBe(204);
  }
  const { used: after } = await lookAt(key, "documents");
  expect(after).toBeLessThan(12);
});

it("counts bytes, gives them back, and takes a larger plan at once", async () => {
  const key = await start({ megabytesPerStore: 1 });
  await fill(key, 4);
  expect(await lookAt(key, "storage")).toMatchObject({
    unit: "bytes",
    store_id: key.storeId,
    mode: "live",
    window_seconds: null,
    limit: 1_000_000,
    remaining: 0,
  });
  const refused = await create(key, "Market");
  expect([refused.status, refused.json.error.code]).toEqual([409, "quota_exceeded"]);
  expect(
    (
      await harness.admin("POST", `/api/platform/admin/customers/${key.customerId}/plan`, {
        body: { plan: "larger" },
      })
    ).status,
  ).toBe(200);
  expect((await create(key, "Market")).status).toBe(201);
  const listed = await harness.admin("GET", `/api/platform/admin/customers/${key.customerId}/budgets`);
  expect(
    listed.json.data.filter(({ store_id }: { store_id: string | null }) => store_id !== null),
  ).toHaveLength(4);
});

it("keeps a tenth of its room for the shop where visitors hand something in", async () => {
  const key = await start({ megabytesPerStore: 1 });
  const scopes = ["forms:public", "forms:submit"];
  const page = await harness.key({
    kind: "publishable",
    scopes,
    customer_id: key.customerId,
    store_id: key.storeId,
  });
  const fields = [
    { key: "text", type: "textarea", label: "Text" },
    { key: "file", type: "file", label: "File" },
  ];
  const form = await harness.call("POST", "/v1/forms", { key, body: { name: "Ask us", fields } });
  const path = `/v1/forms/${form.json.data.id}`;
  expect((await harness.call("POST", `${path}/publish`, { key })).status).toBe(200);
  const send = (sender: TestKey) =>
    harness.call("POST", `${path}/submissions`, { key: sender, body: { data: { text: "Rye?" } } });
  expect((await send(page)).status).toBe(201);
  await fill(key, 3);
  const content = Buffer.alloc(120_000, "a").toString("base64");
  const upload = { field: "file", file: { name: "a.txt", content } };
  const filled = await harness.call("POST", `${path}/uploads`, { key, body: upload });
  expect(filled.status).toBe(201);
  const refused = [
    await send(page),
    await harness.call("POST", `${path}/uploads`, { key: page, body: upload }),
    await harness.call(
      "POST",
      `/api/public/forms/${storePartition(key.storeId, "live")}.${form.json.data.id}`,
      {
        body: "text=Rye%3F",
        headers: { "content-type": "application/x-www-form-urlencoded" },
      },
    ),
  ];
  const codes = refused.map(({ status, json }) => `${status} ${json.error.code}`);
  expect(new Set(codes)).toEqual(new Set(["409 quota_exceeded"]));
  expect((await send(key)).status).toBe(201);
  expect((await create(key, "Market")).status).toBe(201);
});

it("gives what the platform stores for its own work room of its own", async () => {
  const key = await start({ megabytesPerStore: 1 });
  await fill(key, 3, "webhooks.deliveries");
  expect((await create(key, "Market", { "Idempotency-Key": "one" })).status).toBe(201);
  await fill(key, 4, "webhooks.deliveries");
  const refused = await create(key, "Market", { "Idempotency-Key": "two" });
  expect([refused.status, refused.json.error.code]).toEqual([409, "quota_exceeded"]);
  expect(refused.json.error.detail).toContain(
    "of 1000000 bytes of stored responses, outgoing messages and logs",
  );
});

it("keeps exactly to the quota under a crowd of requests, and lets jobs finish their work", async () => {
  const key = await start({ documentsPerStore: 6 });
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => create(key, `calendar-${n}`)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]));
  const { used } = await lookAt(key, "documents");
  expect(used).toBeLessThanOrEqual(6);
  const part = storePartition(key.storeId, "live");
  await harness.services.runTx(part, async (tx) => tx.stage([{ put: `${part}:x:1`, value: "1" }]), {
    frees: true,
  });
  expect((await harness.services.store.usage(part)).documents).toBe(used + 1);
});

it("remembers the size of a quota for ten seconds, and reads it again after a refusal", async () => {
  const key = await start({ documentsPerStore: 6 });
  let reads = 0;
  const findOwner = async () => {
    reads += 1;
    return { storage: { documents: reads, bytes: null } };
  };
  const quotaOf = createQuotaOf({ findOwner, clock: harness.clock });
  const part = storePartition(key.storeId, "live");
  const documents = async (refresh: boolean) => (await quotaOf(part, refresh))?.documents;
  expect([await documents(false), await documents(false), await documents(true)]).toEqual([1, 1, 2]);
  harness.clock.advance(10_000);
  expect(await documents(false)).toBe(3);
  expect(await quotaOf("platform", false)).toBeUndefined();
});
