import { afterEach, expect, it, vi } from "vitest";

import type { Harness } from "../harness.ts";
import { createHarness } from "../harness.ts";
import { eraseCustomer } from "../../server/accounts/customers/erase.ts";
import { createPlatformJobs } from "../../server/accounts/jobs.ts";
import { toInstant } from "../../server/lib/instant.ts";
import { linkOf, makeAccount, operator, signUp, storedDocuments } from "./support.ts";

let harness: Harness;
afterEach(() => harness.close());

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function run(id: string): Promise<Readonly<Record<string, number>>> {
  const { services, clock } = harness;
  const job = createPlatformJobs(services).find((known) => known.id === id);
  if (job === undefined) throw new Error(`There is no job ${id}.`);
  const now = clock.now();
  const { runTx, newId, log, ports } = services;
  const signal = new AbortController().signal;
  return job.run({
    now,
    nowAt: toInstant(now),
    part: "platform",
    runTx,
    newId,
    log,
    signal,
    hasTime: () => true,
    ports,
  });
}

const collectionsLeft = async (): Promise<string[]> =>
  (await storedDocuments(harness)).map(({ key }) => key.split(":")[1] ?? "");

it("purges what stayed pending for 72 hours after its latest link, and nothing else", async () => {
  harness = await createHarness();
  await makeAccount(harness, "active@bakery.example");
  for (let index = 0; index < 25; index += 1) await signUp(harness, `dev${index}@bakery.example`);
  harness.clock.advance(72 * HOUR_MS - 1);
  const renewed = (await signUp(harness, "dev3@bakery.example")).json.customer_id;
  expect(await run("platform.purge-pending")).toEqual({ purged: 0 });
  harness.clock.advance(1);
  expect(await run("platform.purge-pending")).toEqual({ purged: 24 });
  expect(await run("platform.purge-pending")).toEqual({ purged: 0 });
  const { json } = await operator(harness, "GET", "/customers");
  expect(json.data.map(({ status }: { status: string }) => status).sort()).toEqual(["active", "pending"]);
  expect(json.data.some(({ id }: { id: string }) => id === renewed)).toBe(true);
  expect((await harness.call("GET", await linkOf(harness, "dev3@bakery.example"))).status).toBe(200);
  expect((await harness.services.mail.listTo("dev4@bakery.example", { limit: 1 })).items).toEqual([]);
  expect((await operator(harness, "GET", "/audit/verify")).json.data.ok).toBe(true);
});

it("spares a customer that verified between being found and being erased", async () => {
  harness = await createHarness();
  const { customerId, apiKey } = await makeAccount(harness);
  const erasure = {
    customerId,
    action: "customer.purged",
    isDue: ({ status }: { status: string }) => status === "pending",
  };
  const by = { actor: "system", now: harness.clock.now() };
  const before = await storedDocuments(harness);
  expect(await eraseCustomer(harness.services, by, erasure)).toBe(false);
  expect(await storedDocuments(harness)).toEqual(before);
  expect((await harness.call("GET", "/v1/account", { key: apiKey })).status).toBe(200);
});

it("gives the same customer another life when it signs up after the purge", async () => {
  harness = await createHarness();
  const before = (await signUp(harness)).json.customer_id;
  harness.clock.advance(72 * HOUR_MS);
  await run("platform.purge-pending");
  expect(await makeAccount(harness)).toMatchObject({ customerId: before });
});

