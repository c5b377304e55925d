import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createShop } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

const soup = { _id: "p-1", name: "Tomato soup", plu: "SOUP-1", price: 650, productType: 1 };
const bread = { _id: "p-2", name: "Brot", plu: "BRD-1", price: 250, productType: 1, productTags: [110] };

async function importAll(products: readonly object[], options: object = {}) {
  const answer = await shop.post("/import", { format: "deliverect", data: { products }, ...options });
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data;
}

const product = async (body: object): Promise<string> => {
  const made = await shop.harness.call("POST", "/v1/allergens/products", { key: shop.key, body });
  expect(made.status, made.text).toBe(201);
  return made.json.data.id;
};
const productsOf = async (): Promise<{ id: string; title: string; allergens: { contains: string[] } }[]> =>
  (await shop.harness.call("GET", "/v1/allergens/products?include=status", { key: shop.key })).json.data;
const itemOf = async (rows: { id: string; external_id: string }[], ref: string) =>
  (await shop.get(`/items/${rows.find(({ external_id: id }) => id === ref)?.id}`)).json.data;

describe("products of imported items", () => {
  it("are found by title, whatever its case and accents, or by the reference of the system", async () => {
    const byTitle = await product({ title: "TOMATO  Soup!" });
    const byRef = await product({ title: "Bread", external_refs: [{ system: "deliverect", id: "BRD-1" }] });
    const data = await importAll([soup, bread], { products: "link" });
    expect(data.products.map(({ outcome }: { outcome: string }) => outcome)).toEqual(["linked", "linked"]);
    const [first, second] = data.rows;
    expect((await itemOf(data.rows, first.external_id)).product_id).toBe(byTitle);
    expect((await itemOf(data.rows, second.external_id)).product_id).toBe(byRef);
    expect((await importAll([soup, bread], { products: "link" })).products).toEqual([]);
  });

  it("are not guessed: two products with one title, or none, leave the item without", async () => {
    await product({ title: "Tomato soup" });
    await product({ title: "Tomato soup" });
    const data = await importAll([soup, bread], { products: "link" });
    expect(data.products.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      "not_found",
      "not_found",
    ]);
    expect((await importAll([soup], {})).products).toEqual([]);
    expect(await productsOf()).toHaveLength(2);
  });

  it("are not those of the same title that lack an allergen of the document", async () => {
    const plain = await product({ title: "Brot", ingredients: [{ name: "rye flour", contains: ["rye"] }] });
    const outcomes = async (options: object) =>
      (await importAll([bread], options)).products.map(
        ({ outcome, product_id: id }: Record<string, string>) => [outcome, id === plain],
      );
    expect(await outcomes({ products: "link" })).toEqual([["not_found", false]]);
    expect(await outcomes({ products: "create", dry_run: true })).toEqual([["created", false]]);
    const peanuts = { name: "peanuts", contains: ["peanut"] };
    await shop.harness.call("PUT", `/v1/allergens/products/${plain}/ingredients?apply=true`, {
      key: shop.key,
      body: { ingredients: [peanuts] },
    });
    expect(await outcomes({ products: "link" })).toEqual([["linked", true]]);
  });

  it("are created unverified with the allergens of the document, once", async () => {
    const dry = await importAll([soup, bread], { products: "create", dry_run: true });
    expect(dry.products.map(({ outcome, product_id: id }: Record<string, string>) => [outcome, id])).toEqual([
      ["created", null],
      ["created", null],
    ]);
    expect(await productsOf()).toEqual([]);
    const data = await importAll([soup, bread], { products: "create" });
    const all = await productsOf();
    expect(all.map(({ title }) => title).sort()).toEqual(["Brot", "Tomato soup"]);
    expect(all).toMatchObject([{ status: "unverified" }, { status: "unverified" }]);
    for (const row of data.products) {
      expect((await shop.get(`/items/${row.id}`)).json.data.product_id).toBe(row.product_id);
    }
    await importAll([{ ...soup, price: 700 }, bread], { products: "create" });
    expect(await productsOf()).toHaveLength(2);
  });

  it("are no longer safe when the item gained an allergen, found by title, by reference or chosen by a person", async () => {
    const peanutSoup = { ...soup, productTags: [110] };
    for (const [ref, body] of Object.entries({
      "SOUP-1": { title: "Tomato soup", declarations: [{ code: "peanut", presence: "free_from" }] },
      "SOUP-2": { title: "Soup", external_refs: [{ system: "deliverect", id: "SOUP-2" }] },
    })) {
      const id = await product({ ...body, ingredients: [{ name: "tomatoes" }] });
      const sold = { ...soup, plu: ref, _id: ref };
      if (ref === "SOUP-1") await importAll([sold], { products: "link" });
      const verified = await shop.harness.call("POST", `/v1/allergens/products/${id}/verify`, {
        key: shop.key,
        body: { by: "Ada" },
      });
      expect(verified.status, verified.text).toBe(200);
      const verdict = async () =>
        (
          await shop.harness.call("POST", "/v1/allergens/check", {
            key: shop.key,
            body: { product_ids: [id], avoid: ["peanut"] },
          })
        ).json.data.results[0].verdict;
      expect(await verdict()).toBe("safe");
      const gained = { ...peanutSoup, plu: ref, _id: ref };
      await importAll([gained], { products: "link", dry_run: true });
      await importAll([gained]);
      expect(await verdict()).toBe("safe");
      await importAll([gained], { products: "link" });
      expect(await verdict()).toBe("unsafe");
      const read = async () =>
        (await shop.harness.call("GET", `/v1/allergens/products/${id}`, { key: shop.key })).json.data;
      expect(await read()).toMatchObject({ status: "stale", allergens: ["peanut"] });
      const { revision } = await read();
      await importAll([gained], { products: "link" });
      expect((await read()).revision).toBe(revision);
    }
  });

  it("stay as a person has chosen them", async () => {
    const chosen = await product({ title: "Minestrone" });
    await product({ title: "Tomato soup" });
    const data = await importAll([soup]);
    await shop.patch(`/items/${data.rows[0].id}`, { product_id: chosen });
    await importAll([{ ...soup, price: 700 }], { products: "link" });
    expect((await shop.get(`/items/${data.rows[0].id}`)).json.data).toMatchObject({
      product_id: chosen,
      price: 700,
    });
  });

  it("are found in parallel by as many items as an import has", async () => {
    const many = Array.from({ length: 40 }, (_, at) => ({
      ...soup,
      _id: `p${at}`,
      plu: `P${at}`,
      name: `Dish ${at}`,
    }));
    const data = await importAll(many, { products: "create" });
    expect(data.complete).toBe(true);
    expect(data.products.filter(({ outcome }: { outcome: string }) => outcome === "created")).toHaveLength(
      40,
    );
  });
});

