import { afterAll, beforeAll, expect, it } from "vitest";

import type { Collection } from "../../../../server/core/collection.ts";
import { bundles, offers, upsells } from "../../../../server/engines/cart/repository.ts";
import { followParsed } from "../../../support/follow-parsed.ts";
import type { Parsed } from "../../../support/follow-parsed.ts";
import { many } from "../../../support/longest-turn.ts";
import { createShop } from "../shop.ts";
import type { Shop } from "../shop.ts";

// Requests that look through all offers, bundles or upsells at the same time, each of which is a large document.

const DOCUMENTS = 60;
const AT_ONCE = 16;
const LARGE_CHARS = 25_000;

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
}, 60_000);
afterAll(() => shop.harness.close());

/** Copies of a document, until there are as many as the tests need. */
async function copy<T extends { id: string }>(collection: Collection<T>, id: string): Promise<void> {
  const { newId, runTx } = shop.harness.services;
  const { value } = await runTx(shop.part, (tx) => tx.require(collection, id));
  for (let n = 1; n < DOCUMENTS; n += 1)
    await runTx(shop.part, async (tx) => void tx.create(collection, { ...value, id: newId(id.slice(0, 3)) }));
}

const named = (kind: string, count: number) => many(count, (n) => `${kind}-${n}-`.padEnd(30, "x"));
const filter = { refs: named("ref", 200), categories: named("category", 200), tags: named("tag", 200) };
const metadata = Object.fromEntries(many(50, (n) => [`key-${n}`, "x".repeat(500)]));

/** What is parsed while as many requests as can run at once are answered. */
async function parsedBy(path: string, body: object, answer: (data: unknown) => void): Promise<Parsed> {
  const parsed = followParsed(LARGE_CHARS, (DOCUMENTS * AT_ONCE) / 6);
  const answers = await Promise.all(many(AT_ONCE, () => shop.make(path, body)));
  answers.forEach(answer);
  return parsed.end();
}

it("has few offers and bundles in memory while carts are priced", async () => {
  const rules = many(5, () => ({ kind: "quantity", filter, min: 1 }));
  const offer = await shop.make("/offers", {
    title: "Ten off",
    effect: { class: "order", value: { kind: "percent_off", value: 1000 } },
    conditions: { match: "all", rules },
  });
  await shop.make(`/offers/${offer.id}/activate`);
  await copy(offers, offer.id);
  const components = named("ref", 30).map((ref) => ({ ref, qty: 1 }));
  const terms = { title: "Box", type: "fixed", components, pricing: { kind: "sum", value: 0 }, metadata };
  const bundle = await shop.make("/bundles", { ...terms, auto_apply: true });
  await shop.make(`/bundles/${bundle.id}/activate`);
  await copy(bundles, bundle.id);
  const lines = many(3, (n) => ({ id: `${n}`, ref: filter.refs[n], quantity: 1, unit_price: 250 }));
  const { all, most } = await parsedBy("/evaluations", { lines }, (data) =>
    expect(data).toMatchObject({ applied: [{ saving: 75 }], bundles: [] }),
  );
  expect(all).toBe(2 * DOCUMENTS * AT_ONCE);
  expect(most).toBeLessThanOrEqual(3 * AT_ONCE);
}, 60_000);

it("has few upsells in memory while products are suggested", async () => {
  const more = { out_of_stock: named("sold-out", 200), metadata, cap: 20 };
  const weights = named("ref", 100).map((ref, n) => ({ ref, weight_bps: 10_000 - n }));
  const upsell = await shop.make("/upsells", {
    title: "More",
    placement: "cart",
    refs: named("ref", 100),
    margin_weights: weights,
    ...more,
  });
  await copy(upsells, upsell.id);
  const lines = [{ id: "1", ref: filter.refs[0], quantity: 1, unit_price: 250 }];
  const { all, most } = await parsedBy("/upsells/suggestions", { placement: "cart", lines }, (data) =>
    expect(data).toMatchObject({ suggestions: many(99, (n) => ({ ref: filter.refs[n + 1] })) }),
  );
  expect(all).toBeGreaterThanOrEqual(DOCUMENTS * AT_ONCE);
  // Ten of a request.
  expect(most).toBeLessThanOrEqual(12 * AT_ONCE);
}, 60_000);
