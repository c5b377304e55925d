import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { codesOf, createShop, idsOf, makeFixture, makeWindow, pointersOf, refusal } from "./shop.ts";
import type { FixtureIds, Shop } from "./shop.ts";

let shop: Shop;
let f: FixtureIds;
beforeEach(async () => {
  shop = await createShop();
  f = await makeFixture(shop);
});
afterEach(() => shop.harness.close());

const DAY = "2026-06-03";
const validate = (more: object = {}) =>
  shop.post("/validate", { postcode: "SW1A 1AA", basketTotal: 3000, ...more });
const makeLocation = (more: object = {}) => shop.make("/locations", { name: "Bakery", ...more });
const nextIds = async (more: object = {}): Promise<string[]> =>
  (await validate(more)).json.data.next_slots.map(({ slot_window_id: id }: Record<string, string>) => id);

describe("channels", () => {
  it("a window for pickup is neither offered nor held for delivery", async () => {
    const pickup = await makeWindow(shop, [f.z1], { channels: ["pickup"] });
    const slotId = `${pickup}@${DAY}`;
    expect(codesOf(await validate())).toEqual(["no_slots"]);
    expect(codesOf(await validate({ slot_id: slotId }))).toEqual(["channel_not_offered"]);
    expect(refusal(await shop.post("/holds", { slot_id: slotId }))).toBe("409 channel_not_offered");
    expect(codesOf(await validate({ channel: "pickup", slot_id: slotId }))).toEqual([]);
    const held = await shop.post("/holds", { slot_id: slotId, channel: "pickup" });
    expect([held.status, held.json.data.channel]).toEqual([201, "pickup"]);
  });

  it("a list of sales channels restricts neither delivery nor pickup", async () => {
    const web = await makeWindow(shop, [f.z1], { channels: ["web"] });
    expect(await nextIds()).toEqual([web, web, web]);
    expect(await nextIds({ channel: "web" })).toEqual([web, web, web]);
    expect(codesOf(await validate({ channel: "phone" }))).toEqual(["no_slots"]);
    const hold = { slot_id: `${web}@${DAY}` };
    expect((await shop.post("/holds", hold)).json.data.channel).toBe("delivery");
    expect(refusal(await shop.post("/holds", { ...hold, channel: "phone" }))).toBe("409 channel_not_offered");
  });

  it("an expired hold is confirmed in its own channel", async () => {
    const pickup = await makeWindow(shop, [f.z1], { channels: ["pickup"] });
    const id = await shop.make("/holds", { slot_id: `${pickup}@${DAY}`, channel: "pickup" });
    shop.harness.clock.set("2026-06-01T12:00:00.000Z");
    expect((await shop.post(`/holds/${id}/confirm`)).status).toBe(200);
  });
});

