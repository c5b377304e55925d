import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createShop, line, pointersOf } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

const draft = (more: object) => ({
  customer: { id: "ada", email: "ada@shop.example", name: "Ada" },
  lines: [line(10_000)],
  interval: { unit: "month", count: 1 },
  ...more,
});
const preview = (contract: object, more: object = {}) =>
  shop.make("/previews", { contract: draft(contract), ...more });

describe("previews", () => {
  it("A1 over HTTP", async () => {
    const { cycles } = await preview({ start_date: "2025-01-31" }, { cycles: 5 });
    expect(cycles.map(({ start }: { start: string }) => start)).toEqual([
      "2025-01-31",
      "2025-02-28",
      "2025-03-31",
      "2025-04-30",
      "2025-05-31",
    ]);
  });

  it("A10 the days before the first anchored date cost their share: 7419", async () => {
    const terms = {
      start_date: "2023-05-23",
      anchor: { type: "monthday", day: 15 },
      first_period: "prorate",
    };
    const { cycles } = await preview(terms, { cycles: 2 });
    expect(cycles[0]).toMatchObject({ start: "2023-05-23", end: "2023-06-15", total: 7419 });
    expect(cycles[1]).toMatchObject({ start: "2023-06-15", end: "2023-07-15", total: 10_000 });
    expect((await preview({ ...terms, first_period: "free" }, { cycles: 1 })).cycles[0].total).toBe(0);
    expect((await preview({ ...terms, first_period: "full" }, { cycles: 1 })).cycles[0].total).toBe(10_000);
  });

  it("A9 as a change of a draft, half way", async () => {
    const { proration } = await preview(
      { start_date: "2026-06-01", lines: [line(1000)] },
      { as_of: "2026-06-16T11:00:00.000Z", change: { lines: [line(2000)] } },
    );
    expect(proration).toMatchObject({ credit: 500, debit: 1000, net: 500 });
  });

  it("steps of price, discounts, delivery and tax, each in the trace", async () => {
    const { cycles } = await preview(
      {
        tax_included: false,
        lines: [line(2000, { quantity: 2, tax_rate_bps: 2000 })],
        shipping_price: 300,
        price_adjustments: [
          { after_cycle: 1, kind: "percent", value: 1000 },
          { after_cycle: 2, kind: "amount", value: 500 },
          { after_cycle: 3, kind: "fixed", value: 900 },
        ],
        discounts: [{ id: "off", title: "Welcome", kind: "percent", value: 5000, cycles: 1 }],
      },
      { cycles: 4 },
    );
    const totals = cycles.map(({ subtotal, discount, shipping, tax, total }: Record<string, number>) => [
      subtotal,
      discount,
      shipping,
      tax,
      total,
    ]);
    expect(totals).toEqual([
      [4000, 2000, 300, 460, 2760],
      [4000, 400, 300, 780, 4680],
      [4000, 1000, 300, 660, 3960],
      [1800, 0, 300, 420, 2520],
    ]);
    expect(cycles[0].trace.map(({ step }: { step: string }) => step)).toEqual([
      "lines",
      "adjustment",
      "fees",
      "tax",
    ]);
  });

  it("a bundle at one price inside a subscription", async () => {
    const lines = [line(350, { id: "l_1" }), line(120, { id: "l_2" }), line(180, { id: "l_3" })];
    const discounts = [{ id: "deal", title: "Meal deal", kind: "fixed", value: 500 }];
    expect((await preview({ lines, discounts }, { cycles: 1 })).cycles[0].total).toBe(500);
  });

  it("three deliveries for one charge", async () => {
    const delivery = { method: "van", address: "1 High Street", interval: 3 };
    const terms = { start_date: "2026-01-31", interval: { unit: "month", count: 3 }, delivery };
    const { cycles } = await preview(terms, { cycles: 1 });
    expect(cycles[0].delivery_dates).toEqual(["2026-01-31", "2026-02-28", "2026-03-31"]);
  });

  it("tells the retries that would follow, with their reasons", async () => {
    const { dunning } = await preview({ start_date: "2026-06-01" });
    expect(dunning).toHaveLength(6);
    expect(dunning[0].at).toMatch(/^2026-06-02T08:00/);
    expect(dunning[0].why).toContain("Step 1 of 6");
  });

  it("uk_dmcc: cooling-off notice alone on day 1, before the trial ends, and every six months", async () => {
    const { notices } = await preview({
      start_date: "2026-06-01",
      trial_days: 30,
      compliance_profile: "uk_dmcc",
    });
    expect(notices.map(({ kind, due_on: dueOn }: Record<string, string>) => `${kind} ${dueOn}`)).toEqual([
      "cooling_off 2026-06-02",
      "trial_ending 2026-06-28",
      "reminder 2026-12-01",
    ]);
  });

  it.each([
    ["no interval and no plan", { interval: undefined }, "#/contract/interval"],
    ["a weekday in a month", { anchor: { type: "weekday", day: 1 } }, "#/contract/anchor/type"],
    ["an unknown plan", { plan_id: "pln_unknown" }, "#/contract/plan_id"],
    [
      "deliveries that do not divide the interval",
      { delivery: { method: "van", address: "x", interval: 2 } },
      "#/contract/delivery/interval",
    ],
  ])("422 %s", async (_, more, pointer) => {
    const answer = await shop.post("/previews", { contract: draft(more) });
    expect([answer.status, pointersOf(answer)]).toEqual([422, [pointer]]);
  });

  it("422 without a contract", async () => expect((await shop.post("/previews", {})).status).toBe(422));
});
