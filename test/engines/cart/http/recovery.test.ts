import { setTestClock } from "../../../../server/core/test-clock.ts";
import { afterEach, describe, expect, it } from "vitest";

import { recoverDue } from "../../../../server/engines/cart/jobs/recover.ts";
import { carts } from "../../../../server/engines/cart/repository.ts";
import { storeMails } from "../../../../server/core/store-mail.ts";
import { silentLog } from "../../../../server/core/log.ts";
import { cartBody } from "../make.ts";
import { createShop, makeOffer } from "../shop.ts";
import type { Shop } from "../shop.ts";

let shop: Shop;
afterEach(() => shop.harness.close());

const put = (id: string, more: object = {}) => shop.make(`/carts/${id}`, cartBody(more), "PUT");

/** Sets the clock, and lets the worker do what is due. */
async function at(instant: string): Promise<void> {
  const { clock, services } = shop.harness;
  clock.set(instant);
  const { failed } = await recoverDue({
    now: clock.now(),
    part: shop.part,
    runTx: services.runTx,
    newId: services.newId,
    log: silentLog,
    signal: new AbortController().signal,
    ports: services.ports,
  });
  expect(failed).toBe(0);
}

const read = (id: string) => shop.read(`/carts/${id}`);
const stepsOf = async (id: string): Promise<string[]> =>
  (await read(id)).steps.map(
    ({ state, reason }: { state: string; reason: string | null }) =>
      `${state}${reason === null ? "" : ` ${reason}`}`,
  );
const waiting = async () =>
  (await shop.harness.services.runTx(shop.part, (tx) => tx.peekAll(storeMails, { index: "waiting" }))).map(
    ({ value }) => value,
  );
const linkOf = async (name: "cart_url" | "unsubscribe_url"): Promise<string> =>
  String((await waiting())[0]?.data[name]).replace("http://platform.test", "");
const open = (method: string, path: string, more: object = {}) => shop.harness.call(method, path, more);

async function start(flow: object = {}): Promise<string> {
  shop = await createShop();
  await shop.make("/recovery-flows", { title: "Back", ...flow });
  // 10 June 2025, 10:00 in London.
  shop.harness.clock.set("2025-06-10T09:00:00.000Z");
  return (await put("one")).id;
}

