import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createShop, makeContract, makeMethod, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop({ clock: "2026-06-01T09:00:00.000Z" });
});
afterEach(() => shop.harness.close());

const contractOf = (id: string) => shop.read(`/contracts/${id}`);
const chargesOf = async (id: string) =>
  (await shop.read(`/charges?contract_id=${id}&limit=100`)).toReversed();
const startsOf = async (id: string) =>
  (await chargesOf(id)).map(({ period }: { period: { start: string } }) => period.start);

const weekly = { interval: { unit: "week", count: 1 } };

describe("a contract that has not begun", () => {
  it("begins on its day also after its interval was changed, as the preview says", async () => {
    const { id } = await makeContract(shop, "tok_ok", { start_date: "2026-06-20" });
    await shop.advance("2026-06-05T12:00:00.000Z");
    const preview = await shop.make("/previews", { contract_id: id, change: weekly, cycles: 2 });
    const starts = preview.cycles.map(({ start }: { start: string }) => start);
    expect(starts).toEqual(["2026-06-20", "2026-06-27"]);
    await shop.make(`/contracts/${id}/change`, weekly);
    expect((await contractOf(id)).next_billing_date).toBe("2026-06-20");
    await shop.advance("2026-06-27T12:00:00.000Z");
    expect(await startsOf(id)).toEqual(starts);
  });

  it("is billed for no day of its trial after its interval was changed", async () => {
    const { id } = await makeContract(shop, "tok_ok", { trial_days: 14 });
    await shop.advance("2026-06-05T12:00:00.000Z");
    await shop.make(`/contracts/${id}/change`, weekly);
    await shop.advance("2026-06-15T12:00:00.000Z");
    expect(await startsOf(id)).toEqual(["2026-06-15"]);
  });

  it("begins on its day also after a pause that shifts the dates", async () => {
    const { id } = await makeContract(shop, "tok_ok", { start_date: "2026-06-20" });
    await shop.make(`/contracts/${id}/pause`, { mode: "shift" });
    await shop.advance("2026-06-05T12:00:00.000Z");
    await shop.make(`/contracts/${id}/resume`, {});
    expect((await contractOf(id)).next_billing_date).toBe("2026-06-20");
    await shop.advance("2026-06-21T12:00:00.000Z");
    expect(await startsOf(id)).toEqual(["2026-06-20"]);
  });
});

it.each([
  ["keep_calendar", "2026-09-15"],
  ["shift", "2026-09-10"],
])("a trial that ends during a pause is billed for no day of the pause: %s", async (mode, start) => {
  const { id } = await makeContract(shop, "tok_ok", { trial_days: 14 });
  await shop.advance("2026-06-05T12:00:00.000Z");
  await shop.make(`/contracts/${id}/pause`, { resume_on: "2026-09-10", mode });
  await shop.advance("2026-09-16T12:00:00.000Z");
  expect(await startsOf(id)).toEqual([start]);
});

describe("a trial that ended without a payment method", () => {
  it.each([
    ["sets", (id: string, method: string) => shop.patch(`/contracts/${id}`, { payment_method_id: method })],
    [
      "customer chooses",
      async (id: string, method: string) =>
        shop.harness.call(
          "POST",
          new URL((await shop.make(`/contracts/${id}/portal-link`, {})).url).pathname,
          {
            body: `action=pay_with&payment_method_id=${method}`,
            headers: { "content-type": "application/x-www-form-urlencoded" },
          },
        ),
    ],
  ])("is billed from the day on which the shop or its customer has one: %s", async (_, take) => {
    const { id, method } = await makeContract(shop, "tok_ok", { trial_days: 14, payment_method_id: null });
    await shop.advance("2026-06-20T12:00:00.000Z");
    expect(await contractOf(id)).toMatchObject({ status: "paused", pause: { reason: "no_payment_method" } });
    expect((await take(id, method)).status).toBe(200);
    await shop.advance("2026-06-21T12:00:00.000Z");
    expect((await contractOf(id)).status).toBe("active");
    expect(await startsOf(id)).toEqual(["2026-06-20"]);
  });
});

it("a contract that is changed to three months and then paused goes on three months later", async () => {
  const { id } = await makeContract(shop, "tok_ok");
  await shop.advance("2026-06-02T12:00:00.000Z");
  await shop.make(`/contracts/${id}/change`, {
    interval: { unit: "month", count: 3 },
    effective: "cycle_end",
  });
  await shop.make(`/contracts/${id}/pause`, { resume_on: "2026-07-10" });
  await shop.advance("2026-07-10T12:00:00.000Z");
  expect(await contractOf(id)).toMatchObject({ next_billing_date: "2026-10-01", pending_change: null });
  await shop.advance("2027-01-01T12:00:00.000Z");
  expect(await startsOf(id)).toEqual(["2026-06-01", "2026-10-01", "2027-01-01"]);
});

