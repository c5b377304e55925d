import { afterEach, beforeEach, expect, it } from "vitest";

import { codeOf, createShop, makeOffer } from "../shop.ts";
import type { Shop } from "../shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

it("409 busy for more codes than one request can ask for, until they are generated", async () => {
  const { id } = await makeOffer(shop, { trigger: "code" });
  const ask = (count: number) => shop.call("POST", `/offers/${id}/codes`, { count });
  const generate = () => shop.harness.services.jobs.run("cart.make-codes");
  const first = await Promise.all([ask(6_000), ask(6_000), ask(6_000)]);
  expect(first.map(codeOf).toSorted()).toEqual(["202", "409 busy", "409 busy"]);
  expect(codeOf(await ask(4_000))).toBe("202");
  expect(codeOf(await ask(1))).toBe("409 busy");
  await generate();
  expect(codeOf(await ask(10_000))).toBe("202");
}, 30_000);
