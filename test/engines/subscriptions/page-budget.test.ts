import { afterEach, beforeEach, expect, it } from "vitest";

import { createHarness } from "../../harness.ts";
import { startStripeDouble } from "../../support/stripe-double.ts";
import type { StripeDouble } from "../../support/stripe-double.ts";
import { line, NOW, pointersOf, shopOf } from "./shop.ts";
import type { Shop } from "./shop.ts";
import { BASE_URL, makeGateway, makeStripeContract, outgoing } from "./stripe-world.ts";

const OUTGOING = 300;

let shop: Shop;
let stripe: StripeDouble;
/** Requests that left for another server. */
let sent: number;
beforeEach(async () => {
  sent = 0;
  const harness = await createHarness({
    now: NOW,
    config: { baseUrl: BASE_URL },
    post: (request) => ((sent += 1), outgoing.post(request)),
    fetch: (request) => ((sent += 1), outgoing.fetch(request)),
  });
  shop = shopOf(harness, await harness.key({ plan: "free", mode: "live" }));
  stripe = await startStripeDouble({ now: harness.clock.now });
});
afterEach(async () => {
  await shop.harness.close();
  await stripe.close();
});

/** Uses up the budget of the shop. */
const exhaust = () => shop.harness.services.budgets.charge(shop.key.customerId, "outgoing", OUTGOING);

const visit = (url: string) => {
  const { pathname, search } = new URL(url);
  return shop.harness.call("GET", pathname + search, { headers: { accept: "text/html" } });
};
const press = (url: string, action: string) =>
  shop.harness.call("POST", new URL(url).pathname, {
    body: `action=${action}`,
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
const nextOf = (html: string): string =>
  (/http-equiv="refresh" content="0; url=([^"]+)"/.exec(html)?.[1] ?? "").replaceAll("&amp;", "&");
const pageOf = async (id: string): Promise<string> =>
  (await shop.make(`/contracts/${id}/portal-link`, {})).url;

async function begin(): Promise<{ readonly id: string; readonly page: string }> {
  await makeGateway(shop, stripe);
  const { id } = await shop.make("/contracts", {
    customer: { id: "ada", email: "ada@shop.example", name: "Ada" },
    lines: [line()],
    interval: { unit: "month", count: 1 },
  });
  return { id, page: await pageOf(id) };
}

it("counts the requests of a customer's page against the budget of the shop, and sends none past it", async () => {
  const { page } = await begin();
  const { budgets } = shop.harness.services;
  await budgets.charge(shop.key.customerId, "outgoing", OUTGOING - 3 - sent);
  sent = 0;
  const statuses = [];
  for (let n = 0; n < 5; n += 1) statuses.push((await visit(`${page}?session_id=cs_1`)).status);
  expect({ statuses, sent }).toEqual({ statuses: [200, 200, 200, 429, 429], sent: 3 });
  const refused = await visit(`${page}?session_id=cs_1`);
  expect([refused.headers.get("content-type"), refused.headers.get("retry-after")]).toEqual([
    "text/html; charset=utf-8",
    "3600",
  ]);
  expect(refused.text).toContain("in 60 minutes");
  expect((await visit(page)).status).toBe(200);
  expect((await press(page, "add_card")).status).toBe(429);
});

it("saves the card of a customer who comes back again when the budget has renewed", async () => {
  const { id, page } = await begin();
  const checkout = nextOf((await press(page, "add_card")).text);
  const session = checkout.split("/").at(-1) ?? "";
  stripe.account.completeSession(session, "ok");
  await exhaust();
  expect((await visit(`${page}?session_id=${session}`)).status).toBe(429);
  const event = stripe.account.outbox.at(-1);
  const deliver = () =>
    shop.harness.call("POST", new URL(event?.url ?? "").pathname, {
      body: event?.body,
      headers: event?.headers ?? {},
    });
  // Stripe sends again what was not answered with success.
  expect((await deliver()).status).toBe(429);
  expect((await shop.read(`/contracts/${id}`)).payment_method_id).toBeNull();
  shop.harness.clock.advance(3_600_000);
  expect((await visit(`${page}?session_id=${session}`)).text).toContain("From now on");
});

it("shows a payment that cannot be looked up now as it is, and looks it up later", async () => {
  const { id } = await makeStripeContract(shop, stripe, "authenticate");
  await shop.harness.services.jobs.run("subscriptions.bill");
  const page = await pageOf(id);
  const bank = new URL(nextOf((await press(page, "confirm")).text));
  stripe.account.authenticate(bank.pathname.split("/").at(-1) ?? "", true);
  await exhaust();
  expect((await press(page, "confirm")).status).toBe(429);
  const shown = await visit(`${page}?payment_intent=pi`);
  expect([shown.status, shown.text.includes("Confirm the payment")]).toEqual([200, true]);
  shop.harness.clock.advance(3_600_000);
  expect((await visit(`${page}?payment_intent=pi`)).text).not.toContain("Confirm the payment");
  expect(await shop.read(`/contracts/${id}`)).toMatchObject({ status: "active" });
});

it.each(["https://victim.example/large?x=", "https://victim.example/?", "https://victim.example/#x"])(
  "refuses %s as the URL of a gateway, since paths are appended to it",
  async (url) => {
    const gateway = await makeGateway(shop, stripe);
    const refused = await shop.patch(`/gateways/${gateway.id}`, { url });
    expect([refused.status, pointersOf(refused)]).toEqual([422, ["#/url"]]);
    expect(refused.text).toContain("without what follows");
    const made = await shop.post("/gateways", { title: "x", kind: "external", url });
    expect([made.status, pointersOf(made)]).toEqual([422, ["#/url"]]);
  },
);
