import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { seeded } from "../../seeded.ts";
import { createShop, line, makeContract } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop({ clock: "2026-06-01T09:00:00.000Z" });
});
afterEach(() => shop.harness.close());

interface Charged {
  id: string;
  amount_due: number;
  paid_at: string | null;
  period: { end: string };
  refunds: { amount: number; state: string }[];
}
const chargesOf = async (id: string): Promise<Charged[]> => shop.read(`/charges?contract_id=${id}&limit=100`);
const refundedOf = async (id: string): Promise<number> =>
  (await chargesOf(id))
    .flatMap(({ refunds }) => refunds.map(({ amount, state }) => (state === "failed" ? 0 : amount)))
    .reduce((all, one) => all + one, 0);
const creditOf = async (id: string): Promise<number> => (await shop.read(`/contracts/${id}`)).credit;
const noon = (date: string) => shop.advance(`${date}T12:00:00.000Z`);
const change = (id: string, price: number, more: object = {}) =>
  shop.make(`/contracts/${id}/change`, { lines: [line(price)], ...more });
const cancel = (id: string, refund: "prorated" | "full", more: object = {}) =>
  shop.make(`/contracts/${id}/cancel`, { at: "now", refund, ...more });

/** A contract of 30.00 a month from 1 June, paid. */
async function begin(more: object = {}): Promise<string> {
  const { id } = await makeContract(shop, "tok_ok", { lines: [line(3000)], ...more });
  await noon("2026-06-01");
  return id;
}