describe("an abandoned cart", () => {
  it("is mailed after 4, 24 and 72 hours, and is lost a month after the last", async () => {
    const id = await start();
    await at("2025-06-10T09:59:59.999Z");
    expect((await read(id)).status).toBe("active");
    await at("2025-06-10T10:00:00.000Z");
    expect((await read(id)).status).toBe("abandoned");
    expect(await stepsOf(id)).toEqual(["planned", "planned", "planned"]);
    for (const instant of [
      "2025-06-10T13:00:00.000Z",
      "2025-06-11T09:00:00.000Z",
      "2025-06-13T09:00:00.000Z",
    ]) {
      await at(instant);
      await at(instant);
    }
    expect(await stepsOf(id)).toEqual(["sent", "sent", "sent"]);
    expect((await waiting()).map(({ template }) => template)).toEqual([
      "abandoned-cart-first",
      "abandoned-cart-second",
      "abandoned-cart-last",
    ]);
    await at("2025-07-13T09:00:00.000Z");
    expect(await read(id)).toMatchObject({ status: "lost", lines: [], customer: { email: null } });
  });

  it("A31 is not mailed when the address ordered through another cart", async () => {
    const id = await start();
    shop.harness.clock.set("2025-06-10T09:30:00.000Z");
    const other = await put("two");
    await put("one", { sequence: 2, last_activity_at: "2025-06-10T09:31:00.000Z" });
    await at("2025-06-10T10:31:00.000Z");
    shop.harness.clock.set("2025-06-10T11:00:00.000Z");
    await shop.make(`/carts/${other.id}/convert`, { order_ref: "o-1", total: 800 });
    await at("2025-06-10T13:31:00.000Z");
    expect(await stepsOf(id)).toEqual(["skipped ordered", "skipped ordered", "skipped ordered"]);
    expect(await read(id)).toMatchObject({ status: "converted", attribution: null });
    expect(await waiting()).toEqual([]);
  });

  it("A32 has its mails moved out of the quiet hours", async () => {
    await start();
    const { abandoned_at, steps } = await shop.make("/recovery-flows/previews", {
      last_activity_at: "2025-06-10T17:30:00.000Z",
    });
    expect(abandoned_at).toBe("2025-06-10T18:30:00.000Z");
    expect(steps.map(({ due_at }: { due_at: string }) => due_at)).toEqual([
      "2025-06-11T07:00:00.000Z",
      "2025-06-11T17:30:00.000Z",
      "2025-06-13T17:30:00.000Z",
    ]);
  });

  it.each(["9999-12-31T23:30:00.000Z", "0000-01-01T00:00:00.000Z"])(
    "has no plan after %s, whose times are no instants",
    async (at) => {
      await start();
      const answer = await shop.call("POST", "/recovery-flows/previews", { last_activity_at: at });
      expect([answer.status, answer.json.error?.errors?.[0]?.pointer]).toEqual([422, "#/last_activity_at"]);
    },
  );

  it("gets no burst of mails after an outage", async () => {
    const id = await start();
    await at("2025-06-10T10:00:00.000Z");
    await at("2025-06-12T10:00:00.000Z");
    expect(await stepsOf(id)).toEqual(["skipped late", "skipped late", "planned"]);
  });

  it.each([
    ["no_consent", { consent: { basis: "none" } }],
    ["out_of_stock", { lines: [{ ref: "b", title: "B", quantity: 1, unit_price: 1, in_stock: false }] }],
  ])("is not mailed: %s", async (reason, more) => {
    const id = await start();
    await put("one", { sequence: 2, ...more });
    await at("2025-06-10T10:00:00.000Z");
    await at("2025-06-10T13:00:00.000Z");
    expect((await stepsOf(id))[0]).toBe(`skipped ${reason}`);
  });

  it("is not mailed about while the address has a newer one, nor within the cooldown of the last", async () => {
    const id = await start();
    await at("2025-06-10T10:00:00.000Z");
    const newer = (await put("two")).id;
    await at("2025-06-10T13:00:00.000Z");
    expect((await stepsOf(id))[0]).toBe("skipped newer_cart");
    await at("2025-06-10T14:00:00.000Z");
    expect((await stepsOf(newer))[0]).toBe("sent");
    shop.harness.clock.set("2025-06-14T09:00:00.000Z");
    const third = (await put("three")).id;
    await at("2025-06-14T10:00:00.000Z");
    await at("2025-06-14T13:00:00.000Z");
    expect((await stepsOf(third))[0]).toBe("skipped cooldown");
  });

  it("is left alone when there is nothing to write to, or nothing in it", async () => {
    const id = await start();
    await put("one", { sequence: 2, customer: {} });
    await at("2025-06-10T10:00:00.000Z");
    expect(await read(id)).toMatchObject({ status: "abandoned", steps: [] });
  });

  it("keeps the last word of the client, not the last to arrive", async () => {
    const id = await start();
    await put("one", { sequence: 5, total: 1200 });
    expect(await put("one", { sequence: 4, total: 1 })).toMatchObject({ id, total: 1200, sequence: 5 });
  });
});

