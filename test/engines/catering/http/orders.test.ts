import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { watchOrders } from "../../../../server/engines/catering/jobs.ts";
import { accountBody, createShop, event, line, pointersOf, prospect, refusal, sendQuote } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

const body = (more: object = {}) => ({
  contact: prospect,
  title: "Lunch",
  lines: [line(1295)],
  event: event(),
  heads: 100,
  ...more,
});
const pay = (id: string, amount: number) =>
  shop.post(`/orders/${id}/payments`, { amount, method: "bank_transfer", reference: "BACS" });
const bands = [{ cutoff: { business_days_before: 5, at: "14:00" }, fee_bps: 5000 }];

/** An order on account, confirmed at once, with a policy of its own. */
async function onCredit(policy: object = {}, more: object = {}) {
  const { id: account_id } = await shop.make("/accounts", accountBody({ credit_limit: 100_000_000 }));
  const { id: policy_id } = await shop.make("/policies", { title: "Test", ...policy });
  return shop.make("/orders", body({ account_id, policy_id, ...more }));
}

it.each([
  ["0000-01-01", "Europe/London"],
  ["9999-12-31", "America/Los_Angeles"],
])("refuses an event on %s in %s, whose times are no instants", async (date, timezone) => {
  for (const [path, asked] of [
    ["/orders", body({ event: event({ date, timezone, start: "23:00", end: "23:30" }) })],
    ["/quotes", { prospect, title: "Lunch", event: event({ date, timezone }), headcount: { estimate: 10 } }],
  ] as const) {
    const answer = await shop.post(path, asked);
    expect([answer.status, pointersOf(answer)]).toEqual([422, ["#/event/date"]]);
  }
});