describe("the refund of a cancellation", () => {
  it("covers an upgrade in the middle of the cycle", async () => {
    const id = await begin();
    await noon("2026-06-11");
    await change(id, 6000);
    await noon("2026-06-21");
    await cancel(id, "prorated");
    expect(await refundedOf(id)).toBe(2000);
  });

  it("in full covers every charge of the cycle", async () => {
    const id = await begin();
    await noon("2026-06-11");
    await change(id, 6000);
    await noon("2026-06-21");
    await cancel(id, "full");
    expect(await refundedOf(id)).toBe(5000);
  });

  it.each([
    ["prorated", 1500],
    ["full", 3000],
  ] as const)("%s includes the credit of a downgrade", async (how, amount) => {
    const id = await begin();
    await noon("2026-06-11");
    await change(id, 1500);
    expect(await creditOf(id)).toBe(1000);
    await noon("2026-06-21");
    await cancel(id, how);
    expect([await refundedOf(id), await creditOf(id)]).toEqual([amount, 0]);
  });

  it.each([
    ["prorated", 4500],
    ["full", 6000],
  ] as const)("%s covers the running cycle and the one that was billed ahead", async (how, amount) => {
    const id = await begin();
    await noon("2026-06-11");
    await shop.make(`/contracts/${id}/bill-now`, {});
    await noon("2026-06-16");
    await cancel(id, how);
    expect(await refundedOf(id)).toBe(amount);
  });

  it("sets off what a change left to the next charge", async () => {
    const id = await begin();
    await noon("2026-06-11");
    await change(id, 6000, { settle: "next_cycle" });
    await noon("2026-06-16");
    await cancel(id, "prorated");
    expect(await refundedOf(id)).toBe(1000);
  });

  it("takes credit of an earlier cycle from the charge that it came from", async () => {
    const id = await begin();
    await noon("2026-06-11");
    await change(id, 300);
    await noon("2026-07-01");
    expect(await creditOf(id)).toBe(1500);
    await cancel(id, "prorated");
    expect([await refundedOf(id), await creditOf(id)]).toEqual([1800, 0]);
  });

  it("counts refunds that were made before", async () => {
    const id = await begin();
    const [charge] = await chargesOf(id);
    await shop.make(`/charges/${charge?.id}/refunds`, { amount: 500, reason: "Late" });
    await noon("2026-06-11");
    await cancel(id, "prorated");
    expect(await refundedOf(id)).toBe(2000);
  });

  it("is made on the day on which a later cancellation takes effect, and not at all when it is taken back", async () => {
    const id = await begin();
    await cancel(id, "prorated", { at: "date", date: "2026-06-21" });
    await shop.make(`/contracts/${id}/uncancel`, {});
    await cancel(id, "prorated", { at: "date", date: "2026-06-16" });
    await noon("2026-06-15");
    expect(await refundedOf(id)).toBe(0);
    await noon("2026-06-16");
    expect(await refundedOf(id)).toBe(1500);
  });

  it("is for the time after that day also where the worker was down on it", async () => {
    const live = await createShop({ mode: "live", now: "2026-06-01T09:00:00.000Z" });
    const { id } = await makeContract(live, "tok_ok", { lines: [line(3000)] });
    const { clock, services } = live.harness;
    await services.jobs.run("subscriptions.bill");
    await live.make(`/contracts/${id}/cancel`, { at: "date", date: "2026-06-16", refund: "prorated" });
    clock.set("2026-06-21T09:00:00.000Z");
    await services.jobs.run("subscriptions.bill");
    const [charge] = await live.read(`/charges?contract_id=${id}`);
    expect(charge.refunds).toMatchObject([{ amount: 1500 }]);
    await live.harness.close();
  });

  it.each([
    ["prorated", "now", 2900],
    ["full", "now", 3000],
    ["full", "cycle_end", 3000],
  ] as const)("%s, %s, follows for a payment that was under way", async (how, at, amount) => {
    const { id } = await makeContract(shop, "tok_pending", { lines: [line(3000)] });
    await shop.advance("2026-06-02T08:00:00.000Z");
    await cancel(id, how, { at });
    expect(await refundedOf(id)).toBe(0);
    await noon("2026-07-02");
    expect([await refundedOf(id), await creditOf(id)]).toEqual([amount, 0]);
    expect((await shop.read(`/contracts/${id}`)).status).toBe("cancelled");
  });

  it("keeps what rounding left of an earlier cycle", async () => {
    const id = await begin();
    await noon("2026-06-13");
    await change(id, 4287);
    await noon("2026-06-25");
    await change(id, 0);
    await change(id, 5943);
    await noon("2026-07-01");
    await change(id, 996);
    await noon("2026-07-02");
    await cancel(id, "prorated");
    const paid = (await chargesOf(id)).reduce((all, { amount_due: due }) => all + due, 0);
    // 12 days of 30 at 3000, 12 at 4287, 6 at 5943, and 1 of 31 at 996: 4135.53.
    expect(paid - (await refundedOf(id))).toBe(4136);
  });

  it("leaves the credit alone when no refund is asked for", async () => {
    const id = await begin();
    await noon("2026-06-11");
    await change(id, 1500);
    await shop.make(`/contracts/${id}/cancel`, { at: "now" });
    expect([await refundedOf(id), await creditOf(id)]).toEqual([0, 1000]);
  });

  it("gives nothing back of a cycle that was never paid, and its downgrade leaves no credit", async () => {
    const id = await begin({ collection: "send_invoice" });
    const [first] = await chargesOf(id);
    await shop.make(`/charges/${first?.id}/mark-paid`, { reference: "bank" });
    await noon("2026-07-11");
    await change(id, 1500);
    expect(await creditOf(id)).toBe(1016);
    const second = (await chargesOf(id)).find(({ paid_at: at }) => at === null);
    await shop.make(`/charges/${second?.id}/void`, { reason: "Never paid" });
    expect(await creditOf(id)).toBe(0);
    await noon("2026-07-21");
    await cancel(id, "prorated");
    expect([await refundedOf(id), await creditOf(id)]).toEqual([0, 0]);
  });

  it("gives nothing back of a difference that the shop waived", async () => {
    const id = await begin({ collection: "send_invoice" });
    const [first] = await chargesOf(id);
    await shop.make(`/charges/${first?.id}/mark-paid`, { reference: "bank" });
    await noon("2026-06-11");
    const { charge } = await change(id, 6000);
    await shop.make(`/charges/${charge.id}/void`, { reason: "Goodwill" });
    await noon("2026-06-21");
    await cancel(id, "prorated");
    expect(await refundedOf(id)).toBe(1000);
  });
});

describe("a change", () => {
  it("after bill-now is charged for the running cycle and for the one billed ahead", async () => {
    const id = await begin();
    await shop.make(`/contracts/${id}/bill-now`, {});
    await noon("2026-06-16");
    const { proration } = await change(id, 6000);
    expect(proration).toMatchObject({ credit: 1500 + 3000, debit: 3000 + 6000, net: 4500 });
  });

  it("of the interval gives the delivery back with the goods", async () => {
    const id = await begin({ shipping_price: 600 });
    await noon("2026-06-16");
    const { contract } = await shop.make(`/contracts/${id}/change`, { interval: { unit: "week", count: 1 } });
    expect(contract.credit).toBe(1800);
  });

  it("in a first part of a cycle is worth its share of the price", async () => {
    const id = await begin({
      anchor: { type: "monthday", day: 11 },
      first_period: "prorate",
    });
    const [first] = await chargesOf(id);
    expect(first?.amount_due).toBe(968);
    await noon("2026-06-06");
    const { proration } = await change(id, 6000);
    expect(proration).toMatchObject({ credit: 484, debit: 968 });
  });

  it("of the price of a cycle with lines of its own credits what was paid for it", async () => {
    const id = await begin();
    await shop.call("PATCH", `/contracts/${id}/cycles/1`, { lines: [line(1550)] });
    await noon("2026-07-01");
    await noon("2026-07-11");
    expect((await change(id, 3100)).proration).toMatchObject({ credit: 1050, debit: 2100 });
  });
});

