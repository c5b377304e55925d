import { afterAll, beforeAll, expect, it } from "vitest";

import { workRecurring } from "../../../../server/engines/catering/jobs.ts";
import { cpuMs, longestOf, many, TURN_MS } from "../../../support/longest-turn.ts";
import { accountBody, createShop, line } from "./shop.ts";
import type { Shop } from "./shop.ts";

// More counted rules of many days than a process remembers, all due at the same time.

const ORDERS = 210;
const DAY_MS = 24 * 3_600_000;

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
  const { id: account } = await shop.make("/accounts", accountBody());
  for (const n of many(ORDERS, (index) => index)) {
    await shop.make("/recurring-orders", {
      account_id: account,
      title: "Lunch",
      dtstart: "2024-01-01T12:30",
      rrule: `FREQ=DAILY;COUNT=${1_999 - n}`,
      lines: [line(1_000)],
      default_heads: 0,
      holiday_policy: "keep",
    });
    if (n % 20 === 0) shop.harness.clock.advance(60_000);
  }
}, 120_000);
afterAll(() => shop.harness.close());

const nextDay = (): void => shop.harness.clock.advance(DAY_MS);

it("counting all of them", async () => {
  const longest = await longestOf(nextDay, async () => void (await shop.run(workRecurring)));
  expect(longest).toBeLessThan(TURN_MS);
  const limitMs = 6_000;
  const spentMs = await cpuMs(limitMs, () => {
    nextDay();
    return shop.run(workRecurring);
  });
  expect(spentMs).toBeLessThan(limitMs);
}, 300_000);
