import { afterAll, beforeAll, expect, it } from "vitest";

import { longestCall, longestOf, many, TURN_MS } from "../../../support/longest-turn.ts";
import { createShop, quoteBody, sendQuote } from "./shop.ts";
import type { Shop } from "./shop.ts";

// Quotes with as much to price as a quote may have.

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

const tiers = many(10, (n) => ({ from_heads: 2 + n * 900, unit_price: 1_000 + n }));
const quote = (more: object) => ({
  lines: [
    ...many(30, (n) => ({
      type: "per_head",
      title: `Food ${n}`,
      unit_price: 1_001 + n,
      volume_tiers: tiers,
      tier_mode: "graduated",
      tax_rate_bps: 100 + n,
      ...more,
    })),
    ...many(30, (n) => ({ type: "discount", title: `Discount ${n}`, rate_bps: 1 + n })),
  ],
  headcount: { estimate: 20_000, min: 1, max: 20_000 },
});

it("the page of a quote with thirty optional lines", async () => {
  const { link } = await sendQuote(shop, quote({ optional: true, selected: true }));
  const measured = longestOf(
    () => shop.harness.clock.advance(60_000),
    async () => {
      const page = await shop.visit(link);
      expect([page.status, page.text.match(/value="choose"/g)?.length]).toEqual([200, 30]);
    },
  );
  expect(await measured).toBeLessThan(TURN_MS);
}, 60_000);

it("previews of a quote for twenty more headcounts", async () => {
  const body = quoteBody({ ...quote({}), headcounts: many(20, (n) => 19_000 + n) });
  expect(await longestCall(shop, ["POST", "/quotes/previews", body], 200)).toBeLessThan(TURN_MS);
}, 60_000);
