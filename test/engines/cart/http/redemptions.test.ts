import { afterEach, expect, it } from "vitest";

import { codeOf, createShop, makeOffer } from "../shop.ts";
import type { Shop } from "../shop.ts";

let shop: Shop;
afterEach(() => shop.harness.close());

const claim = (offerId: string, order: string, more: object = {}) =>
  shop.call("POST", "/redemptions", { offer_id: offerId, order_ref: order, pricing_hash: "x", ...more });

it.each([1, 37, 50, 150])(
  "a limit of %i holds under 200 parallel claims",
  async (max) => {
    shop = await createShop();
    const offer = await makeOffer(shop, { max_uses: max });
    const claims = async () =>
      Promise.all(
        Array.from({ length: 200 }, async (_, at) => {
          // Who is told that many change it at once, repeats, as the answer says.
          for (;;) {
            const answer = await claim(offer.id, `order-${at}`);
            if (codeOf(answer) !== "409") return `${codeOf(answer)} ${answer.json.data?.id ?? ""}`.trim();
          }
        }),
      );
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
