import { afterEach, beforeEach, expect, it } from "vitest";

import { workRecurring } from "../../../../server/engines/catering/jobs.ts";
import { accountBody, createShop, event, line, quoteBody } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

const nuts = [{ code: "nuts", count: 1 }];
const lunch = { title: "Lunch", lines: [line(1000)] };

it("gives every order of an account its standing needs", async () => {
  const account = accountBody({ credit_limit: 10_000_000, dietary_defaults: nuts });
  const { id: account_id } = await shop.make("/accounts", account);
  const direct = { account_id, ...lunch, event: event(), heads: 30 };
  expect((await shop.make("/orders", direct)).dietary).toEqual(nuts);
  const dietary = [{ code: "vegan", count: 2 }];
  expect((await shop.make("/orders", { ...direct, dietary })).dietary).toEqual(dietary);
  const { id } = await shop.make("/recurring-orders", {
    account_id,
    ...lunch,
    dtstart: "2026-06-09T12:30",
    rrule: "FREQ=WEEKLY",
    default_heads: 20,
  });
  shop.harness.clock.set("2026-06-05T11:00:00.000Z");
  await shop.run(workRecurring);
  expect(await shop.read(`/orders?recurring_order_id=${id}`)).toMatchObject([{ dietary: nuts }]);
});

it("gives a quote of an account its standing needs, also where they are of more people than come", async () => {
  const many = [{ code: "nuts", count: 8 }];
  const { id: account_id } = await shop.make("/accounts", accountBody({ dietary_defaults: many }));
  const small = { ...quoteBody({ account_id, headcount: { estimate: 5 } }), prospect: null };
  const quote = await shop.make("/quotes", small);
  expect(quote.dietary).toEqual(many);
  expect((await shop.patch(`/quotes/${quote.id}`, { title: "Lunch" })).status).toBe(200);
  const own = [{ code: "vegan", count: 6 }];
  expect((await shop.patch(`/quotes/${quote.id}`, { dietary: own })).status).toBe(422);
  expect((await shop.post("/quotes", { ...small, dietary: own })).status).toBe(422);
});

it("shows allergens that a form asked for in the calendar of the kitchen", async () => {
  const metadata = { allergens: "peanuts, sesame", dietary: "halal" };
  const draft = await shop.make("/quotes", quoteBody({ metadata }));
  const { hash } = await shop.make(`/quotes/${draft.id}/send`, {});
  const by = { name: "Ada", email: "ada@office.example" };
  await shop.make(`/quotes/${draft.id}/accept`, { version: 1, hash, ...by });
  const { text } = await shop.visit((await shop.read("/calendar-feed")).url);
  expect(text).toContain("halal\\npeanuts\\, sesame");
});