/** A history: wait some days, then do something. */
const step = fc.record({
  days: fc.integer({ min: 0, max: 12 }),
  act: fc.oneof(
    { weight: 5, arbitrary: fc.record({ price: fc.integer({ min: 0, max: 9999 }), later: fc.boolean() }) },
    { weight: 1, arbitrary: fc.constant("bill" as const) },
    { weight: 1, arbitrary: fc.constant("refund" as const) },
  ),
});

/** Prices by cycle: `prices[day]` is what the whole cycle costs at the price of that day. */
interface Cycle {
  readonly start: number;
  readonly days: number;
  readonly prices: number[];
}

const FIRST_DAY = Date.parse("2026-06-01T00:00:00Z");
const dateAt = (day: number): string => new Date(FIRST_DAY + day * 86_400_000).toISOString().slice(0, 10);
const CYCLES = [30, 31, 31, 30, 31, 30].map((days, index, all) => ({
  days,
  start: all.slice(0, index).reduce((sum, one) => sum + one, 0),
}));

it("paid - refunded - credited is the value of the time used, whatever the history", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 7 }),
      fc.integer({ min: 0, max: 20 }),
      async (steps, last) => {
        const own = await createShop({ clock: "2026-06-01T09:00:00.000Z" });
        const outer = shop;
        shop = own;
        try {
          await follow(steps, last);
        } finally {
          shop = outer;
          await own.harness.close();
        }
      },
    ),
    seeded(40),
  );
}, 120_000);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function follow(steps: readonly Step[], last: number): Promise<void> {
  const id = await begin();
  const cycles: Cycle[] = [];
  let [day, price] = [0, 3000];
  const open = (): void => {
    const next = CYCLES[cycles.length];
    if (next !== undefined) cycles.push({ ...next, prices: Array.from({ length: next.days }, () => price) });
  };
  const walk = async (days: number): Promise<void> => {
    day += days;
    while ((CYCLES[cycles.length]?.start ?? Infinity) <= day) open();
    await noon(dateAt(day));
  };
  open();
  for (const { days, act } of steps) {
    await walk(days);
    if (act === "bill") {
      const { status } = await shop.post(`/contracts/${id}/bill-now`, {});
      if (status === 200) open();
    } else if (act === "refund") {
      const [charge] = await chargesOf(id);
      await shop.post(`/charges/${charge?.id}/refunds`, { amount: 40, reason: "Late" });
    } else {
      await change(id, act.price, { settle: act.later ? "next_cycle" : "now" });
      price = act.price;
      for (const { start, prices } of cycles) {
        for (let index = Math.max(0, day - start); index < prices.length; index += 1) prices[index] = price;
      }
    }
    await noon(dateAt(day));
  }
  await walk(last);
  const before = await balanceOf(id);
  const worth = cycles.map(({ start, days, prices }) =>
    prices.slice(0, Math.max(0, day - start)).reduce((all, one) => all + one / days, 0),
  );
  // A refund of a cycle that is over made that cycle cheaper, at most by what it was worth, unless a later change of the
  // price in that cycle has set it off already.
  const refunds = (await chargesOf(id)).flatMap(({ period, refunds: own }) =>
    own.map(({ amount }) => ({ end: period.end, amount })),
  );
  const past = cycles
    .map(({ start, days }) => dateAt(start + days))
    .map((end, index) => ({ end, worth: worth[index] ?? 0 }))
    .filter(({ end }) => end <= dateAt(day))
    .map(({ end, worth: most }) =>
      Math.min(
        most,
        refunds.filter((one) => one.end === end).reduce((all, { amount }) => all + amount, 0),
      ),
    )
    .reduce((all, one) => all + one, 0);
  await cancel(id, "prorated");
  const after = await balanceOf(id);
  const used = worth.reduce((all, one) => all + one, 0);
  // What is not paid yet is not collected any more: then nothing is refunded.
  const expected = Math.min(used, before.paid - before.refunded + past);
  const kept = after.paid - after.refunded;
  expect(kept).toBeLessThanOrEqual(expected + 1.000_001);
  expect(kept).toBeGreaterThanOrEqual(expected - past - 1.000_001);
  expect(after.credit).toBe(0);
}

async function balanceOf(id: string): Promise<{ paid: number; refunded: number; credit: number }> {
  const charges = await chargesOf(id);
  const paid = charges.reduce((all, one) => all + (one.paid_at === null ? 0 : one.amount_due), 0);
  return { paid, refunded: await refundedOf(id), credit: await creditOf(id) };
}