it("a contract of three deliveries in three months can be changed to one month, and looked at", async () => {
  const delivery = { method: "van", address: "1 High Street", interval: 3 };
  const { id } = await makeContract(shop, "tok_ok", { interval: { unit: "month", count: 3 }, delivery });
  await shop.advance("2026-06-05T12:00:00.000Z");
  await shop.make(`/contracts/${id}/change`, {
    interval: { unit: "month", count: 1 },
    effective: "cycle_end",
  });
  await shop.patch(`/contracts/${id}`, { delivery: { method: "van", address: "2 High Street" } });
  expect((await contractOf(id)).delivery).toMatchObject({ address: "2 High Street", interval: 3 });
  const [, next] = await shop.read(`/contracts/${id}/cycles`);
  expect(next).toMatchObject({ start: "2026-09-01", delivery_dates: ["2026-09-01"] });
  const { url } = await shop.make(`/contracts/${id}/portal-link`, {});
  expect((await shop.harness.call("GET", new URL(url).pathname)).status).toBe(200);
});

describe("a contract that ends", () => {
  it("is not billed ahead for a cycle that begins after its end", async () => {
    const { id } = await makeContract(shop, "tok_ok");
    await shop.advance("2026-06-10T12:00:00.000Z");
    await shop.call("PATCH", `/contracts/${id}/cycles/1`, { date: "2026-06-25" });
    const cancelled = await shop.make(`/contracts/${id}/cancel`, {});
    expect(cancelled).toMatchObject({
      cancellation: { effective_on: "2026-07-01" },
      next_billing_date: null,
    });
    expect(refusal(await shop.post(`/contracts/${id}/bill-now`, {}))).toBe("409 no_cycle_left");
    const starts = (cycles: { start: string }[]) => cycles.map(({ start }) => start);
    expect(starts(await shop.read(`/contracts/${id}/cycles`))).toEqual(["2026-06-01"]);
    expect(starts((await shop.make("/previews", { contract_id: id })).cycles)).toEqual([]);
    await shop.advance("2026-07-02T12:00:00.000Z");
    expect((await contractOf(id)).status).toBe("cancelled");
    expect(await startsOf(id)).toEqual(["2026-06-01"]);
  });

  it.each([
    ["tok_action", "skip_cycle"],
    ["tok_action", "unpaid"],
    ["tok_action", "cancel"],
  ])("is over, also where its last payment fails later: %s, %s", async (token, outcome) => {
    const terms = { title: "Once", retry_days: [], action_hours: 48, on_exhausted: outcome };
    const { id: policy } = await shop.make("/dunning-policies", terms);
    const { id } = await makeContract(shop, "tok_ok", { dunning_policy_id: policy });
    await shop.advance("2026-06-02T12:00:00.000Z");
    const { method } = await makeMethod(shop, token);
    await shop.patch(`/contracts/${id}`, { payment_method_id: method });
    await shop.advance("2026-07-01T12:00:00.000Z");
    await shop.make(`/contracts/${id}/cancel`, { at: "now" });
    const events = await shop.advance("2026-07-20T12:00:00.000Z");
    expect(events.filter((type) => type !== "charge.due")).toEqual([]);
    expect(await contractOf(id)).toMatchObject({ status: "cancelled", overdue: null, next_action_at: null });
    expect((await chargesOf(id))[1]).toMatchObject({ status: "voided", voided_reason: "contract_ended" });
    expect(await shop.read("/contracts?in_dunning=true")).toEqual([]);
  });

  it("tries the failed charge of its last cycle to the end", async () => {
    const { id } = await makeContract(shop, "tok_ok", { ...weekly, max_cycles: 2 });
    await shop.advance("2026-06-02T12:00:00.000Z");
    const { method } = await makeMethod(shop, "tok_fail_n_then_ok:4");
    await shop.patch(`/contracts/${id}`, { payment_method_id: method });
    await shop.advance("2026-06-15T07:00:00.000Z");
    expect((await contractOf(id)).status).toBe("past_due");
    await shop.advance("2026-06-16T12:00:00.000Z");
    const statuses = (await chargesOf(id)).map(({ status }: { status: string }) => status);
    expect(statuses).toEqual(["succeeded", "succeeded"]);
    expect((await contractOf(id)).status).toBe("expired");
  });
});