describe("deposits (rule 10)", () => {
  it("confirms an order when the deposit is paid, to the penny", async () => {
    const { quote } = await sendQuote(shop, { headcount: { estimate: 31 } });
    const accepted = await shop.make(`/quotes/${quote.id}/accept`, {
      version: 1,
      hash: quote.hash,
      name: "Ada",
      email: "ada@office.example",
    });
    const { id, deposit_schedule: schedule } = await shop.read(`/orders/${accepted.order_id}`);
    // Half of 40145 is 20072.5, and a half is rounded up.
    expect(schedule).toMatchObject([{ amount: 20_073, due_on: "2026-06-01" }]);
    expect(refusal(await shop.post(`/orders/${id}/confirm`, {}))).toBe("409 deposit_due");
    expect((await pay(id, 20_072)).json.data.status).toBe("tentative");
    expect((await pay(id, 1)).json.data).toMatchObject({
      status: "confirmed",
      paid: 20_073,
      balance: 20_072,
    });
    expect(await shop.eventTypes()).toContain("order.confirmed");
  });

  it("reminds of what is left of it", async () => {
    const { id } = await shop.make("/orders", body());
    await pay(id, 60_000);
    await shop.make(`/orders/${id}/confirm`, { force: true });
    shop.harness.clock.set("2026-06-02T09:00:00.000Z");
    await shop.run(watchOrders);
    const [reminder] = (await shop.mails()).filter(({ template }) => template === "catering-deposit");
    expect(reminder?.data["amount"]).toBe("£47.50");
  });

  it("confirms an order when what is due is paid, in whatever order a policy lists its deposits", async () => {
    const deposits = [
      { bps: 5000, due: { kind: "days_before", days: 7 } },
      { bps: 2500, due: { kind: "acceptance" } },
    ];
    const { id: policy_id } = await shop.make("/policies", { title: "Late first", deposits });
    const { id, status } = await shop.make("/orders", body({ policy_id }));
    expect(status).toBe("tentative");
    expect((await pay(id, 32_375)).json.data.status).toBe("confirmed");
    shop.harness.clock.set("2026-06-13T09:00:00.000Z");
    await shop.run(watchOrders);
    const [reminder] = (await shop.mails()).filter(({ template }) => template === "catering-deposit");
    expect(reminder?.data).toMatchObject({ amount: "£647.50", due: "Friday, 12 June 2026" });
  });

  it("reminds again of the rest after a part was paid", async () => {
    const { id } = await shop.make("/orders", body());
    await shop.make(`/orders/${id}/confirm`, { force: true });
    shop.harness.clock.set("2026-06-02T09:00:00.000Z");
    await shop.run(watchOrders);
    shop.harness.clock.advance(60_000);
    await pay(id, 60_000);
    await shop.run(watchOrders);
    const reminders = (await shop.mails()).filter(({ template }) => template === "catering-deposit");
    expect(reminders.map(({ data }) => data["amount"])).toEqual(["£647.50", "£47.50"]);
  });

  it("reminds of a deposit that is due after the guarantee deadline", async () => {
    const deposits = [{ bps: 5000, due: { kind: "days_before", days: 1 } }];
    const { id: policy_id } = await shop.make("/policies", { title: "The day before", deposits });
    const { id } = await shop.make("/orders", body({ policy_id }));
    shop.harness.clock.set("2026-06-16T11:00:00.000Z");
    await shop.run(watchOrders);
    expect((await shop.read(`/orders/${id}`)).status).toBe("locked");
    shop.harness.clock.set("2026-06-19T08:00:00.000Z");
    await shop.run(watchOrders);
    await shop.run(watchOrders);
    const reminders = (await shop.mails()).filter(({ template }) => template === "catering-deposit");
    expect(reminders.map(({ data }) => data["due"])).toEqual(["Thursday, 18 June 2026"]);
    expect((await shop.read(`/orders/${id}`)).status).toBe("locked");
  });

  it("are due by the day of an event that is moved", async () => {
    const deposits = [
      { bps: 2000, due: { kind: "acceptance" } },
      { bps: 3000, due: { kind: "days_before", days: 7 } },
    ];
    const { id: policy_id } = await shop.make("/policies", { title: "Two", deposits });
    const { id } = await shop.make("/orders", body({ policy_id }));
    const dueAfter = async (date: string) => {
      const { json } = await shop.patch(`/orders/${id}`, { event: event({ date }) });
      return json.data.deposit_schedule.map(({ due_on: on }: { due_on: string }) => on);
    };
    expect(await dueAfter("2026-09-19")).toEqual(["2026-06-01", "2026-09-12"]);
    expect(await dueAfter("2026-06-05")).toEqual(["2026-06-01", "2026-06-01"]);
  });

  it("reminds of an open deposit once, and takes the confirmation back after three days", async () => {
    const { id } = await shop.make("/orders", body());
    await shop.make(`/orders/${id}/confirm`, { force: true });
    const deposits = async () =>
      (await shop.mails()).filter(({ template }) => template === "catering-deposit").length;
    shop.harness.clock.set("2026-06-02T09:00:00.000Z");
    await Promise.all([shop.run(watchOrders), shop.run(watchOrders)]);
    await shop.run(watchOrders);
    expect(await deposits()).toBe(1);
    expect((await shop.read(`/orders/${id}`)).status).toBe("confirmed");
    shop.harness.clock.set("2026-06-05T09:00:00.000Z");
    await shop.run(watchOrders);
    expect((await shop.read(`/orders/${id}`)).status).toBe("tentative");
    expect((await pay(id, 64_750)).json.data.status).toBe("confirmed");
    expect(await deposits()).toBe(1);
  });

  it("confirms an order that is paid in full although it came to less than its deposit", async () => {
    const { id, deposit_schedule: schedule } = await shop.make("/orders", body());
    expect(schedule).toMatchObject([{ amount: 64_750 }]);
    expect((await shop.make(`/orders/${id}/headcount`, { guaranteed: 40 })).total).toBe(51_800);
    shop.harness.clock.set("2026-06-02T09:00:00.000Z");
    await shop.run(watchOrders);
    const amounts = (await shop.mails()).filter(({ template }) => template === "catering-deposit");
    expect(amounts.map(({ data }) => data["amount"])).toEqual(["£518.00"]);
    expect((await pay(id, 51_800)).json.data).toMatchObject({ status: "confirmed", balance: 0 });
    shop.harness.clock.set("2026-06-16T12:00:00.000Z");
    await shop.run(watchOrders);
    expect((await shop.read(`/orders/${id}`)).status).toBe("locked");
  });

  it("422 for a refund of more than was paid", async () => {
    const { id } = await shop.make("/orders", body());
    expect(pointersOf(await pay(id, -1))).toEqual(["#/amount"]);
    expect(pointersOf(await pay(id, 0))).toEqual(["#/amount"]);
  });

  it("409 invalid_transition for a payment of what is invoiced", async () => {
    const { id, account_id } = await onCredit();
    await shop.make(`/orders/${id}/deliver`, {});
    await shop.make("/invoices", { account_id });
    expect(refusal(await pay(id, 1))).toBe("409 invalid_transition");
  });
});

