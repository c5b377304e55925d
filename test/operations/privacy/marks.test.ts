import { afterEach, beforeEach, expect, it } from "vitest";

import { ADA, BEN, createWorld } from "./world.ts";
import type { Person, World } from "./world.ts";

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.harness.close());

const count = async (collection: string): Promise<number> =>
  (await world.harness.services.store.page(world.part, collection, { limit: 100 })).items.length;

async function erase({ email }: Person): Promise<void> {
  const { id } = await world.make("/account/privacy-requests", { type: "erase", email });
  await world.work();
  const done = await world.make(`/account/privacy-requests/${id}`, undefined, { method: "GET" });
  expect(done).toMatchObject({ status: "done", evidence: { left: 0 } });
}

it("no form knows an erased sender any more, and each form still knows the others", async () => {
  const form = await world.make("/forms", {
    name: "Raffle",
    fields: [{ key: "email", type: "email", label: "E-mail", required: true }],
    settings: { captcha: "none", one_per: "email" },
  });
  await world.make(`/forms/${form.id}/publish`);
  const send = ({ email }: Person) =>
    world.harness.call("POST", `/v1/forms/${form.id}/submissions`, {
      key: world.key,
      body: { data: { email } },
    });
  expect([(await send(ADA)).status, (await send(BEN)).status]).toEqual([201, 201]);
  await erase(ADA);
  expect((await send(BEN)).json.error.code).toBe("duplicate");
  expect((await send(ADA)).status).toBe(201);
});

it("nothing counts what an erased customer redeemed", async () => {
  const offer = await world.make("/cart/offers", {
    title: "Once each",
    effect: { class: "order", value: { kind: "percent_off", value: 1000 } },
    max_uses_per_customer: 1,
  });
  await world.make(`/cart/offers/${offer.id}/activate`);
  for (const { email, id } of [ADA, BEN]) {
    await world.make(
      `/cart/carts/of-${id.slice(-3)}`,
      {
        customer: { id, email },
        sequence: 1,
        lines: [{ ref: "cake", title: "Cake", quantity: 1, unit_price: 900 }],
        total: 900,
        currency: "GBP",
        checkout_url: "https://shop.example/checkout",
      },
      { method: "PUT" },
    );
    const claim = { offer_id: offer.id, order_ref: `order-${id.slice(-3)}`, pricing_hash: "x", amount: 90 };
    await world.make("/cart/redemptions", { ...claim, customer_id: id });
  }
  const before = await count("cart.use_counters");
  await erase(ADA);
  expect(await count("cart.use_counters")).toBe(before - 1);
});

it("the review of an erased author is not found by the address any more", async () => {
  const target = { type: "product", id: "cake" };
  for (const [at, { email, id, name }] of [ADA, BEN].entries()) {
    const order = { order_id: `order-${at}`, email, customer_id: id, customer_name: name };
    const items = [{ target, name: "Cake" }];
    await world.make("/reviews/orders", {
      orders: [{ ...order, fulfilled_at: "2026-05-30T10:00:00.000Z", items }],
    });
    const review = await world.make("/reviews", {
      target,
      rating: 4,
      title: "Cake",
      body: `Moist, with a lot of lemon and not too sweet, thinks ${name}.`,
      author: { display_name: name, customer_id: id },
      email,
      order_id: order.order_id,
      incentive: { type: "none" },
    });
    await world.make(`/reviews/${review.id}/approve`, {});
  }
  expect(await count("reviews.slots")).toBe(2);
  await erase(ADA);
  expect(await count("reviews.slots")).toBe(1);
});
