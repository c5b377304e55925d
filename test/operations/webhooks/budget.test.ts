import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { silentLog } from "../../../server/core/log.ts";
import { toInstant } from "../../../server/lib/instant.ts";
import { deliveries } from "../../../server/operations/webhooks/collections.ts";
import type { Delivery } from "../../../server/operations/webhooks/collections.ts";
import { createWebhookJobs } from "../../../server/operations/webhooks/jobs.ts";
import { createWaker } from "../../../server/operations/webhooks/waker.ts";
import { createTestClock } from "../../harness.ts";
import type { Harness, TestKey } from "../../harness.ts";
import { compute, standStill } from "../../support/compute.ts";
import { createRig, emit, openReceiver, sendDue, subscribe } from "./rig.ts";
import type { Receiver, Subscribed } from "./rig.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let harness: Harness;
let receiver: Receiver;
let key: TestKey;
let hook: Subscribed;
beforeEach(async () => {
  harness = await createRig();
  receiver = await openReceiver();
  key = await harness.key({ plan: "free" });
  hook = await subscribe(harness, key, { url: receiver.url });
});
afterEach(async () => {
  await harness.close();
  await receiver.close();
});

const post = (path: string, body?: object) =>
  harness.call("POST", `/v1/account/webhooks/${hook.id}${path}`, { key, body });
const resend = () => post("/resend", { since: "2020-01-01T00:00:00.000Z" });
const work = (more: { readonly always?: boolean; readonly hasTime?: () => boolean } = {}) =>
  harness.services.webhooks.work(hook.part, { signal: new AbortController().signal, ...more });
const background = async () => {
  const budgets = (await harness.call("GET", "/v1/account/usage/budgets", { key })).json.data;
  return budgets.find(({ budget }: { readonly budget: string }) => budget === "background");
};
const exhaust = async (): Promise<void> => {
  const { limit } = await background();
  await harness.services.budgets.charge(key.customerId, "background", limit * 1_000);
};

async function addSkipped(count: number): Promise<void> {
  const { newId, runTx } = harness.services;
  const at = toInstant(harness.clock.now());
  const delivery = {
    created_at: at,
    updated_at: at,
    endpoint_id: hook.id,
    type: "webhook.test",
    status: "skipped",
    attempts: 0,
    next_at: null,
    delivered_at: null,
    history: [],
    body: "{}",
  } satisfies Partial<Delivery>;
  for (let left = count; left > 0; left -= 20)
    await runTx(hook.part, async (tx) => {
      for (let n = 0; n < Math.min(20, left); n += 1)
        tx.create(deliveries, { ...delivery, id: newId("dlv"), event_id: newId("evt") });
    });
}

describe("the budget of background work", () => {
  it("pays for resends of what is then skipped again", async () => {
    await addSkipped(200);
    expect((await resend()).status).toBe(202);
    await post("/disable");
    const before = (await background()).used;
    expect((await work({ always: true })).skipped).toBe(200);
    expect((await background()).used).toBeGreaterThan(before);
  });

  describe("while the clock stands still", () => {
    standStill();

    it("does not pay for the time that a receiver takes", async () => {
      receiver.answer = () => {
        compute(1_000);
        return Promise.resolve({ status: 204 });
      };
      await emit(harness, hook.part);
      expect((await work()).delivered).toBe(1);
      expect((await background()).used).toBe(0);
    });
  });

  it("leaves deliveries due and events queued until it renews", async () => {
    await addSkipped(1);
    await resend();
    await emit(harness, hook.part);
    await exhaust();
    const commit = vi.spyOn(harness.store, "commit");
    expect(await work()).toEqual({ events: 0, delivered: 0, failed: 0, skipped: 0 });
    expect(commit).not.toHaveBeenCalled();
    harness.clock.advance(HOUR_MS);
    expect(await sendDue(harness)).toMatchObject({ events: 1, delivered: 2 });
  });

  it("is not exceeded by events for many endpoints", async () => {
    for (let n = 0; n < 9; n += 1) await subscribe(harness, key, { url: receiver.url });
    for (let n = 0; n < 40; n += 1)
      await harness.services.runTx(hook.part, async (tx) => {
        for (let at = 0; at < 50; at += 1)
          tx.emit({
            id: harness.services.newId("evt"),
            type: "webhook.test",
            at: toInstant(harness.clock.now()),
            data: { text: "x".repeat(1_000) },
          });
      });
    await exhaust();
    const before = (await background()).used;
    await work();
    expect((await background()).used).toBe(before);
  });

  it("has the waker look again when it renews", async () => {
    const get = vi.spyOn(harness.store, "peek");
    harness.services.webhooks.start();
    await exhaust();
    await emit(harness, hook.part);
    get.mockClear();
    await new Promise((resolve) => {
      setTimeout(resolve, 300);
    });
    expect(get.mock.calls.length).toBeLessThan(5);
    expect(receiver.got).toHaveLength(0);
    // The waker's timers go by the clock of the machine.
    harness.clock.advance(HOUR_MS);
    harness.services.webhooks.wake(hook.part);
    await expect.poll(() => receiver.got).toHaveLength(1);
  });
});