describe("headcount (C7, rules 7 to 9)", () => {
  it("A17: 100 to 80 heads at 1295 in the 50% band costs 12950, as the preview said", async () => {
    const { id } = await onCredit({ reduce_bands: bands });
    const preview = await shop.make(`/orders/${id}/headcount/previews`, { new_headcount: 80 });
    expect(preview).toMatchObject({ fee: 12_950, rate_bps: 5000, total: 116_550, refusal: null });
    const changed = await shop.make(`/orders/${id}/headcount`, { guaranteed: 80 });
    expect(changed).toMatchObject({ total: 116_550, fees: [{ kind: "reduction", amount: 12_950 }] });
  });

  it("409 guarantee_locked for fewer at the deadline, strictly", async () => {
    const { id, guarantee_at: at } = await onCredit({ reduce_bands: [] });
    expect(at).toBe("2026-06-16T11:00:00.000Z");
    shop.harness.clock.set("2026-06-16T10:59:59.999Z");
    expect((await shop.post(`/orders/${id}/headcount`, { guaranteed: 90 })).status).toBe(200);
    shop.harness.clock.set("2026-06-16T11:00:00.000Z");
    expect(refusal(await shop.post(`/orders/${id}/headcount`, { guaranteed: 89 }))).toBe(
      "409 guarantee_locked",
    );
  });

  it("asks one and a half times the price for more after the deadline, and twice on the day", async () => {
    const { id } = await onCredit();
    shop.harness.clock.set("2026-06-17T09:00:00.000Z");
    const late = await shop.make(`/orders/${id}/headcount`, { guaranteed: 110 });
    expect(late).toMatchObject({ total: 110 * 1295 + 6475, fees: [{ kind: "surcharge", amount: 6475 }] });
    shop.harness.clock.set("2026-06-18T11:00:00.000Z");
    const later = await shop.make(`/orders/${id}/headcount`, { guaranteed: 111 });
    expect(later.fees.at(-1).amount).toBe(1295);
  });

  it("409 over_capacity, too_many_diets", async () => {
    const { id } = await onCredit({ capacity: 120 }, { dietary: [{ code: "vegan", count: 50 }] });
    const { id: policy_id } = await shop.make("/policies", { title: "Small", capacity: 120 });
    expect(refusal(await shop.post("/orders", body({ heads: 121, policy_id })))).toBe("409 over_capacity");
    expect(refusal(await shop.post(`/orders/${id}/headcount`, { guaranteed: 121 }))).toBe(
      "409 over_capacity",
    );
    expect(refusal(await shop.post(`/orders/${id}/headcount`, { guaranteed: 49 }))).toBe(
      "409 too_many_diets",
    );
    expect(pointersOf(await shop.post(`/orders/${id}/headcount`, {}))).toEqual(["#/guaranteed"]);
  });

  it.each([
    [52, 60],
    [66, 66],
  ])("A21: guaranteed 60, served %s, billed %s", async (served, billed) => {
    const { id } = await onCredit({}, { heads: 60 });
    const delivered = await shop.make(`/orders/${id}/deliver`, { served });
    expect(delivered).toMatchObject({ total: billed * 1295, headcount: { served, billed } });
    const again = await shop.make(`/orders/${id}/headcount`, { served: 70 });
    expect(again.headcount.billed).toBe(70);
  });
});

