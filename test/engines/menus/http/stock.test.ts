import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { domainEvents, eventFilters } from "../../../../server/core/events.ts";
import { storePartition } from "../../../../server/core/partitions.ts";
import { createShop, idsOf, makeMenu, pointersOf, publish, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
let menu: string;
let item: string;
beforeEach(async () => {
  shop = await createShop();
  ({ menu, item } = await makeMenu(shop));
  await publish(shop, menu);
});
afterEach(() => shop.harness.close());

const count = (quantity: number, id = item) => shop.patch(`/items/${id}/stock`, { quantity });
const stock = async (id = item) => (await shop.get(`/items/${id}/stock`)).json.data;
const commit = (reference: string, quantity: number, more: object = {}) =>
  shop.post("/commit", {
    order_reference: reference,
    menu_id: menu,
    lines: [{ item_id: item, quantity }],
    ...more,
  });

describe("stock", () => {
  it("200 is in stock until somebody says otherwise; then it has a version", async () => {
    expect(await stock()).toMatchObject({
      status: "in_stock",
      quantity: null,
      available: true,
      low: false,
      version: 0,
    });
    const set = await count(4);
    expect(set.json.data).toMatchObject({ status: "quantity", quantity: 4, target: "item" });
    expect(set.headers.get("etag")).toBe(`"${set.json.data.version}"`);
    expect(await stock()).toMatchObject({ low: true, available: true, version: set.json.data.version });
    const stale = await shop.call(
      "PATCH",
      `/items/${item}/stock`,
      { quantity: 9 },
      { "if-match": '"999999"' },
    );
    expect(stale.status).toBe(412);
    expect((await count(0)).json.data.status).toBe("out_of_stock");
    expect(await stock()).toMatchObject({ available: false, low: true });
    expect((await shop.patch(`/items/${item}/stock`, { quantity: null })).json.data.status).toBe("in_stock");
    expect((await shop.get("/items/itm_none/stock")).status).toBe(404);
  });

  it("200 lists by status", async () => {
    const other = await shop.make("/items", { title: "Soup", price: 1 });
    await count(4);
    await count(0, other);
    await shop.post(`/items/${other}/suspend`, { channel: "delivery" });
    const list = async (status: string) => idsOf(await shop.get(`/stock?status=${status}`));
    expect([await list("quantity"), await list("out_of_stock"), await list("suspended")]).toEqual([
      [item],
      [other],
      [other],
    ]);
    expect(idsOf(await shop.get("/stock"))).toHaveLength(2);
    expect((await shop.get("/stock?status=gone")).status).toBe(422);
  });

  it("422 for a status and a count that contradict each other", async () => {
    const set = async (body: object) => pointersOf(await shop.patch(`/items/${item}/stock`, body));
    expect(await set({ status: "quantity" })).toEqual(["#/quantity"]);
    expect(await set({ status: "out_of_stock", quantity: 3 })).toEqual(["#/status"]);
    expect(await set({ quantity: -1 })).toEqual(["#/quantity"]);
  });

  it("200 suspends and restores, by channel or all of it, modifiers likewise", async () => {
    const modifier = await shop.make("/modifiers", { title: "Oat milk" });
    const path = `/modifiers/${modifier}`;
    await shop.post(`${path}/suspend`, { channel: "delivery", reason: "Late" });
    await shop.post(`${path}/suspend`, { until: "2026-06-01T12:00:00.000Z" });
    const read = async () => (await shop.get(`${path}/stock`)).json.data;
    expect(await read()).toMatchObject({ target: "modifier", available: false });
    expect((await read()).suspensions).toHaveLength(2);
    await shop.post(`${path}/restore`, { channel: "delivery" });
    expect((await read()).suspensions).toMatchObject([{ channel: null }]);
    shop.harness.clock.set("2026-06-01T12:00:00.000Z");
    expect(await read()).toMatchObject({ available: true, suspensions: [] });
    await shop.post(`${path}/suspend`, {});
    expect((await shop.post(`${path}/restore`, {})).json.data.suspensions).toEqual([]);
    const past = await shop.post(`${path}/suspend`, { until: "2026-06-01T12:00:00.000Z" });
    expect([past.status, pointersOf(past)]).toEqual([422, ["#/until"]]);
  });
});

describe("menus.commit", () => {
  it("200 MA22 takes once, refuses what is not left, and repeats its first answer", async () => {
    await count(2);
    const first = await commit("k1", 2);
    expect(first.json.data.taken).toEqual([{ id: item, target: "item", quantity: 2, left: 0 }]);
    expect(await stock()).toMatchObject({ status: "out_of_stock", quantity: 0 });
    const second = await commit("k2", 1);
    expect(refusal(second)).toBe("409 out_of_stock");
    expect(second.json.error.errors).toEqual([{ detail: `${item}: 0 left, 1 requested.` }]);
    const again = await commit("k1", 2);
    expect([again.status, again.json.data]).toEqual([200, first.json.data]);
    expect(await stock()).toMatchObject({ quantity: 0 });
    expect(refusal(await commit("k1", 1))).toBe("409 order_reference_used");
  });

  it("200 counts modifiers, those by default too, and the items that they are", async () => {
    const side = await shop.make("/items", { title: "Fries", price: 300 });
    const fries = await shop.make("/modifiers", { title: "Fries", item_id: side, max_quantity: 2 });
    const cheese = await shop.make("/modifiers", { title: "Cheese", default: true });
    const [extras, sides] = [
      await shop.make("/modifier-groups", { title: "Extras", modifier_ids: [cheese] }),
      await shop.make("/modifier-groups", { title: "Sides", modifier_ids: [fries] }),
    ];
    await shop.patch(`/items/${item}`, { modifier_groups: [{ group_id: extras }, { group_id: sides }] });
    await publish(shop, menu);
    await count(9, side);
    await shop.patch(`/modifiers/${cheese}/stock`, { quantity: 9 });
    const lines = [
      { item_id: item, quantity: 3, selections: [{ group_id: sides, modifier_id: fries, quantity: 2 }] },
    ];
    const answer = await commit("k1", 1, { lines });
    expect(answer.json.data.taken).toEqual([
      { id: item, target: "item", quantity: 3, left: null },
      { id: cheese, target: "modifier", quantity: 3, left: 6 },
      { id: fries, target: "modifier", quantity: 6, left: null },
      { id: side, target: "item", quantity: 6, left: 3 },
    ]);
    expect(refusal(await commit("k2", 1, { lines }))).toBe("409 out_of_stock");
    expect((await shop.get(`/modifiers/${cheese}/stock`)).json.data.quantity).toBe(6);
  });

  it("200 gives back what a lost order took, once", async () => {
    await count(5);
    await commit("k1", 3);
    const released = await shop.post("/release", { order_reference: "k1" });
    expect(released.json.data.released_at).toBe("2026-06-01T09:00:00.000Z");
    expect((await shop.post("/release", { order_reference: "k1" })).json.data).toEqual(released.json.data);
    expect(await stock()).toMatchObject({ quantity: 5 });
    expect(refusal(await commit("k1", 3))).toBe("409 order_reference_used");
    expect((await shop.post("/release", { order_reference: "k9" })).status).toBe(404);
  });

  it("409 out_of_stock in the channel that is suspended, 200 in another", async () => {
    await shop.post(`/items/${item}/suspend`, { channel: "delivery" });
    expect(refusal(await commit("k1", 1, { channel: "delivery" }))).toBe("409 out_of_stock");
    expect((await commit("k1", 1, { channel: "pickup" })).status).toBe(200);
  });

  it("409 not_published, 422 for what the menu does not offer", async () => {
    const other = await shop.make("/items", { title: "Soup", price: 1 });
    const lines = (id: string, rest: object = {}) => ({ lines: [{ item_id: id, ...rest }] });
    expect(pointersOf(await commit("k1", 1, lines(other)))).toEqual(["#/lines/0/item_id"]);
    const selections = [{ group_id: "grp_none", modifier_id: "mod_none" }];
    expect(pointersOf(await commit("k1", 1, lines(item, { selections })))).toEqual(["#/lines/0/selections"]);
    expect(pointersOf(await commit("k1", 1, { menu_id: "mnu_none" }))).toEqual(["#/menu_id"]);
    await shop.post(`/${menu}/unpublish`);
    expect(refusal(await commit("k1", 1))).toBe("409 not_published");
  });

  it("200 for fifty counted things in one order, 422 for more, and nothing taken then", async () => {
    const ids: string[] = [];
    for (let made = 0; made < 51; made += 1)
      ids.push(await shop.make("/items", { title: `${made}`, price: 1 }));
    await shop.make("/categories", { title: "Many", menu_ids: [menu], item_ids: ids });
    await publish(shop, menu);
    for (const id of ids) await count(1, id);
    const lines = (some: readonly string[]) => ({ lines: some.map((id) => ({ item_id: id })) });
    expect(pointersOf(await commit("k1", 1, lines(ids)))).toEqual(["#/lines"]);
    expect((await commit("k1", 1, lines(ids.slice(1)))).status).toBe(200);
    expect([(await stock(ids[0])).quantity, (await stock(ids[50])).quantity]).toEqual([1, 0]);
    expect((await shop.post("/release", { order_reference: "k1" })).status).toBe(200);
  });

  it("never sells more than there is, however many ask at once", async () => {
    const other = await shop.make("/items", { title: "Soup", price: 1 });
    await shop.make("/categories", { title: "More", menu_ids: [menu], item_ids: [other] });
    await publish(shop, menu);
    await count(20);
    await count(15, other);
    const orders = Array.from({ length: 40 }, (_, at) => {
      const both = at % 2 === 0;
      const lines = [
        { item_id: item, quantity: (at % 3) + 1 },
        ...(both ? [{ item_id: other, quantity: 1 }] : []),
      ];
      return { reference: `order ${at}`, lines };
    });
    // Every order twice at once, as an impatient till sends it.
    const send = ({ reference, lines }: (typeof orders)[number]) => commit(reference, 1, { lines });
    const pairs = await Promise.all(orders.map((order) => Promise.all([send(order), send(order)])));
    const sold = new Map([
      [item, 0],
      [other, 0],
    ]);
    for (const [at, pair] of pairs.entries()) {
      const statuses = pair.map(refusal);
      for (const status of statuses) expect(["200", "409 out_of_stock", "409"]).toContain(status);
      if (!statuses.includes("200")) continue;
      for (const { item_id: id, quantity } of orders[at]?.lines ?? [])
        sold.set(id, (sold.get(id) ?? 0) + quantity);
    }
    for (const [id, start] of [
      [item, 20],
      [other, 15],
    ] as const) {
      const { quantity } = await stock(id);
      expect(quantity).toBeGreaterThanOrEqual(0);
      expect(quantity).toBe(start - (sold.get(id) ?? 0));
    }
    expect((await stock()).quantity).toBeLessThan(3);
  });
});

it("reports by an event that an order took the last one, and that a cancelled order gave it back", async () => {
  const part = storePartition(shop.key.storeId, "live");
  const { runTx } = shop.harness.services;
  await runTx(part, async (tx) => tx.create(eventFilters, { id: "wanted", types: ["menus.stock.changed"] }));
  await count(2);
  await commit("1", 1);
  await commit("2", 1);
  await shop.post("/release", { order_reference: "2" });
  const { items } = await runTx(part, (tx) => tx.peekPage(domainEvents, { index: "time", limit: 10 }));
  expect(items.map(({ value: { data } }) => [data["from"], data["to"]])).toEqual([
    ["in_stock", "quantity"],
    ["quantity", "out_of_stock"],
    ["out_of_stock", "quantity"],
  ]);
});

it("counts no more than can be counted when an order is cancelled", async () => {
  await count(1_000_000);
  await commit("1", 5);
  await count(1_000_000);
  expect((await shop.post("/release", { order_reference: "1" })).status).toBe(200);
  expect(await stock()).toMatchObject({ quantity: 1_000_000 });
});
