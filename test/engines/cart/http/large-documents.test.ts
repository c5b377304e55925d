import { afterAll, beforeAll, expect, it } from "vitest";

import type { Collection } from "../../../../server/core/collection.ts";
import { storePartition } from "../../../../server/core/partitions.ts";
import { carts, offers } from "../../../../server/engines/cart/repository.ts";
import { createWorld } from "../../../contract/world.ts";
import type { World } from "../../../contract/world.ts";
import { createHarness } from "../../../harness.ts";
import type { Harness } from "../../../harness.ts";
import { longestOf, longestTurn, many, TURN_MS } from "../../../support/longest-turn.ts";

// Documents as large as a store may have them: work on hundreds of them must not keep the event loop from other stores.

let harness: Harness;
let world: World;
let part: string;
beforeAll(async () => {
  harness = await createHarness();
  world = await createWorld(harness);
  part = storePartition(world.key.storeId, "live");
}, 120_000);
afterAll(() => harness.close());

const post = async (path: string, body: unknown, method = "POST") => {
  const answer = await harness.call(method, `/v1/cart${path}`, { key: world.key, body });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.json.data;
};

/** Copies of a document, each with an id of its own. */
async function copy<T extends { id: string }>(
  collection: Collection<T>,
  id: string,
  count: number,
  change: (n: number, value: T) => Partial<T>,
): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await harness.services.runTx(part, async (tx) => {
      const { value } = await tx.require(collection, id);
      tx.create(collection, { ...value, ...change(n, value), id: harness.services.newId(id.slice(0, 3)) });
    });
  }
}

const named = (kind: string, count: number, chars: number) =>
  many(count, (n) => `${kind}-${n}-`.padEnd(chars, "x"));

it("learns what is bought together from orders of hundreds of products", async () => {
  const cart = await post(
    "/carts/large",
    {
      sequence: 1,
      customer: {},
      consent: { basis: "none" },
      lines: many(200, (n) => ({ ref: `ref-${n}`, title: "Bread", quantity: 1, unit_price: 100 })),
      total: 20_000,
      currency: "GBP",
      checkout_url: "https://shop.example/c",
    },
    "PUT",
  );
  await post(`/carts/${cart.id}/convert`, { order_ref: "order-large", total: 20_000 });
  await copy(carts, cart.id, 60, (n, { lines }) => ({
    external_id: `large-${n}`,
    lines: lines.map((line, at) => ({ ...line, ref: `ref-${n}-${at}` })),
  }));
  const run = async () => void (await harness.services.jobs.run("cart.learn-affinities"));
  expect(await longestOf(() => undefined, run)).toBeLessThan(TURN_MS);
}, 60_000);

it("prices a cart under seventy large offers", async () => {
  const filter = {
    refs: named("ref", 200, 110),
    categories: named("category", 200, 110),
    tags: named("tag", 200, 110),
  };
  const offer = await post("/offers", {
    title: "Ten off",
    effect: { class: "order", value: { kind: "percent_off", value: 1_000 } },
    conditions: { match: "all", rules: many(3, () => ({ kind: "quantity", filter, min: 1 })) },
  });
  await post(`/offers/${offer.id}/activate`, {});
  await copy(offers, offer.id, 69, () => ({}));
  const body = { lines: [{ id: "1", ref: filter.refs[0], quantity: 3, unit_price: 250 }] };
  const priced = await post("/evaluations", body);
  expect(priced.applied).toHaveLength(1);
  expect(priced.rejected.length).toBeGreaterThanOrEqual(69);
  // A turn may end with a collection of the garbage of 17 MB of offers; copying these to a thread took 80 ms.
  expect(await longestTurn({ harness, world, path: "/cart/evaluations" }, body)).toBeLessThan(2 * TURN_MS);
}, 60_000);
