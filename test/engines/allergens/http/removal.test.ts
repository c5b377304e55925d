import { afterEach, describe, expect, it } from "vitest";

import type { Op } from "../../../../server/storage/contract.ts";
import { createShop, interrupted, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop | undefined;
afterEach(() => shop?.harness.close());

const isRemoval = (op: Op): boolean => "del" in op && op.del.includes(":allergens.ingredients:");

describe("an ingredient that is deleted while a recipe takes it in", () => {
  it.each([
    ["a new product", async (own: Shop, milk: string) => own.make("/products", recipe(milk))],
    [
      "a product that gets another recipe",
      async (own: Shop, milk: string, pie: string) =>
        own.put(`/products/${pie}/ingredients`, { ingredients: [{ ingredient_id: milk }] }),
    ],
    [
      "a new ingredient",
      async (own: Shop, milk: string) =>
        own.make("/ingredients", { name: "butter", sub_ingredients: [{ ingredient_id: milk }] }),
    ],
    [
      "an ingredient that is changed",
      async (own: Shop, milk: string, _pie: string, salt: string) =>
        own.patch(`/ingredients/${salt}`, { sub_ingredients: [{ ingredient_id: milk }] }),
    ],
  ])("409 in_use by %s", async (_name, take) => {
    const made = { milk: "", pie: "", salt: "" };
    const own = await createShop(
      interrupted(isRemoval, async () => {
        await take(own, made.milk, made.pie, made.salt);
      }),
    );
    shop = own;
    made.milk = await own.make("/ingredients", { name: "milk", contains: ["milk"] });
    made.salt = await own.make("/ingredients", { name: "salt" });
    made.pie = await own.make("/products", { title: "Pie", ingredients: [] });
    expect(refusal(await own.remove(`/ingredients/${made.milk}`))).toBe("409 in_use");
    expect((await own.get(`/ingredients/${made.milk}`)).status).toBe(200);
  });

  it("204 when what happens meanwhile takes nothing in", async () => {
    const own = await createShop(
      interrupted(isRemoval, async () => {
        await own.make("/products", { title: "Loaf", ingredients: [{ name: "flour" }] });
      }),
    );
    shop = own;
    const milk = await own.make("/ingredients", { name: "milk" });
    expect((await own.remove(`/ingredients/${milk}`)).status).toBe(204);
  });
});

const recipe = (id: string) => ({ title: "Flan", ingredients: [{ ingredient_id: id }] });
