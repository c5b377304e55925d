import { afterAll, beforeAll, expect, it } from "vitest";

import { longestTurn, many, TURN_MS } from "../../../support/longest-turn.ts";
import { accountBody, createShop, line } from "./shop.ts";
import type { Shop } from "./shop.ts";

// A recurring order of every day that began a century ago.

let shop: Shop;
let body: object;
let path: string;
let occurrence: string;
beforeAll(async () => {
  shop = await createShop();
  const { id: account } = await shop.make("/accounts", accountBody());
  body = {
    account_id: account,
    title: "Lunch",
    dtstart: "1927-01-01T12:30",
    rrule: `FREQ=MONTHLY;BYMONTHDAY=${many(31, (n) => n + 1).join(",")}`,
    month_end: true,
    lines: [line(1000)],
    default_heads: 20,
    lead_days: 60,
    holiday_policy: "next",
  };
  const { id } = await shop.make("/recurring-orders", body);
  path = `/recurring-orders/${id}`;
  occurrence = (await shop.read(`${path}/occurrences`))[20].id;
});
afterAll(() => shop.harness.close());

const longest = (method: string, below: string, sent?: unknown, status = 200): Promise<number> =>
  longestTurn({ harness: shop.harness, world: shop, path: `/catering${below}` }, sent, status, { method });

it("beginning and changing the order", async () => {
  expect(await longest("POST", "/recurring-orders", body, 201)).toBeLessThan(TURN_MS);
  expect(await longest("PATCH", path, { default_heads: 21 })).toBeLessThan(TURN_MS);
});

it("its days in a year, and changing one of them", async () => {
  expect(await longest("GET", `${path}/occurrences?to=2027-06-01`)).toBeLessThan(TURN_MS);
  expect(await longest("PATCH", `${path}/occurrences/${occurrence}`, { headcount: 20 })).toBeLessThan(
    TURN_MS,
  );
});