describe("a link of a mail", () => {
  it("notes the click, leads to the checkout, and makes the order a recovered one", async () => {
    const id = await start();
    await at("2025-06-10T10:00:00.000Z");
    await at("2025-06-10T13:00:00.000Z");
    const answer = await open("GET", await linkOf("cart_url"));
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "https://shop.example/checkout/1"]);
    expect(await read(id)).toMatchObject({ status: "active", clicks: ["2025-06-10T13:00:00.000Z"] });
    shop.harness.clock.set("2025-06-14T13:00:00.000Z");
    await shop.make(`/carts/${id}/convert`, { order_ref: "o-1", total: 750 });
    expect(await read(id)).toMatchObject({ status: "converted", attribution: "recovered" });
    const metrics = await shop.read(
      "/recoveries/metrics?from=2025-06-01T00:00:00.000Z&to=2025-07-01T00:00:00.000Z",
    );
    expect(metrics).toMatchObject({
      abandoned: 1,
      sent: 1,
      clicked: 1,
      recovered: 1,
      recovered_revenue: 750,
      assisted: 0,
      assisted_revenue: 0,
    });
  });

  it("leads to a checkout whose address has letters of any language", async () => {
    const id = await start();
    await shop.harness.services.runTx(shop.part, async (tx) => {
      const stored = await tx.require(carts, id);
      tx.put(carts, stored, { ...stored.value, checkout_url: "https://shop.example/koszyk/żurek" });
    });
    await at("2025-06-10T10:00:00.000Z");
    await at("2025-06-10T13:00:00.000Z");
    const answer = await open("GET", await linkOf("cart_url"));
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      "https://shop.example/koszyk/%C5%BCurek",
    ]);
  });

  it("is not needed for an assisted order", async () => {
    const id = await start();
    await at("2025-06-10T10:00:00.000Z");
    await at("2025-06-10T13:00:00.000Z");
    await shop.harness.services.runTx(shop.part, async (tx) => {
      for (const storeMail of await tx.peekAll(storeMails, { index: "waiting" }))
        tx.remove(storeMails, storeMail);
    });
    shop.harness.clock.set("2025-06-11T08:00:00.000Z");
    await shop.make(`/carts/${id}/convert`, { order_ref: "o-1", total: 750 });
    expect((await read(id)).attribution).toBe("assisted");
    expect(await stepsOf(id)).toEqual(["sent", "skipped converted", "skipped converted"]);
  });

  it("goes on where it was after another visit: a mail that went out is not sent again", async () => {
    const id = await start();
    await at("2025-06-10T10:00:00.000Z");
    await at("2025-06-10T13:00:00.000Z");
    await open("GET", await linkOf("cart_url"));
    await at("2025-06-10T14:00:00.000Z");
    expect(await stepsOf(id)).toEqual(["sent", "planned", "planned"]);
    await at("2025-06-11T13:00:00.000Z");
    expect((await waiting()).map(({ template }) => template)).toEqual([
      "abandoned-cart-first",
      "abandoned-cart-second",
    ]);
  });

  it("takes back a mail that has not left when the order comes", async () => {
    const id = await start();
    await at("2025-06-10T10:00:00.000Z");
    await at("2025-06-10T13:00:00.000Z");
    await shop.make(`/carts/${id}/convert`, { order_ref: "o-1", total: 750 });
    expect(await waiting()).toEqual([]);
    expect(await read(id)).toMatchObject({ attribution: null });
    expect((await stepsOf(id))[0]).toBe("skipped converted");
  });

  it.each(["/api/public/carts/", "/api/public/unsubscribe/"])(
    "404 for a token that was made up: %s",
    async (path) => {
      await start();
      expect((await open("GET", `${path}c3RvLmNydA.AAAA`)).status).toBe(404);
    },
  );
});

it("mails no one who bought meanwhile, also where an older order is reported after the newer one", async () => {
  const id = await start();
  await at("2025-06-10T10:00:00.000Z");
  const earlier = { last_activity_at: "2025-06-10T08:00:00.000Z" };
  const older = (await put("old", earlier)).id;
  const newer = (await put("new", earlier)).id;
  const placed = (placed_at: string, order_ref: string) => ({ order_ref, total: 750, placed_at });
  await shop.make(`/carts/${newer}/convert`, placed("2025-06-10T09:55:00.000Z", "o-2"));
  await shop.make(`/carts/${older}/convert`, placed("2025-06-01T09:00:00.000Z", "o-1"));
  await at("2025-06-10T13:00:00.000Z");
  expect(await waiting()).toEqual([]);
  expect((await stepsOf(id))[0]).toBe("skipped ordered");
});

describe("unsubscribing", () => {
  it("takes a POST: a GET only asks", async () => {
    const id = await start();
    await at("2025-06-10T10:00:00.000Z");
    await at("2025-06-10T13:00:00.000Z");
    const link = await linkOf("unsubscribe_url");
    const asked = await open("GET", link);
    expect(asked.text).toContain("<form");
    expect(await shop.read("/suppressions")).toEqual([]);
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const done = await open("POST", link, { body: "List-Unsubscribe=One-Click", headers });
    expect([done.status, done.text.includes("Unsubscribed")]).toEqual([200, true]);
    expect((await open("GET", link)).text).not.toContain("<form");
    expect(await shop.read("/suppressions?email=ADA@shop.example")).toMatchObject([
      { source: "unsubscribe" },
    ]);
    expect((await read(id)).status).toBe("suppressed");
    expect(await waiting()).toEqual([]);
    await put("one", { sequence: 9, total: 1260 });
    expect(await read(id)).toMatchObject({ status: "suppressed", total: 1260 });
    await put("two");
    const other = (await put("two", { sequence: 2 })).id;
    await at("2025-06-10T14:00:00.000Z");
    await at("2025-06-10T17:00:00.000Z");
    expect((await stepsOf(other))[0]).toBe("skipped suppressed");
  });

  it("keeps no address", async () => {
    await start();
    const made = await shop.make("/suppressions", { email: "Bob@shop.example" });
    expect(JSON.stringify(made)).not.toMatch(/bob/i);
    expect((await shop.call("DELETE", `/suppressions/${made.id}`)).status).toBe(204);
  });
});

