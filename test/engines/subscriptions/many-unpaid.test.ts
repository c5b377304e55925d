import { afterEach, expect, it } from "vitest";

import { storePartition } from "../../../server/core/partitions.ts";
import type { RunTx } from "../../../server/core/tx.ts";
import { billDue } from "../../../server/engines/subscriptions/jobs.ts";
import { charges } from "../../../server/engines/subscriptions/repository.ts";
import { followParsed } from "../../support/follow-parsed.ts";
import { longestOf, many, TURN_MS } from "../../support/longest-turn.ts";
import { callsOf, createShop, line, makeContract, makeMethod } from "./shop.ts";
import type { Shop } from "./shop.ts";

// Contracts that a customer has not paid for long: every charge of them is read wherever they change.

const long = { product_ref: "p".repeat(120), variant_ref: "v".repeat(120), title: "빵".repeat(200) };
const DAY_MS = 86_400_000;
let shop: Shop;
afterEach(() => shop.harness.close());

const begin = async (more: object): Promise<string> =>
  (
    await shop.make("/contracts", {
      customer: { id: "ada", email: "ada@shop.example", name: "Ada" },
      lines: [line()],
      interval: { unit: "week", count: 1 },
      collection: "send_invoice",
      ...more,
    })
  ).id;
const later = (days: number): Promise<string[]> =>
  shop.advance(new Date(Date.parse("2026-02-01T09:00:00.000Z") + days * DAY_MS).toISOString());
const statusesOf = async (id: string): Promise<string[]> =>
  (await shop.read(`/charges?contract_id=${id}&limit=100`)).map(
    ({ status, voided_reason: reason }: { status: string; voided_reason: string }) => `${status} ${reason}`,
  );

it("twenty unpaid invoices are voided by a cancellation, in several commits", async () => {
  shop = await createShop({ clock: "2026-02-01T09:00:00.000Z" });
  const id = await begin({});
  await later(19 * 7 + 3);
  const cancelled = await shop.post(`/contracts/${id}/cancel`, { at: "now" });
  expect([cancelled.status, cancelled.json.data.status]).toEqual([200, "cancelled"]);
  await later(20 * 7 - 3);
  expect(await statusesOf(id)).toEqual(many(20, () => "voided contract_ended"));
  const invoices = await shop.read(`/invoices?contract_id=${id}&limit=100`);
  expect(invoices.filter(({ kind }: { kind: string }) => kind === "credit_note")).toHaveLength(20);
  expect(await shop.read(`/contracts/${id}`)).toMatchObject({ next_action_at: null, overdue: null });
}, 180_000);

it("they are voided on the day on which a cancellation takes effect", async () => {
  shop = await createShop({ clock: "2026-02-01T09:00:00.000Z" });
  const id = await begin({});
  await later(17 * 7);
  await shop.make(`/contracts/${id}/cancel`, { at: "cycle_end" });
  await later(18 * 7 + 1);
  expect((await shop.read(`/contracts/${id}`)).status).toBe("cancelled");
  expect(new Set(await statusesOf(id))).toEqual(new Set(["voided contract_ended"]));
}, 180_000);

it("changes and shows a contract of hundreds of unpaid charges of many lines", async () => {
  shop = await createShop({ mode: "live" });
  const id = await begin({ lines: many(50, () => line(1, long)) });
  await shop.harness.services.jobs.run("subscriptions.bill");
  const part = storePartition(shop.key.storeId, "live");
  const { runTx, newId } = shop.harness.services;
  const [first] = (await runTx(part, (tx) => tx.peekPage(charges, { limit: 1 }))).items;
  if (first === undefined) throw new Error("No charge.");
  for (let n = 0; n < 360; n += 1) {
    await runTx(part, async (tx) => void tx.create(charges, { ...first.value, id: newId("chg") }));
  }
  const changed = await longestOf(
    () => shop.harness.clock.advance(60_000),
    async () => {
      expect((await shop.patch(`/contracts/${id}`, { metadata: { n: "1" } })).status).toBe(200);
    },
  );
  expect(changed).toBeLessThan(TURN_MS);
  const { url } = await shop.make(`/contracts/${id}/portal-link`, {});
  const shown = await longestOf(
    () => shop.harness.clock.advance(60_000),
    async () => {
      expect((await shop.harness.app.fetch(new Request(url))).status).toBe(200);
    },
  );
  expect(shown).toBeLessThan(TURN_MS);
}, 120_000);

