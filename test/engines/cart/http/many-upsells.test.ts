import { afterAll, beforeAll, expect, it } from "vitest";

import { storePartition } from "../../../../server/core/partitions.ts";
import { upsells } from "../../../../server/engines/cart/repository.ts";
import { createWorld } from "../../../contract/world.ts";
import type { World } from "../../../contract/world.ts";
import { createHarness } from "../../../harness.ts";
import type { Harness } from "../../../harness.ts";
import { longestTurn, many, TURN_MS } from "../../../support/longest-turn.ts";

// Suggestions of hundreds of upsells, each of as many products as it may have, for a cart of as many lines as it may have.

let harness: Harness;
let world: World;
beforeAll(async () => {
  harness = await createHarness();
  world = await createWorld(harness);
}, 120_000);
afterAll(() => harness.close());

const tags = many(20, (n) => `tag-${n}`);
const lines = many(500, (n) => ({ id: `${n}`, ref: `bought-${n}`, quantity: 1, unit_price: 100, tags }));
const path = "/cart/upsells/suggestions";
const others = (kind: string) => many(200, (n) => `${kind}-${n}`);

/** Copies of one upsell. */
async function createUpsells(
  count: number,
  { id }: { readonly id: string },
  refsOf: (n: number) => string[],
): Promise<void> {
  const part = storePartition(world.key.storeId, "live");
  for (let n = 0; n < count; n += 1) {
    await harness.services.runTx(part, async (tx) => {
      const { value } = await tx.require(upsells, id);
      tx.create(upsells, { ...value, id: harness.services.newId("ups"), refs: refsOf(n) });
    });
  }
}

const post = async (body: unknown) => {
  const made = await harness.call("POST", "/v1/cart/upsells", { key: world.key, body });
  if (made.status !== 201) throw new Error(made.text);
  return made.json.data;
};

it("suggests for a large cart", async () => {
  const made = await post({
    title: "More",
    placement: "checkout",
    refs: ["first"],
    out_of_stock: others("sold-out"),
    cap: 20,
  });
  await createUpsells(100, made, (n) => many(200, (ref) => `product-${n}-${ref}`));
  const body = { placement: "checkout", lines };
  expect(await longestTurn({ harness, world, path }, body)).toBeLessThan(TURN_MS);
  const diets = { ...body, diets: ["vegan"] };
  expect(await longestTurn({ harness, world, path }, diets)).toBeLessThan(TURN_MS);
}, 60_000);

it("judges conditions about hundreds of products", async () => {
  const filter = { refs: others("bread"), categories: others("cakes"), tags: others("label") };
  const made = await post({
    title: "More",
    placement: "post_purchase",
    refs: ["first"],
    when: { match: "any", rules: many(20, () => ({ kind: "quantity", filter, min: 1 })) },
  });
  await createUpsells(5, made, () => ["second"]);
  const body = { placement: "post_purchase", lines };
  expect(await longestTurn({ harness, world, path }, body)).toBeLessThan(TURN_MS);
}, 60_000);
