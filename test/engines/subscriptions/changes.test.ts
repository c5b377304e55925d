import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { contracts } from "../../../server/engines/subscriptions/repository.ts";
import { SUBSCRIPTION_LIMITS } from "../../../server/engines/subscriptions/schema/parts.ts";
import { createShop, line, makeContract, makeMethod, pointersOf, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop({ clock: "2026-06-01T09:00:00.000Z" });
});
afterEach(() => shop.harness.close());

const contractOf = (id: string) => shop.read(`/contracts/${id}`);
const chargesOf = async (id: string) =>
  (await shop.read(`/charges?contract_id=${id}&limit=100`)).toReversed();
const change = (id: string, body: object) => shop.make(`/contracts/${id}/change`, body);

describe("bill-now", () => {
  it("called twice bills one cycle: the second is told so", async () => {
    const { id } = await makeContract(shop, "tok_ok");
    await shop.advance("2026-06-02T09:00:00.000Z");
    const first = await shop.post(`/contracts/${id}/bill-now`, {});
    expect(first.json.data).toMatchObject({
      cycle_index: 1,
      period: { start: "2026-07-01", end: "2026-08-01" },
    });
    expect(refusal(await shop.post(`/contracts/${id}/bill-now`, {}))).toBe("409 already_billed");
    expect(refusal(await shop.post(`/contracts/${id}/bill-now`, { cycle_index: 1 }))).toBe(
      "409 already_billed",
    );
    expect(await chargesOf(id)).toHaveLength(2);
  });

  it("called twice early on the day on which a cycle begins bills that cycle alone", async () => {
    const { id } = await makeContract(shop, "tok_ok", { timezone: "Europe/London", billing_time: "18:00" });
    await shop.advance("2026-07-01T08:00:00.000Z");
    expect((await shop.make(`/contracts/${id}/bill-now`, {})).cycle_index).toBe(1);
    expect(refusal(await shop.post(`/contracts/${id}/bill-now`, {}))).toBe("409 already_billed");
    expect(await chargesOf(id)).toHaveLength(2);
    await shop.advance("2026-07-01T19:00:00.000Z");
    expect((await shop.make(`/contracts/${id}/bill-now`, {})).cycle_index).toBe(2);
  });

  it("bills no cycle that is skipped", async () => {
    const { id } = await makeContract(shop, "tok_ok");
    await shop.advance("2026-06-02T09:00:00.000Z");
    await shop.make(`/contracts/${id}/cycles/1/skip`, {});
    for (const body of [{}, { cycle_index: 1 }])
      expect(refusal(await shop.post(`/contracts/${id}/bill-now`, body))).toBe("409 invalid_transition");
    expect(await chargesOf(id)).toHaveLength(1);
    await shop.make(`/contracts/${id}/cycles/1/unskip`, {});
    expect((await shop.make(`/contracts/${id}/bill-now`, {})).cycle_index).toBe(1);
  });

  it("called twice at once bills one cycle", async () => {
    const { id } = await makeContract(shop, "tok_ok");
    await shop.advance("2026-06-02T09:00:00.000Z");
    const both = await Promise.all([1, 2].map(() => shop.post(`/contracts/${id}/bill-now`, {})));
    expect(both.map(refusal).sort()).toEqual(["200", "409 already_billed"]);
    expect(await chargesOf(id)).toHaveLength(2);
  });

  it("bills further ahead for who names the cycle, and again once the next has begun", async () => {
    const { id } = await makeContract(shop, "tok_ok");
    await shop.advance("2026-06-02T09:00:00.000Z");
    await shop.make(`/contracts/${id}/bill-now`, { cycle_index: 1 });
    expect((await shop.make(`/contracts/${id}/bill-now`, { cycle_index: 2 })).cycle_index).toBe(2);
    const skipping = await shop.post(`/contracts/${id}/bill-now`, { cycle_index: 9 });
    expect(pointersOf(skipping)).toEqual(["#/cycle_index"]);
    await shop.advance("2026-08-01T12:00:00.000Z");
    expect((await shop.make(`/contracts/${id}/bill-now`, {})).cycle_index).toBe(3);
  });
});

