import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { blockedDates, holds } from "../../../../server/engines/delivery/repository.ts";
import { blockedDate } from "../fixture.ts";
import { createShop, idsOf, makeFixture, makeWindow, pointersOf, refusal } from "./shop.ts";
import type { FixtureIds, Shop } from "./shop.ts";

let shop: Shop;
let f: FixtureIds;
let window: string;
beforeEach(async () => {
  shop = await createShop();
  f = await makeFixture(shop);
  window = await makeWindow(shop, [f.z1, f.z2]);
});
afterEach(() => shop.harness.close());

/** States of the zone's slots from 2 to 7 June, a Tuesday to a Sunday. */
const week = async (zoneId = f.z1): Promise<string> => {
  const answer = await shop.get(`/slots?zone_id=${zoneId}&from=2026-06-02&to=2026-06-07`);
  return answer.json.data
    .map(({ status }: { status: string }) => (status === "blocked" ? "x" : "o"))
    .join("");
};

describe("blocked-dates.create", () => {
  it("201 with defaults", async () => {
    const answer = await shop.post("/blocked-dates", { date: "2026-06-03", reason: " stocktaking " });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("location")).toBe(`/v1/delivery/blocked-dates/${answer.json.data.id}`);
    expect(answer.json.data).toMatchObject({
      id: expect.stringMatching(/^blk_/),
      scope: "all",
      date: "2026-06-03",
      from: null,
      rrule: null,
      ranges: [],
      reason: "stocktaking",
      action: "block",
    });
  });

  it("422 past 50 recurrences, by changing a date into one too", async () => {
    const rule = { from: "2026-01-01", rrule: "FREQ=WEEKLY;BYDAY=TU" };
    let last = "";
    for (let count = 0; count < 50; count += 1) last = await shop.make("/blocked-dates", rule);
    const answer = await shop.post("/blocked-dates", rule);
    expect([answer.status, answer.json.error.errors]).toEqual([
      422,
      [{ pointer: "#/rrule", detail: "The limit of 50 recurrences per store is reached. Delete one first." }],
    ]);
    const date = await shop.make("/blocked-dates", { date: "2026-06-03" });
    const change = await shop.patch(`/blocked-dates/${date}`, { ...rule, date: null });
    expect([change.status, pointersOf(change)]).toEqual([422, ["#/rrule"]]);
    expect((await shop.patch(`/blocked-dates/${last}`, { reason: "late" })).status).toBe(200);
  });

  it("422 past 100 entries for parts of a day, 201 for a whole one", async () => {
    const part = { date: "2026-06-03", ranges: [{ start: "08:00", end: "09:00" }] };
    for (let count = 0; count < 100; count += 1) await shop.make("/blocked-dates", part);
    const answer = await shop.post("/blocked-dates", part);
    expect([answer.status, answer.json.error.errors]).toEqual([
      422,
      [
        {
          pointer: "#/ranges",
          detail: "The limit of 100 blocked dates for parts of a day per store is reached. Delete one first.",
        },
      ],
    ]);
    expect((await shop.post("/blocked-dates", { date: "2026-06-03" })).status).toBe(201);
  });

  it.each([
    ["a date", { date: "2026-06-03" }, "oxoooo"],
    ["a range", { from: "2026-06-03", to: "2026-06-05" }, "oxxxoo"],
    ["a recurrence", { from: "2026-01-01", rrule: "FREQ=WEEKLY;BYDAY=TU,SA" }, "xoooxo"],
    ["a calendar", { calendar_id: "gb-eng" }, "oooooo"],
    [
      "a part of the day that the slot needs",
      { date: "2026-06-03", ranges: [{ start: "11:00", end: "15:00" }] },
      "oxoooo",
    ],
    [
      "a part of the day that it does not",
      { date: "2026-06-03", ranges: [{ start: "12:00", end: "15:00" }] },
      "oooooo",
    ],
  ])("201 %s blocks its slots", async (_, body, expected) => {
    await shop.make("/blocked-dates", body);
    expect(await week()).toBe(expected);
  });

  it("201 for a zone or a window only", async () => {
    await shop.make("/blocked-dates", { date: "2026-06-03", scope: "zones", zone_ids: [f.z2] });
    expect([await week(f.z1), await week(f.z2)]).toEqual(["oooooo", "oxoooo"]);
    await shop.make("/blocked-dates", {
      date: "2026-06-05",
      scope: "slot_windows",
      slot_window_ids: [window],
    });
    expect([await week(f.z1), await week(f.z2)]).toEqual(["oooxoo", "oxoxoo"]);
  });

  it("201 open re-opens what a recurrence or calendar blocks", async () => {
    await shop.make("/blocked-dates", { from: "2026-01-01", rrule: "FREQ=DAILY" });
    await shop.make("/blocked-dates", { date: "2026-06-04", action: "open" });
    expect(await week()).toBe("xxoxxx");
    await shop.make("/blocked-dates", { date: "2026-06-04" });
    expect(await week()).toBe("xxxxxx");
  });

  it.each([
    ["nothing to say when", {}, "#/date"],
    ["two ways of saying when", { date: "2026-06-03", calendar_id: "gb-eng" }, "#/date"],
    ["a range backwards", { from: "2026-06-03", to: "2026-06-02" }, "#/to"],
    [
      "a recurrence that would mean every day by mistake",
      { from: "2026-06-03", rrule: "FREQ=DAILY;BYMONTH=13" },
      "#/rrule",
    ],
    ["a zone that is not", { date: "2026-06-03", scope: "zones", zone_ids: ["zon_nothing"] }, "#/zone_ids/0"],
    [
      "a window that is not",
      { date: "2026-06-03", scope: "slot_windows", slot_window_ids: ["win_nothing"] },
      "#/slot_window_ids/0",
    ],
    ["a calendar that is not", { calendar_id: "gb-xyz" }, "#/calendar_id"],
    ["zones without the scope", { date: "2026-06-03", zone_ids: ["zon_1"] }, "#/zone_ids"],
    ["an empty range", { date: "2026-06-03", ranges: [{ start: "09:00", end: "09:00" }] }, "#/ranges"],
    ["a date that is none", { date: "2026-02-29" }, "#/date"],
  ])("422 %s", async (_, body, pointer) => {
    const answer = await shop.post("/blocked-dates", body);
    expect([answer.status, pointersOf(answer)]).toEqual([422, [pointer]]);
  });

  it("201 however many holds visitors have made and let expire on a day", async () => {
    const hold = await shop.post("/holds", { slot_id: `${window}@2026-06-03`, zone_id: f.z1 });
    expect(hold.status).toBe(201);
    const { version: _, ...value } = hold.json.data;
    const expired = { ...value, expires_at: "2026-06-01T09:00:00.000Z" };
    for (let made = 0; made < 2_001; made += 40) {
      await shop.harness.services.runTx(shop.key.storeId.toLowerCase(), async (tx) => {
        for (let at = made; at < made + 40; at += 1) tx.create(holds, { ...expired, id: `hld_${at}` });
      });
    }
    const other = await shop.post("/blocked-dates", { date: "2026-06-04" });
    expect([other.status, other.json.data.bookings]).toEqual([201, []]);
    const answer = await shop.post("/blocked-dates", { date: "2026-06-03" });
    expect([answer.status, answer.json.data.bookings]).toEqual([
      201,
      [expect.objectContaining({ hold_id: value.id, state: "held" })],
    ]);
  });

  it("409 limit_reached after 1000", async () => {
    // Each request reads all of them; most are put into the store directly.
    await shop.make("/blocked-dates", { date: "2026-06-03" });
    await fill(999);
    expect(refusal(await shop.post("/blocked-dates", { date: "2026-06-03" }))).toBe("409 limit_reached");
  });
});

