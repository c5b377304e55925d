import { afterEach, beforeEach, expect, it } from "vitest";

import { toInstant } from "../../../server/lib/instant.ts";
import { createHarness } from "../../harness.ts";
import { startStripeDouble } from "../../support/stripe-double.ts";
import { createShop, line, makeContract, makeMethod, NOW, shopOf } from "./shop.ts";
import type { Shop } from "./shop.ts";
import { BASE_URL, makeGateway, outgoing } from "./stripe-world.ts";

// What anybody who has the link of a contract can make of its shop.

const DAY_MS = 86_400_000;
let shop: Shop;
beforeEach(async () => {
  const harness = await createHarness({ now: NOW, config: { baseUrl: BASE_URL }, ...outgoing });
  shop = shopOf(harness, await harness.key({ plan: "free", mode: "live" }));
});
afterEach(() => shop.harness.close());

const begin = (id: string) =>
  shop.post("/contracts", {
    customer: { id, email: `${id}@shop.example`, name: id },
    lines: [line()],
    interval: { unit: "month", count: 1 },
    collection: "send_invoice",
  });
async function openPage() {
  const { id } = (await begin("ada")).json.data;
  await shop.harness.services.jobs.run("subscriptions.bill");
  const { url } = await shop.make(`/contracts/${id}/portal-link`, {});
  const { pathname } = new URL(url);
  return {
    press: async (action: string): Promise<number> =>
      (
        await shop.harness.call("POST", pathname, {
          body: `action=${action}`,
          headers: { "content-type": "application/x-www-form-urlencoded" },
        })
      ).status,
    visit: async (query: string): Promise<number> =>
      (await shop.harness.call("GET", `${pathname}${query}`)).status,
  };
}
const remaining = async (budget: string) =>
  (await shop.harness.call("GET", "/v1/account/usage/budgets", { key: shop.key })).json.data.find(
    (one: { budget: string }) => one.budget === budget,
  ).remaining;

it("changes a contract twenty times a day at most: the mails of the day are left to the shop", async () => {
  const { press } = await openPage();
  const statuses: number[] = [];
  for (let n = 0; n < 25; n += 1) {
    statuses.push(await press("cancel"), await press("keep"));
    await shop.harness.services.jobs.run("mail.forward");
  }
  expect(statuses.indexOf(429)).toBe(20);
  expect(await remaining("new_recipients")).toBe(9);
  expect((await begin("bob")).status).toBe(201);
  shop.harness.clock.advance(DAY_MS);
  expect(await press("cancel")).toBe(200);
});

it("asks the gateway fifty times a day at most: the budget is left to the job that bills", async () => {
  const stripe = await startStripeDouble({ now: shop.harness.clock.now });
  try {
    await makeGateway(shop, stripe);
    const { press, visit } = await openPage();
    const before = await remaining("outgoing");
    const statuses: number[] = [];
    for (let n = 0; n < 60; n += 1) statuses.push(await visit(`?session_id=cs_${n}`));
    expect([statuses.indexOf(429), before - (await remaining("outgoing"))]).toEqual([50, 50]);
    expect([await press("add_card"), await press("confirm"), await visit("?payment_intent=pi")]).toEqual([
      429, 429, 429,
    ]);
    expect(await visit("")).toBe(200);
  } finally {
    await stripe.close();
  }
});

it("changes between two declined cards until a charge has been attempted forty times: then its retries end", async () => {
  await shop.harness.close();
  shop = await createShop({ clock: "2026-02-01T09:00:00.000Z" });
  const { id } = await makeContract(shop, "tok_ok", { interval: { unit: "week", count: 1 } });
  const cards = [await makeMethod(shop, "tok_lost_card"), await makeMethod(shop, "tok_lost_card")];
  await shop.advance("2026-02-02T09:00:00.000Z");
  await shop.patch(`/contracts/${id}`, { payment_method_id: cards[0]?.method });
  const dueMs = Date.parse("2026-02-08T12:00:00.000Z");
  await shop.advance(toInstant(dueMs));
  const { url } = await shop.make(`/contracts/${id}/portal-link`, {});
  for (let n = 1; n <= 40; n += 1) {
    await shop.harness.call("POST", new URL(url).pathname, {
      body: `action=pay_with&payment_method_id=${cards[n % 2]?.method}`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    // Twenty changes a day.
    await shop.advance(toInstant(dueMs + (n * DAY_MS) / 19));
  }
  const [charge] = await shop.read(`/charges?contract_id=${id}&limit=1`);
  expect([charge.status, charge.attempts.length, charge.voided_reason]).toEqual([
    "exhausted",
    40,
    "unpaid_skipped",
  ]);
  expect((await shop.read(`/contracts/${id}`)).status).toBe("active");
}, 60_000);
