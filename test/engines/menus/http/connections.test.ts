import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";

import { pushConnections, renewConnections } from "../../../../server/engines/menus/jobs.ts";
import { connectionSecrets, versionId, versions } from "../../../../server/engines/menus/repository.ts";
import { MENU_LIMITS } from "../../../../server/engines/menus/schema/limits.ts";
import { startTurn } from "../../../../server/jobs/turn.ts";
import { storePartition } from "../../../../server/core/partitions.ts";
import { verify } from "../../../../server/core/standard-webhooks.ts";
import { silentLog } from "../../../../server/core/log.ts";
import { toInstant } from "../../../../server/lib/instant.ts";
import { createPost } from "../../../../server/outgoing/post.ts";
import { openReceiver } from "../../../operations/webhooks/rig.ts";
import type { Received, Receiver } from "../../../operations/webhooks/rig.ts";
import { createShop, makeMenu, publish, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
let vendor: Vendor;
beforeEach(async () => {
  shop = await createShop({ post: createPost({ allowPrivate: false, allow: ["127.0.0.1"] }) });
  vendor = await openVendor();
});
afterEach(async () => {
  await shop.harness.close();
  await vendor.receiver.close();
});

/** A double of a vendor on a real socket: it checks signatures, shows the latest menu and what is sold out in it. */
interface Vendor {
  readonly receiver: Receiver;
  secret: string;
  /** Statuses of the next answers; 200 afterwards. */
  readonly answers: number[];
  /** Types of the messages with a valid signature, in order. */
  readonly got: string[];
  document: Record<string, unknown> | null;
  readonly soldOut: Map<string, string | null>;
}

async function openVendor(): Promise<Vendor> {
  const receiver = await openReceiver();
  const double: Vendor = { receiver, secret: "", answers: [], got: [], document: null, soldOut: new Map() };
  receiver.answer = (received) => ({ status: answer(double, received) });
  return double;
}

function answer(double: Vendor, { headers, body }: Received): number {
  const verdict = verify(
    (name) => headers[name],
    body,
    [double.secret],
    Number(headers["webhook-timestamp"]) * 1000,
  );
  if (verdict !== "ok") return 401;
  const { type, data } = JSON.parse(body);
  double.got.push(type);
  const status = double.answers.shift() ?? 200;
  if (status !== 200) return status;
  if (type === "menu.publish") {
    double.document = data.document;
    double.soldOut.clear();
  }
  for (const { external_id: id, available, until } of data.changes ?? []) {
    if (available) double.soldOut.delete(id);
    else double.soldOut.set(id, until);
  }
  return 200;
}

const run = (job = pushConnections, hasTime = () => true) => {
  const { clock, services } = shop.harness;
  const now = clock.now();
  return job.run({
    now,
    nowAt: toInstant(now),
    part: storePartition(shop.key.storeId, "live"),
    runTx: services.runTx,
    newId: services.newId,
    log: silentLog,
    signal: new AbortController().signal,
    hasTime,
    ports: services.ports,
  });
};

async function connect(menu: string, fields: object = {}): Promise<string> {
  const id = await shop.make("/connections", {
    title: "Marketplace",
    url: vendor.receiver.url,
    menu_id: menu,
    ...fields,
  });
  const made = await shop.post(`/connections/${id}/secrets`, {});
  vendor.secret = made.json.data.secret;
  return id;
}

const stateOf = async (id: string) => (await shop.get(`/connections/${id}`)).json.data;

describe("publishing to a channel", () => {
  it("is pending until the channel has it, and then online, under a signature of the connection", async () => {
    const { menu, item } = await makeMenu(shop);
    await publish(shop, menu);
    const id = await connect(menu);
    const asked = await shop.post(`/connections/${id}/publish`, {});
    expect(asked.json.data.publication).toMatchObject({ status: "pending", menu_version: 1, attempts: 0 });
    expect(await run()).toEqual({ menus: 1, stock: 0 });
    const state = await stateOf(id);
    expect(state.publication).toMatchObject({ status: "online", attempts: 1, error: null });
    expect(state.online_version).toBe(1);
    expect(vendor.document).toMatchObject({ items: [{ id: item, price: 800 }] });
    expect(await run()).toEqual({ menus: 0, stock: 0 });
  });

  it("reaches all connections that a store may have, within one turn of the store", async () => {
    const { menu } = await makeMenu(shop);
    await publish(shop, menu);
    const ids: string[] = [];
    for (let n = 0; n < MENU_LIMITS.connections; n += 1) ids.push(await connect(menu));
    // The first one is looked at last.
    const [first = ""] = ids;
    const { secret } = (await shop.post(`/connections/${first}/secrets`, {})).json.data;
    vendor.secret = secret;
    await shop.post(`/connections/${first}/publish`, {});
    const { signal } = new AbortController();
    const turn = startTurn(shop.harness.clock, { signal, isBounded: true });
    expect(await run(pushConnections, turn.hasTime)).toEqual({ menus: 1, stock: 0 });
    expect(turn.isCut()).toBe(false);
  });

  it.each(["square", "toast", "deliverect", "uber", "otter"])("sends the document of %s", async (format) => {
    const { menu } = await makeMenu(shop);
    await publish(shop, menu);
    const id = await connect(menu, { format });
    await shop.post(`/connections/${id}/publish`, {});
    await run();
    const exported = await shop.get(`/${menu}/export?format=${format}&version=1`);
    expect(vendor.document).toEqual(exported.json.data.document);
  });

  it("sends the prices of the menu's own level and of the channel's", async () => {
    const { menu, item } = await makeMenu(shop);
    const dip = await shop.make("/items", { title: "Dip", price: 100 });
    await shop.make("/categories", { title: "Sauces", menu_ids: [menu], item_ids: [dip] });
    const own = await shop.make("/price-levels", {
      title: "Marketplace",
      automatic: false,
      overrides: [{ target_id: item, price: 950 }],
    });
    await shop.make("/price-levels", {
      title: "Delivery",
      channel: "delivery",
      overrides: [{ percent: 15 }],
    });
    await shop.patch(`/${menu}`, { price_level_id: own });
    await publish(shop, menu);
    const id = await connect(menu, { channel: "delivery", format: "deliverect" });
    await shop.post(`/connections/${id}/publish`, {});
    await run();
    const prices = z
      .array(z.looseObject({ plu: z.string(), price: z.number() }))
      .parse(vendor.document?.["products"]);
    expect(Object.fromEntries(prices.map(({ plu, price }) => [plu, price]))).toMatchObject({
      [item]: 950,
      [dip]: 115,
    });
  });

  it("stays pending while the channel works on it, and sends the same message again", async () => {
    const { menu } = await makeMenu(shop);
    await publish(shop, menu);
    const id = await connect(menu);
    vendor.answers.push(202, 503);
    await shop.post(`/connections/${id}/publish`, {});
    await run();
    expect((await stateOf(id)).publication).toMatchObject({ status: "pending", attempts: 1 });
    expect(await run()).toEqual({ menus: 0, stock: 0 });
    shop.harness.clock.advance(10_000);
    await run();
    expect((await stateOf(id)).publication).toMatchObject({ status: "pending", attempts: 2 });
    shop.harness.clock.advance(60_000);
    await run();
    expect((await stateOf(id)).publication).toMatchObject({ status: "online", attempts: 3 });
    expect(new Set(vendor.receiver.got.map((received) => received.id)).size).toBe(1);
  });

  it("fails with the reason of the channel, and the version before stays online", async () => {
    const { menu, item } = await makeMenu(shop);
    await publish(shop, menu);
    const id = await connect(menu);
    await shop.post(`/connections/${id}/publish`, {});
    await run();
    await shop.patch(`/items/${item}`, { price: 900 });
    await publish(shop, menu);
    vendor.answers.push(422);
    await shop.post(`/connections/${id}/publish`, {});
    await run();
    const state = await stateOf(id);
    expect(state.publication).toMatchObject({ status: "failed", menu_version: 2, next_attempt_at: null });
    expect(state.publication.error).toContain("422");
    expect(state.online_version).toBe(1);
  });

  it("reaches the other channels where one cannot be prepared", async () => {
    const { menu } = await makeMenu(shop);
    await publish(shop, menu);
    const ids = [await connect(menu), await connect(menu), await connect(menu)];
    for (const id of ids) await shop.post(`/connections/${id}/publish`, {});
    const [, broken = ""] = ids;
    await shop.harness.services.runTx(storePartition(shop.key.storeId, "live"), async (tx) =>
      tx.remove(connectionSecrets, await tx.require(connectionSecrets, broken)),
    );
    expect(await run()).toEqual({ menus: 2, stock: 0 });
    const statuses = [];
    for (const id of ids) statuses.push((await stateOf(id)).publication.attempts);
    expect(statuses).toEqual([1, 0, 1]);
  });

  it("does not reach into private networks", async () => {
    await shop.harness.close();
    shop = await createShop({ post: createPost({ allowPrivate: false }) });
    const { menu } = await makeMenu(shop);
    await publish(shop, menu);
    const id = await connect(menu);
    await shop.post(`/connections/${id}/publish`, {});
    await run();
    expect((await stateOf(id)).publication).toMatchObject({ status: "pending", attempts: 1 });
    expect(vendor.receiver.got).toEqual([]);
  });

  it("is refused without a live version or a secret", async () => {
    const { menu } = await makeMenu(shop);
    const body = { title: "Marketplace", url: vendor.receiver.url, menu_id: menu };
    const id = await shop.make("/connections", body);
    expect(refusal(await shop.post(`/connections/${id}/publish`, {}))).toBe("409 not_published");
    await publish(shop, menu);
    expect(refusal(await shop.post(`/connections/${id}/publish`, {}))).toBe("409 no_secret");
    const unknown = { ...body, menu_id: "mnu_01JD8Z5T9QK3M4N5P6R7S8T9V9" };
    expect(refusal(await shop.post("/connections", unknown))).toBe("422");
    expect(refusal(await shop.post("/connections", { ...body, url: "ftp://example.com" }))).toBe("422");
  });

  it("has a limit per store", async () => {
    const menu = await shop.make("", { title: "Menu" });
    const body = { title: "Marketplace", url: vendor.receiver.url, menu_id: menu };
    for (let made = 0; made < 20; made += 1) await shop.make("/connections", body);
    expect(refusal(await shop.post("/connections", body))).toBe("409 limit_reached");
  });

  it("keeps its menu from being deleted, and is deleted with its secrets", async () => {
    const menu = await shop.make("", { title: "Menu" });
    const id = await connect(menu);
    expect(refusal(await shop.remove(`/${menu}`))).toBe("409 referenced");
    expect((await shop.remove(`/connections/${id}`)).status).toBe(204);
    expect((await shop.remove(`/${menu}`)).status).toBe(204);
  });
});

describe("sold out", () => {
  async function online(fields: object = {}): Promise<{ id: string; item: string; menu: string }> {
    const { menu, item } = await makeMenu(shop);
    await publish(shop, menu);
    const id = await connect(menu, fields);
    await shop.post(`/connections/${id}/publish`, {});
    await run();
    return { id, item, menu };
  }

  it("reaches the channel when an item is suspended, runs out, and is back", async () => {
    const { item } = await online();
    await shop.post(`/items/${item}/suspend`, { until: "2026-06-01T18:00:00.000Z" });
    expect(await run()).toEqual({ menus: 0, stock: 1 });
    expect([...vendor.soldOut]).toEqual([[item, "2026-06-01T18:00:00.000Z"]]);
    expect(await run()).toEqual({ menus: 0, stock: 0 });
    shop.harness.clock.set("2026-06-01T18:00:00.000Z");
    await run();
    expect([...vendor.soldOut]).toEqual([]);
    await shop.patch(`/items/${item}/stock`, { quantity: 0 });
    await run();
    expect([...vendor.soldOut]).toEqual([[item, null]]);
    await shop.patch(`/items/${item}/stock`, { quantity: 4 });
    await run();
    expect([...vendor.soldOut]).toEqual([]);
  });

  it("is that of the channel", async () => {
    const { item } = await online({ channel: "delivery" });
    await shop.post(`/items/${item}/suspend`, { channel: "dine_in" });
    expect(await run()).toEqual({ menus: 0, stock: 0 });
    await shop.post(`/items/${item}/suspend`, { channel: "delivery" });
    await run();
    expect([...vendor.soldOut.keys()]).toEqual([item]);
  });

  it("is sent until the channel takes it, and again after each publication", async () => {
    const { id, item } = await online();
    await shop.post(`/items/${item}/suspend`, {});
    vendor.answers.push(500, 400);
    await run();
    expect((await stateOf(id)).stock).toMatchObject({
      attempts: 1,
      next_attempt_at: "2026-06-01T09:00:10.000Z",
    });
    shop.harness.clock.advance(10_000);
    await run();
    shop.harness.clock.advance(60_000);
    await run();
    expect((await stateOf(id)).stock).toMatchObject({ attempts: 0, next_attempt_at: null });
    expect([...vendor.soldOut.keys()]).toEqual([item]);
    await shop.post(`/connections/${id}/publish`, {});
    expect(await run()).toEqual({ menus: 1, stock: 1 });
    expect([...vendor.soldOut.keys()]).toEqual([item]);
  });

  it("includes what the channel does not offer, and what only a hidden category lists", async () => {
    const { menu, item } = await makeMenu(shop);
    const wine = await shop.make("/items", { title: "Wine", price: 2_500, channels: ["dine_in"] });
    const plate = await shop.make("/items", { title: "Lunch of the day", price: 900 });
    const draft = await shop.make("/items", { title: "Not yet sold", price: 700 });
    const lists = [
      { title: "Drinks", item_ids: [wine, item] },
      { title: "At the counter", item_ids: [plate], channels: ["dine_in"] },
      { title: "Next month", item_ids: [draft], visible: false },
    ];
    for (const list of lists) await shop.make("/categories", { ...list, menu_ids: [menu] });
    await publish(shop, menu);
    const id = await connect(menu, { channel: "delivery", format: "deliverect" });
    await shop.post(`/connections/${id}/publish`, {});
    await run();
    const products = z
      .array(z.looseObject({ plu: z.string(), snoozed: z.boolean().optional() }))
      .parse(vendor.document?.["products"]);
    const snoozed = products.filter((product) => product.snoozed === true).map(({ plu }) => plu);
    expect(snoozed.sort()).toEqual([draft, plate, wine].sort());
    expect([...vendor.soldOut]).toEqual([draft, plate, wine].sort().map((one) => [one, null]));
  });

  it("includes all of a menu that is not offered in the channel, as an order there would be refused", async () => {
    const { item } = await online({ channel: "pickup" });
    expect([...vendor.soldOut]).toEqual([]);
    const eatIn = await makeMenu(shop, { menu: { channels: ["dine_in"] } });
    await publish(shop, eatIn.menu);
    const id = await connect(eatIn.menu, { channel: "delivery" });
    await shop.post(`/connections/${id}/publish`, {});
    await run();
    expect([...vendor.soldOut.keys()]).toEqual([eatIn.item]);
    expect(item).not.toBe(eatIn.item);
  });

  it("ends in the channel where an item is back while the first menu is on its way", async () => {
    const { menu, item } = await makeMenu(shop);
    await publish(shop, menu);
    await shop.post(`/items/${item}/suspend`, {});
    const id = await connect(menu, { format: "deliverect" });
    await shop.post(`/connections/${id}/publish`, {});
    const { answer: own } = vendor.receiver;
    vendor.receiver.answer = async (received) => {
      vendor.receiver.answer = own;
      await shop.post(`/items/${item}/restore`, {});
      return own(received);
    };
    await run();
    expect(vendor.document).toMatchObject({ products: [{ plu: item, snoozed: true }] });
    expect([vendor.got, vendor.receiver.got.at(-1)?.body]).toEqual([
      ["menu.publish", "stock.update"],
      expect.stringContaining(`"available":true`),
    ]);
    expect(await run()).toEqual({ menus: 0, stock: 0 });
  });

  it("is sent when the settings take unverified products off sale", async () => {
    const product = await shop.harness.call("POST", "/v1/allergens/products", {
      key: shop.key,
      body: { title: "Bun", ingredients: [{ name: "flour" }] },
    });
    const { menu, item } = await makeMenu(shop, { item: { product_id: product.json.data.id } });
    await publish(shop, menu);
    const id = await connect(menu);
    await shop.post(`/connections/${id}/publish`, {});
    const { jobs } = shop.harness.services;
    // For longer than a process remembers that the store was written to.
    for (let minute = 0; minute < 4; minute += 1) {
      await jobs.runDue();
      shop.harness.clock.advance(60_000);
    }
    expect([vendor.got, [...vendor.soldOut]]).toEqual([["menu.publish"], []]);
    await shop.patch("/settings", { sell_unverified: false });
    shop.harness.clock.advance(5_000);
    await jobs.runDue();
    expect([...vendor.soldOut]).toEqual([[item, null]]);
  });

  it("is sent of the version that is online where a later one cannot be prepared", async () => {
    const { id, item, menu } = await online();
    await shop.patch(`/items/${item}`, { price: 900 });
    await publish(shop, menu);
    await shop.harness.services.runTx(storePartition(shop.key.storeId, "live"), async (tx) =>
      tx.remove(versions, await tx.require(versions, versionId(menu, 2))),
    );
    await shop.post(`/connections/${id}/publish`, {});
    await shop.post(`/items/${item}/suspend`, {});
    expect(await run()).toEqual({ menus: 0, stock: 1 });
    expect([...vendor.soldOut.keys()]).toEqual([item]);
  });

  it("uses the ids of the channel's own system", async () => {
    const { menu } = await makeMenu(shop);
    const product = { _id: "p-1", name: "Soup", plu: "SOUP-1", price: 650, productType: 1 };
    const imported = await shop.post("/import", { format: "deliverect", data: { products: [product] } });
    expect(imported.status, imported.text).toBe(200);
    const [row] = imported.json.data.rows;
    await shop.make("/categories", { title: "More", menu_ids: [menu], item_ids: [row.id] });
    await publish(shop, menu);
    const id = await connect(menu, { format: "deliverect" });
    await shop.post(`/connections/${id}/publish`, {});
    await run();
    await shop.post(`/items/${row.id}/suspend`, {});
    await run();
    expect([...vendor.soldOut.keys()]).toEqual([row.external_id]);
  });
});

describe("allergens of a connected channel", () => {
  const call = async (method: "POST" | "PUT", path: string, body: object) =>
    (await shop.harness.call(method, `/v1/allergens/products${path}`, { key: shop.key, body })).json.data;
  const Products = z.array(z.looseObject({ plu: z.string(), productTags: z.array(z.number()).optional() }));
  const tagsOf = (item: string) =>
    Products.parse(vendor.document?.["products"]).find(({ plu }) => plu === item)?.productTags;

  it("are sent again when they change, and only then", async () => {
    const butter = { name: "butter", contains: ["milk"] };
    const { id: product } = await call("POST", "", { title: "Burger", ingredients: [butter] });
    await call("POST", `/${product}/verify`, { by: "Priya" });
    const { menu, item } = await makeMenu(shop, { item: { product_id: product } });
    await publish(shop, menu);
    const id = await connect(menu, { format: "deliverect" });
    await shop.post(`/connections/${id}/publish`, {});
    await run();
    expect(tagsOf(item)).toEqual([106]);
    expect(await run(renewConnections)).toEqual({ renewed: 0 });
    const almonds = { name: "almonds", contains: ["almond"] };
    await call("PUT", `/${product}/ingredients?apply=true`, { ingredients: [butter, almonds] });
    await call("POST", `/${product}/verify`, { by: "Priya" });
    expect(await run(renewConnections)).toEqual({ renewed: 1 });
    expect((await stateOf(id)).publication).toMatchObject({ status: "pending", menu_version: 1 });
    await run();
    expect(tagsOf(item)).toEqual([106, 114]);
    expect(await run(renewConnections)).toEqual({ renewed: 0 });
  });

  it("keep what a product contains whose verification ended, and lose its diets", async () => {
    const butter = { name: "butter", contains: ["milk"] };
    const { id: product } = await call("POST", "", {
      title: "Burger",
      ingredients: [butter],
      dietary: [{ claim: "vegetarian" }],
    });
    const { menu, item } = await makeMenu(shop, { item: { product_id: product } });
    await publish(shop, menu);
    const id = await connect(menu, { format: "deliverect" });
    await shop.post(`/connections/${id}/publish`, {});
    await run();
    // It was never verified.
    expect(tagsOf(item)).toEqual([]);
    await call("POST", `/${product}/verify`, { by: "Priya" });
    await run(renewConnections);
    await run();
    expect(tagsOf(item)).toEqual([106, 5]);
    const almonds = { name: "almonds", contains: ["almond"] };
    await call("PUT", `/${product}/ingredients?apply=true`, { ingredients: [butter, almonds] });
    expect(await run(renewConnections)).toEqual({ renewed: 1 });
    await run();
    expect(tagsOf(item)).toEqual([106, 114]);
    expect((await shop.get(`/${menu}/export?format=deliverect`)).json.data.warnings).toContainEqual(
      expect.objectContaining({
        path: `/items/${item}/product_id`,
        reason: "The product is no longer verified: only what it contains, as far as recorded, is exported.",
      }),
    );
  });

  async function verified(
    format: string,
  ): Promise<{ product: string; menu: string; item: string; id: string }> {
    const { id: product } = await call("POST", "", { title: "Burger", ingredients: [BUTTER] });
    await call("POST", `/${product}/verify`, { by: "Priya" });
    const { menu, item } = await makeMenu(shop, { item: { product_id: product } });
    await publish(shop, menu);
    const id = await connect(menu, { format });
    await shop.post(`/connections/${id}/publish`, {});
    return { product, menu, item, id };
  }
  const BUTTER = { name: "butter", contains: ["milk"] };
  async function addAlmonds(product: string): Promise<void> {
    const ingredients = [BUTTER, { name: "almonds", contains: ["almond"] }];
    await call("PUT", `/${product}/ingredients?apply=true`, { ingredients });
    await call("POST", `/${product}/verify`, { by: "Priya" });
  }

  it("are sent again when they change while the menu is on its way", async () => {
    const { product, item, id } = await verified("deliverect");
    const { answer: own } = vendor.receiver;
    vendor.receiver.answer = async (received) => {
      vendor.receiver.answer = own;
      await addAlmonds(product);
      expect(await run(renewConnections)).toEqual({ renewed: 0 });
      return own(received);
    };
    await run();
    expect(tagsOf(item)).toEqual([106]);
    expect(await stateOf(id)).toMatchObject({ online_version: 1, publication: { status: "pending" } });
    await run();
    expect(tagsOf(item)).toEqual([106, 114]);
    expect((await stateOf(id)).publication.status).toBe("online");
  });

  it("are not in a message that the channel takes for one it has got already", async () => {
    const { product } = await verified("deliverect");
    vendor.answers.push(503, 503);
    await run();
    shop.harness.clock.advance(10_000);
    await run();
    await addAlmonds(product);
    shop.harness.clock.advance(60_000);
    await run();
    const [first, second, third] = vendor.receiver.got.map((received) => received.id);
    expect([second === first, third === first]).toEqual([true, false]);
  });

  it("are sent again of the version that is online where a later one was refused", async () => {
    const { product, menu, item, id } = await verified("deliverect");
    await run();
    await shop.patch(`/items/${item}`, { price: 900 });
    await publish(shop, menu);
    vendor.answers.push(422);
    await shop.post(`/connections/${id}/publish`, {});
    await run();
    expect((await stateOf(id)).publication.status).toBe("failed");
    expect(await run(renewConnections)).toEqual({ renewed: 0 });
    await addAlmonds(product);
    expect(await run(renewConnections)).toEqual({ renewed: 1 });
    await run();
    expect(tagsOf(item)).toEqual([106, 114]);
  });

  it("are sent again when a certificate ends with a day, without anything being written", async () => {
    const dietary = [{ claim: "halal", status: "certified", certifier: "HFA", valid_until: "2026-06-02" }];
    const { id: product } = await call("POST", "", { title: "Lamb", ingredients: [BUTTER], dietary });
    await call("POST", `/${product}/verify`, { by: "Priya" });
    const { menu, item } = await makeMenu(shop, { item: { product_id: product } });
    await publish(shop, menu);
    const id = await connect(menu, { format: "deliverect" });
    await shop.post(`/connections/${id}/publish`, {});
    const { jobs } = shop.harness.services;
    await jobs.runDue();
    expect(tagsOf(item)).toEqual([106, 2]);
    for (const at of ["2026-06-01T23:30:00.000Z", "2026-06-02T12:00:00.000Z"]) {
      shop.harness.clock.set(at);
      await jobs.runDue();
    }
    expect(vendor.got).toEqual(["menu.publish"]);
    shop.harness.clock.set("2026-06-03T00:30:00.000Z");
    await jobs.runDue();
    shop.harness.clock.advance(5_000);
    await jobs.runDue();
    expect([vendor.got, tagsOf(item)]).toEqual([["menu.publish", "menu.publish"], [106]]);
  });

  it("do not send a publication again that failed, nor documents without them", async () => {
    const { menu } = await makeMenu(shop);
    await publish(shop, menu);
    const failing = await connect(menu, { format: "uber" });
    vendor.answers.push(422);
    await shop.post(`/connections/${failing}/publish`, {});
    await run();
    const tree = await connect(menu);
    await shop.post(`/connections/${tree}/publish`, {});
    await run();
    expect(await run(renewConnections)).toEqual({ renewed: 0 });
  });
});
