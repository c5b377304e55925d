import { afterAll, beforeAll, expect, it } from "vitest";

import { MICRO_CODES } from "../../../../server/engines/allergens/data/nutrition/micronutrients.ts";
import { NUTRIENTS } from "../../../../server/engines/allergens/data/nutrition/nutrients.ts";
import { LANGUAGES } from "../../../../server/engines/allergens/data/modes.ts";
import { longestTurn, many, TURN_MS } from "../../../support/longest-turn.ts";
import { createShop } from "./shop.ts";
import type { Shop } from "./shop.ts";

// A product of many ingredients in all languages of the EU, which anyone with a publishable key may request.

let shop: Shop;
let path = "";
beforeAll(async () => {
  shop = await createShop();
  const contains = ["milk", "egg", "wheat", "soya", "almond", "oat", "rye", "barley"];
  const ingredients = many(80, (n) => ({ name: `${contains.join(" ")} mixture ${n}`, contains }));
  const id = await shop.verified("Mixture", ingredients);
  path = `/allergens/products/${id}/label?mode=eu&locale=${LANGUAGES.join(",")}`;
}, 60_000);
afterAll(() => shop.harness.close());

it("a label in all languages", async () => {
  const place = { harness: shop.harness, world: shop, path };
  expect(await longestTurn(place, null, 200, { method: "GET" })).toBeLessThan(TURN_MS);
}, 60_000);

it("a label in all languages of a product whose names say more than its codes", async () => {
  // 37 foods of which each has a code of its own.
  const foods =
    "ei,v8,ghi,ble,rye,ale,oat,eel,cod,ahi,pb2,soy,nut,so2,crab,paua,clam,plie,goma,noix,kaju,senf,spelt,kamut,krill," +
    "prawn,moule,krake,squid,alici,ikura,trout,pecan,pinon,lupin,gluten,homard";
  const id = await shop.make("/products", {
    title: "Mixture",
    ingredients: many(300, (n) => ({ name: `${foods} ${n}` })),
  });
  const all = `/allergens/products/${id}/label?mode=eu&locale=${LANGUAGES.join(",")}`;
  // Nine megabytes are written of it.
  expect(
    await longestTurn({ harness: shop.harness, world: shop, path: all }, null, 200, { method: "GET" }),
  ).toBeLessThan(4 * TURN_MS);
}, 60_000);

it("the nutrition of a recipe of many ingredients with all nutrients", async () => {
  const known = ["fat", "carbohydrate", "protein", "fibre"];
  const nutrition = {
    basis: "per_100g",
    ...Object.fromEntries(
      NUTRIENTS.filter((key) => key !== "sodium_mg").map((key) => [
        key,
        known.includes(key) ? 9.123 : 0.0123,
      ]),
    ),
    micros: Object.fromEntries(MICRO_CODES.map((code) => [code, { amount: 0.123456789, unit: "mg" }])),
  };
  const ingredient = await shop.make("/ingredients", { name: "mix", nutrition });
  const id = await shop.make("/products", {
    title: "Bread",
    ingredients: many(300, (n) => ({ ingredient_id: ingredient, quantity_g: 123.456 + n })),
    recipe: {},
  });
  const place = { harness: shop.harness, world: shop, path: `/allergens/products/${id}/nutrition` };
  expect(await longestTurn(place, null, 200, { method: "GET", atOnce: 16 })).toBeLessThan(TURN_MS);
}, 60_000);
