import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { seeded } from "../../../seeded.ts";
import { createClub } from "../../tiers/club.ts";
import { codeOf, createShop, makeOffer, tenOff } from "../shop.ts";
import type { Shop } from "../shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

const line = (id: string, unitPrice: number, more: object = {}) => ({
  id,
  ref: id,
  quantity: 1,
  unit_price: unitPrice,
  ...more,
});
const evaluate = (more: object) => shop.make("/evaluations", more);
const nineOff = { class: "order", value: { kind: "amount_off", value: 900 } };
const redeem = (offerId: string, order: string, more: object = {}) =>
  shop.call("POST", "/redemptions", { offer_id: offerId, order_ref: order, pricing_hash: "x", ...more });

describe("an offer is applied only where it can be redeemed", () => {
  it("within what is left of its budget", async () => {
    const offer = await makeOffer(shop, { effect: nineOff, budget: 1000 });
    const cart = { lines: [line("a", 2000)] };
    expect((await evaluate(cart)).applied).toHaveLength(1);
    expect((await redeem(offer.id, "o1", { amount: 900 })).status).toBe(201);
    const after = await evaluate(cart);
    expect(after.applied).toEqual([]);
    expect(after.rejected).toEqual([{ offer_id: offer.id, reason: "budget_used_up" }]);
    expect(after.totals.total).toBe(2000);
  });

  it("with a customer, where it is limited per customer", async () => {
    const offer = await makeOffer(shop, { max_uses_per_customer: 1 });
    const answer = await evaluate({ lines: [line("a", 2000)] });
    expect(answer.rejected).toEqual([{ offer_id: offer.id, reason: "customer_required" }]);
    expect((await evaluate({ lines: [line("a", 2000)], customer: { id: "ada" } })).applied).toHaveLength(1);
  });
});

describe("an offer with codes", () => {
  it("needs one, whether or not the trigger was given", async () => {
    const offer = await makeOffer(shop, { codes: ["SPRING"] });
    expect(offer.trigger).toBe("code");
    expect((await evaluate({ lines: [line("a", 2000)] })).applied).toEqual([]);
    expect((await evaluate({ lines: [line("a", 2000)], codes: ["spring"] })).applied).toHaveLength(1);
    expect(codeOf(await redeem(offer.id, "o1"))).toBe("409 code_required");
    expect(codeOf(await redeem(offer.id, "o1", { code: "SUMMER" }))).toBe("409 unknown_code");
    expect((await redeem(offer.id, "o1", { code: "SPRING" })).status).toBe(201);
  });

  it("cannot apply by itself", async () => {
    const answer = await shop.call("POST", "/offers", {
      title: "Ten off",
      effect: tenOff,
      trigger: "automatic",
      codes: ["SPRING"],
    });
    expect(answer.status).toBe(422);
  });
});

it("an exclusive offer applies alone", async () => {
  const all = ["order", "shipping"];
  const exclusive = await makeOffer(shop, { effect: nineOff, exclusive: true, combines_with: all });
  await makeOffer(shop, {
    effect: { class: "shipping", value: { kind: "free", value: 0 } },
    combines_with: all,
  });
  const { applied } = await evaluate({ lines: [line("a", 2000)], shipping: { amount: 300 } });
  expect(applied.map(({ offer_id: id }: { offer_id: string }) => id)).toEqual([exclusive.id]);
});

it("the tier of a customer is read from the tiers engine", async () => {
  const club = await createClub();
  await club.buy("ada", 60_000);
  const call = async (path: string, body?: object) =>
    (await club.harness.call("POST", `/v1/cart${path}`, { key: club.key, body })).json.data;
  const conditions = { match: "all", rules: [{ kind: "customer_tier", any_of: ["Silver"] }] };
  const { id } = await call("/offers", { title: "Ten off", effect: tenOff, conditions });
  await call(`/offers/${id}/activate`);
  const savingOf = async (customer: string) =>
    (await call("/evaluations", { lines: [line("a", 2000)], customer: { id: customer } })).totals.discount;
  expect([await savingOf("ada"), await savingOf("bob")]).toEqual([200, 0]);
  await club.harness.close();
});

it("the tier of a customer is not taken from the caller", async () => {
  const rules = [{ kind: "customer_tier", any_of: ["Gold"] }];
  await makeOffer(shop, { conditions: { match: "all", rules } });
  const answer = await shop.call("POST", "/evaluations", {
    lines: [line("a", 2000)],
    customer: { id: "ada", tier: "Gold" },
  });
  expect(answer.status).toBe(422);
  expect((await evaluate({ lines: [line("a", 2000)], customer: { id: "ada" } })).applied).toEqual([]);
});

it("neither splitting nor moving lines changes a total; moving changes no hash", async () => {
  await makeOffer(shop, { effect: { class: "order", value: { kind: "amount_off", value: 101 } } });
  const drawn = fc.array(
    fc.record({
      unit_price: fc.integer({ min: 1, max: 999 }),
      tax_rate_bps: fc.constantFrom(0, 500, 2000),
      quantity: fc.integer({ min: 2, max: 9 }),
    }),
    { minLength: 2, maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(drawn, fc.integer({ min: 1, max: 999 }), fc.boolean(), async (goods, fee, included) => {
      const lines = goods.map((more, index) => line(`l${index}`, more.unit_price, { ref: "x", ...more }));
      const split = lines.flatMap((one, index) => [
        { ...one, quantity: 1 },
        { ...one, id: `m${index}`, quantity: (goods[index]?.quantity ?? 2) - 1 },
      ]);
      const ask = (some: object[]) =>
        evaluate({ lines: some, shipping: { amount: fee }, tax_included: included });
      const [whole, moved, parts] = [await ask(lines), await ask(lines.toReversed()), await ask(split)];
      expect([moved.totals, parts.totals]).toEqual([whole.totals, whole.totals]);
      expect(moved.pricing_hash).toBe(whole.pricing_hash);
      expect(moved.lines.toReversed()).toEqual(whole.lines);
    }),
    seeded(150),
  );
}, 60_000);
