import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createShop, idsOf, makeFixture, makeWindow, pointersOf, refusal } from "./shop.ts";
import type { FixtureIds, Shop } from "./shop.ts";

let shop: Shop;
let f: FixtureIds;
beforeEach(async () => {
  shop = await createShop();
  f = await makeFixture(shop);
});
afterEach(() => shop.harness.close());

const window = (more: object = {}) => ({
  zone_ids: [f.z1],
  days: ["tue"],
  start: "09:00",
  end: "12:00",
  capacity: 5,
  ...more,
});
const windowsOf = async (zoneId: string): Promise<string[]> =>
  (await shop.get(`/zones/${zoneId}`)).json.data.slot_window_ids;

describe("slot-windows.create", () => {
  it("201 with defaults, days in order, and its zones know it", async () => {
    const answer = await shop.post(
      "/slot-windows",
      window({ zone_ids: [f.z1, f.z2, f.z1], days: ["sun", "mon", "sun"] }),
    );
    expect(answer.status).toBe(201);
    const { data } = answer.json;
    expect(answer.headers.get("location")).toBe(`/v1/delivery/slot-windows/${data.id}`);
    expect(data).toMatchObject({
      id: expect.stringMatching(/^win_/),
      name: "",
      zone_ids: [f.z1, f.z2],
      days: ["mon", "sun"],
      fee_delta: 0,
      cut_off: null,
      lead_minutes: null,
      valid_from: null,
      valid_until: null,
      channels: [],
    });
    expect([await windowsOf(f.z1), await windowsOf(f.z2)]).toEqual([[data.id], [data.id]]);
  });

  it.each([
    ["no zone", { zone_ids: [] }, "#/zone_ids"],
    ["a zone that is not", { zone_ids: ["zon_nothing"] }, "#/zone_ids/0"],
    ["no day", { days: [] }, "#/days"],
    ["a day that is none", { days: ["noday"] }, "#/days/0"],
    ["a time that is none", { start: "24:00" }, "#/start"],
    ["no capacity", { capacity: 0 }, "#/capacity"],
    ["a capacity past the limit", { capacity: 2001 }, "#/capacity"],
    ["dates reversed", { valid_from: "2026-06-02", valid_until: "2026-06-01" }, "#/valid_until"],
    [
      "a cut-off on a day that is none",
      { cut_off: { days_before: -1, time: "10:00" } },
      "#/cut_off/days_before",
    ],
    ["a channel with blanks", { channels: ["my app"] }, "#/channels/0"],
  ])("422 %s", async (_, more, pointer) => {
    const answer = await shop.post("/slot-windows", window(more));
    expect([answer.status, pointersOf(answer)]).toEqual([422, [pointer]]);
  });

  it("409 limit_reached after 200 windows", async () => {
    for (let made = 0; made < 200; made += 1) await shop.make("/slot-windows", window());
    expect(refusal(await shop.post("/slot-windows", window()))).toBe("409 limit_reached");
  });
});

describe("slot-windows.list and slot-windows.get", () => {
  it("200 newest first; 404 an unknown one", async () => {
    const first = await shop.make("/slot-windows", window());
    const second = await shop.make("/slot-windows", window());
    const answer = await shop.get("/slot-windows");
    expect(idsOf(answer)).toEqual([second, first]);
    expect((await shop.get(`/slot-windows/${first}`)).json.data).toEqual(answer.json.data[1]);
    expect((await shop.get("/slot-windows/win_nothing")).status).toBe(404);
  });
});

describe("slot-windows.update", () => {
  it("200 moves it to another zone", async () => {
    const id = await shop.make("/slot-windows", window({ zone_ids: [f.z1, f.z2] }));
    const answer = await shop.patch(`/slot-windows/${id}`, {
      zone_ids: [f.z2, f.z3],
      cut_off: { minutes_before: 30 },
    });
    expect(answer.json.data).toMatchObject({ zone_ids: [f.z2, f.z3], cut_off: { minutes_before: 30 } });
    expect([await windowsOf(f.z1), await windowsOf(f.z2), await windowsOf(f.z3)]).toEqual([[], [id], [id]]);
    expect((await shop.patch(`/slot-windows/${id}`, { cut_off: null })).json.data.cut_off).toBeNull();
  });

  it("404, 412 and 422", async () => {
    const id = await shop.make("/slot-windows", window());
    expect((await shop.patch("/slot-windows/win_nothing", { capacity: 1 })).status).toBe(404);
    const stale = { "if-match": '"999999"' };
    expect((await shop.call("PATCH", `/slot-windows/${id}`, { capacity: 1 }, stale)).status).toBe(412);
    const wrong = await shop.patch(`/slot-windows/${id}`, { zone_ids: [f.z1, "zon_nothing"] });
    expect([wrong.status, pointersOf(wrong)]).toEqual([422, ["#/zone_ids/1"]]);
    expect(await windowsOf(f.z1)).toEqual([id]);
  });
});

describe("slot-windows.remove", () => {
  it("204, and it leaves its zones and the blocked dates that name it", async () => {
    const id = await makeWindow(shop, [f.z1, f.z2]);
    const other = await makeWindow(shop, [f.z1]);
    const scope = { date: "2026-07-01", scope: "slot_windows" };
    const both = await shop.make("/blocked-dates", { ...scope, slot_window_ids: [id, other] });
    const only = await shop.make("/blocked-dates", { ...scope, slot_window_ids: [id] });
    expect((await shop.remove(`/slot-windows/${id}`)).status).toBe(204);
    expect([await windowsOf(f.z1), await windowsOf(f.z2)]).toEqual([[other], []]);
    expect((await shop.get(`/blocked-dates/${both}`)).json.data.slot_window_ids).toEqual([other]);
    expect((await shop.get(`/blocked-dates/${only}`)).status).toBe(404);
  });

  it("409 has_bookings while something live is in it", async () => {
    const id = await makeWindow(shop, [f.z1]);
    const hold = await shop.make("/holds", { slot_id: `${id}@2026-06-05` });
    expect(refusal(await shop.remove(`/slot-windows/${id}`))).toBe("409 has_bookings");
    await shop.post(`/holds/${hold}/release`);
    expect((await shop.remove(`/slot-windows/${id}`)).status).toBe(204);
  });

  it("409 too_many_links when more than 90 blocked dates name it", async () => {
    const id = await makeWindow(shop, [f.z1]);
    const body = { date: "2026-07-01", scope: "slot_windows", slot_window_ids: [id] };
    for (let made = 0; made < 91; made += 1) await shop.make("/blocked-dates", body);
    expect(refusal(await shop.remove(`/slot-windows/${id}`))).toBe("409 too_many_links");
    const [first] = idsOf(await shop.get("/blocked-dates?limit=1"));
    await shop.remove(`/blocked-dates/${first}`);
    expect((await shop.remove(`/slot-windows/${id}`)).status).toBe(204);
  });

  it("404 and 412", async () => {
    const id = await makeWindow(shop, [f.z1]);
    expect((await shop.remove("/slot-windows/win_nothing")).status).toBe(404);
    const stale = { "if-match": '"999999"' };
    expect((await shop.call("DELETE", `/slot-windows/${id}`, undefined, stale)).status).toBe(412);
  });
});
