import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { FORMATS } from "../../../../server/engines/menus/formats/formats.ts";
import { createShop, makeMenu, pointersOf } from "../http/shop.ts";
import type { Shop } from "../http/shop.ts";
import { byTitle, sampleOf } from "./samples.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

const LISTS = [
  "",
  "/categories",
  "/items",
  "/modifier-groups",
  "/modifiers",
  "/schedules",
  "/price-levels",
] as const;

async function readAll(path: string) {
  return (await shop.get(`${path}?limit=100`)).json.data;
}
const sizes = async (): Promise<number[]> =>
  Promise.all(LISTS.map(async (path) => (await readAll(path)).length));

async function send(format: string, data: unknown, more: object = {}) {
  const answer = await shop.post("/import", { format, data, ...more });
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data;
}

/** Sends until all is there. */
async function sendAll(format: string, data: unknown, more: object = {}) {
  for (let round = 1; round < 20; round += 1) {
    const answer = await send(format, data, more);
    if (answer.complete) return { answer, rounds: round };
  }
  throw new Error("The import never came to an end.");
}

it("200 adds the items of Square's second page to a category of the first", async () => {
  const item = (id: string) => ({
    type: "ITEM",
    id,
    item_data: {
      name: id,
      categories: [{ id: "breads" }],
      variations: [
        {
          id: `${id}-v`,
          item_variation_data: { name: "Regular", price_money: { amount: 300, currency: "GBP" } },
        },
      ],
    },
  });
  const category = { type: "CATEGORY", id: "breads", category_data: { name: "Breads" } };
  const first = await send("square", { objects: [category, item("bun")], cursor: "next" });
  expect(first.warnings).toMatchObject([{ path: "/cursor", severity: "availability" }]);
  const second = await send("square", { objects: [item("bap")] });
  expect(second.warnings).toEqual([]);
  const [breads] = await readAll("/categories");
  expect(breads.item_ids).toHaveLength(2);
  const again = await send("square", { objects: [item("bap")] });
  expect(again.counts).toMatchObject({ created: 0, updated: 0 });
});

