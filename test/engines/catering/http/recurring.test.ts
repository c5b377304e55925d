import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { workRecurring } from "../../../../server/engines/catering/jobs.ts";
import { accountBody, createShop, line, linkIn, pointersOf, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
let account: string;
beforeEach(async () => {
  shop = await createShop();
  account = (await shop.make("/accounts", accountBody({ credit_limit: 10_000_000 }))).id;
});
afterEach(() => shop.harness.close());

const body = (more: object = {}) => ({
  account_id: account,
  title: "Tuesday lunch",
  dtstart: "2026-06-09T12:30",
  rrule: "FREQ=WEEKLY;BYDAY=TU",
  lines: [line(1000)],
  default_heads: 20,
  ...more,
});
/** Friday before Tuesday 9 June: two business days before it, at 12:00 in London. */
const DEADLINE = "2026-06-05T11:00:00.000Z";
const occurrences = (id: string) => shop.read(`/recurring-orders/${id}/occurrences`);
interface Counted {
  readonly headcount: { readonly guaranteed: number };
}
const ordersOf = (id: string) => shop.read(`/orders?recurring_order_id=${id}`);
/** Guaranteed heads of the orders, in order of their days. */
const headsOf = async (id: string) =>
  (await ordersOf(id)).map(({ headcount }: Counted) => headcount.guaranteed).toReversed();

describe("catering.recurring job", () => {
  it("counts and orders at the deadline, once, however many workers run", async () => {
    const { id, next_action_at: at } = await shop.make("/recurring-orders", body());
    expect(at).toBe(DEADLINE);
    shop.harness.clock.set("2026-06-05T10:59:59.000Z");
    await shop.run(workRecurring);
    expect(await ordersOf(id)).toEqual([]);
    shop.harness.clock.set(DEADLINE);
    await Promise.all([1, 2, 3].map(() => shop.run(workRecurring)));
    await shop.run(workRecurring);
    const found = await ordersOf(id);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({
      status: "confirmed",
      total: 20_000,
      starts_at: "2026-06-09T11:30:00.000Z",
      occurrence: "2026-06-09T12:30",
      event: { date: "2026-06-09", start: "12:30", end: "13:30" },
    });
    const [first, second] = await occurrences(id);
    expect(first).toMatchObject({
      state: "ordered",
      order_id: found[0].id,
      headcount: { origin: "default", size: 20 },
    });
    expect(second.state).toBe("scheduled");
    expect((await shop.eventTypes()).filter((type) => type === "occurrence.counted")).toHaveLength(1);
    expect((await shop.read(`/recurring-orders/${id}`)).next_action_at).toBe("2026-06-12T11:00:00.000Z");
  });

  it("makes up for an outage, but brings no food into the past", async () => {
    const { id } = await shop.make("/recurring-orders", body({ rrule: "FREQ=DAILY;COUNT=20" }));
    shop.harness.clock.set("2026-06-15T12:00:00.000Z");
    await shop.run(workRecurring);
    const days = (await ordersOf(id)).map(({ event }: { event: { date: string } }) => event.date);
    expect(days.toSorted()).toEqual(["2026-06-16", "2026-06-17"]);
  });

  it("takes the count of a date before all, for that date alone, and then the last count of the weekday", async () => {
    const { id: source } = await shop.make("/headcount-sources", { title: "Desk", kind: "api" });
    const { id } = await shop.make("/recurring-orders", body({ headcount_source_ids: [source] }));
    await shop.call("PUT", `/headcount-sources/${source}/counts/2026-06-09`, { count: 24 });
    const [, second] = await occurrences(id);
    await shop.patch(`/recurring-orders/${id}/occurrences/${second.id}`, { headcount: 60 });
    for (const day of ["05", "12", "19"]) {
      shop.harness.clock.set(`2026-06-${day}T11:00:00.000Z`);
      await shop.run(workRecurring);
    }
    const last = { size: 24, origin: "previous", confidence: "low" };
    expect((await occurrences(id))[0].headcount).toMatchObject(last);
    expect(await headsOf(id)).toEqual([24, 60, 24]);
  });

  it("takes no more off each week where the same guest declines and the others are silent", async () => {
    const { id: source } = await shop.make("/headcount-sources", {
      title: "Team",
      kind: "rsvp",
      buffer_bps: 1000,
    });
    const { id } = await shop.make("/recurring-orders", body({ headcount_source_ids: [source] }));
    for (const [day, deadline] of [
      ["09", "05"],
      ["16", "12"],
      ["23", "19"],
    ]) {
      const { url } = await shop.read(`/headcount-sources/${source}/group-links/2026-06-${day}`);
      await shop.visit(url, { name: "Ada", person: "psn_12345678", action: "decline" });
      shop.harness.clock.set(`2026-06-${deadline}T11:00:00.000Z`);
      await shop.run(workRecurring);
    }
    expect(await headsOf(id)).toEqual([19, 19, 19]);
    expect((await occurrences(id))[0].headcount).toMatchObject({ origin: "rsvp", confidence: "low" });
  });

  it("orders no more heads than can be catered for, and says so, until there are fewer", async () => {
    const { id: policy } = await shop.make("/policies", { title: "Small kitchen", capacity: 40 });
    const { id } = await shop.make("/recurring-orders", body({ default_heads: 41, policy_id: policy }));
    shop.harness.clock.set(DEADLINE);
    await shop.run(workRecurring);
    const [first] = await occurrences(id);
    expect(first).toMatchObject({ state: "counted", blocked: "over_capacity", headcount: { size: 41 } });
    expect(await ordersOf(id)).toEqual([]);
    const { data, type } = (await shop.read("/events?limit=2")).find(
      (event: { type: string }) => event.type === "account.over_limit",
    );
    expect([type, data]).toEqual(["account.over_limit", { recurring_order_id: id, reason: "over_capacity" }]);
    await shop.patch(`/recurring-orders/${id}/occurrences/${first.id}`, { headcount: 40 });
    expect(await headsOf(id)).toEqual([40]);
  });

  it("orders for the number of heads that it was changed to, however many were ordered before", async () => {
    const { id } = await shop.make("/recurring-orders", body());
    shop.harness.clock.set(DEADLINE);
    await shop.run(workRecurring);
    await shop.patch(`/recurring-orders/${id}`, { title: "Lunch" });
    await shop.patch(`/recurring-orders/${id}`, { default_heads: 25 });
    shop.harness.clock.set("2026-06-12T11:00:00.000Z");
    await shop.run(workRecurring);
    const heads = (await ordersOf(id)).map(({ headcount: { guaranteed } }: Counted) => guaranteed);
    expect(heads).toEqual([25, 20]);
  });

  it("orders no day a second time after its time of day was changed", async () => {
    const { id } = await shop.make("/recurring-orders", body());
    shop.harness.clock.set(DEADLINE);
    await shop.run(workRecurring);
    await shop.patch(`/recurring-orders/${id}`, { dtstart: "2026-06-09T13:00" });
    await shop.run(workRecurring);
    const found = await ordersOf(id);
    expect(found).toMatchObject([{ event: { date: "2026-06-09", start: "12:30" } }]);
    expect((await occurrences(id))[0]).toMatchObject({ state: "ordered", order_id: found[0].id });
    shop.harness.clock.set("2026-06-12T11:00:00.000Z");
    await shop.run(workRecurring);
    expect((await ordersOf(id))[0].event).toMatchObject({ date: "2026-06-16", start: "13:00" });
  });

  it("orders for a day that is no holiday any more, and counts earlier before one that is", async () => {
    const holidays = [{ date: "2026-06-09", title: "Fair" }];
    await shop.patch("/settings", { holidays });
    const { id } = await shop.make("/recurring-orders", body());
    const next = async () => (await shop.read(`/recurring-orders/${id}`)).next_action_at;
    expect(await next()).toBe("2026-06-12T11:00:00.000Z");
    await shop.patch("/settings", { holidays: [] });
    shop.harness.clock.set(DEADLINE);
    await shop.run(workRecurring);
    expect(await ordersOf(id)).toMatchObject([{ event: { date: "2026-06-09" } }]);
    await shop.patch("/settings", { holidays: [{ date: "2026-06-15", title: "Fair" }] });
    shop.harness.clock.advance(60_000);
    await shop.run(workRecurring);
    expect(await next()).toBe("2026-06-11T11:00:00.000Z");
  });

  it("waits for a word on each where the order says so", async () => {
    const { id } = await shop.make("/recurring-orders", body({ approval_mode: "confirm_each" }));
    shop.harness.clock.set(DEADLINE);
    await shop.run(workRecurring);
    const [first] = await occurrences(id);
    expect(first).toMatchObject({ state: "counted", headcount: { size: 20 } });
    expect(await ordersOf(id)).toEqual([]);
    const path = `/recurring-orders/${id}/occurrences/${first.id}`;
    await shop.make(`/recurring-orders/${id}/pause`);
    expect(refusal(await shop.patch(path, { confirmed: true }))).toBe("409 invalid_transition");
    await shop.make(`/recurring-orders/${id}/resume`);
    await shop.patch(path, { confirmed: true });
    await shop.patch(`/recurring-orders/${id}/occurrences/${first.id}`, { note: "x" });
    expect(await ordersOf(id)).toHaveLength(1);
  });

  it("gives the kitchen all needs of guests, also where one guest has several", async () => {
    const source = await shop.make("/headcount-sources", { title: "Team", kind: "rsvp" });
    const { id } = await shop.make("/recurring-orders", body({ headcount_source_ids: [source.id] }));
    const people = [{ name: "ada", email: "ada@office.example" }];
    await shop.make(`/headcount-sources/${source.id}/invitations`, { date: "2026-06-09", people });
    const link = await linkIn(shop, "catering-rsvp", { name: "ada" });
    await shop.visit(link, { action: "accept", guests: "0", dietary: "vegan, peanut allergy" });
    shop.harness.clock.set(DEADLINE);
    await shop.run(workRecurring);
    const [order] = await ordersOf(id);
    const dietary = [
      { code: "peanut allergy", count: 1 },
      { code: "vegan", count: 1 },
    ];
    expect(order).toMatchObject({ headcount: { guaranteed: 1 }, dietary });
    const noted = await shop.patch(`/orders/${order.id}`, { title: "Lunch" });
    expect(noted.json.data.dietary).toEqual(dietary);
    const more = await shop.make(`/orders/${order.id}/headcount`, { guaranteed: 3 });
    expect([more.headcount.guaranteed, more.dietary]).toEqual([3, dietary]);
  });

  it("says why the credit does not bear an order, and tries again each hour", async () => {
    await shop.patch(`/accounts/${account}`, { credit_limit: 1 });
    const { id } = await shop.make("/recurring-orders", body());
    shop.harness.clock.set(DEADLINE);
    await shop.run(workRecurring);
    expect((await occurrences(id))[0]).toMatchObject({ state: "counted", blocked: "over_credit_limit" });
    await shop.patch(`/accounts/${account}`, { credit_limit: 1_000_000 });
    shop.harness.clock.advance(3_600_000);
    await shop.run(workRecurring);
    expect((await occurrences(id))[0]).toMatchObject({ state: "ordered", blocked: null });
    expect((await shop.eventTypes()).filter((type) => type === "account.over_limit")).toHaveLength(1);
  });

  it("does nothing while paused, and goes on after", async () => {
    const { id } = await shop.make("/recurring-orders", body());
    await shop.make(`/recurring-orders/${id}/pause`);
    shop.harness.clock.set(DEADLINE);
    await shop.run(workRecurring);
    expect(await ordersOf(id)).toEqual([]);
    await shop.make(`/recurring-orders/${id}/resume`);
    await shop.run(workRecurring);
    expect(await ordersOf(id)).toHaveLength(1);
    await shop.make(`/recurring-orders/${id}/end`);
    expect(refusal(await shop.post(`/recurring-orders/${id}/resume`))).toBe("409 invalid_transition");
  });
});

describe("single dates", () => {
  it("are moved, skipped and brought back, and keep their id", async () => {
    const { id } = await shop.make("/recurring-orders", body());
    const [first] = await occurrences(id);
    const path = `/recurring-orders/${id}/occurrences/${first.id}`;
    await shop.patch(path, { date: "2026-06-10", start: "13:00" });
    expect((await occurrences(id))[0]).toMatchObject({
      id: first.id,
      date: "2026-06-10",
      start: "13:00",
      state: "moved",
    });
    await shop.make(`${path}/skip`);
    await shop.make(`${path}/skip`);
    expect((await occurrences(id))[0].state).toBe("skipped");
    await shop.patch(path, { skip: false, date: null, start: null });
    expect((await occurrences(id))[0]).toMatchObject({
      id: first.id,
      date: "2026-06-09",
      state: "scheduled",
    });
    expect(await shop.eventTypes()).toEqual(["occurrence.moved", "occurrence.skipped", "occurrence.moved"]);
    expect((await shop.patch(`/recurring-orders/${id}/occurrences/coc_x`, { note: "" })).status).toBe(404);
  });

  it("take place on a holiday where a person says so", async () => {
    await shop.patch("/settings", { holidays: [{ date: "2026-06-09", title: "Fair" }] });
    const { id } = await shop.make("/recurring-orders", body());
    const other = (await shop.make("/recurring-orders", body({ holiday_policy: "next" }))).id;
    const [first] = await occurrences(id);
    const [moved] = await occurrences(other);
    expect([first.state, moved.date]).toEqual(["skipped", "2026-06-10"]);
    await shop.patch(`/recurring-orders/${id}/occurrences/${first.id}`, { skip: false });
    await shop.patch(`/recurring-orders/${other}/occurrences/${moved.id}`, { date: "2026-06-09" });
    const kept = { date: "2026-06-09", reason: null, state: "scheduled" };
    expect([(await occurrences(id))[0], (await occurrences(other))[0]]).toMatchObject([kept, kept]);
    shop.harness.clock.set(DEADLINE);
    await shop.run(workRecurring);
    expect(await ordersOf(id)).toMatchObject([{ event: { date: "2026-06-09" } }]);
  });

  it("stay skipped, moved and left out when the time of day changes", async () => {
    const exdates = ["2026-06-30T12:30"];
    const { id } = await shop.make("/recurring-orders", body({ exdates }));
    const [first, second, third] = await occurrences(id);
    const path = `/recurring-orders/${id}/occurrences`;
    await shop.make(`${path}/${first.id}/skip`);
    await shop.patch(`${path}/${second.id}`, { date: "2026-06-17" });
    await shop.patch(`${path}/${third.id}`, { headcount: 60, start: "18:00" });
    await shop.patch(`/recurring-orders/${id}`, { dtstart: "2026-06-09T13:00" });
    const found = (await occurrences(id)).slice(0, 4);
    expect(
      found.map(({ date, start, state }: Record<string, string>) => `${date} ${start} ${state}`),
    ).toEqual([
      "2026-06-09 13:00 skipped",
      "2026-06-17 13:00 moved",
      "2026-06-23 18:00 moved",
      "2026-07-07 13:00 scheduled",
    ]);
    const order = await shop.patch(`/recurring-orders/${id}`, {
      dtstart: "2026-06-09T12:30",
      exdates: ["2026-07-07T12:30"],
    });
    expect(order.json.data.exdates).toEqual(["2026-07-07T12:30"]);
  });

  it("409 invalid_transition for one that is ordered", async () => {
    const { id } = await shop.make("/recurring-orders", body());
    const [first] = await occurrences(id);
    shop.harness.clock.set(DEADLINE);
    await shop.run(workRecurring);
    const path = `/recurring-orders/${id}/occurrences/${first.id}`;
    expect(refusal(await shop.patch(path, { headcount: 5 }))).toBe("409 invalid_transition");
    expect(refusal(await shop.post(`${path}/skip`))).toBe("409 invalid_transition");
  });

  it("nobody coming is no order, until somebody says otherwise", async () => {
    const { id } = await shop.make("/recurring-orders", body());
    const [first] = await occurrences(id);
    const path = `/recurring-orders/${id}/occurrences/${first.id}`;
    await shop.patch(path, { headcount: 0 });
    shop.harness.clock.set(DEADLINE);
    await shop.run(workRecurring);
    expect((await occurrences(id))[0].state).toBe("cancelled");
    expect(await ordersOf(id)).toEqual([]);
    await shop.patch(path, { headcount: 5 });
    await shop.run(workRecurring);
    expect(await ordersOf(id)).toHaveLength(1);
  });
});

describe("previews", () => {
  const preview = async (more: object) =>
    (
      await shop.make("/recurring-orders/previews", {
        dtstart: "2026-06-09T12:30",
        rrule: "FREQ=WEEKLY",
        ...more,
      })
    ).occurrences;

  it("A18 over HTTP", async () => {
    const found = await preview({
      dtstart: "2007-01-15T09:00",
      rrule: "FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5",
      timezone: "America/New_York",
    });
    expect(found.map(({ date }: { date: string }) => date)).toEqual([
      "2007-01-15",
      "2007-01-30",
      "2007-02-15",
      "2007-03-15",
      "2007-03-30",
    ]);
  });

  it("knows the holidays of the settings", async () => {
    await shop.patch("/settings", { holidays: [{ date: "2026-06-16", title: "Feast" }] });
    const found = await preview({ holiday_policy: "next", n: 3 });
    expect(found.map(({ date, state }: { date: string; state: string }) => `${date} ${state}`)).toEqual([
      "2026-06-09 scheduled",
      "2026-06-17 moved",
      "2026-06-23 scheduled",
    ]);
  });

  it.each(["FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=SECONDLY", "now and then"])(
    "422 for %s",
    async (rrule) => {
      expect(
        pointersOf(await shop.post("/recurring-orders/previews", { dtstart: "2026-06-09T12:30", rrule })),
      ).toEqual(["#/rrule"]);
      expect(pointersOf(await shop.post("/recurring-orders", body({ rrule })))).toEqual(["#/rrule"]);
    },
  );

  it("422 for a day that there is not, and a span too long", async () => {
    expect((await shop.post("/recurring-orders", body({ dtstart: "2026-02-30T12:30" }))).status).toBe(422);
    const { id } = await shop.make("/recurring-orders", body());
    expect((await shop.get(`/recurring-orders/${id}/occurrences?from=2026-01-01&to=2027-02-06`)).status).toBe(
      422,
    );
    expect((await shop.get(`/recurring-orders/${id}/occurrences?from=2026-01-01&to=2027-02-05`)).status).toBe(
      200,
    );
  });
});

describe("headcount from invitations", () => {
  it("orders for those who say by their own link that they come", async () => {
    const source = await shop.make("/headcount-sources", {
      title: "Lunch",
      kind: "rsvp",
      buffer_bps: 1000,
      max: 100,
    });
    const { id } = await shop.make("/recurring-orders", body({ headcount_source_ids: [source.id] }));
    const people = ["ada", "ben", "cid"].map((name) => ({ name, email: `${name}@office.example` }));
    const asked = { date: "2026-06-09", people };
    expect(await shop.make(`/headcount-sources/${source.id}/invitations`, asked)).toEqual({
      invited: 3,
      known: 0,
    });
    expect(await shop.make(`/headcount-sources/${source.id}/invitations`, asked)).toEqual({
      invited: 0,
      known: 3,
    });
    expect(await shop.mails()).toHaveLength(3);
    const linkOf = (name: string) => linkIn(shop, "catering-rsvp", { name });
    const page = await shop.visit(await linkOf("ada"));
    expect([page.status, page.text.includes("Tuesday, 9 June 2026")]).toEqual([200, true]);
    await shop.visit(await linkOf("ada"), { action: "accept", guests: "2", dietary: "Vegan, <b>" });
    await shop.visit(await linkOf("ben"), { action: "accept", guests: "1" });
    const declined = await shop.visit(await linkOf("ben"), { action: "decline" });
    expect(declined.text).toContain("You are not coming.");
    expect((await shop.visit(await linkOf("cid"), { action: "accept", guests: "21" })).status).toBe(422);
    const again = await shop.visit(await linkOf("ada"));
    expect(again.text).toContain("vegan, &lt;b&gt;");
    expect(await shop.read(`/headcount-sources/${source.id}/answers/2026-06-09`)).toMatchObject({
      count: 3,
      answered: 2,
    });
    shop.harness.clock.set(DEADLINE);
    await shop.run(workRecurring);
    const [order] = await ordersOf(id);
    expect(order).toMatchObject({
      headcount: { guaranteed: 4 },
      dietary: [
        { code: "<b>", count: 1 },
        { code: "vegan", count: 1 },
      ],
    });
    expect((await occurrences(id))[0].headcount).toMatchObject({
      count: 3,
      size: 4,
      origin: "rsvp",
      confidence: "high",
    });
    shop.harness.clock.set("2026-06-10T09:00:00.000Z");
    expect((await shop.visit(await linkOf("ada"), { action: "decline" })).status).toBe(422);
    expect((await shop.visit((await linkOf("ada")).replace("/rsvp/", "/quotes/"))).status).toBe(404);
  });
});
