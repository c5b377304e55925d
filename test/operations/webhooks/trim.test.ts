import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ConfigSchema } from "../../../server/config/schema.ts";
import type { Harness, TestKey } from "../../harness.ts";
import { createRig, deliveriesOf, emit, openReceiver, sendDue, subscribe } from "./rig.ts";
import type { Receiver, Subscribed } from "./rig.ts";

const { plans } = ConfigSchema.parse({
  plans: [{ id: "free", requestsPerMinute: 600, megabytesPerStore: 1 }],
});
const EVENTS = 200;
const MEGABYTE = 1_000_000;

let harness: Harness;
let receiver: Receiver;
let key: TestKey;
let hook: Subscribed;
beforeEach(async () => {
  harness = await createRig({ config: { plans } });
  receiver = await openReceiver();
  key = await harness.key({ plan: "free" });
  hook = await subscribe(harness, key, { url: receiver.url });
});
afterEach(async () => {
  await harness.close();
  await receiver.close();
});

const systemBytes = async (): Promise<number> => (await harness.store.usage(hook.part)).systemBytes;
const emitFull = (n: number): Promise<string> =>
  emit(harness, hook.part, "webhook.test", { n, text: "x".repeat(10_000) });
const fill = async (): Promise<void> => {
  for (let n = 0; n < EVENTS; n += 1) {
    // Events of one millisecond have no order.
    harness.clock.advance(1);
    await emitFull(n);
    if (n % 20 === 19) await sendDue(harness);
  }
};
const write = () =>
  harness.call("POST", "/v1/content/drafts", {
    key,
    body: { title: "Bread", body: "We bake." },
    headers: { "idempotency-key": "one" },
  });

describe("webhook deliveries of a store", () => {
  it("leave half of the storage for the platform's own work to requests; the oldest are deleted first", async () => {
    await fill();
    expect(receiver.got).toHaveLength(EVENTS);
    expect(await systemBytes()).toBeLessThan(0.5 * MEGABYTE);
    expect((await write()).status).toBe(201);
    const [latest] = await deliveriesOf(harness, key, hook.id);
    expect(JSON.parse(latest.body).data.n).toBe(EVENTS - 1);
  });

  it("that wait as events for the budget of the customer leave a quarter", async () => {
    await harness.services.budgets.charge(key.customerId, "background", 1_000_000_000);
    await fill();
    expect(receiver.got).toHaveLength(0);
    expect(await systemBytes()).toBeLessThan(0.75 * MEGABYTE);
    expect((await write()).status).toBe(201);
    harness.clock.advance(3_600_000);
    await sendDue(harness);
    const sent = receiver.got.map(({ body }) => JSON.parse(body).data.n);
    expect([sent.includes(EVENTS - 1), sent.includes(0)]).toEqual([true, false]);
    expect(sent.length).toBeGreaterThan(30);
  });

  it("that nobody accepts leave a quarter", async () => {
    receiver.answer = () => ({ status: 500 });
    await fill();
    expect(await systemBytes()).toBeLessThan(0.75 * MEGABYTE);
    expect((await write()).status).toBe(201);
    const [latest] = await deliveriesOf(harness, key, hook.id);
    expect(JSON.parse(latest.body).data.n).toBe(EVENTS - 1);
  });
});
