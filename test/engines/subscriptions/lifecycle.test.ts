import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { storeMails } from "../../../server/core/store-mail.ts";
import { isMailName, renderMail } from "../../../server/mail/render.ts";
import { callsOf, createShop, line, makeContract, makeMethod, pointersOf, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

const START = "2026-06-01T09:00:00.000Z";
let shop: Shop;
beforeEach(async () => {
  shop = await createShop({ clock: START });
});
afterEach(() => shop.harness.close());

const contractOf = (id: string) => shop.read(`/contracts/${id}`);
const chargesOf = async (id: string) =>
  (await shop.read(`/charges?contract_id=${id}&limit=100`)).toReversed();
const statusesOf = async (id: string) =>
  (await chargesOf(id)).map(({ status }: { status: string }) => status);
const lettersOf = async () => {
  const found = await shop.harness.services.runTx(shop.part, (tx) =>
    tx.peekAll(storeMails, { index: "time" }),
  );
  return found.map(({ value }) => value).toReversed();
};

describe("the start", () => {
  it("pending until the first charge is paid; the confirmation leaves at once", async () => {
    const { id, contract } = await makeContract(shop, "tok_ok");
    expect(contract).toMatchObject({
      status: "pending",
      next_billing_date: "2026-06-01",
      next_action_at: START,
    });
    expect(await shop.advance(START)).toEqual(["charge.due", "charge.succeeded", "invoice.issued"]);
    expect(await contractOf(id)).toMatchObject({
      status: "active",
      current_cycle: 0,
      current_period: { start: "2026-06-01", end: "2026-07-01" },
      next_billing_date: "2026-07-01",
    });
    expect((await lettersOf()).map(({ template }) => template)).toEqual(["subscription-confirmation"]);
  });

  it("expires after 23 hours without the first payment, and its charge is void", async () => {
    const { id } = await makeContract(shop, "tok_insufficient");
    await shop.advance("2026-06-02T07:59:59.000Z");
    expect(await contractOf(id)).toMatchObject({ status: "pending" });
    await shop.advance("2026-06-02T08:00:00.000Z");
    expect(await contractOf(id)).toMatchObject({ status: "expired", next_action_at: null });
    expect(await statusesOf(id)).toEqual(["voided"]);
  });

  it.each([
    [
      "in the evening: at the time of the next step",
      "2026-06-01T19:00:00.000Z",
      ["2026-06-02T08:00:00.000Z"],
    ],
    [
      "in the morning: in the last hour, since the next step comes too late",
      START,
      ["2026-06-02T07:00:00.000Z"],
    ],
  ])("a first payment that fails for want of funds %s", async (_, start, retries) => {
    await shop.advance(start);
    const { id, gateway } = await makeContract(shop, "tok_fail_n_then_ok:1");
    await shop.advance(start);
    const [charge] = await chargesOf(id);
    expect([charge.status, charge.dunning.next_retry_at]).toEqual(["retrying", retries[0]]);
    await shop.advance(retries[0] ?? "");
    expect(await contractOf(id)).toMatchObject({ status: "active" });
    expect(await callsOf(shop, gateway)).toEqual(["charge failed", "charge charged"]);
  });

  it("a first payment is never given up for the cycle: the contract expires unpaid", async () => {
    const policy = await shop.make("/dunning-policies", { title: "Once", max_attempts: 1 });
    const { id } = await makeContract(shop, "tok_insufficient", { dunning_policy_id: policy.id });
    await shop.advance("2026-06-02T08:00:00.000Z");
    expect(await contractOf(id)).toMatchObject({ status: "expired" });
    expect(await statusesOf(id)).toEqual(["voided"]);
  });

  it("a first payment that failed is tried once more with another method", async () => {
    const { id, gateway } = await makeContract(shop, "tok_lost_card");
    await shop.advance("2026-06-01T09:05:00.000Z");
    const { method } = await makeMethod(shop, "tok_ok");
    await shop.patch(`/contracts/${id}`, { payment_method_id: method });
    await shop.advance("2026-06-01T09:06:00.000Z");
    expect(await contractOf(id)).toMatchObject({ status: "active" });
    expect(await callsOf(shop, gateway)).toEqual(["charge failed"]);
  });

  it("a trial is billed at its end, or paused when there is nothing to pay with", async () => {
    const paying = await makeContract(shop, "tok_ok", { trial_days: 14 });
    expect(paying.contract).toMatchObject({ status: "trialing", trial_ends_on: "2026-06-15" });
    const bare = await shop.make("/contracts", {
      customer: { id: "ben", email: "ben@shop.example", name: "" },
      lines: [line()],
      interval: { unit: "month", count: 1 },
      trial_days: 14,
    });
    await shop.advance("2026-06-15T23:00:00.000Z");
    expect(await contractOf(paying.id)).toMatchObject({ status: "active", current_cycle: 0 });
    expect(await contractOf(bare.id)).toMatchObject({
      status: "paused",
      pause: { reason: "no_payment_method" },
    });
  });

  it("an invoice waits to be marked as paid", async () => {
    const { id } = await makeContract(shop, "tok_ok", { collection: "send_invoice" });
    expect((await contractOf(id)).status).toBe("active");
    await shop.advance("2026-06-01T12:00:00.000Z");
    const [charge] = await chargesOf(id);
    expect(charge.status).toBe("pending_manual");
    const paid = await shop.make(`/charges/${charge.id}/mark-paid`, { reference: "BACS 1" });
    expect(paid).toMatchObject({
      status: "succeeded",
      payment_reference: "BACS 1",
      paid_at: "2026-06-01T12:00:00.000Z",
    });
    expect(refusal(await shop.post(`/charges/${charge.id}/mark-paid`, { reference: "again" }))).toBe(
      "409 charge_settled",
    );
    const later = await shop.post(`/charges/${charge.id}/void`, { reason: "x" });
    expect(refusal(later)).toBe("409 charge_settled");
  });

  it("a manual gateway waits in the same way, and nothing to collect needs no gateway", async () => {
    const gateway = await shop.make("/gateways", { title: "Transfer", kind: "manual" });
    const method = await shop.make("/payment-methods", {
      customer_id: "ada",
      gateway_id: gateway.id,
      token_ref: "house",
    });
    const { id } = await makeContract(shop, "tok_ok", { payment_method_id: method.id });
    const free = await makeContract(shop, "tok_lost_card", { lines: [line(0)] });
    await shop.advance("2026-06-01T09:00:00.000Z");
    expect(await statusesOf(id)).toEqual(["pending_manual"]);
    expect(await statusesOf(free.id)).toEqual(["succeeded"]);
    expect(await callsOf(shop, free.gateway)).toEqual([]);
    await shop.advance("2026-06-05T09:00:00.000Z");
    const [charge] = await chargesOf(id);
    await shop.make(`/charges/${charge.id}/mark-paid`, { reference: "BACS 2" });
    expect((await contractOf(id)).status).toBe("active");
  });

  it.each([
    ["a start in the past", { start_date: "2026-05-31" }, "#/start_date"],
    ["an unknown method", { payment_method_id: "pm_unknown" }, "#/payment_method_id"],
    ["an unknown policy", { dunning_policy_id: "dun_unknown" }, "#/dunning_policy_id"],
    ["a zone that is none", { timezone: "+01:00" }, "#/timezone"],
    ["no lines", { lines: [] }, "#/lines"],
  ])("422 %s", async (_, more, pointer) => {
    const answer = await shop.post("/contracts", {
      customer: { id: "ada", email: "ada@shop.example", name: "Ada" },
      lines: [line()],
      interval: { unit: "month", count: 1 },
      ...more,
    });
    expect([answer.status, pointersOf(answer)]).toEqual([422, [pointer]]);
  });

  it("422 a card number, and a method of another customer", async () => {
    const { method, gateway } = await makeMethod(shop, "tok_ok", "ben");
    const card = { customer_id: "ada", gateway_id: gateway, token_ref: "4242 4242 4242 4242" };
    expect(pointersOf(await shop.post("/payment-methods", card))).toEqual(["#/token_ref"]);
    const { id } = await makeContract(shop, "tok_ok");
    expect(pointersOf(await shop.patch(`/contracts/${id}`, { payment_method_id: method }))).toEqual([
      "#/payment_method_id",
    ]);
  });
});

describe("dunning", () => {
  const fail = async (token: string, policy: object = {}) => {
    const dunning = await shop.make("/dunning-policies", { title: "Test", ...policy });
    const made = await makeContract(shop, "tok_ok", { dunning_policy_id: dunning.id });
    await shop.advance("2026-06-01T10:00:00.000Z");
    const { method } = await makeMethod(shop, token);
    await shop.patch(`/contracts/${made.id}`, { payment_method_id: method });
    return made;
  };

  it("climbs the ladder at 09:00, mails three stages, and leaves the cycle out at the end", async () => {
    const { id } = await fail("tok_insufficient");
    await shop.advance("2026-07-01T12:00:00.000Z");
    expect(await contractOf(id)).toMatchObject({ status: "past_due", overdue: { since: "2026-07-01" } });
    expect((await shop.read("/contracts?in_dunning=true")).map((one: { id: string }) => one.id)).toEqual([
      id,
    ]);
    await shop.advance("2026-07-20T00:00:00.000Z");
    const charge = (await chargesOf(id))[1];
    expect(charge.status).toBe("exhausted");
    expect(charge.attempts.map(({ claimed_at: at }: { claimed_at: string }) => at.slice(5, 13))).toEqual([
      expect.stringMatching(/^07-01T(09|10)$/),
      "07-02T08",
      "07-04T08",
      "07-06T08",
      "07-08T08",
      "07-11T08",
      "07-15T08",
    ]);
    expect(charge.decisions.map(({ why }: { why: string }) => why).at(-1)).toContain(
      "All 6 retries have failed.",
    );
    expect((await lettersOf()).map(({ template }) => template)).toEqual([
      "subscription-confirmation",
      "subscription-payment-failed",
      "subscription-payment-reminder",
      "subscription-payment-last",
    ]);
    expect(await contractOf(id)).toMatchObject({
      status: "active",
      overdue: null,
      next_billing_date: "2026-08-01",
    });
  });

  it("recovers, takes back mails that have not left, and stops", async () => {
    const { id } = await fail("tok_fail_n_then_ok:2");
    await shop.advance("2026-07-04T12:00:00.000Z");
    expect(await contractOf(id)).toMatchObject({ status: "active", overdue: null });
    const charge = (await chargesOf(id))[1];
    expect([charge.status, charge.attempts.length]).toEqual(["succeeded", 3]);
    expect((await lettersOf()).map(({ template }) => template)).toEqual(["subscription-confirmation"]);
    expect(await shop.read("/metrics?from=2026-06-01&to=2026-07-31")).toMatchObject({
      active: 1,
      recovered_in_dunning: 1,
      recovered: [{ currency: "GBP", amount: 1000 }],
      mrr: [{ currency: "GBP", amount: 1000 }],
      created: 1,
      complete: true,
    });
  });

  it("returns the credit that a cycle used which is left out unpaid, and takes it again where that is paid late", async () => {
    const { id } = await fail("tok_insufficient");
    await shop.advance("2026-06-16T12:00:00.000Z");
    await shop.make(`/contracts/${id}/change`, { lines: [line(400)] });
    await shop.advance("2026-07-20T12:00:00.000Z");
    const charge = (await chargesOf(id))[1];
    expect(charge).toMatchObject({ status: "exhausted", total: 400, credit_applied: 300 });
    expect((await contractOf(id)).credit).toBe(300);
    await shop.make(`/charges/${charge.id}/attempts`, {});
    expect((await contractOf(id)).credit).toBe(0);
    await shop.advance("2026-07-20T12:01:00.000Z");
    expect((await contractOf(id)).credit).toBe(300);
    await shop.make(`/charges/${charge.id}/mark-paid`, { reference: "bank" });
    expect((await contractOf(id)).credit).toBe(0);
  });

  it("a late payment stays one while a later attempt waits for the customer, and after that ran out", async () => {
    const { id } = await fail("tok_ok");
    const first = await makeMethod(shop, "tok_insufficient");
    await shop.patch(`/contracts/${id}`, { payment_method_id: first.method });
    await shop.advance("2026-07-01T12:00:00.000Z");
    const second = await makeMethod(shop, "tok_action");
    await shop.patch(`/contracts/${id}`, { payment_method_id: second.method });
    await shop.advance("2026-07-01T12:01:00.000Z");
    const charge = (await chargesOf(id))[1];
    expect(charge.status).toBe("requires_action");
    const event = { event_id: "late", attempt_id: `${charge.id}-1`, status: "succeeded" };
    await shop.make(`/gateways/${first.gateway}/events`, event);
    const third = await makeMethod(shop, "tok_ok");
    await shop.patch(`/contracts/${id}`, { payment_method_id: third.method });
    await shop.advance("2026-07-20T12:00:00.000Z");
    expect((await chargesOf(id))[1]).toMatchObject({
      status: "succeeded",
      attempts: [{ state: "succeeded" }, { state: "failed", failure: { code: "action_timeout" } }],
    });
    expect((await contractOf(id)).status).toBe("active");
    expect(await callsOf(shop, third.gateway)).toEqual([]);
  });

  it("a lost card is not tried again; another method triggers exactly one attempt", async () => {
    const { id } = await fail("tok_lost_card");
    await shop.advance("2026-07-10T00:00:00.000Z");
    expect((await chargesOf(id))[1].attempts).toHaveLength(1);
    const { method, gateway } = await makeMethod(shop, "tok_ok");
    await shop.patch(`/contracts/${id}`, { payment_method_id: method });
    await shop.advance("2026-07-11T00:00:00.000Z");
    expect(await callsOf(shop, gateway)).toEqual(["charge charged"]);
    expect((await contractOf(id)).status).toBe("active");
  });

  it.each([
    ["pause", "paused"],
    ["unpaid", "unpaid"],
    ["cancel", "cancelled"],
  ])("exhausted with %s leaves it %s", async (outcome, status) => {
    const { id } = await fail("tok_lost_card", { on_exhausted: outcome, grace_days: 3 });
    await shop.advance("2026-07-05T00:00:00.000Z");
    expect((await contractOf(id)).status).toBe(status);
    if (status === "unpaid") {
      const charge = (await chargesOf(id))[1];
      const { method } = await makeMethod(shop, "tok_ok");
      await shop.make(`/charges/${charge.id}/attempts`, { payment_method_id: method });
      await shop.advance("2026-07-05T00:01:00.000Z");
      expect((await contractOf(id)).status).toBe("active");
    }
  });

  it.each(["pause", "unpaid"])("exhausted with %s is paid once there is another card", async (outcome) => {
    const { id } = await fail("tok_lost_card", { on_exhausted: outcome, grace_days: 3 });
    await shop.advance("2026-07-05T00:00:00.000Z");
    const { method, gateway } = await makeMethod(shop, "tok_ok");
    await shop.patch(`/contracts/${id}`, { payment_method_id: method });
    if (outcome === "pause") await shop.make(`/contracts/${id}/resume`, {});
    await shop.advance("2026-07-05T00:01:00.000Z");
    expect(await callsOf(shop, gateway)).toEqual(["charge charged"]);
    expect(await contractOf(id)).toMatchObject({ status: "active", overdue: null });
  });

  it("tells the storefront what to hold back, day by day", async () => {
    const stages = [
      { days: 2, stage: "od1", block_changes: true, block_fulfilment: false },
      { days: 4, stage: "od2", block_changes: true, block_fulfilment: true },
    ];
    const { id } = await fail("tok_insufficient", { overdue_stages: stages });
    const stageAt = async (to: string) => {
      await shop.advance(to);
      return (await contractOf(id)).overdue?.stage;
    };
    expect(await stageAt("2026-07-02T12:00:00.000Z")).toBeNull();
    expect(await stageAt("2026-07-03T12:00:00.000Z")).toBe("od1");
    expect(await stageAt("2026-07-05T12:00:00.000Z")).toBe("od2");
  });

  it("a fault of the gateway is tried again in minutes, and nobody is mailed", async () => {
    const { id } = await fail("tok_down");
    await shop.advance("2026-07-01T12:00:00.000Z");
    expect((await chargesOf(id))[1].attempts.length).toBeGreaterThan(2);
    expect((await lettersOf()).map(({ template }) => template)).toEqual(["subscription-confirmation"]);
  });
});

describe("pause and resume", () => {
  it("A14 a paused contract is never charged, and goes on by its calendar", async () => {
    const { id, gateway } = await makeContract(shop, "tok_ok");
    await shop.advance("2026-06-01T10:00:00.000Z");
    await shop.make(`/contracts/${id}/pause`, { resume_on: "2026-08-10" });
    await shop.advance("2026-08-09T00:00:00.000Z");
    expect(await callsOf(shop, gateway)).toEqual(["charge charged"]);
    const charge = (await chargesOf(id))[0];
    expect(refusal(await shop.post(`/contracts/${id}/bill-now`))).toBe("409 invalid_transition");
    expect(refusal(await shop.post(`/charges/${charge.id}/attempts`))).toBe("409 charge_settled");
    await shop.advance("2026-08-10T12:00:00.000Z");
    expect(await contractOf(id)).toMatchObject({
      status: "active",
      next_cycle: 3,
      next_billing_date: "2026-09-01",
    });
  });

  it.each([
    ["keep_calendar", [0, 2, 3], ["2026-06-01", "2026-08-01", "2026-09-01"]],
    ["shift", [0, 1, 2, 3], ["2026-06-01", "2026-07-15", "2026-08-15", "2026-09-15"]],
  ])("lists the cycles of a paused contract as they will be: %s", async (mode, indices, dates) => {
    const { id } = await makeContract(shop, "tok_ok");
    await shop.advance("2026-06-10T10:00:00.000Z");
    await shop.make(`/contracts/${id}/pause`, { resume_on: "2026-07-15", mode });
    const listed = async () => {
      const cycles: { index: number; billing_date: string }[] = await shop.read(
        `/contracts/${id}/cycles?limit=4`,
      );
      return [cycles.map(({ index }) => index), cycles.map(({ billing_date: date }) => date)];
    };
    expect(await listed()).toEqual([indices, dates]);
    await shop.advance("2026-07-15T00:00:00.000Z");
    expect((await contractOf(id)).status).toBe("active");
    expect(await listed()).toEqual([indices, dates]);
  });

  it("changes a cycle of a paused contract only as it will be when the pause ends", async () => {
    const [first, second] = [await makeContract(shop, "tok_ok"), await makeContract(shop, "tok_ok")];
    await shop.advance("2026-06-10T10:00:00.000Z");
    const paused = async ({ id }: { id: string }, mode: string) => {
      await shop.make(`/contracts/${id}/pause`, { resume_on: "2026-07-15", mode });
      const change = async (index: number, to: string, body?: object) =>
        refusal(await shop.call(body ? "PATCH" : "POST", `/contracts/${id}/cycles/${index}${to}`, body));
      const listed = async () => {
        const cycles: { index: number; status: string; billing_date: string }[] = await shop.read(
          `/contracts/${id}/cycles?from_index=1&limit=3`,
        );
        return cycles.map(({ billing_date: date, index, status }) => `${index} ${date} ${status}`);
      };
      return { change, listed };
    };
    const kept = await paused(first, "keep_calendar");
    expect(await kept.change(1, "/skip")).toBe("409 cycle_billed");
    expect(await kept.change(2, "/skip")).toBe("200");
    expect(await kept.listed()).toEqual(["2 2026-08-01 skip_planned", "3 2026-09-01 upcoming"]);
    // Behind the pause it is not left out.
    expect(await kept.change(1, "", { date: "2026-07-20" })).toBe("200");
    expect((await kept.listed())[0]).toBe("1 2026-07-20 upcoming");
    const shifted = await paused(second, "shift");
    expect(await shifted.listed()).toContain("2 2026-08-15 upcoming");
    for (const [to, body] of [["/skip"], ["", { date: "2026-08-10" }]] as const)
      expect(await shifted.change(2, to, body)).toBe("409 invalid_transition");
    expect(await shifted.change(2, "/unskip")).toBe("200");
    expect(await shifted.listed()).toContain("2 2026-08-15 upcoming");
  });

  it("A14 an attempt on a paused contract: 409 contract_not_collecting, and no call", async () => {
    const { id } = await makeContract(shop, "tok_ok");
    await shop.advance("2026-06-15T10:00:00.000Z");
    const { method, gateway } = await makeMethod(shop, "tok_insufficient");
    await shop.patch(`/contracts/${id}`, { payment_method_id: method });
    await shop.advance("2026-07-01T12:00:00.000Z");
    const calls = await callsOf(shop, gateway);
    await shop.make(`/contracts/${id}/pause`, {});
    const charge = (await chargesOf(id))[1];
    expect(refusal(await shop.post(`/charges/${charge.id}/attempts`))).toBe("409 contract_not_collecting");
    await shop.advance("2026-07-20T12:00:00.000Z");
    expect(await callsOf(shop, gateway)).toEqual(calls);
  });

  it("shift counts anew from the day of resuming, and no day is billed twice", async () => {
    const { id } = await makeContract(shop, "tok_ok");
    await shop.advance("2026-06-10T10:00:00.000Z");
    await shop.make(`/contracts/${id}/pause`, { mode: "shift" });
    await shop.advance("2026-06-20T10:00:00.000Z");
    await shop.make(`/contracts/${id}/resume`, {});
    expect((await contractOf(id)).next_billing_date).toBe("2026-07-01");
    await shop.make(`/contracts/${id}/pause`, { mode: "shift" });
    await shop.advance("2026-07-20T10:00:00.000Z");
    await shop.make(`/contracts/${id}/resume`, {});
    await shop.advance("2026-07-20T12:00:00.000Z");
    expect(await contractOf(id)).toMatchObject({
      current_period: { start: "2026-07-20", end: "2026-08-20" },
    });
  });

  it.each(["keep_calendar", "shift"])("leaves a cycle that was moved on its day: %s", async (mode) => {
    const { id } = await makeContract(shop, "tok_ok");
    await shop.advance("2026-06-20T12:00:00.000Z");
    await shop.call("PATCH", `/contracts/${id}/cycles/1`, { date: "2026-07-10" });
    await shop.make(`/contracts/${id}/pause`, { resume_on: "2026-07-05", mode });
    await shop.advance("2026-07-05T12:00:00.000Z");
    expect((await contractOf(id)).next_billing_date).toBe("2026-07-10");
    await shop.advance("2026-07-10T12:00:00.000Z");
    expect((await chargesOf(id)).at(-1)).toMatchObject({
      period: { start: "2026-07-01", end: "2026-08-01" },
    });
  });

  it.each(["keep_calendar", "shift"])("bills a cycle whose hour is still to come: %s", async (mode) => {
    const { id } = await makeContract(shop, "tok_ok");
    await shop.advance("2026-07-01T08:00:00.000Z");
    await shop.make(`/contracts/${id}/pause`, { mode });
    await shop.make(`/contracts/${id}/resume`, {});
    expect((await contractOf(id)).next_billing_date).toBe("2026-07-01");
    await shop.advance("2026-07-15T12:00:00.000Z");
    await shop.make(`/contracts/${id}/pause`, { resume_on: "2026-08-01", mode });
    await shop.advance("2026-08-01T12:00:00.000Z");
    const paid = (await chargesOf(id)).map(({ period }: { period: { start: string } }) => period.start);
    expect(paid).toEqual(["2026-06-01", "2026-07-01", "2026-08-01"]);
  });

  it("422 a day that is over or too far; 409 when it is not running", async () => {
    const { id } = await makeContract(shop, "tok_ok");
    expect(refusal(await shop.post(`/contracts/${id}/pause`, {}))).toBe("409 invalid_transition");
    await shop.advance("2026-06-01T10:00:00.000Z");
    for (const resumeOn of ["2026-06-01", "2027-06-02"]) {
      expect(pointersOf(await shop.post(`/contracts/${id}/pause`, { resume_on: resumeOn }))).toEqual([
        "#/resume_on",
      ]);
    }
    expect(refusal(await shop.post(`/contracts/${id}/resume`, {}))).toBe("409 invalid_transition");
  });
});

describe("cancel", () => {
  it("at the end of the cycle by itself, and taken back before", async () => {
    const { id } = await makeContract(shop, "tok_ok");
    await shop.advance("2026-06-10T10:00:00.000Z");
    const cancelled = await shop.make(`/contracts/${id}/cancel`, { reason_code: "moving" });
    expect(cancelled).toMatchObject({
      status: "active",
      cancellation: { effective_on: "2026-07-01" },
      next_billing_date: null,
    });
    await shop.make(`/contracts/${id}/uncancel`, {});
    expect(refusal(await shop.post(`/contracts/${id}/uncancel`, {}))).toBe("409 invalid_transition");
    await shop.make(`/contracts/${id}/cancel`, {});
    await shop.advance("2026-08-10T10:00:00.000Z");
    expect(await contractOf(id)).toMatchObject({ status: "cancelled", next_action_at: null });
    expect(await chargesOf(id)).toHaveLength(1);
    expect(refusal(await shop.post(`/contracts/${id}/cancel`, {}))).toBe("409 invalid_transition");
  });

  it("now, with the unused days refunded through the gateway once", async () => {
    const { id, gateway } = await makeContract(shop, "tok_ok", { lines: [line(3000)] });
    await shop.advance("2026-06-16T10:00:00.000Z");
    const cancelled = await shop.make(`/contracts/${id}/cancel`, { at: "now", refund: "prorated" });
    expect(cancelled.status).toBe("cancelled");
    await shop.advance("2026-06-16T12:00:00.000Z");
    const [charge] = await chargesOf(id);
    expect(charge).toMatchObject({
      status: "partially_refunded",
      refunds: [{ amount: 1500, state: "succeeded" }],
    });
    expect((await callsOf(shop, gateway)).filter((call) => call.startsWith("refund"))).toEqual([
      "refund refunded",
    ]);
    const mails = (await lettersOf()).map(({ template }) => template);
    expect(mails).toEqual(["subscription-confirmation", "subscription-cancelled"]);
  });

  it("409 min_cycles_not_reached but for a manager and within the cooling-off", async () => {
    const writer = await shop.harness.key({
      mode: "test",
      customer_id: shop.key.customerId,
      store_id: shop.key.storeId,
      scopes: ["subscriptions:write"],
    });
    const cancel = (id: string) =>
      shop.harness.call("POST", `/v1/subscriptions/contracts/${id}/cancel`, { key: writer, body: {} });
    const { id } = await makeContract(shop, "tok_ok", { min_cycles: 3 });
    const free = await makeContract(shop, "tok_ok", { min_cycles: 3, compliance_profile: "uk_dmcc" });
    await shop.advance("2026-06-10T10:00:00.000Z");
    expect(refusal(await cancel(id))).toBe("409 min_cycles_not_reached");
    expect((await cancel(free.id)).status).toBe(200);
    expect((await shop.post(`/contracts/${id}/cancel`, {})).status).toBe(200);
  });

  it("I6 never gives back more than came", async () => {
    const { id } = await makeContract(shop, "tok_ok");
    await shop.advance("2026-06-01T10:00:00.000Z");
    const [charge] = await chargesOf(id);
    const refund = (amount: number) => shop.post(`/charges/${charge.id}/refunds`, { amount, reason: "Late" });
    expect(refusal(await refund(1001))).toBe("409 refund_exceeds_payment");
    expect((await refund(600)).status).toBe(200);
    expect(refusal(await refund(401))).toBe("409 refund_exceeds_payment");
    expect((await refund(400)).status).toBe(200);
    await shop.advance("2026-06-01T11:00:00.000Z");
    expect((await chargesOf(id))[0].status).toBe("refunded");
  });

  it("ends by itself after its last cycle", async () => {
    const { id } = await makeContract(shop, "tok_ok", { max_cycles: 2 });
    await shop.advance("2026-07-31T12:00:00.000Z");
    expect(await contractOf(id)).toMatchObject({ status: "active", next_billing_date: null });
    expect(refusal(await shop.post(`/contracts/${id}/bill-now`))).toBe("409 no_cycle_left");
    await shop.advance("2026-08-01T12:00:00.000Z");
    expect(await contractOf(id)).toMatchObject({ status: "expired" });
    expect(await chargesOf(id)).toHaveLength(2);
  });
});

describe("cycles", () => {
  it("skip leaves indices and later dates; a moved cycle moves alone", async () => {
    const { id } = await makeContract(shop, "tok_ok");
    await shop.advance("2026-06-02T10:00:00.000Z");
    expect(await shop.make(`/contracts/${id}/cycles/1/skip`, {})).toMatchObject({ status: "skip_planned" });
    await shop.call("PATCH", `/contracts/${id}/cycles/2`, { date: "2026-08-05", lines: [line(2500)] });
    await shop.advance("2026-09-02T10:00:00.000Z");
    const cycles = await shop.read(`/contracts/${id}/cycles?from_index=0&limit=5`);
    expect(
      cycles.map((one: Record<string, unknown>) => [one["billing_date"], one["status"], one["total"]]),
    ).toEqual([
      ["2026-06-01", "succeeded", 1000],
      ["2026-07-01", "skipped", 1000],
      ["2026-08-05", "succeeded", 2500],
      ["2026-09-01", "succeeded", 1000],
      ["2026-10-01", "upcoming", 1000],
    ]);
    expect(refusal(await shop.post(`/contracts/${id}/cycles/1/unskip`, {}))).toBe("409 cycle_billed");
    const far = await shop.call("PATCH", `/contracts/${id}/cycles/4`, { date: "2026-11-01" });
    expect(pointersOf(far)).toEqual(["#/date"]);
  });

  it("A13 an early renewal bills the period after the current one", async () => {
    const { id } = await makeContract(shop, "tok_ok", {
      anchor: { type: "monthday", day: 10 },
      first_period: "prorate",
    });
    await shop.advance("2026-06-01T10:00:00.000Z");
    expect((await contractOf(id)).current_period).toEqual({ start: "2026-06-01", end: "2026-06-10" });
    const charge = await shop.make(`/contracts/${id}/bill-now`, {});
    expect(charge.period).toEqual({ start: "2026-06-10", end: "2026-07-10" });
    await shop.advance("2026-06-20T10:00:00.000Z");
    expect(await chargesOf(id)).toHaveLength(2);
    expect((await contractOf(id)).next_billing_date).toBe("2026-07-10");
  });

  it("after an outage only the newest cycle is billed, the others are missed", async () => {
    const live = await createShop({ mode: "live", now: "2026-06-01T09:00:00.000Z" });
    const { id } = await makeContract(live, "tok_ok", { interval: { unit: "week", count: 1 } });
    const { clock, services } = live.harness;
    await services.jobs.run("subscriptions.bill");
    clock.set("2026-06-30T09:00:00.000Z");
    await services.jobs.run("subscriptions.bill");
    const charges = (await live.read(`/charges?contract_id=${id}`)).map((one: Record<string, unknown>) => [
      one["cycle_index"],
      one["status"],
      one["voided_reason"],
    ]);
    expect(charges.sort()).toEqual([
      [0, "succeeded", null],
      [1, "voided", "missed"],
      [2, "voided", "missed"],
      [3, "voided", "missed"],
      [4, "succeeded", null],
    ]);
    expect(await live.read("/events?type=cycle.missed")).toHaveLength(3);
    await live.harness.close();
  });

  it("after hundreds of days too, and the skipped ones among them stay skipped", async () => {
    const live = await createShop({ mode: "live", now: "2026-06-01T09:00:00.000Z" });
    const { id } = await makeContract(live, "tok_ok", { interval: { unit: "day", count: 1 } });
    const { clock, services } = live.harness;
    await services.jobs.run("subscriptions.bill");
    await live.make(`/contracts/${id}/cycles/2/skip`, {});
    clock.set("2026-12-20T09:00:00.000Z");
    expect((await services.jobs.run("subscriptions.bill")).counts).toMatchObject({ failed: 0 });
    const { next_cycle: next } = await live.read(`/contracts/${id}`);
    expect(next).toBe(202);
    const billed = await live.read("/charges?status=succeeded");
    expect(billed.map(({ cycle_index: index }: { cycle_index: number }) => index).sort()).toEqual([0, 201]);
    expect(await live.read("/charges?status=skipped")).toMatchObject([{ cycle_index: 2 }]);
    await live.harness.close();
  });
});

describe("changes", () => {
  it("collects the difference now, tomorrow's or with the next cycle, and credits what is the customer's", async () => {
    const { id } = await makeContract(shop, "tok_ok", { lines: [line(3000)] });
    await shop.advance("2026-06-16T12:00:00.000Z");
    const now = await shop.make(`/contracts/${id}/change`, { lines: [line(6000)] });
    expect(now.proration).toMatchObject({ credit: 1500, debit: 3000, net: 1500, unused: 15, whole: 30 });
    expect(now.charge).toMatchObject({ kind: "adjustment", amount_due: 1500 });
    const later = await shop.make(`/contracts/${id}/change`, { lines: [line(9000)], settle: "next_cycle" });
    expect(later.contract.carried).toMatchObject([{ amount: 1500 }]);
    const down = await shop.make(`/contracts/${id}/change`, { lines: [line(5000)] });
    expect(down.contract.credit).toBe(2000);
    await shop.advance("2026-07-01T12:00:00.000Z");
    const charges = await chargesOf(id);
    expect(new Set(charges.map(({ amount_due: due }: { amount_due: number }) => due))).toEqual(
      new Set([1500, 3000, 4500]),
    );
    expect(await contractOf(id)).toMatchObject({ credit: 0, carried: [] });
  });

  it("credit larger than the next charge stays for the one after", async () => {
    const { id } = await makeContract(shop, "tok_ok", { lines: [line(9000)] });
    await shop.advance("2026-06-02T12:00:00.000Z");
    await shop.make(`/contracts/${id}/change`, { lines: [line(1000)] });
    const credit = (await contractOf(id)).credit;
    expect(credit).toBeGreaterThan(7000);
    await shop.advance("2026-07-02T12:00:00.000Z");
    expect((await chargesOf(id))[1]).toMatchObject({ total: 1000, amount_due: 0, status: "succeeded" });
    expect((await contractOf(id)).credit).toBe(credit - 1000);
  });

  it("a change at the cycle's end, interval and all, is what the preview says", async () => {
    const { id } = await makeContract(shop, "tok_ok");
    await shop.advance("2026-06-10T12:00:00.000Z");
    const change = { lines: [line(500)], interval: { unit: "week", count: 2 }, effective: "cycle_end" };
    const { cycles } = await shop.make("/previews", { contract_id: id, change, cycles: 3 });
    expect(cycles.map((one: Record<string, unknown>) => [one["start"], one["total"]])).toEqual([
      ["2026-07-01", 500],
      ["2026-07-15", 500],
      ["2026-07-29", 500],
    ]);
    await shop.make(`/contracts/${id}/change`, change);
    await shop.advance("2026-07-30T12:00:00.000Z");
    const billed = (await chargesOf(id)).slice(1);
    expect(
      billed.map((one: { period: { start: string }; total: number }) => [one.period.start, one.total]),
    ).toEqual(cycles.map((one: Record<string, unknown>) => [one["start"], one["total"]]));
  });

  it("a new interval now credits the rest and begins a cycle of its own today", async () => {
    const { id } = await makeContract(shop, "tok_ok", { lines: [line(3000)] });
    await shop.advance("2026-06-16T12:00:00.000Z");
    await shop.make(`/contracts/${id}/change`, { interval: { unit: "week", count: 1 } });
    expect(await contractOf(id)).toMatchObject({ credit: 1500, next_billing_date: "2026-06-16" });
    await shop.advance("2026-06-24T12:00:00.000Z");
    const starts = (await chargesOf(id)).map((one: { period: { start: string } }) => one.period.start);
    expect(starts).toEqual(["2026-06-01", "2026-06-16", "2026-06-23"]);
  });

  it("409 too_many_carried when changes pile up", async () => {
    const { id } = await makeContract(shop, "tok_ok", { lines: [line(100)] });
    await shop.advance("2026-06-02T12:00:00.000Z");
    let answer = await shop.post(`/contracts/${id}/change`, { lines: [line(200)], settle: "next_cycle" });
    for (let more = 2; more < 30 && answer.status === 200; more += 1) {
      answer = await shop.post(`/contracts/${id}/change`, {
        lines: [line(100 * (more + 1))],
        settle: "next_cycle",
      });
    }
    expect(refusal(answer)).toBe("409 too_many_carried");
    expect((await shop.post(`/contracts/${id}/change`, { lines: [line(9000)] })).status).toBe(200);
    expect((await shop.post(`/contracts/${id}/change`, {})).status).toBe(422);
  });
});

describe("mails", () => {
  it("announce no renewal of a contract that is cancelled or has had its last cycle", async () => {
    const { id } = await makeContract(shop, "tok_ok", { renewal_notice_days: 5 });
    await makeContract(shop, "tok_ok", { renewal_notice_days: 5, max_cycles: 1 });
    await shop.advance("2026-06-10T12:00:00.000Z");
    await shop.make(`/contracts/${id}/cancel`, {});
    await shop.advance("2026-07-02T12:00:00.000Z");
    expect((await lettersOf()).map(({ template }) => template)).not.toContain("subscription-renewal");
  });

  it("announce the next payment and what it comes to, also after a skip", async () => {
    const { id } = await makeContract(shop, "tok_ok", { lines: [line(3000)], renewal_notice_days: 5 });
    await shop.advance("2026-06-16T12:00:00.000Z");
    await shop.make(`/contracts/${id}/change`, { lines: [line(5000)], settle: "next_cycle" });
    await shop.make(`/contracts/${id}/cycles/1/skip`, {});
    const announced = async () =>
      (await lettersOf())
        .filter(({ template }) => template === "subscription-renewal")
        .map(({ data }) => [data["date"], data["amount"]]);
    await shop.advance("2026-07-20T12:00:00.000Z");
    expect(await announced()).toEqual([]);
    await shop.advance("2026-07-28T12:00:00.000Z");
    expect(await announced()).toEqual([["1 August 2026", "£60.00"]]);
    await shop.call("PATCH", `/contracts/${id}/cycles/2`, { date: "2026-08-20" });
    await shop.advance("2026-08-14T12:00:00.000Z");
    expect(await announced()).toHaveLength(1);
    await shop.advance("2026-08-20T12:00:00.000Z");
    expect((await announced()).at(-1)).toEqual(["20 August 2026", "£60.00"]);
    expect((await chargesOf(id)).at(-1)).toMatchObject({ amount_due: 6000 });
  });

  it("every mail that the engine writes is one that can be sent", async () => {
    const { id } = await makeContract(shop, "tok_ok", {
      compliance_profile: "uk_dmcc",
      renewal_notice_days: 3,
    });
    await shop.advance("2026-06-30T12:00:00.000Z");
    const { method } = await makeMethod(shop, "tok_insufficient");
    await shop.patch(`/contracts/${id}`, { payment_method_id: method });
    await shop.advance("2026-07-20T12:00:00.000Z");
    await shop.make(`/contracts/${id}/cancel`, { at: "now", refund: "full" });
    const written = await lettersOf();
    expect(new Set(written.map(({ template }) => template))).toEqual(
      new Set([
        "subscription-confirmation",
        "subscription-renewal",
        "subscription-payment-failed",
        "subscription-payment-reminder",
        "subscription-payment-last",
        "subscription-cancelled",
      ]),
    );
    for (const { template, data } of written) {
      if (!isMailName(template)) throw new Error(template);
      const mail = await renderMail(template, data as never, { baseUrl: "https://api.shop.example" });
      expect(mail.text).toContain("http://platform.test/api/public/subscriptions/");
    }
  });
});