describe("a change of the calendar", () => {
  it("drops days and skips that were meant for the old dates, and keeps lines", async () => {
    const { id } = await makeContract(shop, "tok_ok");
    await shop.advance("2026-06-02T09:00:00.000Z");
    await shop.call("PATCH", `/contracts/${id}/cycles/1`, { date: "2026-07-03", lines: [line(700)] });
    await shop.call("PATCH", `/contracts/${id}/cycles/2`, { date: "2026-08-03" });
    await shop.make(`/contracts/${id}/cycles/3/skip`, {});
    await change(id, { interval: { unit: "week", count: 1 } });
    const { overrides, next_billing_date: next } = await contractOf(id);
    expect(overrides).toMatchObject({ "1": { skip: false, date: null } });
    expect(Object.keys(overrides)).toEqual(["1"]);
    expect(next).toBe("2026-06-02");
    const cycles = await shop.read(`/contracts/${id}/cycles?from_index=1&limit=3`);
    expect(
      cycles.map((one: { billing_date: string; total: number }) => [one.billing_date, one.total]),
    ).toEqual([
      ["2026-06-02", 700],
      ["2026-06-09", 1000],
      ["2026-06-16", 1000],
    ]);
  });

  it("at the cycle's end keeps what is agreed for the first cycle of the new one, which begins when it did", async () => {
    const { id } = await makeContract(shop, "tok_ok");
    await shop.advance("2026-06-02T09:00:00.000Z");
    await shop.call("PATCH", `/contracts/${id}/cycles/1`, { date: "2026-07-03" });
    await shop.call("PATCH", `/contracts/${id}/cycles/2`, { date: "2026-08-03" });
    const body = { interval: { unit: "week", count: 1 }, effective: "cycle_end" };
    const preview = await shop.make("/previews", { contract_id: id, change: body, cycles: 3 });
    await change(id, body);
    const dates = (cycles: { billing_date: string }[]) => cycles.map(({ billing_date: date }) => date);
    expect(dates(preview.cycles)).toEqual(["2026-07-03", "2026-07-08", "2026-07-15"]);
    await shop.advance("2026-07-16T12:00:00.000Z");
    const billed = (await chargesOf(id))
      .slice(1)
      .map(({ due_at: at }: { due_at: string }) => at.slice(0, 10));
    expect(billed).toEqual(dates(preview.cycles));
  });

  it("of a pause that shifts the dates drops them too", async () => {
    const { id } = await makeContract(shop, "tok_ok");
    await shop.advance("2026-06-02T09:00:00.000Z");
    await shop.call("PATCH", `/contracts/${id}/cycles/2`, { date: "2026-08-03" });
    await shop.make(`/contracts/${id}/pause`, { mode: "shift" });
    await shop.advance("2026-07-20T09:00:00.000Z");
    await shop.make(`/contracts/${id}/resume`, {});
    expect((await contractOf(id)).overrides).toEqual({});
  });
});

describe("a planned change", () => {
  const quarterly = { interval: { unit: "month", count: 3 }, effective: "cycle_end" };
  const larger = { lines: [line(2700)], effective: "cycle_end" };

  it.each([
    ["another one", larger],
    ["one at once", { lines: [line(2700)], proration: "none" }],
  ])("of the interval stays after %s of the lines, as the preview says", async (_, next) => {
    const { id } = await makeContract(shop, "tok_ok");
    await shop.advance("2026-06-02T09:00:00.000Z");
    await change(id, quarterly);
    const { cycles } = await shop.make("/previews", { contract_id: id, change: next, cycles: 1 });
    await change(id, next);
    await shop.advance("2026-07-02T12:00:00.000Z");
    const billed = (await chargesOf(id))[1];
    expect(billed).toMatchObject({ period: { start: "2026-07-01", end: "2026-10-01" }, total: 2700 });
    expect(cycles).toMatchObject([{ ...billed.period, total: 2700 }]);
  });

  it("of the lines gives way to lines that are set later", async () => {
    const { id } = await makeContract(shop, "tok_ok");
    await shop.advance("2026-06-02T09:00:00.000Z");
    await change(id, larger);
    expect(await shop.patch(`/contracts/${id}`, { lines: [line(1700)] })).toMatchObject({
      json: { data: { pending_change: null } },
    });
    await shop.advance("2026-07-02T12:00:00.000Z");
    expect((await chargesOf(id))[1].total).toBe(1700);
  });
});