describe("stock of imported items", () => {
  const stockOf = async (id: string) => (await shop.get(`/items/${id}/stock`)).json.data;

  it("is suspended and resumed by imports", async () => {
    const { rows } = await importAll([{ ...soup, snoozed: true }, bread], { stock: "apply" });
    const [first, second] = rows.map(({ id }: { id: string }) => id);
    expect(await stockOf(first)).toMatchObject({
      available: false,
      suspensions: [
        { channel: null, until: null, reason: "Imported from deliverect: Snoozed in Deliverect" },
      ],
    });
    expect(await stockOf(second)).toMatchObject({ available: true, version: 0 });
    const again = await importAll([{ ...soup, snoozed: true }, bread], { stock: "apply" });
    expect(again.counts).toMatchObject({ created: 0, updated: 0 });
    await importAll([soup, bread], { stock: "apply" });
    expect(await stockOf(first)).toMatchObject({ available: true, suspensions: [] });
  });

  it("leaves what a person suspended", async () => {
    const { rows } = await importAll([soup]);
    await shop.post(`/items/${rows[0].id}/suspend`, { reason: "The oven is out of order" });
    for (const snoozed of [true, false]) await importAll([{ ...soup, snoozed }], { stock: "apply" });
    expect((await stockOf(rows[0].id)).suspensions).toMatchObject([{ reason: "The oven is out of order" }]);
  });

  it("is only reported by default and in a dry run", async () => {
    const { rows, stock } = await importAll([{ ...soup, snoozed: true }]);
    expect(stock).toHaveLength(1);
    await importAll([{ ...soup, snoozed: true }], { stock: "apply", dry_run: true });
    expect(await stockOf(rows[0].id)).toMatchObject({ available: true, version: 0 });
  });
});
