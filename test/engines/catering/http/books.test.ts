import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { mailSubject } from "../../../../server/core/personal.ts";
import { watchOrders, watchQuotes } from "../../../../server/engines/catering/jobs.ts";
import { orders, quotes } from "../../../../server/engines/catering/repository.ts";
import { accountBody, createShop, event, line, pointersOf, prospect, sendQuote } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
let account: string;
beforeEach(async () => {
  shop = await createShop();
  account = (await shop.make("/accounts", accountBody({ credit_limit: 10_000_000 }))).id;
});
afterEach(() => shop.harness.close());

const body = (more: object = {}) => ({
  title: "Lunch",
  lines: [line(1000)],
  event: event(),
  heads: 10,
  ...more,
});
const order = (more: object = {}) => shop.make("/orders", body({ account_id: account, ...more }));

describe("lines with the same id, of which each is listed with the amounts of both,", () => {
  const twins = [line(1000, { id: "lin_a" }), line(500, { id: "lin_a" })];

  it("are refused where an order is changed", async () => {
    const { id } = await order();
    expect(pointersOf(await shop.patch(`/orders/${id}`, { lines: twins }))).toEqual(["#/lines/1/id"]);
  });

  it.each([
    [{ lines: twins }, "#/lines/1/id"],
    [{ menu_rotation: [{ title: "Curry", lines: twins }] }, "#/menu_rotation/0/lines/1/id"],
    [{ lines: [line(1000, { rate_bps: 500 })] }, "#/lines/0/rate_bps"],
  ])("and in a recurring order", async (lines, pointer) => {
    const recurring = {
      account_id: account,
      title: "Tuesday lunch",
      dtstart: "2026-06-09T12:30",
      rrule: "FREQ=WEEKLY;BYDAY=TU",
      default_heads: 20,
    };
    expect(pointersOf(await shop.post("/recurring-orders", { ...recurring, ...lines }))).toEqual([pointer]);
  });
});

it("a purchase order has what orders used of it before it was listed, or while it was not", async () => {
  const { id } = await order({ po_number: "PO-1" });
  const list = async (...numbers: readonly string[]) => {
    const open_pos = numbers.map((number) => ({ number, limit: 15_000 }));
    return (await shop.patch(`/accounts/${account}`, { po: { open_pos } })).json.data.po.open_pos;
  };
  expect(await list("PO-2", "PO-1")).toMatchObject([
    { number: "PO-2", used: 0 },
    { number: "PO-1", used: 10_000 },
  ]);
  await list("PO-2");
  expect(await list("PO-1")).toMatchObject([{ used: 10_000 }]);
  await shop.make(`/orders/${id}/cancel`, {});
  expect((await shop.read(`/accounts/${account}`)).po.open_pos).toMatchObject([{ used: 0 }]);
});

it("nothing is owed of an invoice that is void or a draft, so there is no interest on it", async () => {
  await shop.make(`/orders/${(await order()).id}/deliver`, {});
  const { id } = await shop.make("/invoices", { account_id: account, draft: true });
  const interest = () => shop.read(`/invoices/${id}/interest?on=2027-01-01`);
  const none = { principal: 0, interest: 0, fixed_sum: 0 };
  expect(await interest()).toMatchObject(none);
  await shop.make(`/invoices/${id}/issue`);
  expect(await interest()).toMatchObject({ principal: 10_000, fixed_sum: 4000 });
  await shop.make(`/invoices/${id}/void`, {});
  expect(await interest()).toMatchObject(none);
});

it("an invoice of orders in two currencies is refused: the second was left out of it", async () => {
  const one = await shop.make("/orders", body({ contact: prospect }));
  await shop.patch("/settings", { currency: "EUR" });
  const two = await shop.make("/orders", body({ contact: prospect }));
  for (const { id } of [one, two]) {
    await shop.make(`/orders/${id}/confirm`, { force: true });
    await shop.make(`/orders/${id}/deliver`, {});
  }
  const answer = await shop.post("/invoices", { order_ids: [one.id, two.id] });
  expect([answer.status, pointersOf(answer)]).toEqual([422, ["#/order_ids/1"]]);
});

it("a customer who was erased is reminded of nothing", async () => {
  const { quote } = await sendQuote(shop);
  const { id } = await shop.make("/orders", body({ contact: prospect }));
  const gone = mailSubject(prospect.email);
  await shop.harness.services.runTx(shop.part, async (tx) => {
    const stored = await tx.require(quotes, quote.id);
    tx.put(quotes, stored, quotes.personal?.erased(stored.value, gone) ?? stored.value);
    const taken = await tx.require(orders, id);
    tx.put(orders, taken, orders.personal?.erased(taken.value, gone) ?? taken.value);
  });
  const before = (await shop.mails()).length;
  shop.harness.clock.set("2026-06-13T09:00:00.000Z");
  await shop.run(watchQuotes);
  await shop.run(watchOrders);
  expect(await shop.mails()).toHaveLength(before);
  expect((await shop.read(`/orders/${id}`)).deposit_reminded_on).toBe("2026-06-13");
});