it("takes a fee of prices without tax, where the tax of the fee is added", async () => {
  await shop.patch("/settings", { tax_included: false });
  const late = [{ cutoff: { business_days_before: 0, at: "12:00" }, fee_bps: 10_000 }];
  const policy = { reduce_bands: late, fee_tax_rate_bps: 2000 };
  const order = await onCredit(policy, { lines: [line(1000, { tax_rate_bps: 2000 })] });
  expect(order.total).toBe(120_000);
  const { fees, total } = await shop.make(`/orders/${order.id}/headcount`, { guaranteed: 80 });
  // All of what falls away is to be paid: as much as before, not more.
  expect([fees[0].amount, total]).toEqual([20_000, 120_000]);
});

it("previews the total with the tax of the fee", async () => {
  await shop.patch("/settings", { tax_included: false });
  const late = [{ cutoff: { business_days_before: 0, at: "12:00" }, fee_bps: 5000 }];
  const { id } = await onCredit({ reduce_bands: late, fee_tax_rate_bps: 2000 });
  const preview = await shop.make(`/orders/${id}/headcount/previews`, { new_headcount: 80 });
  const { total } = await shop.make(`/orders/${id}/headcount`, { guaranteed: 80 });
  // 80 at 1295, and 20% on the fee of 12,950.
  expect([preview.total, total]).toEqual([119_140, 119_140]);
});

describe("cancelling (rules 6 and 7)", () => {
  it("A16: cutoffs are business days before, by the size of the order", async () => {
    const at = { date: "2026-06-10", start: "08:00", end: "10:00" };
    const policy = {
      cancel_bands: [
        { cutoff: { business_days_before: 2, at: "14:00" }, fee_bps: 5000, max_heads: 299 },
        { cutoff: { business_days_before: 3, at: "14:00" }, fee_bps: 5000, min_heads: 300 },
      ],
    };
    const until = async (heads: number) => {
      const { id } = await onCredit(policy, { event: at, heads });
      return (await shop.make(`/orders/${id}/cancel/previews`, {})).until;
    };
    expect([await until(299), await until(300)]).toEqual([
      "2026-06-08T13:00:00.000Z",
      "2026-06-05T13:00:00.000Z",
    ]);
  });

  it("keeps the fee and claims it on account, as the preview said", async () => {
    const { id, account_id } = await onCredit({ cancel_bands: bands, retain_deposit_bps: 0 });
    const preview = await shop.make(`/orders/${id}/cancel/previews`, {});
    expect(preview).toMatchObject({ fee_bps: 5000, fee: 64_750, retained: 64_750, still_due: 64_750 });
    const gone = await shop.make(`/orders/${id}/cancel`, { reason: "Flu" });
    expect(gone).toMatchObject({
      status: "cancelled",
      total: 64_750,
      balance: 64_750,
      cancellation: { fee: 64_750, reason: "Flu" },
    });
    expect((await shop.make(`/orders/${id}/cancel`, {})).version).toBe(gone.version);
    expect((await shop.read(`/accounts/${account_id}`)).exposure).toBe(64_750);
    expect((await shop.make("/invoices", { account_id })).total).toBe(64_750);
  });

  it("keeps a share of the deposits, not of all that was paid", async () => {
    const cancelled = async (order: { id: string; balance: number }) => {
      await pay(order.id, order.balance);
      const gone = await shop.make(`/orders/${order.id}/cancel`, {});
      return gone.cancellation;
    };
    // Half of the deposit, which is half of 129,500; without a deposit nothing.
    expect(await cancelled(await shop.make("/orders", body()))).toMatchObject({
      fee: 0,
      retained: 32_375,
      refund_due: 97_125,
    });
    expect(await cancelled(await onCredit())).toMatchObject({ fee: 0, retained: 0, refund_due: 129_500 });
  });

  it("keeps no more than was paid of who pays beforehand", async () => {
    const { id } = await shop.make("/orders", body());
    await pay(id, 10_000);
    shop.harness.clock.set("2026-06-19T09:00:00.000Z");
    expect(await shop.make(`/orders/${id}/cancel`, {})).toMatchObject({
      total: 10_000,
      balance: 0,
      cancellation: { fee: 129_500, retained: 10_000, refund_due: 0 },
    });
  });

  it("409 invalid_transition once it is on its way", async () => {
    const { id } = await onCredit();
    await shop.make(`/orders/${id}/progress`, { status: "in_production" });
    await shop.make(`/orders/${id}/progress`, { status: "dispatched" });
    expect(refusal(await shop.post(`/orders/${id}/cancel`, {}))).toBe("409 invalid_transition");
    expect(refusal(await shop.post(`/orders/${id}/progress`, { status: "in_production" }))).toBe(
      "409 invalid_transition",
    );
    expect((await shop.make(`/orders/${id}/deliver`, {})).status).toBe("delivered");
    expect(refusal(await shop.patch(`/orders/${id}`, { title: "X" }))).toBe("409 invalid_transition");
    expect((await shop.patch(`/orders/${id}`, { notes: "Tray is back" })).status).toBe(200);
  });
});

