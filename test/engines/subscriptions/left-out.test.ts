import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createShop, line, makeContract, makeMethod, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop({ clock: "2026-06-01T09:00:00.000Z" });
});
afterEach(() => shop.harness.close());

const contractOf = (id: string) => shop.read(`/contracts/${id}`);
const chargesOf = async (id: string) =>
  (await shop.read(`/charges?contract_id=${id}&limit=100`)).toReversed();
const duesOf = async (id: string) =>
  (await chargesOf(id)).map(({ amount_due: due, status }: { amount_due: number; status: string }) => [
    due,
    status,
  ]);

describe("min_cycles", () => {
  const cancel = async (id: string) => {
    const { customerId, storeId } = shop.key;
    const ids = { customer_id: customerId, store_id: storeId };
    const key = await shop.harness.key({ mode: "test", ...ids, scopes: ["subscriptions:write"] });
    const path = `/v1/subscriptions/contracts/${id}/cancel`;
    return refusal(await shop.harness.call("POST", path, { key, body: {} }));
  };

  it("are cycles that were billed, not those that were skipped", async () => {
    const { id } = await makeContract(shop, "tok_ok", { min_cycles: 3 });
    await shop.advance("2026-06-02T12:00:00.000Z");
    await shop.make(`/contracts/${id}/cycles/1/skip`, {});
    await shop.advance("2026-08-02T12:00:00.000Z");
    expect(await cancel(id)).toBe("409 min_cycles_not_reached");
    await shop.advance("2026-09-02T12:00:00.000Z");
    expect(await cancel(id)).toBe("200");
  });

  it("are cycles that were billed, not those of a pause", async () => {
    const { id } = await makeContract(shop, "tok_ok", { min_cycles: 3 });
    await shop.advance("2026-06-02T12:00:00.000Z");
    await shop.make(`/contracts/${id}/pause`, { resume_on: "2026-11-15" });
    await shop.advance("2026-12-02T12:00:00.000Z");
    expect(await cancel(id)).toBe("409 min_cycles_not_reached");
    await shop.advance("2027-01-02T12:00:00.000Z");
    expect(await cancel(id)).toBe("200");
  });

  it("are explained to a customer without a word about keys", async () => {
    const { id } = await makeContract(shop, "tok_ok", { min_cycles: 3 });
    await shop.advance("2026-06-02T12:00:00.000Z");
    const page = new URL((await shop.make(`/contracts/${id}/portal-link`, {})).url).pathname;
    const { text } = await shop.harness.call("POST", page, {
      body: "action=cancel",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect(text).toContain("1 of at least 3 cycles are billed.");
    expect(text).not.toContain("subscriptions:manage");
  });
});

describe("a change that was to be collected with the next cycle", () => {
  const upgraded = async () => {
    const { id } = await makeContract(shop, "tok_ok", { lines: [line(3000)], max_cycles: 2 });
    await shop.advance("2026-06-16T12:00:00.000Z");
    await shop.make(`/contracts/${id}/change`, { lines: [line(5400)], settle: "next_cycle" });
    return id;
  };

  it("is charged where the last cycle is skipped", async () => {
    const id = await upgraded();
    await shop.make(`/contracts/${id}/cycles/1/skip`, {});
    await shop.advance("2026-09-02T12:00:00.000Z");
    expect(await contractOf(id)).toMatchObject({ status: "expired", carried: [] });
    expect(await duesOf(id)).toContainEqual([1200, "succeeded"]);
  });

  it("is charged where the customer skips the last cycle", async () => {
    const id = await upgraded();
    const page = new URL((await shop.make(`/contracts/${id}/portal-link`, {})).url).pathname;
    await shop.harness.call("POST", page, {
      body: "action=skip",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    await shop.advance("2026-09-02T12:00:00.000Z");
    expect(await duesOf(id)).toContainEqual([1200, "succeeded"]);
  });

  it("is charged where the last cycle passes in a pause", async () => {
    const id = await upgraded();
    await shop.make(`/contracts/${id}/pause`, { resume_on: "2026-07-15" });
    await shop.advance("2026-09-02T12:00:00.000Z");
    expect(await duesOf(id)).toContainEqual([1200, "succeeded"]);
  });
});

describe("a first cycle", () => {
  it.each([
    [
      "skipped",
      async (id: string) => void (await shop.make(`/contracts/${id}/cycles/0/skip`, {})),
      "2026-07-01",
    ],
    [
      "moved",
      async (id: string) =>
        expect((await shop.patch(`/contracts/${id}/cycles/0`, { date: "2026-06-10" })).status).toBe(200),
      "2026-06-01",
    ],
  ])("that is %s does not end the contract a day later", async (_, leaveOut, start) => {
    const { id } = await makeContract(shop, "tok_ok");
    await leaveOut(id);
    await shop.advance("2026-07-02T12:00:00.000Z");
    expect(await contractOf(id)).toMatchObject({ status: "active", next_billing_date: "2026-08-01" });
    const paid = (await chargesOf(id)).filter(({ status }: { status: string }) => status === "succeeded");
    expect(paid[0]?.period.start).toBe(start);
  });
});

it("ends after its cycles also where all of them were skipped", async () => {
  const { id } = await makeContract(shop, "tok_ok", { start_date: "2026-06-10", max_cycles: 1 });
  await shop.make(`/contracts/${id}/cycles/0/skip`, {});
  await shop.advance("2026-08-12T12:00:00.000Z");
  expect((await contractOf(id)).status).toBe("expired");
});

describe("credit of a charge that was given up", () => {
  /** A charge of 20.00, of which 5.00 is credit, that was given up, and the next one, which used the credit. */
  const givenUp = async () => {
    const { id, method } = await makeContract(shop, "tok_ok", { lines: [line(3000)] });
    await shop.advance("2026-06-16T12:00:00.000Z");
    await shop.make(`/contracts/${id}/change`, { lines: [line(2000)] });
    const poor = await makeMethod(shop, "tok_insufficient");
    await shop.patch(`/contracts/${id}`, { payment_method_id: poor.method });
    await shop.advance("2026-07-30T12:00:00.000Z");
    await shop.patch(`/contracts/${id}`, { payment_method_id: method });
    await shop.advance("2026-08-02T12:00:00.000Z");
    expect(await duesOf(id)).toEqual([
      [3000, "succeeded"],
      [1500, "exhausted"],
      [1500, "succeeded"],
    ]);
    return { id, charge: (await chargesOf(id))[1] };
  };

  it("is not used a second time when that is collected after all", async () => {
    const { id, charge } = await givenUp();
    await shop.make(`/charges/${charge.id}/attempts`, {});
    await shop.advance("2026-08-03T12:00:00.000Z");
    expect((await duesOf(id))[1]).toEqual([2000, "succeeded"]);
  });

  it("is not used a second time when that is marked as paid: the rest is collected with the next charge", async () => {
    const { id, charge } = await givenUp();
    await shop.make(`/charges/${charge.id}/mark-paid`, { reference: "BACS 1" });
    await shop.advance("2026-09-02T12:00:00.000Z");
    expect((await duesOf(id)).slice(1)).toEqual([
      [1500, "succeeded"],
      [1500, "succeeded"],
      [2500, "succeeded"],
    ]);
  });

  it("is not given back a second time when that is voided", async () => {
    const { id, charge } = await givenUp();
    await shop.make(`/charges/${charge.id}/void`, { reason: "Goodwill" });
    expect((await contractOf(id)).credit).toBe(0);
  });
});

it("a charge that was invoiced, given up and then paid is invoiced again, and its refund credits that", async () => {
  const { gateway, method, id } = await makeContract(shop, "tok_ok");
  await shop.advance("2026-06-01T12:00:00.000Z");
  const bank = await shop.make("/gateways", { title: "Bank", kind: "manual" });
  const more = { customer_id: "ada", token_ref: "tok_insufficient" };
  const byHand = await shop.make("/payment-methods", { ...more, gateway_id: bank.id });
  const poor = await shop.make("/payment-methods", { ...more, gateway_id: gateway });
  await shop.patch(`/contracts/${id}`, { payment_method_id: byHand.id });
  await shop.advance("2026-07-01T12:00:00.000Z");
  const [, { id: chargeId, status }] = await chargesOf(id);
  expect(status).toBe("pending_manual");
  await shop.make(`/charges/${chargeId}/attempts`, { payment_method_id: poor.id });
  await shop.advance("2026-07-30T12:00:00.000Z");
  expect((await duesOf(id))[1]).toEqual([1000, "exhausted"]);
  await shop.make(`/charges/${chargeId}/attempts`, { payment_method_id: method });
  await shop.advance("2026-07-30T13:00:00.000Z");
  await shop.make(`/charges/${chargeId}/refunds`, { amount: 300, reason: "Late" });
  await shop.advance("2026-07-30T14:00:00.000Z");
  const documents = (await shop.read(`/invoices?charge_id=${chargeId}`)).toReversed();
  const shown = documents.map((one: Record<string, unknown>) => [one["total"], one["invoice_number"]]);
  const [first, , second] = documents;
  expect(shown).toEqual([
    [1000, null],
    [-1000, first.number],
    [1000, null],
    [-300, second.number],
  ]);
  const page = new URL((await shop.make(`/contracts/${id}/portal-link`, {})).url).pathname;
  const { text } = await shop.harness.call("GET", page);
  expect([text.includes(`/invoices/${first.id}`), text.includes(`/invoices/${second.id}`)]).toEqual([
    false,
    true,
  ]);
});

describe("what an earlier cycle left to be collected", () => {
  const terms = { title: "Once", retry_days: [], on_exhausted: "skip_cycle" };
  /** An upgrade of 12.00 that is charged with the second cycle, whose payment fails, so that the cycle is skipped. */
  const skipped = async () => {
    const { id: policy } = await shop.make("/dunning-policies", terms);
    const { id, method: good } = await makeContract(shop, "tok_ok", {
      lines: [line(3000)],
      dunning_policy_id: policy,
    });
    await shop.advance("2026-06-16T12:00:00.000Z");
    await shop.make(`/contracts/${id}/change`, { lines: [line(5400)], settle: "next_cycle" });
    const { gateway, method } = await makeMethod(shop, "tok_insufficient");
    await shop.patch(`/contracts/${id}`, { payment_method_id: method });
    await shop.advance("2026-07-20T12:00:00.000Z");
    const [, charge] = await chargesOf(id);
    expect(charge).toMatchObject({ status: "exhausted", voided_reason: "unpaid_skipped" });
    await shop.patch(`/contracts/${id}`, { payment_method_id: good });
    return { id, gateway, good, chargeId: charge.id };
  };

  it("is collected with the cycle after one that is skipped for being unpaid", async () => {
    const { id } = await skipped();
    expect(await contractOf(id)).toMatchObject({ carried: [{ amount: 1200, tax: 0 }] });
    await shop.advance("2026-08-02T12:00:00.000Z");
    expect((await chargesOf(id))[2]).toMatchObject({ status: "succeeded", carried: 1200, total: 6600 });
    expect(await contractOf(id)).toMatchObject({ carried: [], credit: 0 });
  });

  it("is not collected twice where that one is collected after all", async () => {
    const { id, chargeId, good } = await skipped();
    await shop.make(`/charges/${chargeId}/attempts`, { payment_method_id: good });
    await shop.advance("2026-08-02T12:00:00.000Z");
    expect((await duesOf(id)).map(([due]: [number]) => due)).toEqual([3000, 5400, 6600]);
  });

  it("is credited where the payment that had failed brings all of it late", async () => {
    const { id, chargeId, gateway } = await skipped();
    const event = { event_id: "late", attempt_id: `${chargeId}-1`, status: "succeeded" };
    await shop.make(`/gateways/${gateway}/events`, event);
    await shop.advance("2026-08-02T12:00:00.000Z");
    const [, late, next] = await chargesOf(id);
    expect(late).toMatchObject({ status: "succeeded", attempts: [{ amount: 6600 }] });
    expect(next).toMatchObject({ total: 6600, credit_applied: 1200, amount_due: 5400 });
  });
});

it("a charge that was due while its gateway was off is collected once it is on again", async () => {
  const { id, gateway } = await makeContract(shop, "tok_ok");
  await shop.advance("2026-06-30T12:00:00.000Z");
  const set = (active: boolean) => shop.patch(`/gateways/${gateway}`, { active });
  expect((await set(false)).status).toBe(200);
  await shop.advance("2026-07-01T12:00:00.000Z");
  expect((await contractOf(id)).status).toBe("past_due");
  expect((await set(true)).status).toBe(200);
  await shop.advance("2026-07-20T12:00:00.000Z");
  expect(await contractOf(id)).toMatchObject({ status: "active", overdue: null });
  expect(await duesOf(id)).toEqual([
    [1000, "succeeded"],
    [1000, "succeeded"],
  ]);
});