it("the charges of one contract are in memory where many previews read them at the same time", async () => {
  shop = await createShop({ mode: "live" });
  const id = await begin({ lines: many(50, () => line(1, long)) });
  await shop.harness.services.jobs.run("subscriptions.bill");
  const { runTx, newId } = shop.harness.services;
  const [first] = (await runTx(shop.part, (tx) => tx.peekPage(charges, { limit: 1 }))).items;
  if (first === undefined) throw new Error("No charge.");
  const [atOnce, count] = [6, 60];
  for (let n = 1; n < count; n += 1)
    await runTx(shop.part, async (tx) => void tx.create(charges, { ...first.value, id: newId("chg") }));
  const parsed = followParsed(25_000, count);
  const change = { lines: [line(2)], effective: "now", proration: "none" };
  const answers = await Promise.all(
    many(atOnce, () => shop.post("/previews", { contract_id: id, change, cycles: 1 })),
  );
  const { all, most } = parsed.end();
  for (const { status, text } of answers) expect(status, text).toBe(200);
  expect(all).toBeGreaterThanOrEqual(count * atOnce);
  // Two have all of them; the others what they read before they waited. Without turns it was 327 of 360.
  expect(most).toBeLessThan(4 * count);
}, 120_000);

it.each(["unpaid", "pause"])(
  "twenty retries of many lines end in several commits where a contract waits for a person (%s)",
  async (outcome) => {
    shop = await createShop({ clock: "2026-02-01T09:00:00.000Z" });
    const policy = { title: "Long", retry_days: [20], mail_stages: [], on_exhausted: outcome };
    const { id: policyId } = await shop.make("/dunning-policies", policy);
    const { id } = await makeContract(shop, "tok_ok", {
      dunning_policy_id: policyId,
      interval: { unit: "day", count: 1 },
      lines: many(50, () => line(1, long)),
    });
    await later(0.5);
    const { method } = await makeMethod(shop, "tok_insufficient");
    await shop.patch(`/contracts/${id}`, { payment_method_id: method });
    await later(20.9);
    await later(22);
    const contract = await shop.read(`/contracts/${id}`);
    expect(contract.status).toBe(outcome === "pause" ? "paused" : "unpaid");
    const left = (await shop.read(`/charges?contract_id=${id}&limit=100`)).filter(
      ({ status }: { status: string }) => status === "retrying",
    );
    expect(left.length).toBeGreaterThan(17);
    for (const { dunning, attempts } of left) {
      expect(dunning).toMatchObject({ next_retry_at: null, give_up_at: null });
      expect(attempts).toHaveLength(1);
    }
  },
  180_000,
);

it("another payment method is tried with all of twenty failed charges of many lines, those first that fit into a commit", async () => {
  shop = await createShop({ clock: "2026-02-01T09:00:00.000Z" });
  const policy = { title: "Long", retry_days: [25], mail_stages: [] };
  const { id: policyId } = await shop.make("/dunning-policies", policy);
  const { id } = await makeContract(shop, "tok_ok", {
    dunning_policy_id: policyId,
    interval: { unit: "day", count: 1 },
    lines: many(50, () => line(1, long)),
  });
  await later(0.5);
  const { method } = await makeMethod(shop, "tok_insufficient");
  await shop.patch(`/contracts/${id}`, { payment_method_id: method });
  await later(20.5);
  const paid = await makeMethod(shop, "tok_ok");
  const isRetrying = ({ status }: { status: string }): boolean => status === "retrying";
  const retrying = (await shop.read(`/charges?contract_id=${id}&limit=100`)).filter(isRetrying).length;
  expect(retrying).toBeGreaterThan(17);
  const changed = await shop.patch(`/contracts/${id}`, { payment_method_id: paid.method });
  expect(changed.status, changed.text).toBe(200);
  await later(20.6);
  expect(await statusesOf(id)).toEqual(many(retrying + 1, () => "succeeded null"));
  expect(await callsOf(shop, paid.gateway)).toHaveLength(retrying);
}, 180_000);

it("the job has the unpaid charges of one contract in memory at a time, where there are many", async () => {
  shop = await createShop({ mode: "live" });
  const ids = [await begin({}), await begin({}), await begin({})];
  const { jobs, runTx, newId, log, ports } = shop.harness.services;
  await jobs.run("subscriptions.bill");
  for (const contract_id of ids) {
    const [first] = (
      await runTx(shop.part, (tx) => tx.peekPage(charges, { index: "by", value: contract_id, limit: 1 }))
    ).items;
    if (first === undefined) throw new Error("No charge.");
    for (let n = 0; n < 20; n += 1)
      await runTx(shop.part, async (tx) => void tx.create(charges, { ...first.value, id: newId("chg") }));
  }
  const now = Date.parse("2026-02-09T09:00:00.000Z");
  const read: string[][] = [];
  const watched: RunTx = (part, work, options) => {
    const own: string[] = [];
    read.push(own);
    return runTx(
      part,
      (tx) =>
        work({
          ...tx,
          peekAll: (collection, query = {}) => {
            if (query.index === "open") own.push(query.value ?? "");
            return tx.peekAll(collection, query);
          },
        }),
      options,
    );
  };
  const { signal } = new AbortController();
  const work = { now, nowAt: new Date(now).toISOString(), part: shop.part, newId, log, ports, signal };
  const { failed, looked } = await billDue({ ...work, runTx: watched });
  expect([failed, looked]).toEqual([0, 3]);
  expect(new Set(read.flat())).toEqual(new Set(ids));
  for (const own of read) expect(new Set(own).size).toBeLessThan(2);
}, 60_000);
