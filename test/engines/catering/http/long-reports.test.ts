import { afterAll, beforeAll, expect, it } from "vitest";

import { accounts, invoices, orders } from "../../../../server/engines/catering/repository.ts";
import { linkTo } from "../../../../server/engines/catering/services/mails.ts";
import type { Tx } from "../../../../server/core/tx.ts";
import { followParsed } from "../../../support/follow-parsed.ts";
import { longestOf, many, TURN_MS } from "../../../support/longest-turn.ts";
import { account, invoice, line, order } from "../make.ts";
import { createShop } from "./shop.ts";
import type { Shop } from "./shop.ts";

// Reports over many documents that are as large as a store may make them.

const COUNT = 60;
const PAID = 200;
const LONG = many(52, (n) =>
  line({ id: `lin_${n}`, title: "T".repeat(200), allergen_refs: many(29, () => "a".repeat(118)) }),
);

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
  const { newId, runTx } = shop.harness.services;
  const items = many(40, () => ({
    title: "D".repeat(200),
    quantity: 1,
    unit_price: 1,
    discount: 0,
    tax_rate_bps: 0,
    net: 1,
    tax: 0,
    total: 1,
  }));
  const row = {
    title: "T".repeat(200),
    delivered_on: "2026-05-01",
    heads: 1,
    po_number: null,
    cost_centre: null,
  };
  const amounts = { net: 1, tax: 0, total: 1 };
  const rows = many(20, (n) => ({ order_id: "cor_1", order_number: n + 1, ...row, ...amounts, items }));
  const paid = { at: "2026-06-02T09:00:00.000Z", amount: 1, method: "card" } as const;
  const payments = many(100, (n) => ({ ...paid, id: `cpy_${n}`, reference: "" }));
  await runTx(shop.part, async (tx) => void tx.create(accounts, account()));
  await runTx(shop.part, async (tx) => void tx.create(accounts, account({ id: "cac_2" })));
  const settled = { account_id: "cac_2", status: "paid", orders: rows.slice(0, 1), payments } as const;
  for (let n = 0; n < PAID; n += 1) {
    await runTx(
      shop.part,
      async (tx) => void tx.create(invoices, invoice({ ...settled, id: newId("civ"), number: 1_000 + n })),
    );
  }
  for (let n = 0; n < COUNT; n += 1) {
    await runTx(shop.part, async (tx) => {
      tx.create(
        orders,
        order(
          { id: newId("cor"), number: n + 1, lines: LONG, account_id: null },
          { notes: "N".repeat(2_000) },
        ),
      );
      tx.create(invoices, invoice({ id: newId("civ"), number: n + 1, orders: rows }));
    });
  }
}, 60_000);
afterAll(() => shop.harness.close());

const longestGet = (path: string, text: string): Promise<number> =>
  longestOf(
    () => {
      shop.harness.clock.advance(60_000);
      const headers = { authorization: `Bearer ${shop.key.plaintext}` };
      return new Request(`http://platform.test${path}`, { headers });
    },
    async (request) => {
      const answer = await shop.harness.app.fetch(request);
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining(text)]);
    },
  );

it("the calendar of all orders", async () => {
  const { url } = await shop.read("/calendar-feed");
  expect(await longestGet(new URL(url).pathname, "SUMMARY:60: Lunch")).toBeLessThan(TURN_MS);
}, 60_000);

it("the ageing of all invoices", async () => {
  const text = `"total":${COUNT * 10_000}`;
  expect(await longestGet("/v1/catering/invoices/ageing", text)).toBeLessThan(TURN_MS);
}, 60_000);

it("the page of an invoice for forty orders of sixty lines", async () => {
  const item = { title: "Lunch", quantity: 1, unit_price: 2, discount: 1, tax_rate_bps: 0, net: 1 };
  const items = many(60, () => ({ ...item, tax: 0, total: 1 }));
  const about = { title: "Lunch", heads: 1, po_number: null, cost_centre: null, net: 1, tax: 0, total: 1 };
  const rows = many(40, (n) => ({
    order_id: `cor_${n}`,
    order_number: n,
    delivered_on: "2026-05-01",
    ...about,
    items,
  }));
  const { newId, ports, runTx } = shop.harness.services;
  const { id } = await runTx(shop.part, async (tx) =>
    tx.create(invoices, invoice({ id: newId("civ"), number: 9_999, account_id: null, orders: rows })),
  );
  const { pathname } = new URL(linkTo({ part: shop.part, ports }, "invoice", [id]));
  expect(await longestGet(pathname, "Discount -£0.01")).toBeLessThan(TURN_MS);
}, 60_000);

it("the statement of an account", async () => {
  const path = (id: string) => `/v1/catering/accounts/${id}/statements?month=2026-07`;
  expect(await longestGet(path("cac_1"), `"closing":${COUNT * 10_000}`)).toBeLessThan(TURN_MS);
  expect(await longestGet(path("cac_2"), `"closing":${PAID * 9_900}`)).toBeLessThan(TURN_MS);
}, 60_000);

it("statements are worked out one after another for a customer", async () => {
  const parsed = followParsed(5_000, 50);
  const paths = many(6, () => `/v1/catering/accounts/cac_2/statements?month=2026-07`);
  const answers = await Promise.all(paths.map((path) => shop.harness.call("GET", path, { key: shop.key })));
  const { all, most } = parsed.end();
  expect(answers.map(({ status }) => status)).toEqual(many(6, () => 200));
  expect(all).toBeGreaterThanOrEqual(6 * PAID);
  expect(most).toBeLessThanOrEqual(3);
}, 60_000);

it("an account with more than two thousand orders is invoiced for those that are not yet", async () => {
  const { newId, runTx } = shop.harness.services;
  await runTx(shop.part, async (tx) => void tx.create(accounts, account({ id: "cac_3" })));
  const add = (tx: Tx, status: "delivered" | "paid") =>
    tx.create(orders, order({ id: newId("cor"), account_id: "cac_3" }, { status }));
  for (let n = 0; n < 2_010; n += 15)
    await runTx(shop.part, async (tx) => {
      for (let at = 0; at < 15; at += 1) add(tx, "paid");
    });
  const { id } = await runTx(shop.part, async (tx) => add(tx, "delivered"));
  const answer = await shop.post("/invoices", { account_id: "cac_3" });
  expect(answer.status, answer.text).toBe(201);
  const [row] = answer.json.data.orders;
  expect(row.order_id).toBe(id);
}, 60_000);