describe("a change in the middle of a cycle that is not paid", () => {
  const behind = async () => {
    const { id } = await makeContract(shop, "tok_ok", { lines: [line(3000)] });
    await shop.advance("2026-06-02T09:00:00.000Z");
    const { method } = await makeMethod(shop, "tok_insufficient");
    await shop.patch(`/contracts/${id}`, { payment_method_id: method });
    await shop.advance("2026-07-10T12:00:00.000Z");
    expect((await contractOf(id)).status).toBe("past_due");
    return id;
  };

  it("409 cycle_unpaid: days that nobody paid for are no credit; the preview says the same", async () => {
    const id = await behind();
    const down = { lines: [line(1000)] };
    expect(refusal(await shop.post(`/contracts/${id}/change`, down))).toBe("409 cycle_unpaid");
    expect(refusal(await shop.post("/previews", { contract_id: id, change: down }))).toBe("409 cycle_unpaid");
    expect((await contractOf(id)).credit).toBe(0);
    for (const more of [{ proration: "none" }, { effective: "cycle_end" }]) {
      expect((await shop.post(`/contracts/${id}/change`, { ...down, ...more })).status).toBe(200);
    }
    expect((await contractOf(id)).credit).toBe(0);
  });

  it("nothing is given back of a cycle whose charge was let go", async () => {
    const id = await behind();
    const charge = (await chargesOf(id)).at(-1);
    await shop.make(`/charges/${charge.id}/void`, { reason: "Goodwill" });
    const { proration } = await change(id, { lines: [line(1000)], settle: "next_cycle" });
    expect(proration).toMatchObject({ credit: 0, debit: 710, net: 710 });
  });

  it("nor of one that was left out because it was never paid", async () => {
    const id = await behind();
    await shop.advance("2026-07-20T12:00:00.000Z");
    expect((await contractOf(id)).status).toBe("active");
    const { contract, proration } = await change(id, { lines: [line(1000)], settle: "next_cycle" });
    expect(proration).toMatchObject({ credit: 0, debit: 387 });
    expect(contract.credit).toBe(0);
  });

  it("no more is given back than was kept after a refund", async () => {
    const { id } = await makeContract(shop, "tok_ok", { lines: [line(3000)] });
    await shop.advance("2026-06-02T09:00:00.000Z");
    const [charge] = await chargesOf(id);
    await shop.make(`/charges/${charge.id}/refunds`, { amount: 2900, reason: "Late" });
    expect((await change(id, { lines: [line(10)] })).proration).toMatchObject({ credit: 100, debit: 10 });
  });

  it("a first attempt that is under way is expected to succeed", async () => {
    const { id } = await makeContract(shop, "tok_ok", { lines: [line(3000)], collection: "send_invoice" });
    await shop.advance("2026-06-16T12:00:00.000Z");
    expect((await change(id, { lines: [line(1000)] })).proration).toMatchObject({ credit: 1500, debit: 500 });
  });
});

