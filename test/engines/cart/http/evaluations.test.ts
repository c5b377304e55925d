import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { onWorkerTaskEnd } from "../../../../server/lib/worker-tasks.ts";
import { codeOf, createShop, makeOffer, tenOff } from "../shop.ts";
import type { Shop } from "../shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

const line = (id: string, unitPrice: number, more: object = {}) => ({
  id,
  ref: id,
  quantity: 1,
  unit_price: unitPrice,
  ...more,
});
const evaluate = (body: object) => shop.make("/evaluations", body);

describe("evaluations", () => {
  it("A30 over HTTP: a meal deal is split by what its parts cost, and applies while it is active", async () => {
    const bundle = await shop.make("/bundles", {
      title: "Meal deal",
      type: "fixed",
      components: ["sandwich", "drink", "crisps"].map((ref) => ({ ref, qty: 1 })),
      pricing: { kind: "fixed_price", value: 500 },
    });
    const body = { lines: [line("sandwich", 350), line("drink", 120), line("crisps", 180)] };
    expect((await evaluate(body)).totals.total).toBe(650);
    await shop.make(`/bundles/${bundle.id}/activate`);
    const priced = await evaluate(body);
    expect(priced.lines.map(({ total }: { total: number }) => total)).toEqual([269, 92, 139]);
    expect(priced.bundles).toMatchObject([{ bundle_id: bundle.id, times: 1, saving: 150 }]);
    await shop.make(`/bundles/${bundle.id}/pause`);
    expect((await evaluate(body)).totals.total).toBe(650);
  });

  it("takes no amount off a cart in another currency than the shop's, in which it means something else", async () => {
    const value = { kind: "amount_off", value: 500 };
    const five = await makeOffer(shop, { title: "Five off", effect: { class: "order", value } });
    const bundle = await shop.make("/bundles", {
      title: "Tea and a scone",
      type: "fixed",
      components: ["tea", "scone"].map((ref) => ({ ref, qty: 1 })),
      pricing: { kind: "fixed_price", value: 1500 },
    });
    await shop.make(`/bundles/${bundle.id}/activate`);
    const ten = await makeOffer(shop, { title: "Ten off", effect: tenOff });
    const lines = [line("tea", 2000), line("scone", 1000)];
    const inPounds = await evaluate({ lines, currency: "GBP" });
    expect(inPounds).toMatchObject({ bundles: [{ saving: 1500 }], totals: { total: 1500 } });
    const inYen = await evaluate({ lines, currency: "JPY" });
    expect(inYen).toMatchObject({ bundles: [], applied: [{ offer_id: ten.id }], totals: { total: 2700 } });
    expect(inYen.rejected).toEqual([{ offer_id: five.id, reason: "currency" }]);
    for (const path of [`/offers/${five.id}`, `/offers/${ten.id}`, `/bundles/${bundle.id}`])
      await shop.make(`${path}/pause`);
  });

  it("prices a large cart under many offers in a worker thread, with the same result", async () => {
    const offer = await makeOffer(shop, { title: "Ten off", trigger: "automatic", effect: tenOff });
    const small = Array.from({ length: 4 }, (_, at) => line(`line-${at}`, 100 + at));
    const large = Array.from({ length: 480 }, (_, at) => line(`line-${at}`, 100 + at));
    const ends: string[] = [];
    const stop = onWorkerTaskEnd(({ task }) => ends.push(task));
    const [inline, inThread] = [await evaluate({ lines: small }), await evaluate({ lines: large })];
    stop();
    expect(ends).toEqual(["cart.evaluation"]);
    expect([inline.totals.discount, inThread.totals.discount].every((discount) => discount > 0)).toBe(true);
    await shop.make(`/offers/${offer.id}/pause`);
  });

  it("opens an offer by its code, and says of each other code why it does nothing", async () => {
    await makeOffer(shop, { title: "Secret", trigger: "code", codes: ["spring-10"], effect: tenOff });
    const body = { lines: [line("a", 1000)] };
    expect((await evaluate(body)).totals.total).toBe(1000);
    const priced = await evaluate({ ...body, codes: ["Spring-10", "NOPE"] });
    expect(priced.totals).toMatchObject({ discount: 100, total: 900 });
    expect(priced.codes).toEqual([{ code: "NOPE", reason: "unknown_code" }]);
  });

  it("returns for a code whose offer does not apply why not: a page cannot know which offer it opens", async () => {
    const rules = [{ kind: "subtotal", min: 5000 }];
    const large = await makeOffer(shop, {
      title: "Large carts",
      codes: ["LARGE-20"],
      effect: { class: "order", value: { kind: "percent_off", value: 2000 } },
      conditions: { rules },
    });
    const small = { lines: [line("a", 1000)], codes: ["LARGE-20", "NOPE"] };
    const refused = await evaluate(small);
    expect(refused.codes).toEqual([
      { code: "NOPE", reason: "unknown_code" },
      { code: "LARGE-20", reason: "condition_subtotal" },
    ]);
    expect(refused.rejected).toContainEqual({ offer_id: large.id, reason: "condition_subtotal" });
    const applied = await evaluate({ lines: [line("a", 5000)], codes: ["LARGE-20"] });
    expect([applied.totals.discount, applied.codes]).toEqual([1000, []]);
  });

  it("begins and ends with the instants of the offer", async () => {
    await makeOffer(shop, {
      starts_at: "2025-06-11T08:00:00.000Z",
      ends_at: "2025-06-12T08:00:00.000Z",
      conditions: { rules: [{ kind: "channel", any_of: ["timed"] }] },
    });
    const body = { lines: [line("a", 1000)], channel: "timed" };
    const totals = [];
    for (const at of ["2025-06-11T07:59:59.999Z", "2025-06-11T08:00:00.000Z", "2025-06-12T08:00:00.000Z"]) {
      shop.harness.clock.set(at);
      totals.push((await evaluate(body)).totals.total);
    }
    expect(totals).toEqual([1000, 900, 1000]);
  });

  it("refuses two lines with one id, and more units than a cart has", async () => {
    const twice = await shop.call("POST", "/evaluations", { lines: [line("a", 1), line("a", 1)] });
    expect(twice.json.error.errors[0].pointer).toBe("#/lines/1/id");
    const many = { lines: [line("a", 1, { quantity: 10_000 }), line("b", 1)] };
    expect((await shop.call("POST", "/evaluations", many)).status).toBe(422);
  });

  it("says what reward the customer could still take", async () => {
    const filter = (ref: string) => ({ refs: [ref] });
    const offer = await makeOffer(shop, {
      effect: {
        class: "bogo",
        buy: { filter: filter("bread"), qty: 2 },
        get: { filter: filter("butter"), qty: 1 },
        value: { kind: "free" },
      },
    });
    const { suggestions } = await evaluate({ lines: [line("bread", 300, { quantity: 2 })] });
    expect(suggestions).toMatchObject([{ kind: "add_reward", offer_id: offer.id, units: 1 }]);
  });
});

