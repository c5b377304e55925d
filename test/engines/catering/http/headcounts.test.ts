import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { workRecurring } from "../../../../server/engines/catering/jobs.ts";
import { onWorkerTaskEnd } from "../../../../server/lib/worker-tasks.ts";
import { accountBody, createShop, line, pointersOf, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

const ics = (...lines: string[]): string =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", ...lines, "END:VCALENDAR", ""].join("\r\n");
const lunch = ics(
  "BEGIN:VEVENT",
  "UID:1",
  "DTSTART;TZID=W. Europe Standard Time:20260609T133000",
  "SUMMARY:Team lunch",
  "ATTENDEE;PARTSTAT=ACCEPTED;X-NUM-GUESTS=1:mailto:ada@office.example",
  "ATTENDEE:mailto:ben@office.example",
  "ATTENDEE;CUTYPE=ROOM;PARTSTAT=ACCEPTED:mailto:room@office.example",
  "END:VEVENT",
);
const window = { from: "2026-05-01", to: "2026-06-30" };

describe("previews", () => {
  it("A19 and A20: counts with a reason for each person, in the zone that Outlook means", async () => {
    const found = await shop.make("/headcounts/previews", { ics: lunch, window });
    expect(found.days).toEqual([{ date: "2026-06-09", count: 2, cancelled: false }]);
    expect(found.occurrences[0]).toMatchObject({
      starts_at: "2026-06-09T11:30:00.000Z",
      people: [
        { who: "ada@office.example", counted: 2, reason: "accepted with 1 guests" },
        { who: "ben@office.example", counted: 0, reason: "needs-action does not count" },
        { who: "room@office.example", counted: 0, reason: "room" },
      ],
    });
    const vector = ics(
      "BEGIN:VEVENT",
      "DTSTART;TZID=W. Europe Standard Time:20260520T093000",
      "SUMMARY:x",
      "END:VEVENT",
    );
    const at = (await shop.make("/headcounts/previews", { ics: vector, window })).occurrences[0].starts_at;
    expect(at).toBe("2026-05-20T07:30:00.000Z");
  });

  it.each([
    ["no calendar", "hello"],
    [
      "ten thousand events",
      ics(...Array.from({ length: 10_000 }, () => ["BEGIN:VEVENT", "END:VEVENT"]).flat()),
    ],
  ])("422 for %s", async (_, text) => {
    expect(pointersOf(await shop.post("/headcounts/previews", { ics: text, window }))).toEqual(["#/ics"]);
  });

  it("422 for more text of people than one response may have, which a short calendar can name", async () => {
    const times = Array.from({ length: 1_400 }, (_, i) => {
      const [hour, minute] = [Math.trunc(i / 60), i % 60].map((part) => String(part).padStart(2, "0"));
      return `20260610T${hour}${minute}00`;
    });
    const series = (people: number) =>
      ics(
        "BEGIN:VEVENT",
        "DTSTART:20260609T123000",
        `RDATE:${times.slice(0, 700).join(",")}`,
        `RDATE:${times.slice(700).join(",")}`,
        ...Array.from({ length: people }, (_, i) => `ATTENDEE:mailto:${i}${"x".repeat(5_000)}`),
        "END:VEVENT",
      );
    const found = await shop.make("/headcounts/previews", { ics: series(5), window });
    expect(found.days).toEqual([
      { date: "2026-06-09", count: 0, cancelled: false },
      { date: "2026-06-10", count: 0, cancelled: false },
    ]);
    expect(found.occurrences).toHaveLength(1_401);
    expect(found.occurrences[0].people[0].who).toHaveLength(300);
    expect(pointersOf(await shop.post("/headcounts/previews", { ics: series(10), window }))).toEqual([
      "#/ics",
    ]);
  });

  it("reads a short calendar in a thread too: thirty rules in 970 characters took seconds of everybody", async () => {
    const rules = Array.from({ length: 30 }, () => "RRULE:FREQ=MONTHLY;COUNT=9999");
    const ended: string[] = [];
    const stop = onWorkerTaskEnd(({ task }) => ended.push(task));
    const text = ics("BEGIN:VEVENT", "DTSTART:20260527", ...rules, "END:VEVENT");
    const { warnings } = await shop.make("/headcounts/previews", { ics: text, window });
    const { id } = await shop.make("/headcount-sources", { title: "Lunch", kind: "calendar_upload" });
    await shop.post(`/headcount-sources/${id}/refresh`, { ics: text });
    stop();
    expect(warnings).toHaveLength(1);
    expect(ended).toEqual(["catering.calendar-preview", "catering.calendar"]);
  });

  it("422 for a window of more than 400 days", async () => {
    const long = { from: "2026-01-01", to: "2027-02-06" };
    expect(pointersOf(await shop.post("/headcounts/previews", { ics: lunch, window: long }))).toEqual([
      "#/window/to",
    ]);
  });
});

describe("sources", () => {
  const source = (more: object) => shop.make("/headcount-sources", { title: "Lunch", ...more });

  it("invites as many people as a request may name", async () => {
    const { id } = await source({ kind: "rsvp" });
    const people = Array.from({ length: 50 }, (_, n) => ({
      name: `Ada ${n}`,
      email: `ada${n}@office.example`,
    }));
    const invite = () => shop.make(`/headcount-sources/${id}/invitations`, { date: "2026-06-09", people });
    expect(await invite()).toEqual({ invited: 50, known: 0 });
    expect(await invite()).toEqual({ invited: 0, known: 50 });
  });

  it("reads an uploaded calendar, which then decides the order", async () => {
    const { id } = await source({ kind: "calendar_upload" });
    const { days, source: saved } = await shop.make(`/headcount-sources/${id}/refresh`, { ics: lunch });
    expect(days).toMatchObject([{ date: "2026-06-09", count: 2, evidence: ["Team lunch: 2"] }]);
    expect(saved.last_ok_at).toBe("2026-06-01T09:00:00.000Z");
    expect(await shop.read(`/headcount-sources/${id}/counts`)).toEqual(days);
    const account = await shop.make("/accounts", accountBody({ credit_limit: 1_000_000 }));
    const order = await shop.make("/recurring-orders", {
      account_id: account.id,
      title: "Lunch",
      dtstart: "2026-06-09T12:30",
      rrule: "FREQ=WEEKLY",
      lines: [line(1000)],
      default_heads: 20,
      headcount_source_ids: [id],
    });
    shop.harness.clock.set("2026-06-05T11:00:00.000Z");
    await shop.run(workRecurring);
    const [first] = await shop.read(`/recurring-orders/${order.id}/occurrences`);
    expect(first.headcount).toMatchObject({ count: 2, origin: "calendar_upload", source_id: id });
  });

  it.each([
    ["in which no one has answered", {}, ["ATTENDEE:mailto:ada@office.example"], 20],
    ["whose title has no number", { mode: "number" }, [], 20],
    ["that all decline", {}, ["ATTENDEE;PARTSTAT=DECLINED:mailto:ada@office.example"], undefined],
  ])(
    "does not call lunch off for a calendar %s, but for one that all decline",
    async (_, more, attendees, heads) => {
      const { id } = await source({ kind: "calendar_upload", ...more });
      const event = [
        "BEGIN:VEVENT",
        "UID:1",
        "DTSTART:20260609T123000",
        "SUMMARY:Lunch",
        ...attendees,
        "END:VEVENT",
      ];
      await shop.make(`/headcount-sources/${id}/refresh`, { ics: ics(...event) });
      const account = await shop.make("/accounts", accountBody({ credit_limit: 1_000_000 }));
      await shop.make("/recurring-orders", {
        account_id: account.id,
        title: "Lunch",
        dtstart: "2026-06-09T12:30",
        rrule: "FREQ=WEEKLY",
        lines: [line(1000)],
        default_heads: 20,
        headcount_source_ids: [id],
      });
      shop.harness.clock.set("2026-06-05T11:00:00.000Z");
      await shop.run(workRecurring);
      expect((await shop.read("/orders"))[0]?.headcount.guaranteed).toBe(heads);
    },
  );

  it("does not ask a feed that was not pushed for too long, and tells of it", async () => {
    const { id } = await source({ kind: "calendar_feed", stale_after_h: 24 });
    await shop.make(`/headcount-sources/${id}/refresh`, { ics: lunch });
    const account = await shop.make("/accounts", accountBody({ credit_limit: 1_000_000 }));
    const order = await shop.make("/recurring-orders", {
      account_id: account.id,
      title: "Lunch",
      dtstart: "2026-06-09T12:30",
      rrule: "FREQ=WEEKLY",
      lines: [line(1000)],
      default_heads: 20,
      headcount_source_ids: [id],
    });
    shop.harness.clock.set("2026-06-05T11:00:00.000Z");
    await shop.run(workRecurring);
    const [first] = await shop.read(`/recurring-orders/${order.id}/occurrences`);
    expect(first.headcount).toMatchObject({ origin: "default" });
    expect(await shop.eventTypes()).toContain("headcount.stale");
  });

  it("takes a number for a day from the API, over and over", async () => {
    const { id } = await source({ kind: "api" });
    const path = `/headcount-sources/${id}/counts/2026-06-09`;
    await shop.call("PUT", path, { count: 20 });
    expect((await shop.call("PUT", path, { count: 24, dietary: [{ code: "vegan", count: 4 }] })).status).toBe(
      200,
    );
    expect(await shop.read(`/headcount-sources/${id}/counts`)).toMatchObject([
      { date: "2026-06-09", count: 24 },
    ]);
    const over = await shop.call("PUT", path, { count: 3, dietary: [{ code: "vegan", count: 4 }] });
    expect(pointersOf(over)).toEqual(["#/dietary"]);
    expect((await shop.call("PUT", `/headcount-sources/${id}/counts/2026-06-31`, { count: 1 })).status).toBe(
      422,
    );
  });

  it("422 for a change to an account that there is none of", async () => {
    const { id } = await source({ kind: "api" });
    for (const account_id of ["Office & Sons", "cac_01KDVDNA00GGGGGGGGGGGGGGGZ"]) {
      const changed = await shop.call("PATCH", `/headcount-sources/${id}`, { account_id });
      expect(pointersOf(changed)).toEqual(["#/account_id"]);
    }
  });

  it("409 not_a_calendar, invalid_transition for what a source does not take", async () => {
    const api = await source({ kind: "api" });
    const upload = await source({ kind: "calendar_upload" });
    expect(refusal(await shop.post(`/headcount-sources/${api.id}/refresh`, { ics: lunch }))).toBe(
      "409 not_a_calendar",
    );
    const put = await shop.call("PUT", `/headcount-sources/${upload.id}/counts/2026-06-09`, { count: 1 });
    expect(refusal(put)).toBe("409 invalid_transition");
    const people = [{ name: "Ada", email: "ada@office.example" }];
    const asked = await shop.post(`/headcount-sources/${api.id}/invitations`, { date: "2026-06-09", people });
    expect(refusal(asked)).toBe("409 invalid_transition");
  });
});
