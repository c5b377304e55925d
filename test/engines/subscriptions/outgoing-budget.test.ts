import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createHarness } from "../../harness.ts";
import { startStripeDouble } from "../../support/stripe-double.ts";
import type { StripeDouble } from "../../support/stripe-double.ts";
import { makeContract, NOW, shopOf } from "./shop.ts";
import type { Shop } from "./shop.ts";
import { BASE_URL, makeStripeContract, outgoing } from "./stripe-world.ts";

const OUTGOING = 300;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MINUTE = 60_000;
/** Where the gateway of the merchant's own is. */
const OWN = "https://pay.shop.example/";

let shop: Shop;
let stripe: StripeDouble;
/** Requests that left for another server. */
let sent: number;
beforeEach(async () => {
  sent = 0;
  const harness = await createHarness({
    now: NOW,
    config: { baseUrl: BASE_URL },
    post: async (request) => {
      sent += 1;
      if (request.url !== OWN) return outgoing.post(request);
      return { status: 200, body: JSON.stringify({ status: "succeeded", ref: "ch_1" }) };
    },
    fetch: (request) => ((sent += 1), outgoing.fetch(request)),
  });
  shop = shopOf(harness, await harness.key({ plan: "free", mode: "live" }));
  stripe = await startStripeDouble({ now: harness.clock.now });
});
afterEach(async () => {
  await shop.harness.close();
  await stripe.close();
});

async function work(afterMs = 0): Promise<void> {
  shop.harness.clock.advance(afterMs);
  await shop.harness.services.jobs.run("subscriptions.bill");
}
/** Uses up the budget of the shop. */
const exhaust = () => shop.harness.services.budgets.charge(shop.key.customerId, "outgoing", OUTGOING);
const inMs = (ms: number): string => new Date(shop.harness.clock.now() + ms).toISOString();
const statusOf = async (id: string): Promise<string> => (await shop.read(`/contracts/${id}`)).status;
const chargesOf = (id: string) => shop.read(`/charges?contract_id=${id}`);
const eventsOf = async (): Promise<string[]> =>
  (await shop.read("/events?limit=100")).map(({ type }: { type: string }) => type);

async function makeOwn(): Promise<string> {
  const gateway = await shop.make("/gateways", { title: "Own", kind: "external", url: OWN });
  await shop.make(`/gateways/${gateway.id}/secrets`, {});
  const method = await shop.make("/payment-methods", {
    customer_id: "ada",
    gateway_id: gateway.id,
    token_ref: "tok_9",
  });
  return (await makeContract(shop, "tok_ok", { payment_method_id: method.id })).id;
}

describe("a charge while the budget of outgoing requests is used up", () => {
  it.each([
    ["Stripe", async () => (await makeStripeContract(shop, stripe, "ok")).id],
    ["a gateway of the merchant's own", makeOwn],
  ])("waits until it renews, at %s: it has not failed", async (_, begin) => {
    const id = await begin();
    await work();
    expect(await statusOf(id)).toBe("active");
    // Renewals are billed within an hour or two.
    shop.harness.clock.advance(28 * DAY + 2 * HOUR);
    await exhaust();
    sent = 0;
    await work();
    const waiting = (await chargesOf(id))[0];
    expect(waiting).toMatchObject({
      status: "processing",
      attempts: [],
      dunning: { stage: 0, first_failed_at: null, next_retry_at: inMs(HOUR), category: null },
    });
    expect([await statusOf(id), sent]).toEqual(["active", 0]);
    await work(HOUR - 1);
    expect([sent, (await chargesOf(id))[0]]).toEqual([0, waiting]);
    await work(1);
    expect((await chargesOf(id))[0]).toMatchObject({
      status: "succeeded",
      attempts: [{ id: `${waiting.id}-1`, n: 1, state: "succeeded" }],
      dunning: { stage: 0, next_retry_at: null },
    });
    expect([await statusOf(id), sent]).toEqual(["active", 1]);
    expect(await eventsOf()).not.toContain("charge.failed");
  });

  it("climbs no step of its retries", async () => {
    const { id } = await makeStripeContract(shop, stripe, "insufficient_funds");
    await work();
    const failed = (await chargesOf(id))[0];
    expect(failed).toMatchObject({ status: "retrying", attempts: [{ n: 1 }], dunning: { stage: 1 } });
    shop.harness.clock.advance(Date.parse(failed.dunning.next_retry_at) - shop.harness.clock.now());
    await exhaust();
    await work();
    await work(10 * MINUTE);
    expect((await chargesOf(id))[0]).toMatchObject({
      status: "processing",
      attempts: [{ n: 1, state: "failed" }],
      dunning: { ...failed.dunning, next_retry_at: inMs(HOUR - 10 * MINUTE) },
    });
    expect((await eventsOf()).filter((type) => type === "charge.failed")).toHaveLength(1);
    await work(50 * MINUTE);
    expect((await chargesOf(id))[0]).toMatchObject({ attempts: [{ n: 1 }, { n: 2 }], dunning: { stage: 2 } });
  });
});

it("has a refund wait as well: it is pending, and given back once", async () => {
  const { id } = await makeStripeContract(shop, stripe, "ok");
  await work();
  const [charge] = await chargesOf(id);
  await exhaust();
  await shop.make(`/charges/${charge.id}/refunds`, { amount: 300, reason: "Late" });
  await work();
  await work(10 * MINUTE);
  expect((await chargesOf(id))[0]).toMatchObject({ status: "succeeded", refunds: [{ state: "pending" }] });
  await work(HOUR);
  expect((await chargesOf(id))[0]).toMatchObject({
    status: "partially_refunded",
    refunds: [{ state: "succeeded", failure: null }],
  });
  expect(stripe.account.ledger.filter(({ kind }) => kind === "refund")).toHaveLength(1);
  expect(await eventsOf()).not.toContain("charge.refund_failed");
});
