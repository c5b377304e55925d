import { afterEach, expect, it } from "vitest";

import { orders } from "../../../../server/engines/catering/repository.ts";
import { createMemoryDriver } from "../../../../server/storage/memory.ts";
import type { StoreDriver } from "../../../../server/storage/contract.ts";
import { createTestClock } from "../../../harness.ts";
import { many } from "../../../support/longest-turn.ts";
import { createShop, event, line, NOW, prospect } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
afterEach(() => shop.harness.close());

it("calendars of all orders are written one after another for a customer: each reads pages of large orders", async () => {
  const memory = createMemoryDriver({ clock: createTestClock(NOW) });
  const read: string[] = [];
  const store: StoreDriver = {
    ...memory,
    page(part, collection, options) {
      if (collection === `ix.${orders.name}.event`) read.push(options.after ?? "");
      return memory.page(part, collection, options);
    },
  };
  shop = await createShop({ store });
  const { newId, runTx } = shop.harness.services;
  const body = { contact: prospect, title: "Lunch", lines: [line()], event: event(), heads: 30 };
  const { id } = await shop.make("/orders", body);
  for (let made = 0; made < 120; made += 20) {
    await runTx(shop.part, async (tx) => {
      const { value } = await tx.require(orders, id);
      for (let n = 0; n < 20; n += 1) tx.create(orders, { ...value, id: newId("cor") });
    });
  }
  const { url } = await shop.read("/calendar-feed");
  const answers = await Promise.all(many(4, () => shop.visit(url)));
  expect(answers.map(({ text }) => text.split("BEGIN:VEVENT").length)).toEqual(many(4, () => 122));
  const [first, second] = read;
  expect(first).not.toBe(second);
  expect(read).toEqual(many(4, () => [first, second]).flat());
});