describe("the difference of a change", () => {
  const food = (price: number, rate = 0) => line(price, { product_ref: "food", tax_rate_bps: rate });
  const wine = (price: number) => line(price, { product_ref: "wine", tax_rate_bps: 2000 });
  const lines = (charge: { lines: { tax_rate_bps: number; subtotal: number; tax: number }[] }) =>
    charge.lines.map(({ tax_rate_bps: rate, subtotal, tax }) => [rate, subtotal, tax]);

  it.each([
    [
      true,
      1500,
      [
        [0, 300, 0],
        [2000, 1200, 200],
      ],
      200,
    ],
    [
      false,
      1740,
      [
        [0, 300, 0],
        [2000, 1200, 240],
      ],
      240,
    ],
  ] as const)(
    "is charged with its tax, by rate; prices with tax: %s",
    async (included, due, expected, tax) => {
      const { id } = await makeContract(shop, "tok_ok", {
        lines: [food(1000), wine(3000)],
        tax_included: included,
      });
      await shop.advance("2026-06-16T12:00:00.000Z");
      const { charge } = await change(id, { lines: [food(1600), wine(5400)] });
      expect(lines(charge)).toEqual(expected);
      expect(charge).toMatchObject({ kind: "adjustment", amount_due: due, total: due, tax, carried: 0 });
    },
  );

  it("has a negative line where one rate is given up for another", async () => {
    const { id } = await makeContract(shop, "tok_ok", { lines: [wine(1200)] });
    await shop.advance("2026-06-16T12:00:00.000Z");
    const { charge } = await change(id, { lines: [food(3000)] });
    expect(lines(charge)).toEqual([
      [0, 1500, 0],
      [2000, -600, -100],
    ]);
    expect(charge).toMatchObject({ subtotal: 900, tax: -100, total: 900 });
  });

  it("moves the tax where goods of one rate are given up for others of the same price", async () => {
    const { id } = await makeContract(shop, "tok_ok", { lines: [food(3000)] });
    await shop.advance("2026-06-16T12:00:00.000Z");
    expect(await change(id, { lines: [wine(3000)] })).toMatchObject({ proration: { net: 0 }, charge: null });
    await shop.advance("2026-07-01T12:00:00.000Z");
    expect((await chargesOf(id)).at(-1)).toMatchObject({
      total: 3000,
      tax: 500,
      carried: 0,
      carried_tax: 250,
    });
    const [invoice] = await shop.read(`/invoices?contract_id=${id}&limit=1`);
    expect(invoice).toMatchObject({
      total: 3000,
      taxes: [
        { tax_rate_bps: 0, net: -1500, tax: 0 },
        { tax_rate_bps: 2000, net: 3750, tax: 750 },
      ],
    });
  });

  it("moves the tax at once where no cycle follows", async () => {
    const { id } = await makeContract(shop, "tok_ok", { lines: [food(3000)], max_cycles: 1 });
    await shop.advance("2026-06-16T12:00:00.000Z");
    const { charge } = await change(id, { lines: [wine(3000)] });
    expect(charge).toMatchObject({ status: "succeeded", total: 0, tax: 250 });
    const [invoice] = await shop.read(`/invoices?contract_id=${id}&limit=1`);
    expect(invoice).toMatchObject({ total: 0, tax: 250 });
  });

  it("is charged now where no cycle follows with which it could be", async () => {
    const { id } = await makeContract(shop, "tok_ok", { lines: [wine(3000)], max_cycles: 1 });
    await shop.advance("2026-06-16T12:00:00.000Z");
    const { charge } = await change(id, { lines: [wine(5400)], settle: "next_cycle" });
    expect(charge).toMatchObject({ kind: "adjustment", amount_due: 1200 });
  });

  it("is charged at a cancellation after which no cycle follows, and not again where that is taken back", async () => {
    const { id } = await makeContract(shop, "tok_ok", { lines: [wine(3000)] });
    await shop.advance("2026-06-16T12:00:00.000Z");
    await change(id, { lines: [wine(5400)], settle: "next_cycle" });
    await shop.make(`/contracts/${id}/cancel`, { refund: "prorated" });
    await shop.advance("2026-06-17T12:00:00.000Z");
    expect((await chargesOf(id))[1]).toMatchObject({
      kind: "adjustment",
      status: "succeeded",
      amount_due: 1200,
      carried_tax: 200,
      lines: [],
    });
    const [invoice] = await shop.read(`/invoices?contract_id=${id}&limit=1`);
    expect(invoice).toMatchObject({ total: 1200, tax: 200 });
    await shop.make(`/contracts/${id}/uncancel`, {});
    await shop.make(`/contracts/${id}/cancel`, { at: "date", date: "2026-07-01", refund: "prorated" });
    await shop.make(`/contracts/${id}/uncancel`, {});
    await shop.advance("2026-07-01T12:00:00.000Z");
    expect((await chargesOf(id)).map((one: { total: number }) => one.total)).toEqual([3000, 1200, 5400]);
    expect(await contractOf(id)).toMatchObject({ carried: [], credit: 0 });
  });

  it("is returned for the days after the end where it was charged at the cancellation", async () => {
    const { id } = await makeContract(shop, "tok_ok", { lines: [wine(3000)] });
    await shop.advance("2026-06-16T12:00:00.000Z");
    await change(id, { lines: [wine(6000)], settle: "next_cycle" });
    await shop.make(`/contracts/${id}/cancel`, { at: "date", date: "2026-06-26", refund: "prorated" });
    await shop.advance("2026-06-26T12:00:00.000Z");
    const refunds = (await chargesOf(id)).flatMap((one: { refunds: { amount: number }[] }) => one.refunds);
    // 15 days at 3000 of 30, 10 at 6000: 3500 of 4500.
    expect(refunds.reduce((all: number, { amount }: { amount: number }) => all + amount, 0)).toBe(1000);
  });

  it("brings its tax along to the next cycle", async () => {
    const { id } = await makeContract(shop, "tok_ok", { lines: [wine(3000)] });
    await shop.advance("2026-06-16T12:00:00.000Z");
    await change(id, { lines: [wine(5400)], settle: "next_cycle" });
    await shop.advance("2026-07-01T12:00:00.000Z");
    expect((await chargesOf(id))[1]).toMatchObject({
      carried: 1200,
      carried_tax: 200,
      total: 6600,
      tax: 900,
    });
  });

  it.each([
    [
      "of more tax",
      2000,
      0,
      [
        [0, 1500, 0],
        [2000, -1250, -250],
      ],
    ],
    [
      "of less",
      0,
      2000,
      [
        [0, -1500, 0],
        [2000, 1250, 250],
      ],
    ],
  ] as const)("in the customer's favour takes off the tax of goods %s", async (_, from, to, expected) => {
    const at = (price: number, rate: number) =>
      line(price, { product_ref: `at-${rate}`, tax_rate_bps: rate });
    const { id } = await makeContract(shop, "tok_ok", { lines: [at(3000, from)], tax_included: true });
    await shop.advance("2026-06-16T12:00:00.000Z");
    await change(id, { lines: [at(1000, to)] });
    expect(await contractOf(id)).toMatchObject({ credit: 1000 });
    await shop.advance("2026-07-01T12:00:00.000Z");
    // The cycle of 1000 is paid by the credit: half of 3000 less half of 1000.
    const [invoice] = await shop.read(`/invoices?contract_id=${id}&limit=1`);
    expect(invoice.total).toBe(0);
    expect(
      invoice.taxes.map(({ net, tax, tax_rate_bps }: Record<string, number>) => [tax_rate_bps, net, tax]),
    ).toEqual(expected);
    expect(await contractOf(id)).toMatchObject({ credit: 0, credit_taxes: [] });
    await shop.advance("2026-08-01T12:00:00.000Z");
    const [next] = await shop.read(`/invoices?contract_id=${id}&limit=1`);
    expect(next).toMatchObject({ total: 1000, taxes: [{ tax_rate_bps: to }] });
  });

  it("brings it along by its rates, also where a charge was too small and left it to the next", async () => {
    const { id } = await makeContract(shop, "tok_ok", { lines: [wine(3000)] });
    await shop.advance("2026-06-16T12:00:00.000Z");
    await change(id, {
      lines: [line(6000, { product_ref: "bread", title: "Bread" })],
      settle: "next_cycle",
    });
    await shop.advance("2026-07-01T12:00:00.000Z");
    const [invoice] = await shop.read(`/invoices?contract_id=${id}&limit=1`);
    // Half of 3000 with 20 % goes, half of 6000 without comes, and a whole cycle of that.
    expect(invoice).toMatchObject({
      total: 7500,
      taxes: [
        { tax_rate_bps: 0, net: 9000, tax: 0 },
        { tax_rate_bps: 2000, net: -1250, tax: -250 },
      ],
    });
  });
});