describe("pickup locations", () => {
  it("slots, validation, hold and booking without any zone", async () => {
    const location = await makeLocation({ lead_minutes: 60 });
    const window = await makeWindow(shop, [], { location_ids: [location], fee_delta: 50 });
    const slots = await shop.get(`/slots?location_id=${location}&from=${DAY}&to=${DAY}&basket_total=500`);
    expect(slots.json.data).toMatchObject([
      { id: `${window}@${DAY}`, zone_id: null, location_id: location, fee: 50, status: "open" },
    ]);
    const valid = await validate({ postcode: "", location_id: location, slot_id: `${window}@${DAY}` });
    expect(valid.json.data).toMatchObject({
      deliverable: true,
      zone: null,
      location: { id: location, name: "Bakery" },
      fee: 50,
      minimum_order: 0,
      reasons: [],
    });
    const hold = await shop.post("/holds", { slot_id: `${window}@${DAY}`, reference: "order 7" });
    expect(hold.json.data).toMatchObject({ zone_id: null, location_id: location, channel: "pickup" });
    await shop.post(`/holds/${hold.json.data.id}/confirm`);
    expect(idsOf(await shop.get(`/bookings?location_id=${location}&date=${DAY}`))).toEqual([
      hold.json.data.id,
    ]);
    expect(refusal(await shop.remove(`/locations/${location}`))).toBe("409 has_bookings");
    await shop.post(`/holds/${hold.json.data.id}/release`);
    expect((await shop.remove(`/locations/${location}`)).status).toBe(204);
    expect((await shop.get(`/slot-windows/${window}`)).json.data.location_ids).toEqual([]);
  });

  it("offers only slots within its opening hours, and only its own channels", async () => {
    const hours = [
      { days: ["wed", "thu"], start: "08:00", end: "12:00" },
      { days: ["fri"], start: "20:00", end: "12:30" },
    ];
    const location = await makeLocation({ hours });
    const window = await makeWindow(shop, [], { location_ids: [location] });
    const week = await shop.get(`/slots?location_id=${location}&from=2026-06-02&to=2026-06-07`);
    // Friday's hours end on Saturday after the window does.
    expect(idsOf(week)).toEqual(["03", "04", "06"].map((day) => `${window}@2026-06-${day}`));
    expect(codesOf(await validate({ location_id: location, channel: "dine_in" }))).toEqual([
      "channel_not_offered",
    ]);
    expect(refusal(await shop.post("/holds", { slot_id: `${window}@${DAY}`, channel: "dine_in" }))).toBe(
      "409 channel_not_offered",
    );
    expect(refusal(await shop.post("/holds", { slot_id: `${window}@2026-06-02` }))).toBe("422");
  });

  it("a blocked date can be for a location alone", async () => {
    const [one, two] = [await makeLocation(), await makeLocation()];
    const window = await makeWindow(shop, [f.z1], { location_ids: [one, two] });
    await shop.make("/blocked-dates", { date: DAY, scope: "locations", location_ids: [one] });
    const statusOf = async (place: string) =>
      (await shop.get(`/slots?${place}&from=${DAY}&to=${DAY}`)).json.data[0].status;
    expect([
      await statusOf(`location_id=${one}`),
      await statusOf(`location_id=${two}`),
      await statusOf(`zone_id=${f.z1}`),
    ]).toEqual(["blocked", "open", "open"]);
    expect(refusal(await shop.post("/holds", { slot_id: `${window}@${DAY}`, location_id: one }))).toBe(
      "409 date_blocked",
    );
  });

  it("200, 404, 409, 412, 422", async () => {
    const location = await makeLocation();
    expect(idsOf(await shop.get("/locations"))).toEqual([location]);
    expect((await shop.get(`/locations/${location}`)).json.data).toMatchObject({
      address: "",
      channels: ["pickup"],
      hours: [],
    });
    expect((await shop.patch(`/locations/${location}`, { name: "Shop" })).json.data.name).toBe("Shop");
    const stale = { "if-match": '"999999"' };
    expect((await shop.call("PATCH", `/locations/${location}`, { name: "x" }, stale)).status).toBe(412);
    expect((await shop.call("DELETE", `/locations/${location}`, undefined, stale)).status).toBe(412);
    for (const [method, body] of [["GET"], ["PATCH", { name: "x" }], ["DELETE"]] as const) {
      expect((await shop.call(method, "/locations/loc_none", body)).status).toBe(404);
    }
    expect((await shop.get("/slots?location_id=loc_none")).status).toBe(404);
    expect(pointersOf(await validate({ location_id: "loc_none" }))).toEqual(["#/location_id"]);
    const window = { days: ["mon"], start: "09:00", end: "10:00", capacity: 1 };
    expect(pointersOf(await shop.post("/slot-windows", window))).toEqual(["#/zone_ids"]);
    expect(pointersOf(await shop.post("/slot-windows", { ...window, location_ids: ["loc_none"] }))).toEqual([
      "#/location_ids/0",
    ]);
    const block = { date: DAY, scope: "locations", location_ids: ["loc_none"] };
    expect(pointersOf(await shop.post("/blocked-dates", block))).toEqual(["#/location_ids/0"]);
    await Promise.all(Array.from({ length: 91 }, () => makeBlock(location)));
    expect(refusal(await shop.remove(`/locations/${location}`))).toBe("409 too_many_links");
    for (let made = 1; made < 100; made += 1) await makeLocation();
    expect(refusal(await shop.post("/locations", { name: "one more" }))).toBe("409 limit_reached");
  });

  const makeBlock = (location: string) =>
    shop.make("/blocked-dates", { date: DAY, scope: "locations", location_ids: [location] });
});

