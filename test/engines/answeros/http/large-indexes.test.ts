import { afterAll, beforeAll, expect, it } from "vitest";

import { questions } from "../../../../server/engines/answeros/repository.ts";
import { approvedAnswers } from "../../../../server/engines/answeros/services/tools.ts";
import { many } from "../../../support/longest-turn.ts";
import { createShop, shopOf } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

const AT = "2026-05-01T09:00:00.000Z";

const find = ({ part }: Shop) => shop.harness.services.runTx(part, (tx) => approvedAnswers(tx, "en"));

/** Approved answers with twenty long sources each: little to search, and many characters. */
async function create({ part }: Shop, count: number): Promise<void> {
  const { newId, runTx } = shop.harness.services;
  const sources = many(20, () => ({ title: "t".repeat(200), url: `https://a.example/${"a".repeat(950)}` }));
  for (let start = 0; start < count; start += 20) {
    await runTx(part, async (tx) => {
      for (let n = start; n < Math.min(start + 20, count); n += 1) {
        const answer = { text: "Four days.", status: "approved" as const, sources, approved_at: AT };
        const common = { id: newId("aqs"), created_at: AT, updated_at: AT, locale: "en", page_id: null };
        const kind = { intent: "informational" as const, source: "manual" as const, priority: 3 };
        tx.create(questions, { ...common, ...kind, text: `Question ${n}`, answer });
      }
    });
  }
}

it("the index of a store stays where that of another store is as large as all may be", async () => {
  await create(shop, 2);
  const other = await shopOf(shop.harness, await shop.harness.key());
  await create(other, 720);
  const own = await find(shop);
  expect((await find(other)).byId.size).toBe(720);
  expect(await find(shop)).toBe(own);
}, 60_000);

it("the index of a store stays where what is no longer used takes all the room", async () => {
  const idle = await shopOf(shop.harness, await shop.harness.key());
  await create(idle, 350);
  const busy = await shopOf(shop.harness, await shop.harness.key());
  await create(busy, 360);
  for (const each of [idle, busy]) await find(each);
  const own = await find(busy);
  expect(await find(busy)).toBe(own);
}, 60_000);
