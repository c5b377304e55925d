import { afterAll, beforeAll, expect, it } from "vitest";

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