it("notes expired keys, and forgets ended ones with their hash after 90 days", async () => {
  harness = await createHarness();
  const { customerId, apiKey } = await makeAccount(harness);
  await operator(harness, "POST", `/customers/${customerId}/plan`, { plan: "scale" });
  const orders = Array.from({ length: 23 }, () => ({
    customer_id: customerId,
    preset: "full",
    expires_in_seconds: 60,
  }));
  for (const order of orders) await operator(harness, "POST", "/keys", order);
  await operator(harness, "POST", "/keys", { customer_id: customerId, preset: "full", pending: true });
  harness.clock.advance(60_000);
  expect(await run("platform.sweep-keys")).toEqual({ expired: 23, forgotten: 0 });
  harness.clock.advance(30 * DAY_MS);
  expect(await run("platform.sweep-keys")).toEqual({ expired: 1, forgotten: 0 });
  harness.clock.advance(60 * DAY_MS);
  expect(await run("platform.sweep-keys")).toEqual({ expired: 0, forgotten: 23 });
  const left = await collectionsLeft();
  expect(left.filter((name) => name === "platform.keys")).toHaveLength(2);
  expect(left.filter((name) => name === "platform.key_hashes")).toHaveLength(2);
  expect((await harness.call("GET", "/v1/reviews", { key: apiKey })).status).toBe(200);
});

it("erases a customer closed 30 days ago and the data of its stores, of no other", async () => {
  harness = await createHarness();
  const { customerId, apiKey } = await makeAccount(harness);
  const other = await makeAccount(harness, "other@bakery.example");
  for (const key of [apiKey, other.apiKey]) {
    const zone = { name: "Town", outcodes: ["SW1A"], fee_tiers: [{ from: 0, fee: 499 }] };
    // Any write with an Idempotency-Key leaves documents in the store's own partition.
    await harness.call("POST", "/v1/delivery/zones", {
      key,
      body: zone,
      headers: { "idempotency-key": "zone-1" },
    });
  }
  const stores = (await operator(harness, "GET", "/stores")).json.data;
  const partOf = (id: string): string =>
    stores.find((store: { customer_id: string }) => store.customer_id === id).id.toLowerCase();
  await harness.store.commit(partOf(customerId), [{ put: `${partOf(customerId)}:notes:1`, value: "{}" }]);
  await harness.store.commit(partOf(other.customerId), [
    { put: `${partOf(other.customerId)}:notes:1`, value: "{}" },
  ]);
  await operator(harness, "DELETE", `/customers/${customerId}`);
  harness.clock.advance(30 * DAY_MS - 1);
  expect(await run("platform.erase")).toEqual({ customers: 0, documents: 0 });
  harness.clock.advance(1);
  expect((await run("platform.erase")).customers).toBe(1);
  const parts = await harness.store.partitions();
  expect(parts).not.toContain(partOf(customerId));
  expect(parts).toContain(partOf(other.customerId));
  const text = JSON.stringify(
    (await storedDocuments(harness)).filter(({ key }) => !key.includes("platform.audit")),
  );
  expect(text).not.toContain("dev@bakery.example");
  expect(text).not.toContain(apiKey);
  expect((await makeAccount(harness)).customerId).toBe(customerId);
});

it("deletes the mail of a customer also where the process ends after the customer is erased", async () => {
  harness = await createHarness();
  const { customerId } = await makeAccount(harness);
  await makeAccount(harness, "other@bakery.example");
  await operator(harness, "DELETE", `/customers/${customerId}`);
  harness.clock.advance(30 * DAY_MS);
  const { mail } = harness.services;
  const mailsTo = async (address: string): Promise<number> =>
    (await mail.listTo(address, { limit: 10 })).items.length;
  // The inbox of development deletes nothing by its age.
  expect(await mailsTo("dev@bakery.example")).toBeGreaterThan(0);
  const forget = vi.spyOn(mail, "forget").mockRejectedValueOnce(new Error("killed"));
  await expect(run("platform.erase")).rejects.toThrow("killed");
  const { json } = await operator(harness, "GET", "/customers");
  expect(json.data.map(({ id }: { id: string }) => id)).not.toContain(customerId);
  expect(await mailsTo("dev@bakery.example")).toBeGreaterThan(0);
  expect((await run("platform.erase")).customers).toBe(0);
  expect(await mailsTo("dev@bakery.example")).toBe(0);
  expect(await mailsTo("other@bakery.example")).toBeGreaterThan(0);
  await run("platform.erase");
  expect(forget).toHaveBeenCalledTimes(2);
  expect(JSON.stringify(await storedDocuments(harness))).not.toContain("dev@bakery.example");
});

