import { expect, it } from "vitest";

import { orders } from "../../../../server/engines/catering/repository.ts";
import { event, order } from "../make.ts";
import { createShop } from "./shop.ts";

it("the calendar of the kitchen has the orders to come, however many were delivered this month", async () => {
  const shop = await createShop();
  const idOf = (n: number) => `cor_01JD8Z5T9QK3M4N5P6R7S${String(n).padStart(5, "0")}`;
  const create = (from: number, count: number, more: object) =>
    shop.harness.services.runTx(shop.part, async (tx) => {
      for (let n = from; n < from + count; n += 1) tx.create(orders, { ...order({ id: idOf(n) }), ...more });
    });
  for (let n = 0; n < 1_000; n += 25) await create(n, 25, { event: { ...event, date: "2026-05-20" } });
  await create(1_000, 1, { title: "Wedding" });
  const { text } = await shop.visit((await shop.read("/calendar-feed")).url);
  expect([text.split("BEGIN:VEVENT").length - 1, text.includes("Wedding")]).toEqual([1_000, true]);
  await shop.harness.close();
});