describe("moving a booking", () => {
  let window: string;
  beforeEach(async () => {
    window = await makeWindow(shop, [f.z1], { capacity: 2 });
  });
  const move = (id: string, date: string, more: object = {}) =>
    shop.post(`/holds/${id}/move`, { slot_id: `${window}@${date}`, ...more });
  const remaining = async (): Promise<number[]> =>
    (await shop.get(`/slots?zone_id=${f.z1}&from=2026-06-03&to=2026-06-04`)).json.data
      .filter(({ slot_window_id: id }: { slot_window_id: string }) => id === window)
      .map((slot: { remaining: number }) => slot.remaining);

  it.each(["held", "confirmed"])("takes one slot and leaves the other in one step: %s", async (state) => {
    const id = await shop.make("/holds", { slot_id: `${window}@${DAY}`, quantity: 2, reference: "order 9" });
    if (state === "confirmed") await shop.post(`/holds/${id}/confirm`);
    expect(await remaining()).toEqual([0, 2]);
    const moved = await move(id, "2026-06-04");
    expect(moved.json.data).toMatchObject({
      id,
      slot_id: `${window}@2026-06-04`,
      starts_at: "2026-06-04T08:00:00.000Z",
      state,
      zone_id: f.z1,
    });
    expect(await remaining()).toEqual([2, 0]);
    expect((await move(id, "2026-06-04")).status).toBe(200);
    await shop.post(`/holds/${id}/release`);
    expect(await remaining()).toEqual([2, 2]);
    expect(refusal(await move(id, DAY))).toBe("409 invalid_transition");
  });

  it("changes nothing when the new slot is not open; each reason has its code", async () => {
    const id = await shop.make("/holds", { slot_id: `${window}@${DAY}` });
    await shop.make("/holds", { slot_id: `${window}@2026-06-04`, quantity: 2 });
    await shop.make("/blocked-dates", { date: "2026-06-05" });
    const late = await makeWindow(shop, [f.z1], { cut_off: { minutes_before: 40_000 } });
    const slow = await makeWindow(shop, [f.z1], { lead_minutes: 40_000 });
    const dine = await makeWindow(shop, [f.z1], { channels: ["dine_in"] });
    const to = async (target: string) => refusal(await shop.post(`/holds/${id}/move`, { slot_id: target }));
    expect([
      await to(`${window}@2026-06-04`),
      await to(`${window}@2026-06-05`),
      await to(`${window}@2026-06-01`),
      await to(`${window}@2026-06-15`),
      await to(`${late}@2026-06-08`),
      await to(`${slow}@2026-06-08`),
      await to(`${dine}@2026-06-08`),
      await to("win_none@2026-06-08"),
    ]).toEqual([
      "409 slot_full",
      "409 date_blocked",
      "409 slot_closed",
      "409 outside_horizon",
      "409 cutoff_passed",
      "409 lead_time_too_short",
      "409 channel_not_offered",
      "422",
    ]);
    expect(await remaining()).toEqual([1, 0]);
    expect((await shop.post("/holds/hld_none/move", { slot_id: `${window}@${DAY}` })).status).toBe(404);
    shop.harness.clock.set("2026-06-01T12:00:00.000Z");
    expect(refusal(await move(id, "2026-06-06"))).toBe("409 hold_expired");
  });

  it("never oversells: many bookings moved at once into a slot for two", async () => {
    const big = await makeWindow(shop, [f.z1], { capacity: 12 });
    const ids = await Promise.all(
      Array.from({ length: 12 }, () => shop.make("/holds", { slot_id: `${big}@${DAY}` })),
    );
    const answers = await Promise.all(ids.map((id) => move(id, "2026-06-04")));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    const slots = await shop.get(`/slots?zone_id=${f.z1}&from=2026-06-03&to=2026-06-04`);
    const left = new Map(
      slots.json.data.map(({ id, remaining: rest }: { id: string; remaining: number }) => [id, rest]),
    );
    expect([left.get(`${window}@2026-06-04`), left.get(`${big}@${DAY}`)]).toEqual([0, 2]);
  });

  it("to another place that the slot serves, but not within its slot", async () => {
    const both = await makeWindow(shop, [f.z1, f.z2]);
    const id = await shop.make("/holds", { slot_id: `${both}@${DAY}`, zone_id: f.z1 });
    const slot = (date: string) => ({ slot_id: `${both}@${date}`, zone_id: f.z2 });
    expect(pointersOf(await shop.post(`/holds/${id}/move`, slot(DAY)))).toEqual(["#/slot_id"]);
    expect((await shop.post(`/holds/${id}/move`, slot("2026-06-04"))).json.data.zone_id).toBe(f.z2);
  });
});