it("has one resend of an endpoint at a time", async () => {
  await addSkipped(1);
  const answers = await Promise.all([resend(), resend()]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202, 409]));
  const again = await resend();
  expect([again.status, again.json.error.code]).toEqual([409, "webhook_resend_running"]);
  await work();
  expect((await resend()).status).toBe(202);
});

it("delivers what happens now before a resend of many goes on", async () => {
  await addSkipped(400);
  await resend();
  await emit(harness, hook.part);
  let left = 10;
  expect(await work({ hasTime: () => (left -= 1) >= 0 })).toMatchObject({ events: 1, delivered: 1 });
});

it("works in turns, and goes on after each", async () => {
  const clock = createTestClock();
  const pieces: number[] = [];
  const isOver = new Promise<void>((resolve) => {
    let left = 50;
    const waker = createWaker({
      async work(_, { hasTime }) {
        let done = 0;
        for (; left > 0 && hasTime(); left -= 1) done += 1;
        pieces.push(done);
        if (left === 0) resolve();
      },
      nextDueMs: async () => null,
      clock,
      log: silentLog,
    });
    waker.start();
    waker.wake("part");
  });
  await isOver;
  expect(pieces).toEqual([20, 20, 10]);
});

it("does no more in a turn of the daily job either: slow receivers of some shops would keep all others waiting", async () => {
  const { newId, ports, runTx, webhooks } = harness.services;
  const tidy = createWebhookJobs(webhooks).find(({ id }) => id === "webhooks.tidy");
  const { signal } = new AbortController();
  const now = harness.clock.now();
  const turn = async (pieces: number) => {
    let left = pieces;
    const hasTime = (): boolean => (left -= 1) >= 0;
    const about = { now, nowAt: toInstant(now), part: hook.part, runTx, newId, ports };
    return tidy?.run({ ...about, log: silentLog, signal, hasTime });
  };
  for (let n = 0; n < 12; n += 1) await emit(harness, hook.part);
  const first = (await turn(7))?.["delivered"] ?? NaN;
  expect(first).toBeLessThan(7);
  expect((await turn(50))?.["delivered"]).toBe(12 - first);
});

it("signs with the two newest secrets", async () => {
  for (let n = 0; n < 5; n += 1) await post("/rotate-secret", { overlap_seconds: 86_400 });
  await emit(harness, hook.part);
  await sendDue(harness);
  expect(receiver.got[0]?.headers["webhook-signature"]).toMatch(/^v1,\S+ v1,\S+$/);
});

it("is in the audit trail once a day when it is disabled again and again", async () => {
  receiver.answer = () => ({ status: 410 });
  const trail = async () =>
    (await harness.admin("GET", "/api/platform/admin/audit")).json.data.filter(
      ({ action }: { readonly action: string }) => action === "webhook.disabled",
    );
  const beDisabled = async (): Promise<void> => {
    expect((await post("/test")).status).toBe(202);
    await sendDue(harness);
    expect((await post("/enable")).json.data.status).toBe("enabled");
  };
  for (let n = 0; n < 3; n += 1) await beDisabled();
  expect(await trail()).toHaveLength(1);
  harness.clock.advance(DAY_MS);
  await beDisabled();
  expect(await trail()).toHaveLength(2);
});