async function fill(count: number): Promise<void> {
  for (let made = 0; made < count; made += 37) {
    await shop.harness.services.runTx(shop.key.storeId.toLowerCase(), async (tx) => {
      for (let at = made; at < made + 37; at += 1) {
        tx.create(blockedDates, blockedDate({ id: `blk_${at}`, date: "2026-06-03" }));
      }
    });
  }
}

describe("blocked-dates.list, get, update, remove", () => {
  it("200, 204: the slots follow at once", async () => {
    const id = await shop.make("/blocked-dates", { date: "2026-06-03" });
    expect(idsOf(await shop.get("/blocked-dates"))).toEqual([id]);
    expect((await shop.get(`/blocked-dates/${id}`)).json.data.date).toBe("2026-06-03");
    const moved = await shop.patch(`/blocked-dates/${id}`, {
      date: null,
      from: "2026-06-04",
      to: "2026-06-05",
    });
    expect(moved.json.data).toMatchObject({ date: null, from: "2026-06-04" });
    expect(await week()).toBe("ooxxoo");
    expect((await shop.remove(`/blocked-dates/${id}`)).status).toBe(204);
    expect(await week()).toBe("oooooo");
  });

  it("404 an unknown one", async () => {
    expect((await shop.get("/blocked-dates/blk_nothing")).status).toBe(404);
    expect((await shop.patch("/blocked-dates/blk_nothing", { reason: "x" })).status).toBe(404);
    expect((await shop.remove("/blocked-dates/blk_nothing")).status).toBe(404);
  });

  it("412 when somebody was faster; 422 when the rest no longer fits", async () => {
    const id = await shop.make("/blocked-dates", { date: "2026-06-03" });
    const stale = { "if-match": '"999999"' };
    expect((await shop.call("PATCH", `/blocked-dates/${id}`, { reason: "x" }, stale)).status).toBe(412);
    expect((await shop.call("DELETE", `/blocked-dates/${id}`, undefined, stale)).status).toBe(412);
    expect(pointersOf(await shop.patch(`/blocked-dates/${id}`, { from: "2026-06-04" }))).toEqual(["#/date"]);
    expect(pointersOf(await shop.patch(`/blocked-dates/${id}`, { scope: "zones" }))).toEqual(["#/zone_ids"]);
  });
});