describe("finding bookings", () => {
  it("by reference", async () => {
    const window = await makeWindow(shop, [f.z1]);
    const id = await shop.make("/holds", { slot_id: `${window}@${DAY}`, reference: "Order #7/2026" });
    await shop.make("/holds", { slot_id: `${window}@${DAY}`, reference: "Order #8/2026" });
    const find = (reference: string) => shop.get(`/bookings?reference=${encodeURIComponent(reference)}`);
    expect(idsOf(await find("Order #7/2026"))).toEqual([]);
    await shop.post(`/holds/${id}/confirm`);
    expect(idsOf(await find("Order #7/2026"))).toEqual([id]);
    expect(idsOf(await find("Order #7"))).toEqual([]);
    expect(pointersOf(await shop.get(`/bookings?reference=x&date=${DAY}`))).toEqual(["reference"]);
    expect(pointersOf(await shop.get(`/bookings?zone_id=${f.z1}&location_id=loc_none`))).toEqual([
      "location_id",
    ]);
  });

  it("blocking a day returns the bookings and holds in its slots", async () => {
    const window = await makeWindow(shop, [f.z1, f.z2]);
    const late = await makeWindow(shop, [f.z1], { start: "18:00", end: "20:00" });
    const hold = (slotId: string, reference: string, zoneId = f.z1) =>
      shop.make("/holds", { slot_id: slotId, reference, zone_id: zoneId });
    const first = await hold(`${window}@${DAY}`, "first");
    await shop.post(`/holds/${first}/confirm`);
    await hold(`${window}@${DAY}`, "held", f.z2);
    await hold(`${late}@${DAY}`, "late");
    await hold(`${window}@2026-06-04`, "other day");
    const released = await hold(`${window}@${DAY}`, "released");
    await shop.post(`/holds/${released}/release`);
    const block = async (body: object) => {
      const answer = await shop.post("/blocked-dates", body);
      return answer.json.data.bookings.map(({ reference }: { reference: string }) => reference).sort();
    };
    const morning = [{ start: "08:00", end: "10:00" }];
    expect(await block({ date: DAY, ranges: morning })).toEqual(["first", "held"]);
    expect(await block({ date: DAY, scope: "zones", zone_ids: [f.z1] })).toEqual(["first", "late"]);
    expect(await block({ date: DAY, action: "open" })).toEqual([]);
    expect(await block({ from: "2026-06-01", rrule: "FREQ=WEEKLY;BYDAY=TH" })).toEqual(["other day"]);
    const whole = await shop.post("/blocked-dates", { date: "2026-06-09" });
    expect(whole.json.data).toMatchObject({ version: expect.any(Number), bookings: [] });
    const moved = await shop.patch(`/blocked-dates/${whole.json.data.id}`, { date: DAY });
    expect(moved.json.data.bookings).toHaveLength(3);
    expect(moved.json.data.bookings).toContainEqual({
      hold_id: first,
      slot_id: `${window}@${DAY}`,
      date: DAY,
      zone_id: f.z1,
      location_id: null,
      quantity: 1,
      reference: "first",
      state: "confirmed",
    });
    expect(moved.headers.get("etag")).toBe(`"${moved.json.data.version}"`);
    const read = await shop.get(`/blocked-dates/${whole.json.data.id}`);
    expect(read.json.data.bookings).toBeUndefined();
  });
});

