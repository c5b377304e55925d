import { afterEach, beforeEach, expect, it } from "vitest";

import { workRecurring } from "../../../../server/engines/catering/jobs.ts";
import { many } from "../../../support/longest-turn.ts";
import { accountBody, createShop, line } from "./shop.ts";
import type { Shop } from "./shop.ts";

// A daily order whose deadlines are weeks before: many of its occurrences are due when it begins.

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

const begin = async (limit: number) => {
  const account = (await shop.make("/accounts", accountBody({ credit_limit: limit }))).id;
  const sources: string[] = [];
  for (const n of many(3, (index) => index)) {
    const title = `Calendar ${n}`;
    sources.push((await shop.make("/headcount-sources", { kind: "calendar_feed", title })).id);
  }
  const { id } = await shop.make("/recurring-orders", {
    account_id: account,
    title: "Lunch",
    dtstart: "2026-06-08T12:30",
    rrule: "FREQ=DAILY;COUNT=11",
    lines: [line(1000)],
    default_heads: 20,
    lead_days: 14,
    headcount_source_ids: sources,
  });
  return { account, id };
};
const runs = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n += 1) {
    await shop.run(workRecurring);
    shop.harness.clock.advance(60_000);
  }
};
const ordersOf = async (id: string) => shop.read(`/orders?recurring_order_id=${id}&limit=100`);

it("makes the orders of all of them, some in each run, also where its calendars are silent", async () => {
  const { id } = await begin(10_000_000);
  await runs(6);
  expect(await ordersOf(id)).toHaveLength(11);
});

it("makes those that waited for credit next to those that are due", async () => {
  const { account, id } = await begin(0);
  await runs(2);
  expect(await ordersOf(id)).toEqual([]);
  await shop.patch(`/accounts/${account}`, { credit_limit: 10_000_000 });
  shop.harness.clock.advance(3_600_000);
  await runs(8);
  expect(await ordersOf(id)).toHaveLength(11);
});