describe("a contract that grows", () => {
  const many = (title: string) =>
    Array.from({ length: 50 }, (_, at) => line(100, { title: `${title}${at}` }));

  it("is refused before billing would not fit any more, and is billed however large it is", async () => {
    const { id } = await makeContract(shop, "tok_ok", { interval: { unit: "week", count: 1 } });
    await shop.advance("2026-06-02T09:00:00.000Z");
    let refused = "";
    let cycle = 1;
    for (; refused === "" && cycle < 60; cycle += 1) {
      const answer = await shop.call("PATCH", `/contracts/${id}/cycles/${cycle}`, {
        lines: many("x".repeat(190)),
      });
      if (answer.status !== 200) refused = refusal(answer);
    }
    expect(refused).toBe("413");
    const before = JSON.stringify(await contractOf(id)).length;
    expect(before).toBeGreaterThan(SUBSCRIPTION_LIMITS.contractBytes * 0.8);
    await shop.advance("2026-07-01T12:00:00.000Z");
    const after = await contractOf(id);
    expect(after.current_cycle).toBe(4);
    // What was agreed for cycles that are billed stands in their charges.
    expect(
      Object.keys(after.overrides)
        .map(Number)
        .every((index) => index > 4),
    ).toBe(true);
    expect((await chargesOf(id)).map(({ total }: { total: number }) => total)).toEqual([
      1000, 5000, 5000, 5000, 5000,
    ]);
    expect(
      (await shop.call("PATCH", `/contracts/${id}/cycles/${cycle}`, { lines: many("x".repeat(190)) })).status,
    ).toBe(200);
  });

  it("is billed also when it was stored larger than callers may make it", async () => {
    const { id } = await makeContract(shop, "tok_ok", { interval: { unit: "week", count: 1 } });
    await shop.advance("2026-06-02T09:00:00.000Z");
    await shop.harness.services.runTx(shop.part, async (tx) => {
      const stored = await tx.require(contracts, id);
      const metadata = { fill: "x".repeat(500) };
      const title = "x".repeat(200);
      const lines = many("").map((one, at) => ({
        ...one,
        id: `lin_${at}`,
        title,
        variant_ref: null,
        tax_rate_bps: 0,
        bundle_id: null,
        offer_ids: [],
      }));
      const own = { skip: false, date: null, lines };
      const overrides = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [String(at + 1), own]));
      tx.put(contracts, stored, { ...stored.value, metadata, overrides });
    });
    await shop.advance("2026-06-09T12:00:00.000Z");
    expect((await contractOf(id)).current_cycle).toBe(1);
  });
});

it.each(["PATCH", "change"])(
  "a discount of one product stays with it where lines are sent without ids: %s",
  async (way) => {
    const tea = line(3000, { product_ref: "tea", title: "Tea" });
    const half = { id: "dsc_half", title: "Half", kind: "percent", value: 5000, line_ids: ["lin_1"] };
    const { id } = await makeContract(shop, "tok_ok", { lines: [line(1000), tea], discounts: [half] });
    await shop.advance("2026-06-02T09:00:00.000Z");
    const lines = [tea, line(1000), line(200, { product_ref: "cup", title: "Cup" })];
    if (way === "PATCH") await shop.patch(`/contracts/${id}`, { lines });
    else await change(id, { lines, effective: "cycle_end" });
    await shop.advance("2026-07-02T09:00:00.000Z");
    expect((await contractOf(id)).lines.map((one: { id: string }) => one.id)).toEqual([
      "lin_2",
      "lin_1",
      "lin_3",
    ]);
    expect((await chargesOf(id))[1]).toMatchObject({ discount: 500, total: 3700 });
  },
);