describe("terms", () => {
  it("stand while an offer is active; a change while it is paused is the next revision", async () => {
    const offer = await makeOffer(shop);
    const path = `/offers/${offer.id}`;
    expect(codeOf(await shop.call("PATCH", path, { priority: 5 }))).toBe("409 invalid_transition");
    expect((await shop.make(path, { title: "New name" }, "PATCH")).revision).toBe(1);
    await shop.make(`${path}/pause`);
    expect(await shop.make(path, { priority: 5 }, "PATCH")).toMatchObject({ priority: 5, revision: 2 });
    expect(codeOf(await shop.call("POST", `${path}/pause`))).toBe("409 invalid_transition");
  });

  it("give a code to one offer only", async () => {
    const body = { title: "One", trigger: "code", codes: ["ONLY-ONE"], effect: tenOff };
    const first = await shop.make("/offers", body);
    expect(codeOf(await shop.call("POST", "/offers", body))).toBe("409 code_taken");
    await shop.make(`/offers/${first.id}`, { codes: [] }, "PATCH");
    expect((await shop.call("POST", "/offers", body)).status).toBe(201);
  });

  it("a code of an archived offer can be given to another", async () => {
    const body = { title: "Christmas", codes: ["XMAS-10"], effect: tenOff };
    const old = await shop.make("/offers", body);
    await shop.make(`/offers/${old.id}/activate`);
    await shop.make(`/offers/${old.id}/pause`);
    expect(codeOf(await shop.call("POST", "/offers", body))).toBe("409 code_taken");
    await shop.make(`/offers/${old.id}/archive`);
    const next = await shop.make("/offers", body);
    await shop.make(`/offers/${next.id}/activate`);
    const claim = { order_ref: "order-xmas", code: "XMAS-10", pricing_hash: "x" };
    expect((await shop.make("/redemptions", { ...claim, offer_id: next.id })).offer_id).toBe(next.id);
  });

  it.each([
    ["#/components", { type: "fixed" }],
    ["#/groups", { type: "mix_match" }],
    ["#/tiers", { type: "tiered", components: [{ ref: "a", qty: 1 }] }],
    [
      "#/pricing/value",
      { type: "fixed", components: [{ ref: "a", qty: 1 }], pricing: { kind: "percent_off", value: 10_001 } },
    ],
  ])("refuses a bundle with wrong %s", async (pointer, body) => {
    const answer = await shop.call("POST", "/bundles", { title: "Wrong", ...body });
    expect(answer.status).toBe(422);
    expect(answer.json.error.errors[0].pointer).toBe(pointer);
  });

  it("know how often a bundle can be sold, and leave out one that cannot", async () => {
    const bundle = await shop.make("/bundles", {
      title: "Stocked",
      type: "fixed",
      components: [
        { ref: "jam", qty: 2, stock: 7 },
        { ref: "scone", qty: 1, stock: 5 },
      ],
      pricing: { kind: "fixed_price", value: 1 },
    });
    expect(bundle.stock).toBe(3);
    await shop.make(`/bundles/${bundle.id}/activate`);
    const body = { lines: [line("jam", 300, { quantity: 2 }), line("scone", 100)] };
    expect((await evaluate(body)).bundles).toHaveLength(1);
    const components = [
      { ref: "jam", qty: 2, stock: 1 },
      { ref: "scone", qty: 1, stock: 5 },
    ];
    expect((await shop.make(`/bundles/${bundle.id}`, { components }, "PATCH")).stock).toBe(0);
    expect((await evaluate(body)).bundles).toHaveLength(0);
    expect(await shop.read("/events?type=bundle.unavailable")).toHaveLength(1);
    expect((await shop.read("/bundles?contains_ref=jam")).map(({ id }: { id: string }) => id)).toEqual([
      bundle.id,
    ]);
  });
});