describe("bookings that an entry blocks", () => {
  const book = async (slot_id: string, reference: string): Promise<void> => {
    const id = await shop.make("/holds", { slot_id, zone_id: f.z1, reference });
    expect((await shop.post(`/holds/${id}/confirm`)).status).toBe(200);
  };
  const blocked = async (body: object): Promise<string[]> =>
    (await shop.post("/blocked-dates", body)).json.data.bookings.map(
      ({ reference }: { reference: string }) => reference,
    );

  it("are found beyond a horizon that the shop has shortened since", async () => {
    await book(`${window}@2026-06-14`, "far");
    await shop.patch("/settings", { horizon_days: 3 });
    expect(await blocked({ date: "2026-06-14" })).toEqual(["far"]);
  });

  it("are found by the times at which they were made, not by those that the window has now", async () => {
    await book(`${window}@2026-06-03`, "morning");
    await shop.patch(`/slot-windows/${window}`, { start: "18:00", end: "20:00" });
    const at = (start: string, end: string) => ({ date: "2026-06-03", ranges: [{ start, end }] });
    expect(await blocked(at("08:00", "10:00"))).toEqual(["morning"]);
    expect(await blocked(at("17:00", "21:00"))).toEqual([]);
  });

  it("are those whose slot is not over, from yesterday on", async () => {
    const night = await makeWindow(shop, [f.z1], { start: "22:00", end: "02:00" });
    await book(`${night}@2026-06-01`, "night");
    await book(`${window}@2026-06-02`, "morning");
    shop.harness.clock.set("2026-06-02T00:30:00.000Z");
    expect(await blocked({ date: "2026-06-02", ranges: [{ start: "00:00", end: "12:00" }] })).toEqual([
      "night",
      "morning",
    ]);
    shop.harness.clock.set("2026-06-02T11:00:00.000Z");
    expect(await blocked({ date: "2026-06-02" })).toEqual([]);
  });
});
