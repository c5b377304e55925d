import { afterAll, beforeEach, describe, expect, it } from "vitest";

import { createShop, idsOf, makeMenu, pointersOf, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

const shops: Shop[] = [];
let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
  shops.push(shop);
});
afterAll(() => Promise.all(shops.map(({ harness }) => harness.close())));

const created = (title: string, price = 100) => ({ op: "create", fields: { title, price } });
const idsFrom = (answer: Awaited<ReturnType<Shop["post"]>>): string[] =>
  answer.json.data.results.map(({ id }: { id: string }) => id);

describe("POST /items/bulk", () => {
  it("creates, changes and deletes in one commit, with the results in order", async () => {
    const { item } = await makeMenu(shop);
    const spare = await shop.make("/items", { title: "Spare", price: 1 });
    const answer = await shop.post("/items/bulk", {
      operations: [
        created("Rye loaf", 420),
        { op: "update", id: item, fields: { price: 850 } },
        { op: "remove", id: spare },
      ],
    });
    expect(answer.status, answer.text).toBe(200);
    const [rye = ""] = idsFrom(answer);
    expect(answer.json.data.results).toEqual([
      { op: "create", id: rye },
      { op: "update", id: item },
      { op: "remove", id: spare },
    ]);
    expect((await shop.get(`/items/${rye}`)).json.data.price).toBe(420);
    expect((await shop.get(`/items/${item}`)).json.data.price).toBe(850);
    expect((await shop.get(`/items/${spare}`)).status).toBe(404);
  });

  it("creates the fifty items that a request may have, and counts them", async () => {
    const operations = Array.from({ length: 50 }, (_, at) => created(`Item ${at}`));
    expect(idsFrom(await shop.post("/items/bulk", { operations }))).toHaveLength(50);
    expect(refusal(await shop.post("/items/bulk", { operations: [...operations, created("More")] }))).toBe(
      "422",
    );
  });

  it("changes nothing if one operation is refused, and lists every refused one", async () => {
    const { item, category } = await makeMenu(shop);
    const answer = await shop.post("/items/bulk", {
      operations: [
        created("Rye loaf"),
        { op: "update", id: "itm_01JD8Z5T9QK3M4N5P6R7S8T9V9", fields: { price: 1 } },
        {
          op: "create",
          fields: { title: "Bun", price: 1, schedule_ids: ["shd_01JD8Z5T9QK3M4N5P6R7S8T9V9"] },
        },
        { op: "remove", id: item },
        { op: "update", id: item, version: 9, fields: { price: 1 } },
      ],
    });
    expect(refusal(answer)).toBe("409 operations_refused");
    expect(pointersOf(answer)).toEqual([
      "#/operations/1",
      "#/operations/2/fields/schedule_ids/0",
      "#/operations/3",
      "#/operations/4",
    ]);
    expect(answer.json.error.errors[2].detail).toContain(category);
    expect(idsOf(await shop.get("/items"))).toEqual([item]);
  });

  it("points at the field of an operation that is not valid", async () => {
    const answer = await shop.post("/items/bulk", { operations: [created("A"), created("B", -1)] });
    expect(refusal(answer)).toBe("422");
    expect(pointersOf(answer)).toEqual(["#/operations/1/fields/price"]);
  });
});

describe("POST /categories/bulk", () => {
  it("builds the categories of a menu with their items", async () => {
    const { menu, item } = await makeMenu(shop);
    const operations = ["Breads", "Cakes", "Drinks"].map((title, at) => ({
      op: "create",
      fields: { title, menu_ids: [menu], item_ids: [item], sort_order: at },
    }));
    const ids = idsFrom(await shop.post("/categories/bulk", { operations }));
    expect((await shop.get(`/${menu}`)).json.data.category_ids.slice(1)).toEqual(ids);
  });

  it("finds a cycle that two operations make together", async () => {
    const [a = "", b = ""] = idsFrom(
      await shop.post("/categories/bulk", {
        operations: ["A", "B"].map((title) => ({ op: "create", fields: { title } })),
      }),
    );
    const answer = await shop.post("/categories/bulk", {
      operations: [
        { op: "update", id: a, fields: { parent_id: b } },
        { op: "update", id: b, fields: { parent_id: a } },
      ],
    });
    expect(refusal(answer)).toBe("409 operations_refused");
    expect(pointersOf(answer)).toEqual(["#/operations/1/fields/parent_id"]);
  });

  it("leaves no reference to a category that the same request deletes", async () => {
    const a = await shop.make("/categories", { title: "A" });
    const b = await shop.make("/categories", { title: "B" });
    const move = { op: "update", id: a, fields: { parent_id: b } };
    const remove = { op: "remove", id: b };
    for (const operations of [
      [move, remove],
      [remove, move],
    ]) {
      expect(refusal(await shop.post("/categories/bulk", { operations }))).toBe("409 operations_refused");
    }
    expect((await shop.get(`/categories/${b}`)).status).toBe(200);
  });

  it("says so when the operations do not fit into one commit", async () => {
    const menu = await shop.make("", { title: "Menu" });
    const channels = ["delivery", "pickup", "dine_in", "catering", "kiosk"];
    const operations = Array.from({ length: 50 }, (_, at) => ({
      op: "create",
      fields: { title: `${at}`, menu_ids: [menu], channels },
    }));
    const answer = await shop.post("/categories/bulk", { operations });
    expect(refusal(answer)).toBe("409 operations_refused");
    expect(answer.json.error.detail).toContain("Split the request");
    expect(idsOf(await shop.get("/categories"))).toEqual([]);
  });
});

describe("POST /stock/bulk", () => {
  it("sets, suspends and restores", async () => {
    const ids = idsFrom(
      await shop.post("/items/bulk", { operations: ["A", "B", "C"].map((one) => created(one)) }),
    );
    const [a = "", b = "", c = ""] = ids;
    await shop.post(`/items/${c}/suspend`, {});
    const answer = await shop.post("/stock/bulk", {
      operations: [
        { op: "set", target: "item", id: a, fields: { quantity: 0 } },
        { op: "suspend", target: "item", id: b, fields: { until: "2026-06-01T18:00:00.000Z" } },
        { op: "restore", target: "item", id: c },
      ],
    });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json.data.results.map(({ status }: { status: string }) => status)).toEqual([
      "out_of_stock",
      "in_stock",
      "in_stock",
    ]);
    const available = await Promise.all(ids.map((id) => shop.get(`/items/${id}/stock`)));
    expect(available.map(({ json }) => json.data.available)).toEqual([false, false, true]);
  });

  it("changes nothing if one target does not exist or one time has passed", async () => {
    const a = await shop.make("/items", { title: "A", price: 1 });
    const answer = await shop.post("/stock/bulk", {
      operations: [
        { op: "set", target: "item", id: a, fields: { quantity: 3 } },
        { op: "suspend", target: "modifier", id: a },
        { op: "suspend", target: "item", id: a, fields: { until: "2026-05-01T18:00:00.000Z" } },
      ],
    });
    expect(pointersOf(answer)).toEqual(["#/operations/1", "#/operations/2/fields/until"]);
    expect((await shop.get(`/items/${a}/stock`)).json.data.version).toBe(0);
  });
});
