import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { watchQuotes } from "../../../../server/engines/catering/jobs.ts";
import { quotes } from "../../../../server/engines/catering/repository.ts";
import { accountBody, createShop, event, line, pointersOf, quoteBody, refusal, sendQuote } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

const accept = (quote: { id: string; hash: string; current_version: number }, more: object = {}) =>
  shop.post(`/quotes/${quote.id}/accept`, {
    version: quote.current_version,
    hash: quote.hash,
    name: "Ada Byron",
    email: "ada@office.example",
    ...more,
  });

describe("drafts", () => {
  it("201 with a number that runs, a price and deposits", async () => {
    const first = await shop.make("/quotes", quoteBody());
    const second = await shop.make("/quotes", quoteBody({ headcount: { estimate: 10 } }));
    expect([first.number, second.number]).toEqual([1, 2]);
    expect(first).toMatchObject({
      status: "draft",
      current_version: 1,
      total: 38_850,
      deposit_schedule: [{ amount: 19_425, due_on: null }],
      valid_until: "2026-06-15T09:00:00.000Z",
    });
  });

  it("200 for a change, worked out anew; deposits that somebody wrote are kept", async () => {
    const deposits = [{ bps: 1000, due: { kind: "days_before", days: 7 } }];
    const draft = await shop.make("/quotes", quoteBody({ deposits }));
    const changed = await shop.patch(`/quotes/${draft.id}`, { headcount: { estimate: 40 } });
    expect(changed.json.data).toMatchObject({
      total: 51_800,
      deposit_schedule: [{ amount: 5180, due_on: "2026-06-12" }],
    });
  });

  it("have the currency of the account that they are moved to", async () => {
    const { id: account_id } = await shop.make("/accounts", accountBody({ currency: "EUR" }));
    const draft = await shop.make("/quotes", quoteBody());
    const moved = await shop.patch(`/quotes/${draft.id}`, { account_id, prospect: null });
    expect([draft.currency, moved.json.data.currency]).toEqual(["GBP", "EUR"]);
  });

  it.each([
    ["no one it is for", { prospect: null }, "#/prospect"],
    ["an account that is not there", { account_id: "cac_x" }, "#/account_id"],
    ["a policy that is not there", { policy_id: "cpo_x" }, "#/policy_id"],
    ["too many diets", { dietary: [{ code: "vegan", count: 31 }] }, "#/dietary"],
    ["a zone that is none", { event: event({ timezone: "Mars/Base" }) }, "#/event/timezone"],
    ["min above estimate", { headcount: { estimate: 5, min: 6 } }, "#/headcount/min"],
  ])("422 for %s", async (_, more, pointer) => {
    const answer = await shop.post("/quotes", quoteBody(more));
    expect([answer.status, pointersOf(answer)]).toEqual([422, [pointer]]);
  });

  it("422 for an amount beyond what can be counted is not reached by the limits", async () => {
    const answer = await shop.post(
      "/quotes",
      quoteBody({ lines: [line(1_000_000_000, { quantity: 100_000 })] }),
    );
    expect([answer.status, answer.json.data.total]).toEqual([201, 100_000_000_000_000]);
  });

  it("lists by filters, alone and together", async () => {
    const { quote } = await sendQuote(shop, { valid_until: "2026-06-05T12:00:00.000Z" });
    await shop.make(
      "/quotes",
      quoteBody({
        event: event({ date: "2026-07-01" }),
        prospect: { name: "B", email: "b@x.example", company: "" },
      }),
    );
    const ids = async (query: string) =>
      (await shop.read(`/quotes?${query}`)).map(({ id }: { id: string }) => id);
    expect(await ids("status=sent")).toEqual([quote.id]);
    expect(await ids("number=1")).toEqual([quote.id]);
    expect(await ids("email=ADA@office.example")).toEqual([quote.id]);
    expect(await ids("event_to=2026-06-30")).toEqual([quote.id]);
    expect(await ids("event_from=2026-06-20")).toHaveLength(1);
    expect(await ids("expiring_before=2026-06-05T12:00:00.001Z")).toEqual([quote.id]);
    expect(await ids("expiring_before=2026-06-05T12:00:00.000Z")).toEqual([]);
    expect(await ids("status=sent&number=1")).toEqual([quote.id]);
    expect(await ids("status=sent&number=2")).toEqual([]);
    expect(await ids("status=sent&event_to=2026-06-30")).toEqual([quote.id]);
    const both = "/quotes?expiring_before=2026-06-05T12:00:00.000Z&event_to=2026-06-30";
    expect((await shop.get(both)).status).toBe(422);
  });
});

