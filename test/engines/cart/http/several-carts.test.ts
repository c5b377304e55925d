import { afterEach, describe, expect, it } from "vitest";

import { cartBody } from "../make.ts";
import { codeOf, createShop, makeOffer } from "../shop.ts";
import type { Shop } from "../shop.ts";

// A customer with a cart on the phone and another one at the desk, and one who comes back to a cart later.

let shop: Shop;
afterEach(() => shop.harness.close());

const put = (id: string, more: object = {}) => shop.make(`/carts/${id}`, cartBody(more), "PUT");
const read = (id: string) => shop.read(`/carts/${id}`);
const order = (id: string, order_ref: string, more: object = {}) =>
  shop.make(`/carts/${id}/convert`, { order_ref, total: 800, ...more });
const metrics = () =>
  shop.read("/recoveries/metrics?from=2025-06-01T00:00:00.000Z&to=2025-08-01T00:00:00.000Z");
const someone = (name: string) => ({ customer: { id: name, email: `${name}@shop.example`, name: "" } });

/** Sets the clock, and lets the worker do what is due. */
async function at(instant: string): Promise<void> {
  shop.harness.clock.set(instant);
  expect((await shop.harness.services.jobs.run("cart.recover")).counts).toMatchObject({ failed: 0 });
}

/** A cart of 10 June 2025, 10:00 in London. */
async function start(flow: object = {}): Promise<void> {
  shop = await createShop();
  await shop.make("/recovery-flows", { title: "Back", ...flow });
  shop.harness.clock.set("2025-06-10T09:00:00.000Z");
  await put("phone");
}

describe("an order through another cart of the customer", () => {
  it("closes the cart at once, and it can be gone on with and ordered itself", async () => {
    await start();
    const desk = await put("desk");
    await order("desk", "o-1");
    expect(await read("phone")).toMatchObject({
      status: "converted",
      order: { ref: "o-1", total: 800, cart_id: desk.id },
    });
    expect((await read("desk")).order).not.toHaveProperty("cart_id");
    expect(codeOf(await shop.call("PUT", "/carts/desk", cartBody({ sequence: 2 })))).toBe(
      "409 invalid_transition",
    );
    shop.harness.clock.set("2025-06-11T09:00:00.000Z");
    expect(await put("phone", { sequence: 2 })).toMatchObject({ status: "active", order: null });
    await at("2025-06-11T10:00:00.000Z");
    expect((await read("phone")).status).toBe("abandoned");
    await order("phone", "o-2");
    expect((await read("phone")).order).toMatchObject({ ref: "o-2" });
    expect(codeOf(await shop.call("POST", "/carts/phone/convert", { order_ref: "o-3", total: 1 }))).toBe(
      "409 invalid_transition",
    );
  });

  it("is followed by the order of the cart itself, without a change in between", async () => {
    await start();
    await put("desk");
    await order("desk", "o-1");
    expect((await order("phone", "o-2")).order).toEqual({
      ref: "o-2",
      total: 800,
      placed_at: "2025-06-10T09:00:00.000Z",
    });
  });

  it("leaves alone what was put into a cart after it", async () => {
    await start();
    await put("desk");
    await order("desk", "o-1", { placed_at: "2025-06-10T08:59:59.000Z" });
    expect((await read("phone")).status).toBe("active");
  });

  it("is assisted by the mail about the cart that was left, once", async () => {
    await start({ cooldown_days: 0 });
    await at("2025-06-10T10:00:00.000Z");
    await at("2025-06-10T13:00:00.000Z");
    await shop.harness.services.jobs.run("mail.forward");
    shop.harness.clock.set("2025-06-11T08:00:00.000Z");
    await put("desk");
    await order("desk", "o-1");
    expect([(await read("phone")).attribution, (await read("desk")).attribution]).toEqual(["assisted", null]);
    expect(await metrics()).toMatchObject({ assisted: 1, assisted_revenue: 800, lost: 0 });
  });

  it("is not one of a lost cart, however many the customer has", async () => {
    shop = await createShop();
    shop.harness.clock.set("2025-06-10T09:00:00.000Z");
    const ids = Array.from({ length: 14 }, (_, n) => `cart-${n}`);
    for (const id of ids) await put(id);
    await at("2025-06-10T10:00:00.000Z");
    await order("cart-0", "o-1");
    await at("2025-07-12T10:00:00.000Z");
    const states = await Promise.all(ids.map(async (id) => (await read(id)).status));
    expect(new Set(states)).toEqual(new Set(["converted"]));
    expect((await metrics()).lost).toBe(0);
  });

  it("has nothing to do with what is in the cart: it is not learned from", async () => {
    shop = await createShop();
    for (let n = 0; n < 6; n += 1) {
      await put(`phone-${n}`, someone(`c${n}`));
      await put(`desk-${n}`, someone(`c${n}`));
      await order(`desk-${n}`, `o-${n}`);
      expect((await read(`phone-${n}`)).status).toBe("converted");
    }
    expect((await shop.harness.services.jobs.run("cart.learn-affinities")).counts).toMatchObject({
      orders: 6,
    });
  });
});

