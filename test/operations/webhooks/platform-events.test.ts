import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Harness, TestKey } from "../../harness.ts";
import { operator } from "../../accounts/support.ts";
import { createRig, openReceiver, sendDue, subscribe, verify } from "./rig.ts";
import type { Receiver } from "./rig.ts";

let harness: Harness;
let receiver: Receiver;
let key: TestKey;
beforeEach(async () => {
  harness = await createRig({ now: new Date().toISOString() });
  receiver = await openReceiver();
  key = await harness.key();
});
afterEach(async () => {
  await harness.close();
  await receiver.close();
});

const DAY_MS = 86_400_000;
const told = () => receiver.got.map(({ body }) => JSON.parse(body));
const types = () => told().map(({ type }: { type: string }) => type);

describe("events of the platform", () => {
  it("reach the endpoints of the store that a key belongs to, and no other customer's", async () => {
    const other = await harness.key();
    const theirs = await openReceiver();
    await subscribe(harness, key, { url: receiver.url, types: ["key.*"] });
    await subscribe(harness, other, { url: theirs.url, types: ["*"] });
    const made = await operator(harness, "POST", "/keys", {
      customer_id: key.customerId,
      preset: "read-only",
      pending: true,
    });
    const { id } = made.json.data;
    await operator(harness, "POST", `/keys/${id}/activate`);
    await operator(harness, "POST", `/keys/${id}/rotate`, { overlap_seconds: 60 });
    await operator(harness, "POST", `/keys/${id}/revoke`, { reason: "leaked" });
    await sendDue(harness);
    await sendDue(harness);
    expect(types().sort()).toEqual([
      "key.activated",
      "key.issued",
      "key.issued",
      "key.revoked",
      "key.rotated",
    ]);
    expect(
      told().every(({ data }: { data: { customer_id: string } }) => data.customer_id === key.customerId),
    ).toBe(true);
    expect(theirs.got).toEqual([]);
    expect(receiver.got.every(({ body }) => !/plat_(live|pub|test)_[0-9A-Za-z]{30}/.test(body))).toBe(true);
    await theirs.close();
  });

  it("about a customer reach all of its stores, and a store that is added is told of", async () => {
    const second = await harness.key({ customer_id: key.customerId, identifier: "second" });
    await subscribe(harness, key, { url: receiver.url, types: ["plan.changed", "store.added"] });
    await subscribe(harness, second, { url: receiver.url, types: ["plan.changed"] });
    await operator(harness, "POST", `/customers/${key.customerId}/plan`, { plan: "growth" });
    await operator(harness, "POST", "/stores", { customer_id: key.customerId, identifier: "third" }).catch(
      () => undefined,
    );
    await sendDue(harness);
    await sendDue(harness);
    expect(types().filter((type) => type === "plan.changed")).toHaveLength(2);
    const [change] = told().filter(({ type }: { type: string }) => type === "plan.changed");
    expect(change.data).toMatchObject({ customer_id: key.customerId, to: "growth" });
  });

  it("reach the other stores and the operator while one store fails, and that one later, once", async () => {
    const broken = await harness.key();
    const theirs = await openReceiver();
    await operator(harness, "POST", "/webhooks", { url: receiver.url, types: ["plan.changed"] });
    await subscribe(harness, broken, { url: theirs.url, types: ["plan.changed"] });
    await subscribe(harness, key, { url: receiver.url, types: ["plan.changed"] });
    const { store } = harness.services;
    const commit = store.commit.bind(store);
    const failing = vi.spyOn(store, "commit").mockImplementation((part, ...more) => {
      if (part === broken.storeId.toLowerCase()) throw new Error("The primary of this partition is down.");
      return commit(part, ...more);
    });
    // More of the one that fails than are looked at together.
    for (let n = 0; n < 30; n += 1) {
      const plan = n % 2 === 0 ? "growth" : "scale";
      await operator(harness, "POST", `/customers/${broken.customerId}/plan`, { plan });
      harness.clock.advance(1);
    }
    await operator(harness, "POST", `/customers/${key.customerId}/plan`, { plan: "growth" });
    await sendDue(harness);
    await sendDue(harness);
    const customers = () =>
      told().map(({ data }: { data: { customer_id: string } }) => data.customer_id === key.customerId);
    expect(customers().filter((isOwn: boolean) => isOwn)).toHaveLength(2);
    expect(customers()).toHaveLength(32);
    failing.mockRestore();
    harness.clock.advance(60_000);
    for (let round = 0; round < 3; round += 1) await sendDue(harness);
    expect(new Set(theirs.got.map(({ id }) => id)).size).toBe(30);
    expect([theirs.got.length, told().length]).toEqual([30, 32]);
    expect((await harness.store.page("platform", "kernel.events", { limit: 10 })).items).toEqual([]);
    await theirs.close();
  });

  it("reach the operator's own endpoints, whoever they are about", async () => {
    const made = await operator(harness, "POST", "/webhooks", {
      url: receiver.url,
      types: ["customer.*", "store.*", "key.issued"],
    });
    const account = await harness.call("POST", "/api/platform/signup", {
      body: { email: "dev@bakery.example", storeIdentifier: "demo-bakery" },
    });
    const id = account.json.customer_id;
    await operator(harness, "POST", `/customers/${id}/verify`);
    await sendDue(harness);
    expect(types().sort()).toEqual(["customer.verified", "key.issued", "store.added"]);
    const first = receiver.got[0];
    expect(first === undefined ? null : verify(made.json.data.secret, first)).toMatchObject({
      data: { customer_id: id },
    });
    expect(receiver.got.map(({ body }) => body).join()).not.toContain("dev@bakery.example");
  });

  it("tell of an exceeded limit once a minute for each key", async () => {
    await subscribe(harness, key, { url: receiver.url, types: ["rate_limit.exceeded"] });
    const poor = await harness.key({ customer_id: key.customerId, store_id: key.storeId, tier: "free" });
    for (let minute = 0; minute < 2; minute += 1) {
      for (let count = 0; count < 60; count += 1) await harness.store.take(poor.id, 60, 60_000);
      for (let call = 0; call < 3; call += 1) {
        expect((await harness.call("GET", "/v1/account", { key: poor })).status).toBe(429);
      }
      await expect
        .poll(
          async () => {
            await sendDue(harness);
            return receiver.got.length;
          },
          { timeout: 20_000 },
        )
        .toBe(minute + 1);
      harness.clock.advance(61_000);
    }
    expect(told()[0].data).toMatchObject({ id: poor.id, customer_id: key.customerId, limit: 60 });
  });

  it("tell of keys that end in seven days and in one, each once, and not of those already replaced", async () => {
    await subscribe(harness, key, { url: receiver.url, types: ["key.expiring"] });
    const watch = () => harness.services.jobs.run("webhooks.watch");
    await watch();
    const at = (ms: number) => new Date(harness.clock.now() + ms).toISOString();
    const mine = { customer_id: key.customerId, store_id: key.storeId };
    const ending = await harness.key({ ...mine, expires_at: at(10 * DAY_MS) });
    await harness.key({ ...mine, expires_at: at(10 * DAY_MS), replaced_by: key.id });
    await harness.key({ ...mine, expires_at: at(400 * DAY_MS) });
    for (let half = 0; half < 24; half += 1) {
      await watch();
      harness.clock.advance(DAY_MS / 2);
    }
    await watch();
    await sendDue(harness);
    await sendDue(harness);
    const days = told().map(({ data }: { data: { id: string; days_left: number } }) => [
      data.id,
      data.days_left,
    ]);
    // What is sent together may arrive in any order.
    expect(days.sort((one, other) => Number(other[1]) - Number(one[1]))).toEqual([
      [ending.id, 7],
      [ending.id, 1],
    ]);
  });

  it("tell of a trial that begins, that will end, and that ended", async () => {
    await subscribe(harness, key, { url: receiver.url, types: ["trial.*"] });
    await harness.services.jobs.run("webhooks.watch");
    await operator(harness, "POST", `/customers/${key.customerId}/plan`, { plan: "growth", trial: true });
    for (let day = 0; day < 16; day += 1) {
      await harness.services.jobs.run("webhooks.watch");
      harness.clock.advance(DAY_MS);
    }
    await sendDue(harness);
    await sendDue(harness);
    // What is sent together may arrive in any order.
    expect(types().sort()).toEqual(["trial.ended", "trial.ending", "trial.started"]);
  });

  it("tell it once where the clock is set back, before and after it was sent, and leave nothing behind", async () => {
    await subscribe(harness, key, { url: receiver.url, types: ["trial.ended"] });
    await harness.services.jobs.run("webhooks.watch");
    await operator(harness, "POST", `/customers/${key.customerId}/plan`, { plan: "growth", trial: true });
    const end = harness.clock.now() + 14 * DAY_MS;
    for (const send of [false, false, true, true]) {
      harness.clock.advance(15 * DAY_MS);
      await harness.services.jobs.run("webhooks.watch");
      if (send) await sendDue(harness);
      harness.clock.advance(-15 * DAY_MS);
      await harness.services.jobs.run("webhooks.watch");
    }
    harness.clock.advance(16 * DAY_MS);
    await sendDue(harness);
    await sendDue(harness);
    expect(told()).toMatchObject([{ type: "trial.ended", timestamp: new Date(end).toISOString() }]);
    for (const name of ["kernel.events", "ix.kernel.events.time"]) {
      expect((await harness.store.page("platform", name, { limit: 10 })).items).toEqual([]);
    }
  });
});