describe("sending", () => {
  it.each([
    ["409 no_lines", { lines: [] }, {}],
    ["409 lead_time", { event: event({ date: "2026-06-02", start: "09:00" }) }, {}],
    ["409 below_min_spend", {}, { min_spend: 38_851 }],
    ["409 over_capacity", {}, { capacity: 29 }],
    ["409 ends_in_the_past", { valid_until: "2026-06-01T09:00:00.000Z" }, {}],
  ])("%s", async (expected, more, policy) => {
    const { id: policy_id } = await shop.make("/policies", { title: "Test", ...policy });
    const draft = await shop.make("/quotes", quoteBody({ policy_id, ...more }));
    expect(refusal(await shop.post(`/quotes/${draft.id}/send`, {}))).toBe(expected);
  });

  it("mails the link to whom it is for, or whom the caller names", async () => {
    await sendQuote(shop);
    const draft = await shop.make("/quotes", quoteBody());
    await shop.make(`/quotes/${draft.id}/send`, { to: "cfo@office.example", message: "Hi" });
    const sent = (await shop.mails()).map(({ to, template, data }) => [to, template, data["message"]]);
    expect(sent.toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual([
      ["ada@office.example", "catering-quote", ""],
      ["cfo@office.example", "catering-quote", "Hi"],
    ]);
  });

  it("sends no mail where the settings say so", async () => {
    await shop.patch("/settings", { send_mail: false });
    const draft = await shop.make("/quotes", quoteBody());
    await shop.make(`/quotes/${draft.id}/send`, {});
    expect(await shop.mails()).toEqual([]);
  });

  it("409 invalid_transition for a step that the state does not allow", async () => {
    const { quote } = await sendQuote(shop);
    expect(refusal(await shop.post(`/quotes/${quote.id}/send`, {}))).toBe("409 invalid_transition");
    expect(refusal(await shop.patch(`/quotes/${quote.id}`, { title: "X" }))).toBe("409 invalid_transition");
    expect(refusal(await shop.post(`/quotes/${quote.id}/convert`, {}))).toBe("409 invalid_transition");
    await shop.make(`/quotes/${quote.id}/decline`, { reason: "No" });
    expect(refusal(await shop.post(`/quotes/${quote.id}/revise`))).toBe("409 invalid_transition");
  });

  it("409 limit_reached after fifty versions", async () => {
    const { quote } = await sendQuote(shop);
    for (let v = 2; v <= 50; v += 1) {
      await shop.make(`/quotes/${quote.id}/revise`);
      await shop.make(`/quotes/${quote.id}/send`, {});
    }
    expect(refusal(await shop.post(`/quotes/${quote.id}/revise`))).toBe("409 limit_reached");
    expect((await shop.read(`/quotes/${quote.id}/versions/50`)).v).toBe(50);
  });

  it("keeps a version as it was sent whatever becomes of the policy (C1)", async () => {
    const { id: policy_id } = await shop.make("/policies", { title: "Old", late_cancel_bps: 5000 });
    const { quote } = await sendQuote(shop, { policy_id });
    const before = await shop.read(`/quotes/${quote.id}/versions/1`);
    await shop.patch(`/policies/${policy_id}`, { late_cancel_bps: 10_000 });
    await shop.patch("/settings", { terms: "New" });
    expect(await shop.read(`/quotes/${quote.id}/versions/1`)).toEqual(before);
    expect(before.content.policy.late_cancel_bps).toBe(5000);
  });
});

describe("accepting by the API (C3)", () => {
  it("makes one order of a version, and is the same when it is repeated (C8)", async () => {
    const { quote } = await sendQuote(shop);
    const answers = await Promise.all([1, 2, 3].map(() => accept(quote)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const found = await shop.read(`/orders?quote_id=${quote.id}`);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ status: "tentative", total: 38_850, quote_version: 1, number: 1 });
    expect(await shop.eventTypes()).toEqual(["quote.sent", "quote.accepted", "quote.converted"]);
  });

  it("409 superseded, hash_mismatch, not_sent, withdrawn, expired, already_decided", async () => {
    const { quote } = await sendQuote(shop);
    expect(refusal(await accept({ ...quote, current_version: 2 }))).toBe("409 superseded");
    expect(refusal(await accept({ ...quote, hash: "0".repeat(64) }))).toBe("409 hash_mismatch");
    await shop.make(`/quotes/${quote.id}/revise`);
    expect(refusal(await accept(quote))).toBe("409 superseded");
    expect(refusal(await accept({ ...quote, current_version: 2 }))).toBe("409 not_sent");
    await shop.make(`/quotes/${quote.id}/withdraw`, {});
    expect(refusal(await accept({ ...quote, current_version: 2 }))).toBe("409 withdrawn");
    const other = await sendQuote(shop);
    await shop.make(`/quotes/${other.quote.id}/decline`, {});
    expect(refusal(await accept(other.quote))).toBe("409 already_decided");
    const late = await sendQuote(shop);
    shop.harness.clock.set("2026-06-16T09:00:00.000Z");
    expect(refusal(await accept(late.quote))).toBe("409 expired");
  });

  it("gives the order what is noted with the quote, such as the allergens of a request", async () => {
    const metadata = { allergens: "peanuts" };
    const { quote } = await sendQuote(shop, { metadata });
    const { order_id: id } = (await accept(quote)).json.data;
    expect((await shop.read(`/orders/${id}`)).metadata).toEqual(metadata);
  });
});

describe("previews", () => {
  it("200 with the price of each headcount, by the same rules, and nothing stored", async () => {
    const body = quoteBody({
      headcounts: [60, 30],
      lines: [line(1295, { volume_tiers: [{ from_heads: 50, unit_price: 1000 }] })],
    });
    const { previews, guarantee_at, refusals } = await shop.make("/quotes/previews", body);
    expect(
      previews.map(({ heads, totals }: { heads: number; totals: { total: number } }) => [
        heads,
        totals.total,
      ]),
    ).toEqual([
      [30, 38_850],
      [60, 60_000],
    ]);
    expect([guarantee_at, refusals]).toEqual(["2026-06-16T11:00:00.000Z", []]);
    const soon = await shop.make(
      "/quotes/previews",
      quoteBody({ event: event({ date: "2026-06-02", start: "09:00" }) }),
    );
    expect(soon.refusals[0].code).toBe("lead_time");
    expect(await shop.read("/quotes")).toEqual([]);
    expect((await shop.make("/quotes", quoteBody())).number).toBe(1);
  });

  it("asks no deposit of an account on credit", async () => {
    const { id: account_id } = await shop.make("/accounts", accountBody());
    const { previews } = await shop.make("/quotes/previews", quoteBody({ account_id, prospect: null }));
    expect(previews[0].deposit_schedule).toEqual([]);
  });
});

describe("catering.quotes job", () => {
  const reminders = async () =>
    (await shop.mails()).filter(({ template }) => template === "catering-quote-reminder").length;

  it("reminds three days and one day before the end, once each, and then expires", async () => {
    const { quote } = await sendQuote(shop, { valid_until: "2026-06-12T16:00:00.000Z" });
    await shop.run(watchQuotes);
    expect(await reminders()).toBe(0);
    shop.harness.clock.set("2026-06-09T16:00:00.000Z");
    expect(await shop.run(watchQuotes)).toEqual({ done: 1, failed: 0 });
    expect(await shop.run(watchQuotes)).toEqual({ done: 0, failed: 0 });
    expect(await reminders()).toBe(1);
    shop.harness.clock.set("2026-06-11T16:00:00.000Z");
    await Promise.all([shop.run(watchQuotes), shop.run(watchQuotes)]);
    expect(await reminders()).toBe(2);
    shop.harness.clock.set("2026-06-12T16:00:00.000Z");
    await Promise.all([shop.run(watchQuotes), shop.run(watchQuotes)]);
    expect((await shop.read(`/quotes/${quote.id}`)).status).toBe("expired");
    expect((await shop.eventTypes()).filter((type) => type === "quote.expired")).toHaveLength(1);
  });

  it("sends no reminder of a day that had passed when the quote was sent", async () => {
    await sendQuote(shop, { valid_until: "2026-06-03T08:00:00.000Z" });
    await shop.run(watchQuotes);
    expect(await reminders()).toBe(0);
    shop.harness.clock.set("2026-06-02T08:00:00.000Z");
    await shop.run(watchQuotes);
    expect(await reminders()).toBe(1);
  });

  it("reminds behind a thousand quotes that it has reminded of already", async () => {
    const { quote } = await sendQuote(shop, { valid_until: "2026-06-12T16:00:00.000Z" });
    const { runTx } = shop.harness.services;
    const { value } = await runTx(shop.part, (tx) => tx.require(quotes, quote.id));
    for (let start = 0; start < 1_000; start += 25) {
      await runTx(shop.part, async (tx) => {
        for (let n = start; n < start + 25; n += 1) {
          const own = { id: `cqt_${String(n).padStart(26, "0")}`, reminders: [3] };
          tx.create(quotes, { ...value, ...own, valid_until: "2026-06-12T15:00:00.000Z" });
        }
      });
    }
    shop.harness.clock.set("2026-06-09T16:00:00.000Z");
    expect(await shop.run(watchQuotes)).toEqual({ done: 1, failed: 0 });
  });

  it("reminds of a new version anew", async () => {
    const { quote } = await sendQuote(shop, { valid_until: "2026-06-12T16:00:00.000Z" });
    shop.harness.clock.set("2026-06-09T16:00:00.000Z");
    await shop.run(watchQuotes);
    await shop.make(`/quotes/${quote.id}/revise`);
    await shop.run(watchQuotes);
    await shop.patch(`/quotes/${quote.id}`, { valid_until: "2026-06-18T16:00:00.000Z" });
    await shop.make(`/quotes/${quote.id}/send`, {});
    shop.harness.clock.set("2026-06-15T16:00:00.000Z");
    await shop.run(watchQuotes);
    expect(await reminders()).toBe(2);
  });
});