it("keeps the mail of an erased customer who signed up again before it was deleted", async () => {
  harness = await createHarness();
  await signUp(harness);
  harness.clock.advance(72 * HOUR_MS);
  vi.spyOn(harness.services.mail, "forget").mockRejectedValueOnce(new Error("killed"));
  await expect(run("platform.purge-pending")).rejects.toThrow("killed");
  await signUp(harness);
  await run("platform.erase");
  expect((await harness.call("GET", await linkOf(harness))).status).toBe(200);
  expect(await collectionsLeft()).not.toContain("platform.mail_erasures");
});

it("erases the other stores where the data of one cannot be deleted, and says so", async () => {
  harness = await createHarness();
  const accounts = [];
  for (const name of ["first", "second"]) accounts.push(await makeAccount(harness, `${name}@bakery.example`));
  const stores = (await operator(harness, "GET", "/stores")).json.data;
  const [first = "", second = ""] = accounts.map(({ customerId }) =>
    stores.find((store: { customer_id: string }) => store.customer_id === customerId).id.toLowerCase(),
  );
  // A file in a file store that is not configured any more.
  await harness.store.commit(first, [{ put: `${first}:forms.held:file_1.10`, value: "{}" }]);
  await harness.store.commit(second, [{ put: `${second}:notes:1`, value: "{}" }]);
  for (const { customerId } of accounts) {
    await operator(harness, "DELETE", `/customers/${customerId}`);
    harness.clock.advance(1_000);
  }
  harness.clock.advance(30 * DAY_MS);
  await expect(run("platform.erase")).rejects.toThrow("1 removed stores");
  const parts = await harness.store.partitions();
  expect([parts.includes(first), parts.includes(second)]).toEqual([true, false]);
});

// Redis reads what a commit removes, and serves no other client meanwhile.
it("erases large documents a few at a time", async () => {
  harness = await createHarness();
  const { customerId } = await makeAccount(harness);
  const [{ id }] = (await operator(harness, "GET", "/stores")).json.data;
  const part = id.toLowerCase();
  for (let n = 0; n < 12; n += 1)
    await harness.store.commit(part, [{ put: `${part}:notes:${n}`, value: `"${"x".repeat(240_000)}"` }]);
  await operator(harness, "DELETE", `/customers/${customerId}`);
  harness.clock.advance(30 * DAY_MS);
  const commit = vi.spyOn(harness.services.store, "commit");
  await run("platform.erase");
  const sizes = commit.mock.calls.map(
    ([, ops]) => ops.filter((op) => "del" in op && op.del.startsWith(`${part}:notes:`)).length,
  );
  expect(sizes.filter((size) => size > 0)).toEqual([5, 5, 2]);
});

it("deletes links 30 days after their end, and usage after 13 months", async () => {
  harness = await createHarness();
  const { apiKey } = await makeAccount(harness);
  await harness.call("GET", "/v1/reviews", { key: apiKey });
  await harness.services.usage.flush();
  harness.clock.advance(31 * DAY_MS - 1);
  expect(await run("platform.purge-records")).toEqual({ links: 0, usage: 0 });
  harness.clock.advance(1);
  expect(await run("platform.purge-records")).toEqual({ links: 1, usage: 0 });
  harness.clock.advance(364 * DAY_MS);
  expect(await run("platform.purge-records")).toEqual({ links: 0, usage: 1 });
});

it("are known to the runner", async () => {
  harness = await createHarness();
  const known = (await harness.services.jobs.list()).map(({ id }) => id);
  for (const { id } of createPlatformJobs(harness.services)) expect(known).toContain(id);
});
