import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createShop, line, makeContract } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
const ids: Record<string, string> = {};
beforeAll(async () => {
  shop = await createShop({ clock: "2026-06-01T09:00:00.000Z" });
  ids["monthly"] = (await makeContract(shop, "tok_ok")).id;
  ids["weekly"] = (
    await makeContract(shop, "tok_ok", {
      interval: { unit: "week", count: 1 },
      lines: [line(500, { product_ref: "tea" })],
    })
  ).id;
  ids["later"] = (await makeContract(shop, "tok_ok", { start_date: "2026-09-15" })).id;
  await shop.advance("2026-06-20T12:00:00.000Z");
});
afterAll(() => shop.harness.close());

const named = (data: readonly { id: string }[]): string[] =>
  data.map(({ id }) => Object.entries(ids).find(([, known]) => known === id)?.[0] ?? id);
const contracts = async (query: string) => named(await shop.read(`/contracts?${query}`));

describe("contracts", () => {
  it.each([
    ["", ["later", "weekly", "monthly"]],
    ["status=active", ["later", "weekly", "monthly"]],
    ["status=paused", []],
    ["customer_id=ada", ["later", "weekly", "monthly"]],
    ["customer_id=ben", []],
    ["product_ref=tea", ["weekly"]],
    ["next_billing_from=2026-06-22", ["weekly", "monthly", "later"]],
    ["next_billing_from=2026-06-23&next_billing_to=2026-07-01", ["monthly"]],
    ["next_billing_to=2026-06-30", ["weekly"]],
    ["status=active&customer_id=ada", ["later", "weekly", "monthly"]],
    ["status=paused&customer_id=ada", []],
    ["product_ref=tea&customer_id=ada&status=active", ["weekly"]],
    ["status=active&next_billing_from=2026-06-23", ["monthly", "later"]],
  ])("?%s", async (query, found) => expect(await contracts(query)).toEqual(found));

  it("pages by date, and ends where it was told to", async () => {
    const first = await shop.get(
      "/contracts?next_billing_from=2026-06-01&next_billing_to=2026-07-31&limit=1",
    );
    expect(named(first.json.data)).toEqual(["weekly"]);
    const cursor: string = first.json.meta.pagination.next_cursor;
    const second = await shop.get(
      `/contracts?next_billing_from=2026-06-01&next_billing_to=2026-07-31&limit=1&cursor=${cursor}`,
    );
    expect(named(second.json.data)).toEqual(["monthly"]);
    const last = await shop.get(
      `/contracts?next_billing_from=2026-06-01&next_billing_to=2026-07-31&limit=1&cursor=${second.json.meta.pagination.next_cursor}`,
    );
    expect([last.json.data, last.json.meta.pagination.has_more]).toEqual([[], false]);
  });
});

describe("charges", () => {
  const count = async (query: string) => (await shop.read(`/charges?limit=100&${query}`)).length;

  it("by contract, status, category or day", async () => {
    expect(await count(`contract_id=${ids["weekly"]}`)).toBe(3);
    expect([
      await count("status=succeeded"),
      await count("status=retrying"),
      await count("category=soft"),
    ]).toEqual([4, 0, 0]);
    expect(await count("due_from=2026-06-08&due_to=2026-06-15")).toBe(2);
    expect(await count("status=succeeded&category=soft")).toBe(0);
    expect(await count(`contract_id=${ids["weekly"]}&status=succeeded&due_from=2026-06-08`)).toBe(2);
  });
});

describe("events", () => {
  it("by contract or type", async () => {
    expect((await shop.read("/events?type=contract.created")).length).toBe(3);
    expect(
      (await shop.read(`/events?contract_id=${ids["monthly"]}`)).map(({ type }: { type: string }) => type),
    ).toEqual(["invoice.issued", "charge.succeeded", "charge.due", "contract.created"]);
    expect(await shop.read(`/events?type=charge.due&contract_id=${ids["monthly"]}`)).toHaveLength(1);
  });
});

describe("metrics", () => {
  it("what is active brings in a month", async () => {
    expect(await shop.read("/metrics?from=2026-06-01&to=2026-06-30")).toMatchObject({
      active: 3,
      created: 3,
      churned: 0,
      mrr: [{ currency: "GBP", amount: 1000 + 2173 + 1000 }],
    });
    for (const query of ["from=2026-07-01&to=2026-06-01", "from=2020-01-01&to=2026-06-01"]) {
      expect((await shop.get(`/metrics?${query}`)).status).toBe(422);
    }
  });
});