describe("a customer who comes back", () => {
  const AFTER_ALL_MAILS = ["06-10T10", "06-10T13", "06-11T09", "06-13T09"].map(
    (hour) => `2025-${hour}:00:00.000Z`,
  );

  it("keeps what is in the cart for as long as after the first visit", async () => {
    await start();
    for (const instant of AFTER_ALL_MAILS) await at(instant);
    shop.harness.clock.set("2025-07-12T09:00:00.000Z");
    await put("phone", { sequence: 2 });
    await at("2025-07-13T10:00:00.000Z");
    const cart = await read("phone");
    expect([cart.status, cart.lines.length]).toEqual(["abandoned", 1]);
    await at("2025-08-11T08:59:59.000Z");
    expect((await read("phone")).status).toBe("abandoned");
    await at("2025-08-11T09:00:00.000Z");
    expect((await read("phone")).status).toBe("lost");
  });

  it("is mailed about a cart that was lost meanwhile as about any other", async () => {
    await start();
    for (const instant of AFTER_ALL_MAILS) await at(instant);
    await at("2025-07-13T09:00:00.000Z");
    expect((await read("phone")).status).toBe("lost");
    shop.harness.clock.set("2025-09-10T09:00:00.000Z");
    expect(await put("phone", { sequence: 2 })).toMatchObject({
      status: "active",
      steps: [],
      abandoned_at: null,
    });
    await at("2025-09-10T10:00:00.000Z");
    await at("2025-09-10T13:00:00.000Z");
    const { abandoned_at, steps } = await read("phone");
    expect([abandoned_at, steps.map(({ state }: { state: string }) => state)]).toEqual([
      "2025-09-10T10:00:00.000Z",
      ["sent", "planned", "planned"],
    ]);
  });

  it("is mailed again once the shop may, or by another address", async () => {
    await start();
    const { id } = await shop.make("/suppressions", { email: "ada@shop.example" });
    expect((await read("phone")).status).toBe("suppressed");
    expect((await put("phone", { sequence: 2 })).status).toBe("suppressed");
    expect((await put("phone", { sequence: 3, ...someone("bo") })).status).toBe("active");
    await put("desk");
    await shop.call("DELETE", `/suppressions/${id}`);
    const again = await shop.make("/suppressions", { email: "ada@shop.example" });
    expect((await read("desk")).status).toBe("suppressed");
    await shop.call("DELETE", `/suppressions/${again.id}`);
    expect((await put("desk", { sequence: 2 })).status).toBe("active");
  });
});

it("what a customer who unsubscribed left behind is kept no longer than the carts of others", async () => {
  await start();
  await shop.make("/suppressions", { email: "ada@shop.example" });
  await at("2025-07-10T08:59:59.000Z");
  expect((await read("phone")).customer.email).toBe("ada@shop.example");
  await at("2025-07-10T09:00:00.000Z");
  expect(await read("phone")).toMatchObject({ status: "lost", lines: [], customer: { email: null } });
});

it("revenue is that of orders in the shop's currency: yen are no pence", async () => {
  await start();
  await put("yen", { ...someone("bo"), currency: "JPY", total: 80_000 });
  await at("2025-06-10T10:00:00.000Z");
  await at("2025-06-10T13:00:00.000Z");
  await shop.harness.services.jobs.run("mail.forward");
  await order("phone", "o-1");
  await order("yen", "o-2", { total: 80_000 });
  expect(await metrics()).toMatchObject({ currency: "GBP", assisted: 2, assisted_revenue: 800 });
  const events = await shop.read("/events?type=assisted");
  expect(events.map(({ data }: { data: object }) => data)).toContainEqual({
    order_ref: "o-2",
    total: 80_000,
    currency: "JPY",
  });
});

it.each([
  ["its uses", { max_uses: 1 }],
  ["its budget", { budget: 100 }],
  ["the customer's uses", { max_uses_per_customer: 1 }],
])("mails no coupon that cannot be redeemed: %s are used up", async (_, limits) => {
  shop = await createShop();
  const offer = await makeOffer(shop, { trigger: "code", codes: ["BACK-10"], ...limits });
  const steps = [{ delay_minutes: 240, template: "abandoned-cart-last", coupon_offer_id: offer.id }];
  await shop.make("/recovery-flows", { title: "Back", steps });
  shop.harness.clock.set("2025-06-10T09:00:00.000Z");
  const claim = { offer_id: offer.id, code: "BACK-10", amount: 100, pricing_hash: "x" };
  const used = await shop.make("/redemptions", { ...claim, order_ref: "o-1", customer_id: "ada" });
  await put("phone");
  await at("2025-06-10T10:00:00.000Z");
  await at("2025-06-10T13:00:00.000Z");
  expect((await read("phone")).steps).toMatchObject([{ state: "skipped", reason: "coupon_invalid" }]);
  await shop.call("DELETE", `/redemptions/${used.id}`);
  await put("phone", { sequence: 2 });
  await at("2025-06-10T14:00:00.000Z");
  await at("2025-06-11T07:00:00.000Z");
  expect((await read("phone")).steps.at(-1)).toMatchObject({ state: "sent" });
});