describe("zones with an area", () => {
  const palace = { latitude: 51.5014, longitude: -0.1419 };
  const ring = [
    [-0.2, 51.4],
    [0, 51.4],
    [0, 51.6],
    [-0.2, 51.6],
    [-0.2, 51.4],
  ];
  const make = (area: object, more: object = {}) =>
    shop.post("/zones", {
      name: "map",
      priority: 50,
      fee_tiers: [{ from: 0, fee: 100 }],
      area,
      ...more,
    });

  it("are matched by the coordinates of the request, beside patterns", async () => {
    const near = await make({ type: "Circle", coordinates: [-0.1419, 51.5014], radius_meters: 500 });
    expect(near.status).toBe(201);
    const zoneAt = async (coordinates: object | undefined, postcode = "SW1A 1AA") =>
      (await validate({ postcode, coordinates })).json.data.zone?.id ?? null;
    expect(await zoneAt(palace)).toBe(near.json.data.id);
    expect(await zoneAt(undefined)).toBe(f.z1);
    expect(await zoneAt({ latitude: 51.52, longitude: -0.1419 })).toBe(f.z1);
    const outside = await validate({ postcode: "S1 2AA" });
    expect(codesOf(outside)).toEqual(["coordinates_required"]);
    const far = await validate({ postcode: "S1 2AA", coordinates: { latitude: 53, longitude: -1 } });
    expect(codesOf(far)).toEqual(["out_of_zone"]);
  });

  it("an exclude of the zone takes precedence over its area", async () => {
    const zone = await make({ type: "Polygon", coordinates: [ring] }, { excludes: ["SW1A 1"] });
    const match = await shop.post("/zones/match", { postcode: "SW1A 1AA", coordinates: palace });
    expect(match.json.data.zone.id).toBe(f.z1);
    expect(match.json.data.candidates).toContainEqual(
      expect.objectContaining({ zone_id: zone.json.data.id, outcome: "excluded" }),
    );
    const other = await shop.post("/zones/match", { postcode: "SW1P 1AA", coordinates: palace });
    expect(other.json.data.candidates[0]).toMatchObject({
      zone_id: zone.json.data.id,
      included_by: { level: "polygon" },
      detail: "Included by the area on the map, the most specific pattern.",
    });
  });

  it("reach slots and holds", async () => {
    const zone = await make({ type: "MultiPolygon", coordinates: [[ring]] });
    const window = await makeWindow(shop, [zone.json.data.id]);
    const place = `latitude=${palace.latitude}&longitude=${palace.longitude}`;
    const slots = await shop.get(`/slots?postcode=SW1A1AA&${place}&from=${DAY}&to=${DAY}`);
    expect(idsOf(slots)).toEqual([`${window}@${DAY}`]);
    const hold = { slot_id: `${window}@${DAY}`, postcode: "SW1A 1AA", coordinates: palace };
    expect((await shop.post("/holds", hold)).json.data.zone_id).toBe(zone.json.data.id);
    expect(pointersOf(await shop.get("/slots?postcode=SW1A1AA&latitude=51"))).toEqual(["latitude"]);
  });

  it.each([
    ["an open ring", { type: "Polygon", coordinates: [ring.slice(0, 4)] }, "#/area/coordinates"],
    ["a latitude beyond the pole", { type: "Circle", coordinates: [0, 91], radius_meters: 5 }, "#/area"],
    [
      "a ring of one point",
      { type: "Polygon", coordinates: [[0, 1, 2, 3].map(() => [0, 51])] },
      "#/area/coordinates",
    ],
  ])("422 %s", async (_, area, pointer) => {
    const answer = await make(area);
    expect(answer.status).toBe(422);
    expect(pointersOf(answer)[0]).toContain(pointer);
  });
});
