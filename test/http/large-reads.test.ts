import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";

import { storePartition } from "../../server/core/partitions.ts";
import { products } from "../../server/engines/allergens/repository.ts";
import { createShop } from "../engines/allergens/http/shop.ts";
import type { Shop } from "../engines/allergens/http/shop.ts";
import { followParsed } from "../support/follow-parsed.ts";
import { many } from "../support/longest-turn.ts";

// Requests that read a whole collection of large documents at the same time.

const PRODUCTS = 60;
const AT_ONCE = 20;
let shop: Shop;
let sheet: string;
beforeAll(async () => {
  shop = await createShop();
  const { newId, runTx } = shop.harness.services;
  const part = storePartition(shop.key.storeId, "live");
  const contains = ["wheat", "rye"];
  const ingredients = many(200, (n) => ({ name: `Flour ${n}`, contains }));
  const id = await shop.make("/products", { title: "Bread", ingredients });
  const { value } = await runTx(part, (tx) => tx.require(products, id));
  for (let n = 1; n < PRODUCTS; n += 4)
    await runTx(part, async (tx) => {
      for (let at = n; at < Math.min(PRODUCTS, n + 4); at += 1)
        tx.create(products, { ...value, id: newId("prd") });
    });
  sheet = new URL((await shop.put("/sheet", {})).json.data.url).pathname;
  // The first page reads the texts of all languages.
  await shop.harness.call("GET", sheet);
}, 60_000);
afterAll(() => shop.harness.close());
afterEach(() => void vi.restoreAllMocks());

it.each(["matrix", "sheet"])(
  "has few documents in memory for many that read a %s",
  async (name) => {
    const parsed = followParsed(50_000, (PRODUCTS * AT_ONCE) / 6);
    const answers = await Promise.all(
      many(AT_ONCE, () =>
        name === "matrix" ? shop.get("/matrix?format=csv") : shop.harness.call("GET", sheet),
      ),
    );
    const { all, most } = parsed.end();
    expect(answers.map(({ status }) => status)).toEqual(many(AT_ONCE, () => 200));
    expect(all).toBe(PRODUCTS * AT_ONCE);
    expect(most).toBeLessThanOrEqual(2 * AT_ONCE);
  },
  60_000,
);

it("reads for the jobs of a store while visitors hold the places that they have", async () => {
  const { runTx, store } = shop.harness.services;
  const page = store.page.bind(store);
  const held: (() => void)[] = [];
  const spy = vi.spyOn(store, "page").mockImplementation(async (...asked) => {
    // The first page is larger than what is read without a place.
    if (asked[2].after !== undefined) await new Promise<void>((go) => held.push(go));
    return page(...asked);
  });
  const visits = many(2, () => shop.harness.call("GET", sheet));
  await expect.poll(() => held).toHaveLength(2);
  spy.mockRestore();
  const part = storePartition(shop.key.storeId, "live");
  const job = runTx(part, (tx) => tx.peekAll(products));
  expect(await job).toHaveLength(PRODUCTS);
  for (const go of held) go();
  expect((await Promise.all(visits)).map(({ status }) => status)).toEqual([200, 200]);
}, 20_000);
