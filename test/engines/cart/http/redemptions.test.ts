import { afterEach, expect, it } from "vitest";

import { openRedisDriver } from "../../../../server/storage/redis.ts";
import { createHarness } from "../../../harness.ts";
import type { Answer } from "../../../harness.ts";
import { serveHarness } from "../../../support/browser.ts";
import { hasRedis, startRedis } from "../../../support/redis.ts";
import { codeOf, createShop, makeOffer, NOW, shopOf } from "../shop.ts";
import type { Shop } from "../shop.ts";

let shop: Shop;
afterEach(() => shop.harness.close());

const claim = (offerId: string, order: string, more: object = {}) =>
  shop.call("POST", "/redemptions", { offer_id: offerId, order_ref: order, pricing_hash: "x", ...more });

/** Sends so many requests at once. A busy service may answer 503 with `contention`, never a conflict without a code. */
async function claimAll(count: number, send: (at: number) => Promise<Answer>): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, at) => {
      for (;;) {
        const answer = await send(at);
        expect(codeOf(answer)).toMatch(/^(201|409 exhausted|503 contention)$/);
        if (answer.status === 503) expect(answer.headers.get("retry-after")).toBe("1");
        else return `${codeOf(answer)} ${answer.json.data?.id ?? ""}`.trim();
      }
    }),
  );
}

it("answers 250 twin requests over HTTP: each order is redeemed once, the limit holds", async () => {
  const served = await serveHarness({ now: NOW });
  shop = await shopOf(served.harness);
  const offer = await makeOffer(shop, { max_uses: 60 });
  const send = async (at: number): Promise<Answer> => {
    const response = await fetch(`${served.url}/v1/cart/redemptions`, {
      method: "POST",
      headers: { authorization: `Bearer ${shop.key.plaintext}`, "content-type": "application/json" },
      body: JSON.stringify({ offer_id: offer.id, order_ref: `order-${at >> 1}`, pricing_hash: "x" }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
  };
  const answers = await claimAll(250, send);
  const granted = answers.filter((answer) => answer.startsWith("201"));
  expect([granted.length, new Set(granted).size]).toEqual([120, 60]);
  for (let at = 0; at < 250; at += 2) expect(answers[at]).toBe(answers[at + 1]);
  await served.close();
}, 60_000);

it.skipIf(!hasRedis)(
  "holds on two nodes that share a Redis",
  async () => {
    const redis = await startRedis();
    const open = async () =>
      createHarness({ now: NOW, store: await openRedisDriver({ url: redis.url, prefix: "race:" }) });
    const [one, other] = [await open(), await open()];
    shop = await shopOf(one);
    const offer = await makeOffer(shop, { max_uses: 37 });
    const body = (at: number) => ({ offer_id: offer.id, order_ref: `order-${at}`, pricing_hash: "x" });
    const answers = await claimAll(200, (at) =>
      (at % 2 === 0 ? one : other).call("POST", "/v1/cart/redemptions", { key: shop.key, body: body(at) }),
    );
    expect(new Set(answers.filter((answer) => answer.startsWith("201"))).size).toBe(37);
    expect(answers.filter((answer) => answer === "409 exhausted")).toHaveLength(163);
    await other.close();
    await redis.stop();
  },
  60_000,
);

it.each([1, 37, 50, 150])(
  "a limit of %i holds under 200 parallel claims",
  async (max) => {
    shop = await createShop();
    const offer = await makeOffer(shop, { max_uses: max });
    const claims = () => claimAll(200, (at) => claim(offer.id, `order-${at}`));
    const answers = await claims();
    const granted = answers.filter((answer) => answer.startsWith("201"));
    expect(new Set(granted).size).toBe(max);
    expect(answers.filter((answer) => answer === "409 exhausted")).toHaveLength(200 - max);
    // The same orders again: those that had a use have it still, and no other gets one.
    expect(await claims()).toEqual(answers);
    expect(await shop.read(`/events?type=offer.exhausted`)).toHaveLength(1);
  },
  60_000,
);

it.each([
  ["a limit", { max_uses: 20 }],
  ["a budget", { budget: 2000 }],
  ["a limit and a budget", { max_uses: 20, budget: 10_000 }],
])("counts what was used before %s came", async (_, terms) => {
  shop = await createShop();
  const offer = await makeOffer(shop);
  const claims = (from: number) =>
    claimAll(20, (at) => claim(offer.id, `order-${from + at}`, { amount: 100 }));
  expect((await claims(0)).filter((answer) => answer.startsWith("201"))).toHaveLength(20);
  await shop.make(`/offers/${offer.id}/pause`);
  await shop.make(`/offers/${offer.id}`, terms, "PATCH");
  await shop.make(`/offers/${offer.id}/activate`);
  expect(new Set(await claims(20))).toEqual(new Set(["409 exhausted"]));
});

it("frees a use when the order is cancelled", async () => {
  shop = await createShop();
  const offer = await makeOffer(shop, { max_uses: 1 });
  const first = await claim(offer.id, "order-1");
  expect(codeOf(await claim(offer.id, "order-2"))).toBe("409 exhausted");
  expect((await shop.call("DELETE", `/redemptions/${first.json.data.id}`)).status).toBe(204);
  expect((await claim(offer.id, "order-2")).status).toBe(201);
});

it("limits a customer, and asks whose order it is", async () => {
  shop = await createShop();
  const offer = await makeOffer(shop, { max_uses_per_customer: 1 });
  expect(codeOf(await claim(offer.id, "order-1"))).toBe("409 customer_required");
  expect((await claim(offer.id, "order-1", { customer_id: "ada" })).status).toBe(201);
  expect(codeOf(await claim(offer.id, "order-2", { customer_id: "ada" }))).toBe("409 exhausted");
  expect((await claim(offer.id, "order-2", { customer_id: "bob" })).status).toBe(201);
});

it("spends no more than the budget", async () => {
  shop = await createShop();
  const offer = await makeOffer(shop, { budget: 1000 });
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, at) => claim(offer.id, `order-${at}`, { amount: 300 })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
});

it("refuses an offer that does not run, and one that is not there", async () => {
  shop = await createShop();
  const offer = await makeOffer(shop, { ends_at: "2025-06-10T09:00:00.000Z" });
  shop.harness.clock.set("2025-06-10T09:00:00.000Z");
  expect(codeOf(await claim(offer.id, "order-1"))).toBe("409 not_active");
  expect((await claim("ofr_none", "order-1")).status).toBe(404);
});