describe.each(FORMATS)("menus.transfers.import of %s", (format) => {
  it("200 makes everything once: again it is unchanged", async () => {
    const first = (await sendAll(format, sampleOf(format))).answer;
    expect(first.counts).toMatchObject({ updated: 0, deferred: 0 });
    expect(first.counts.created).toBe(first.rows.length);
    const made = await sizes();
    const second = await send(format, sampleOf(format));
    expect(second.counts).toEqual({ created: 0, updated: 0, unchanged: second.rows.length, deferred: 0 });
    expect(await sizes()).toEqual(made);
    expect(second.rows.map(({ id }: { id: string }) => id)).toEqual(
      first.rows.map(({ id }: { id: string }) => id),
    );
  });

  it("200 dry run tells the same and writes nothing", async () => {
    const dry = await send(format, sampleOf(format), { dry_run: true });
    expect(dry).toMatchObject({ dry_run: true, complete: true });
    expect(await sizes()).toEqual(LISTS.map(() => 0));
    const wet = await send(format, sampleOf(format));
    expect({ ...wet, dry_run: true }).toEqual(dry);
  });

  it("200 two at once make one of everything", async () => {
    const body = { format, data: sampleOf(format) };
    const answers = await Promise.all([shop.post("/import", body), shop.post("/import", body)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const made = await sizes();
    expect((await send(format, sampleOf(format))).counts).toMatchObject({ created: 0, updated: 0 });
    expect(await sizes()).toEqual(made);
  });

  it("keeps menus and categories in step, and comes back from its own export", async () => {
    await sendAll(format, sampleOf(format));
    const [menu] = await readAll("");
    const categories: { id: string; parent_id: string | null; menu_ids: string[] }[] =
      await readAll("/categories");
    const listed = categories.filter(({ menu_ids: ids }) => ids.includes(menu.id)).map(({ id }) => id);
    expect(new Set(listed)).toEqual(new Set(menu.category_ids));
    expect(
      categories.every(({ parent_id: parent, menu_ids: ids }) => parent === null || ids.length === 0),
    ).toBe(true);
    const lint = await shop.post(`/${menu.id}/lint`, {});
    expect(lint.status).toBe(200);

    const { document } = (await shop.get(`/${menu.id}/export?format=${format}`)).json.data;
    const before = await sizes();
    const again = (await sendAll(format, document, { currency: menu.currency })).answer;
    expect(again.counts, JSON.stringify(again.rows)).toMatchObject({ created: 0 });
    expect(await sizes()).toEqual(before);
  });
});

describe("menus.transfers.import", () => {
  it("200 updates what the document says and keeps what it does not", async () => {
    await sendAll("uber", sampleOf("uber"));
    const muffin = byTitle(await readAll("/items"), "Muffin") as unknown as { id: string };
    const change = {
      title: { "en-GB": "Old muffin", cy: "Myffin" },
      portion_text: "90 g",
      product_id: "prd_muffin",
    };
    expect((await shop.patch(`/items/${muffin.id}`, { ...change, price: 999 })).status).toBe(200);
    const answer = await send("uber", sampleOf("uber"));
    expect(answer.counts).toMatchObject({ created: 0, updated: 1 });
    expect((await shop.get(`/items/${muffin.id}`)).json.data).toMatchObject({
      title: { "en-GB": "Muffin", cy: "Myffin" },
      portion_text: { en: "90 g" },
      product_id: "prd_muffin",
      price: 300,
    });
  });

  it("200 hands back what belongs to products and to stock", async () => {
    const answer = await send("uber", sampleOf("uber"));
    const muffin = { kind: "item", external_id: "muffin" };
    expect(answer.declarations[0]).toMatchObject({
      ...muffin,
      contains: ["wheat", "egg", "milk"],
      not_specific: [],
    });
    expect(answer.stock[0]).toMatchObject({ ...muffin, available: false, reason: "Oven" });
    const square = await send("square", sampleOf("square"));
    expect(square.declarations[0]).toMatchObject({ contains: ["milk", "gluten"], not_specific: ["gluten"] });
  });

  it("200 finds things of ours by their own ids", async () => {
    const { menu, category, item } = await makeMenu(shop);
    const { document, menu_version: version } = (await shop.get(`/${menu}/export?format=otter`)).json.data;
    expect(version).toBeNull();
    document.items[item].price.amount = 9.5;
    const answer = await send("otter", document);
    expect(answer.rows.map(({ id, outcome }: { id: string; outcome: string }) => [id, outcome])).toEqual([
      [item, "updated"],
      [category, "unchanged"],
      [menu, "unchanged"],
    ]);
    expect((await shop.get(`/items/${item}`)).json.data).toMatchObject({ price: 950 });
    expect((await shop.get(`/items/${item}`)).json.data.external_refs).toBeUndefined();
  });

  it("200 in parts: a later part names what an earlier one brought", async () => {
    type Part = { readonly id: string };
    const {
      menus = [],
      categories = [],
      items = [],
      modifier_groups: groups = [],
    } = sampleOf("uber") as Record<string, Part[]>;
    const [snacks, drinks] = categories;
    const of = (...ids: string[]): Part[] => items.filter(({ id }) => ids.includes(id));
    const part = (parts: object) => ({ menus: [], categories: [], items: [], modifier_groups: [], ...parts });
    await send("uber", part({ categories: [drinks], items: of("coffee", "milk") }));
    // A price for one menu needs the menu beside it; its categories may come later.
    const bare = menus.map((menu) => ({ ...menu, category_ids: [] }));
    const rest = part({
      menus: bare,
      categories: [snacks],
      items: of("muffin", "blueberry", "chocolate", "milk"),
    });
    await send("uber", { ...rest, modifier_groups: groups });
    const last = await send("uber", part({ menus }));
    expect(last.counts).toMatchObject({ created: 0, updated: 1, deferred: 0 });
    expect(await sizes()).toEqual([1, 2, 3, 2, 4, 2, 1]);
    const [menu] = await readAll("");
    expect(menu.category_ids).toHaveLength(2);
    expect((await send("uber", sampleOf("uber"))).counts).toMatchObject({ created: 0 });
  });

  it("200 in parts: a later price list adds to an earlier one", async () => {
    type Product = { readonly plu: string; readonly price: number };
    const whole = sampleOf("deliverect") as { products: Product[] };
    await send("deliverect", whole);
    const prices = async () => {
      const levels: { title: object; overrides: { price: number }[] }[] = await readAll("/price-levels");
      return Object.fromEntries(
        levels.map(({ title, overrides }) => [Object.values(title)[0], overrides.map(({ price }) => price)]),
      );
    };
    expect(await prices()).toEqual({ Delivery: [1050], Takeaway: [900] });
    const changed = (told: Readonly<Record<string, object>>) => ({
      ...whole,
      products: whole.products.map((product) => ({ ...product, priceLevels: told[product.plu] ?? {} })),
    });
    await send("deliverect", changed({ "ALE-500": { TA: 550 } }));
    expect(await prices()).toEqual({ Delivery: [1050], Takeaway: [900, 550] });
    await send("deliverect", changed({ "WNG-10": { TA: 925 } }));
    expect(await prices()).toEqual({ Delivery: [1050], Takeaway: [925, 550] });
  });

  it("200 of Square objects that are sold at some places only: taken, and told", async () => {
    const whole = sampleOf("square") as { objects: { type: string }[] };
    const objects = whole.objects.map((object) =>
      object.type === "ITEM" ? { ...object, present_at_all_locations: false } : object,
    );
    const answer = await send("square", { ...whole, objects });
    const told = answer.warnings.find(({ path }: { path: string }) => path.includes("present_at_all"));
    expect(told).toMatchObject({ count: objects.filter(({ type }) => type === "ITEM").length });
  });

  it("200 takes a large menu in several goes, and is whole after each", async () => {
    const text = (en: string) => ({ translations: { en } });
    const ids = Array.from({ length: 220 }, (_, at) => `item-${at}`);
    const data = {
      menus: [{ id: "m", title: text("Big"), category_ids: ["a", "b"] }],
      categories: ["a", "b"].map((id, at) => ({
        id,
        title: text(id),
        entities: ids.filter((_, index) => index % 2 === at).map((item) => ({ id: item })),
      })),
      items: ids.map((id) => ({
        id,
        title: text(id),
        price_info: { price: 100 },
        modifier_group_ids: { ids: ["g"] },
      })),
      modifier_groups: [{ id: "g", title: text("G"), modifier_options: [{ id: "opt" }] }],
    };
    data.items.push({
      id: "opt",
      title: text("Opt"),
      price_info: { price: 10 },
      modifier_group_ids: { ids: [] },
    });
    const first = await send("uber", data);
    expect(first.complete).toBe(false);
    expect(first.counts.deferred).toBeGreaterThan(100);
    expect(await readAll("")).toEqual([]);
    const { answer, rounds } = await sendAll("uber", data);
    expect(rounds).toBeGreaterThan(1);
    expect(rounds).toBeLessThan(6);
    expect(answer.counts.created + answer.counts.updated + answer.counts.unchanged).toBe(answer.rows.length);
    const [menu] = await readAll("");
    expect(menu.category_ids).toHaveLength(2);
    expect((await send("uber", data)).counts).toMatchObject({ created: 0, updated: 0, deferred: 0 });
  });

  it("422 for a menu that is archived", async () => {
    await sendAll("uber", sampleOf("uber"));
    const [menu] = await readAll("");
    await shop.patch(`/${menu.id}`, { status: "archived" });
    const answer = await shop.post("/import", { format: "uber", data: sampleOf("uber") });
    expect([answer.status, pointersOf(answer)]).toEqual([422, ["#/data/menus/0"]]);
  });

  it("422 when the groups of the store and of the document would open each other in a circle", async () => {
    const text = (en: string) => ({ translations: { en } });
    const item = (id: string, ids: string[]) => ({
      id,
      title: text(id),
      price_info: { price: 1 },
      modifier_group_ids: { ids },
    });
    const group = (id: string, option: string) => ({
      id,
      title: text(id),
      modifier_options: [{ id: option }],
    });
    const part = (items: object[], groups: object[]) => ({ menus: [], items, modifier_groups: groups });
    await send("uber", part([item("o1", [])], [group("g1", "o1")]));
    await send("uber", part([item("o2", ["g1"])], [group("g2", "o2")]));
    const answer = await shop.post("/import", {
      format: "uber",
      data: part([item("o1", ["g2"])], [group("g1", "o1")]),
    });
    expect([answer.status, pointersOf(answer)]).toEqual([422, ["#/data/modifier_groups/0"]]);
  });

  it("409 limit_reached when the store has as many as it may", async () => {
    const level = (at: number) => ({ externalServiceSlug: `service-${at}` });
    const data = {
      menus: { m: { id: "m", name: "M", categoryIds: [] } },
      categories: {},
      modifierGroups: {},
      items: Object.fromEntries(
        [0, 1, 2].map((item) => [
          `i${item}`,
          {
            id: `i${item}`,
            name: "I",
            price: { currencyCode: "GBP", amount: 1 },
            priceOverrides: Array.from({ length: 20 }, (_, at) => ({
              rules: [level(item * 20 + at)],
              currencyCode: "GBP",
              amount: 2,
            })),
          },
        ]),
      ),
    };
    const answer = await shop.post("/import", { format: "otter", data });
    expect([answer.status, answer.json.error.code]).toEqual([409, "limit_reached"]);
    expect(await sizes()).toEqual(LISTS.map(() => 0));
  });
});

describe("menus.transfers.export", () => {
  it("200 with the ids of the system that it came from, and of ours for the rest", async () => {
    await sendAll("square", sampleOf("square"));
    const [menu] = await readAll("");
    const answer = await shop.get(`/${menu.id}/export?format=square`);
    expect(answer.status).toBe(200);
    const { objects } = answer.json.data.document.batches[0];
    const ids = objects.map(({ id }: { id: string }) => id);
    expect(ids).toContain("MENU4BREAKFAST5X2");
    expect(ids).toContain("ITEMFLATWHITE01");
    const croissant = objects.find(({ id }: { id: string }) => id === "ITEMCROISSANT01");
    expect(croissant.item_data.variations[0].id).toBe("VARCROISSANT001");
    const uber = (await shop.get(`/${menu.id}/export?format=uber`)).json.data.document;
    expect(uber.menus[0].id).toBe(menu.id);
  });

  it("200 of a version, as it was published", async () => {
    const { menu, item } = await makeMenu(shop);
    const published = await shop.post(`/${menu}/publish`, {});
    expect(published.status, published.text).toBeLessThan(300);
    await shop.patch(`/items/${item}`, { price: 999 });
    const priceOf = async (query: string) =>
      (await shop.get(`/${menu}/export?format=uber${query}`)).json.data.document.items[0].price_info.price;
    expect([await priceOf(""), await priceOf("&version=1")]).toEqual([999, 800]);
  });

  it("404 for no such menu, and for no such version", async () => {
    const { menu } = await makeMenu(shop);
    expect((await shop.get(`/${menu}/export?format=uber&version=7`)).status).toBe(404);
    expect((await shop.get("/mnu_01JD8Z5T9QK3M4N5P6R7S8T9V0/export?format=uber")).status).toBe(404);
  });

  it("422 for no format, and for one that is none", async () => {
    const { menu } = await makeMenu(shop);
    expect((await shop.get(`/${menu}/export`)).status).toBe(422);
    expect((await shop.get(`/${menu}/export?format=doordash`)).status).toBe(422);
  });
});
