import { afterEach, expect, it } from "vitest";

import { sha256Hex } from "../../server/core/ids.ts";
import { auditEntries } from "../../server/accounts/audit.ts";
import { PLATFORM_PART } from "../../server/core/partitions.ts";
import type { Key } from "../../server/storage/contract.ts";
import { createHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";
import { makeAccount, operator, signUp } from "../accounts/support.ts";

let harness: Harness;
afterEach(() => harness.close());

interface Entry {
  readonly id: string;
  readonly seq: number;
  readonly action: string;
  readonly actor: string;
  readonly subject: string;
}

async function trail(query = "?limit=100"): Promise<Entry[]> {
  return (await operator(harness, "GET", `/audit${query}`)).json.data;
}

const verify = async () => (await operator(harness, "GET", "/audit/verify")).json.data;

/** A history with every kind of change in it. */
async function live(): Promise<{ customerId: string; keyId: string }> {
  harness = await createHarness();
  const { customerId, keyId, apiKey } = await makeAccount(harness);
  await operator(harness, "POST", `/customers/${customerId}/plan`, { plan: "growth", trial: true });
  const { id } = (
    await operator(harness, "POST", "/stores", { customer_id: customerId, identifier: "second" })
  ).json.data;
  await harness.call("POST", `/v1/account/keys/${keyId}/rotate`, { key: apiKey });
  const pending = await operator(harness, "POST", "/keys", {
    customer_id: customerId,
    preset: "full",
    pending: true,
  });
  await operator(harness, "POST", `/keys/${pending.json.data.id}/activate`);
  await operator(harness, "POST", `/keys/${pending.json.data.id}/revoke`, { reason: "leaked" });
  await operator(harness, "POST", `/customers/${customerId}/suspend`);
  await operator(harness, "POST", `/customers/${customerId}/resume`);
  await operator(harness, "DELETE", `/stores/${id}`);
  await operator(harness, "POST", `/customers/${customerId}/plan`, { plan: "scale" });
  return { customerId, keyId };
}

it("200 every change is on record, with who made it", async () => {
  const { customerId, keyId } = await live();
  const entries = (await trail()).toReversed();
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
  const told = entries.map(({ actor, action }) => `${actor === customerId ? "customer" : actor} ${action}`);
  expect(told).toEqual([
    "signup customer.signed_up",
    "signup store.added",
    "signup customer.verified",
    "signup key.issued",
    "operator trial.started",
    "operator store.added",
    "customer key.issued",
    "customer key.rotated",
    "operator key.issued",
    "operator key.activated",
    "operator key.revoked",
    "operator customer.suspended",
    "operator customer.resumed",
    "operator store.removed",
    "operator plan.changed",
  ]);
  expect((await trail(`?about=${keyId}`)).map(({ action }) => action)).toEqual(["key.rotated", "key.issued"]);
  expect(await trail(`?about=${customerId}&limit=100`)).toHaveLength(entries.length);
  expect(await verify()).toMatchObject({ ok: true, entries: entries.length, broken: null });
});

it("200 a page continues where the one before ended", async () => {
  await live();
  const all = (await trail()).map(({ id }) => id);
  const first = await operator(harness, "GET", "/audit?limit=4");
  const cursor = first.json.meta.pagination.next_cursor;
  const second = await trail(`?limit=4&cursor=${cursor}`);
  expect(second.map(({ id }) => id)).toEqual(all.slice(4, 8));
});

it("200 a refused change leaves no entry", async () => {
  const { keyId } = await live();
  const before = await trail();
  expect((await harness.admin("POST", `/api/platform/admin/keys/${keyId}/rotate`)).status).toBe(409);
  expect((await harness.admin("POST", `/api/platform/admin/keys/${keyId}/activate`)).status).toBe(409);
  expect(await trail()).toEqual(before);
});

it("200 the chain is whole after 100 simultaneous changes", async () => {
  harness = await createHarness();
  await Promise.all(Array.from({ length: 100 }, (_, index) => signUp(harness, `dev${index}@bakery.example`)));
  expect(await verify()).toMatchObject({ ok: true, entries: 200 });
});

const keyOf = (entry: Entry): Key => `${PLATFORM_PART}:${auditEntries.name}:${entry.id}`;

async function overwrite(entry: Entry, change: (stored: string) => string): Promise<void> {
  const found = await harness.store.get(keyOf(entry));
  const value = change(found?.value ?? "");
  expect(value).not.toBe(found?.value);
  await harness.store.commit(PLATFORM_PART, [{ put: keyOf(entry), value }]);
}

it.each([
  ["actor", (text: string) => text.replace('"actor":"operator"', '"actor":"nobody"')],
  ["action", (text: string) => text.replace('"action":"', '"action":"x')],
  ["time", (text: string) => text.replace('"created_at":"2026', '"created_at":"2025')],
  ["details", (text: string) => text.replace('"details":{', '"details":{"a":1,')],
  ["request", (text: string) => text.replace('"request_id":"req', '"request_id":"qer')],
  [
    "hash",
    (text: string) => text.replace(/"hash":"(.)/, (_, first) => `"hash":"${first === "0" ? "1" : "0"}`),
  ],
])("200 verify finds the entry whose %s was changed", async (_, change) => {
  await live();
  const entry = (await trail()).find(({ action }) => action === "trial.started");
  if (entry === undefined) throw new Error("The history has no trial.");
  await overwrite(entry, change);
  expect(await verify()).toMatchObject({
    ok: false,
    entries: entry.seq - 1,
    broken: { seq: entry.seq, id: entry.id },
  });
});

it("200 verify finds an entry that was removed, in the middle or at the end", async () => {
  await live();
  const [last, , middle, afterMiddle] = await trail();
  if (last === undefined || middle === undefined || afterMiddle === undefined)
    throw new Error("The history is short.");
  const stored = await harness.store.get(keyOf(last));
  await harness.store.commit(PLATFORM_PART, [{ del: keyOf(last) }]);
  expect(await verify()).toMatchObject({ ok: false, broken: { seq: last.seq, id: null } });
  await harness.store.commit(PLATFORM_PART, [{ put: keyOf(last), value: stored?.value ?? "" }]);
  expect((await verify()).ok).toBe(true);
  await harness.store.commit(PLATFORM_PART, [{ del: keyOf(middle) }]);
  expect(await verify()).toMatchObject({ ok: false, broken: { seq: middle.seq } });
});

it("200 verify finds an entry rewritten together with its hash, by the one after it", async () => {
  await live();
  const entry = (await trail()).find(({ action }) => action === "trial.started");
  if (entry === undefined) throw new Error("The history has no trial.");
  await overwrite(entry, (text) => {
    const forged = { ...JSON.parse(text), actor: "nobody" };
    const { previous_hash, id, seq, created_at, actor, request_id, action, subject, customer_id } = forged;
    const details = Object.entries(forged.details).sort(([a], [b]) => (a < b ? -1 : 1));
    const told = [
      previous_hash,
      id,
      seq,
      created_at,
      actor,
      request_id,
      action,
      subject,
      customer_id,
      details,
    ];
    return JSON.stringify({ ...forged, hash: sha256Hex(JSON.stringify(told)) });
  });
  expect(await verify()).toMatchObject({ ok: false, entries: entry.seq, broken: { seq: entry.seq + 1 } });
});

it("200 verify finds the last entry rewritten together with its hash, by the recorded end", async () => {
  await live();
  const [last] = await trail();
  if (last === undefined) throw new Error("The history is empty.");
  await overwrite(last, (text) => {
    const forged = { ...JSON.parse(text), details: {} };
    const { previous_hash, id, seq, created_at, actor, request_id, action, subject, customer_id } = forged;
    const told = [previous_hash, id, seq, created_at, actor, request_id, action, subject, customer_id, []];
    return JSON.stringify({ ...forged, hash: sha256Hex(JSON.stringify(told)) });
  });
  expect(await verify()).toMatchObject({ ok: false, broken: { seq: last.seq, id: last.id } });
});