it("mints one code per mail, which works once", async () => {
  shop = await createShop();
  const offer = await makeOffer(shop, { trigger: "code" });
  await shop.make("/recovery-flows", {
    title: "Back",
    steps: [{ delay_minutes: 240, template: "abandoned-cart-last", coupon_offer_id: offer.id }],
  });
  shop.harness.clock.set("2025-06-10T09:00:00.000Z");
  const { id } = await put("one");
  await at("2025-06-10T10:00:00.000Z");
  await at("2025-06-10T13:00:00.000Z");
  const { coupon } = (await read(id)).steps[0];
  expect(coupon).toMatch(/^BACK-[0-9A-Z]{12}$/);
  expect((await waiting())[0]?.data["coupon"]).toBe(coupon);
  const evaluate = () =>
    shop.make("/evaluations", {
      lines: [{ id: "1", ref: "b", quantity: 1, unit_price: 1000 }],
      codes: [coupon],
    });
  expect((await evaluate()).totals.total).toBe(900);
  const claim = { offer_id: offer.id, order_ref: "o-1", pricing_hash: "x", code: coupon };
  await shop.make("/redemptions", claim);
  expect((await evaluate()).codes).toEqual([{ code: coupon, reason: "code_used" }]);
});

it("a flow with a least total is for no cart in another currency than the store's", async () => {
  shop = await createShop();
  await shop.make("/recovery-flows", { title: "For all", abandon_after_minutes: 120 });
  const dear = await shop.make("/recovery-flows", { title: "From 5.00", min_total: 500 });
  shop.harness.clock.set("2025-06-10T09:00:00.000Z");
  const pounds = await put("one");
  // 800 yen are 4 pounds.
  const yen = await put("two", {
    currency: "JPY",
    customer: { id: "bo", email: "bo@shop.example", name: "Bo" },
  });
  await at("2025-06-10T12:00:00.000Z");
  expect((await read(pounds.id)).flow_id).toBe(dear.id);
  expect((await read(yen.id)).flow_id).not.toBe(dear.id);
});

describe("steps that were missed", () => {
  it("are not mailed at once after an outage: ten hours lie between two mails", async () => {
    const id = await start();
    await at("2025-06-10T10:00:00.000Z");
    await at("2025-06-11T11:00:00.000Z");
    expect(await stepsOf(id)).toEqual(["sent", "planned", "planned"]);
    // Ten hours later the quiet hours have begun; they end at 08:00 in London.
    expect((await read(id)).steps[1].due_at).toBe("2025-06-12T07:00:00.000Z");
    await at("2025-06-12T07:00:00.000Z");
    expect(await stepsOf(id)).toEqual(["sent", "sent", "planned"]);
  });

  it("are judged one by one as of their own time when a test clock jumps", async () => {
    shop = await createShop();
    const test = await shop.harness.key({
      mode: "test",
      customer_id: shop.key.customerId,
      store_id: shop.key.storeId,
    });
    const call = async (method: string, path: string, value: object) =>
      (await shop.harness.call(method, path, { key: test, body: value })).json.data;
    const { clock } = shop.harness;
    await call("POST", "/v1/account/test-clock", { now: "2025-06-10T09:00:00.000Z" });
    await call("POST", "/v1/cart/recovery-flows", { title: "Back" });
    const { id } = await call("PUT", "/v1/cart/carts/one", cartBody());
    const { services } = shop.harness;
    await setTestClock(services.runTx, `${shop.part}_test`, Date.parse("2025-07-30T09:00:00.000Z"));
    await recoverDue({
      now: Date.parse("2025-07-30T09:00:00.000Z"),
      part: `${shop.part}_test`,
      runTx: services.runTx,
      newId: services.newId,
      log: silentLog,
      signal: new AbortController().signal,
      ports: services.ports,
    });
    expect(clock.now()).toBeLessThan(Date.parse("2025-07-01T00:00:00.000Z"));
    const cart = (await shop.harness.call("GET", `/v1/cart/carts/${id}`, { key: test })).json.data;
    expect(cart.status).toBe("lost");
    expect(
      cart.steps.map(({ state, at: instant }: { state: string; at: string }) => `${state} ${instant}`),
    ).toEqual([
      "sent 2025-06-10T13:00:00.000Z",
      "sent 2025-06-11T09:00:00.000Z",
      "sent 2025-06-13T09:00:00.000Z",
    ]);
  });
});