describe("catering.orders job", () => {
  it("locks at the guarantee deadline, once, with two workers at it", async () => {
    const { id } = await onCredit();
    shop.harness.clock.set("2026-06-16T10:59:59.000Z");
    await shop.run(watchOrders);
    expect((await shop.read(`/orders/${id}`)).status).toBe("confirmed");
    shop.harness.clock.set("2026-06-16T11:00:00.000Z");
    await Promise.all([shop.run(watchOrders), shop.run(watchOrders)]);
    const locked = await shop.read(`/orders/${id}`);
    expect(locked).toMatchObject({
      status: "locked",
      next_action_at: null,
      headcount: { locked_at: "2026-06-16T11:00:00.000Z" },
    });
    await shop.run(watchOrders);
    expect((await shop.read(`/orders/${id}`)).version).toBe(locked.version);
    expect((await shop.eventTypes()).filter((type) => type === "order.locked")).toHaveLength(1);
  });

  it("takes the needs of guests until it is on its way, also after the guarantee deadline", async () => {
    const { id } = await onCredit();
    shop.harness.clock.set("2026-06-16T11:00:00.000Z");
    await shop.run(watchOrders);
    const dietary = [{ code: "peanut allergy", count: 1 }];
    const noted = await shop.patch(`/orders/${id}`, { dietary });
    expect([noted.status, noted.json.data?.dietary]).toEqual([200, dietary]);
    expect(refusal(await shop.patch(`/orders/${id}`, { dietary, title: "X" }))).toBe(
      "409 invalid_transition",
    );
    await shop.make(`/orders/${id}/deliver`, {});
    expect(refusal(await shop.patch(`/orders/${id}`, { dietary: [] }))).toBe("409 invalid_transition");
  });

  it("follows an event that is moved", async () => {
    const { id } = await onCredit();
    const moved = await shop.patch(`/orders/${id}`, { event: event({ date: "2026-06-26" }) });
    expect(moved.json.data.guarantee_at).toBe("2026-06-23T11:00:00.000Z");
    shop.harness.clock.set("2026-06-17T09:00:00.000Z");
    expect(await shop.run(watchOrders)).toEqual({ done: 0, failed: 0 });
  });
});

describe("orders", () => {
  it("are listed by filters, alone and together", async () => {
    const { id, account_id } = await onCredit();
    await shop.make("/orders", body({ event: event({ date: "2026-07-01" }) }));
    const ids = async (query: string) =>
      (await shop.read(`/orders?${query}`)).map((found: { id: string }) => found.id);
    expect(await ids(`account_id=${account_id}`)).toEqual([id]);
    expect(await ids("status=confirmed")).toEqual([id]);
    expect(await ids("event_from=2026-06-01&event_to=2026-06-19")).toEqual([id]);
    expect(await ids("status=confirmed&event_from=2026-06-01")).toEqual([id]);
    expect(await ids("status=confirmed&event_from=2026-06-20")).toEqual([]);
  });

  it("422 for nobody to bring it to", async () => {
    expect(pointersOf(await shop.post("/orders", { ...body(), contact: undefined }))).toEqual(["#/contact"]);
    expect(pointersOf(await shop.post("/orders", body({ account_id: "cac_x" })))).toEqual(["#/account_id"]);
  });
});
