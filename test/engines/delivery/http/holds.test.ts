import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { toNodeHandler } from "h3/node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openStore } from "../../../../server/storage/open.ts";
import { createTestClock } from "../../../harness.ts";
import { createShop, makeFixture, makeWindow, NOW, pointersOf, refusal } from "./shop.ts";
import type { FixtureIds, Shop } from "./shop.ts";

const MINUTE = 60_000;
let shop: Shop;
let f: FixtureIds;
let window: string;
beforeEach(async () => {
  shop = await createShop();
  f = await makeFixture(shop);
  window = await makeWindow(shop, [f.z1], { capacity: 3 });
});
afterEach(() => shop.harness.close());

const slot = (date = "2026-06-03"): string => `${window}@${date}`;
const remaining = async (date = "2026-06-03"): Promise<number> =>
  (await shop.get(`/slots?zone_id=${f.z1}&from=${date}&to=${date}`)).json.data[0].remaining;

describe("holds.create", () => {
  it("201 holds capacity for 15 minutes unless told", async () => {
    const answer = await shop.post("/holds", { slot_id: slot(), quantity: 2, reference: "order 7" });
    expect(answer.status).toBe(201);
    const { data } = answer.json;
    expect(answer.headers.get("location")).toBe(`/v1/delivery/holds/${data.id}`);
    expect(data).toMatchObject({
      id: expect.stringMatching(/^hld_/),
      slot_id: slot(),
      slot_window_id: window,
      zone_id: f.z1,
      date: "2026-06-03",
      starts_at: "2026-06-03T08:00:00.000Z",
      ends_at: "2026-06-03T11:00:00.000Z",
      quantity: 2,
      reference: "order 7",
      state: "held",
      expires_at: "2026-06-01T09:15:00.000Z",
      confirmed_at: null,
      released_at: null,
    });
    expect(await remaining()).toBe(1);
    const brief = await shop.post("/holds", { slot_id: slot(), ttl_seconds: 60 });
    expect(brief.json.data.expires_at).toBe("2026-06-01T09:01:00.000Z");
  });

  it("ends with its slot, also where it is extended or moved: nothing can be delivered in a slot that is over", async () => {
    const today = await makeWindow(shop, [f.z1], {
      start: "11:00",
      end: "11:30",
      lead_minutes: 0,
      cut_off: null,
    });
    const slotId = `${today}@2026-06-01`;
    const ends = "2026-06-01T10:30:00.000Z";
    const held = await shop.post("/holds", { slot_id: slotId, ttl_seconds: 7200 });
    expect(held.json.data).toMatchObject({ ends_at: ends, expires_at: ends });
    const other = await shop.make("/holds", { slot_id: slot(), ttl_seconds: 7200 });
    const moved = await shop.post(`/holds/${other}/move`, { slot_id: slotId });
    expect(moved.json.data.expires_at).toBe(ends);
    const id = await shop.make("/holds", { slot_id: slotId });
    const extended = await shop.post(`/holds/${id}/extend`, { ttl_seconds: 7200 });
    expect(extended.json.data.expires_at).toBe(ends);
    shop.harness.clock.advance(91 * MINUTE);
    for (const own of [held.json.data.id, other, id])
      expect(refusal(await shop.post(`/holds/${own}/confirm`))).toBe("409 hold_expired");
  });

  it("201 knows the zone by name, by postcode, or as the only one", async () => {
    const shared = await makeWindow(shop, [f.z1, f.z2]);
    const zoneOf = async (more: object) =>
      (await shop.post("/holds", { slot_id: `${shared}@2026-06-03`, ...more })).json.data.zone_id;
    expect(await zoneOf({ zone_id: f.z2 })).toBe(f.z2);
    expect(await zoneOf({ postcode: "sw1a1aa" })).toBe(f.z1);
    expect(await zoneOf({})).toBeNull();
  });

  it("422 for a zone that is not active, or a window that serves no other place, but moves what it has", async () => {
    const id = await shop.make("/holds", { slot_id: slot() });
    await shop.patch(`/zones/${f.z1}`, { active: false });
    const refused = async (more: object) =>
      pointersOf(await shop.post("/holds", { slot_id: slot(), ...more }));
    expect([await refused({ zone_id: f.z1 }), await refused({})]).toEqual([["#/zone_id"], ["#/slot_id"]]);
    expect((await shop.post(`/holds/${id}/move`, { slot_id: slot("2026-06-04") })).status).toBe(200);
    await shop.patch(`/zones/${f.z1}`, { active: true });
    expect((await shop.patch(`/slot-windows/${window}`, { zone_ids: [] })).status).toBe(200);
    expect(await refused({})).toEqual(["#/slot_id"]);
  });

  it("DA23 a hold of 900 s counts at 12:14:59 and is released at 12:15:00", async () => {
    shop.harness.clock.set("2026-06-01T12:00:00.000Z");
    const id = await shop.make("/holds", { slot_id: slot() });
    shop.harness.clock.set("2026-06-01T12:14:59.000Z");
    expect([await remaining(), (await shop.get(`/holds/${id}`)).json.data.state]).toEqual([2, "held"]);
    shop.harness.clock.set("2026-06-01T12:15:00.000Z");
    expect([await remaining(), (await shop.get(`/holds/${id}`)).json.data.state]).toEqual([3, "expired"]);
  });

  it("409 slot_full when the quantity does not fit", async () => {
    await shop.make("/holds", { slot_id: slot(), quantity: 2 });
    const answer = await shop.post("/holds", { slot_id: slot(), quantity: 2 });
    expect([refusal(answer), answer.json.error.detail]).toEqual(["409 slot_full", "Only 1 left."]);
    expect((await shop.post("/holds", { slot_id: slot() })).status).toBe(201);
    expect(refusal(await shop.post("/holds", { slot_id: slot() }))).toBe("409 slot_full");
    expect((await shop.post("/holds", { slot_id: slot("2026-06-04") })).status).toBe(201);
  });

  it("409 one code per reason: started, too far, cut off, too near", async () => {
    expect(refusal(await shop.post("/holds", { slot_id: slot("2026-06-01") }))).toBe("409 slot_closed");
    expect(refusal(await shop.post("/holds", { slot_id: slot("2026-06-15") }))).toBe("409 outside_horizon");
    await shop.patch(`/slot-windows/${window}`, { cut_off: { days_before: 1, time: "10:00" } });
    expect(refusal(await shop.post("/holds", { slot_id: slot("2026-06-02") }))).toBe("409 cutoff_passed");
    await shop.patch(`/slot-windows/${window}`, { cut_off: null, lead_minutes: 60 * 24 });
    expect(refusal(await shop.post("/holds", { slot_id: slot("2026-06-02") }))).toBe(
      "409 lead_time_too_short",
    );
    expect((await shop.post("/holds", { slot_id: slot("2026-06-03") })).status).toBe(201);
  });

  it("409 without a place where no place of the window could have it in time", async () => {
    const shared = await makeWindow(shop, [f.z1, f.z2]);
    const refused = async () => refusal(await shop.post("/holds", { slot_id: `${shared}@2026-06-02` }));
    for (const zone of [f.z1, f.z2]) await shop.patch(`/zones/${zone}`, { lead_minutes: 60 * 24 });
    expect(await refused()).toBe("409 lead_time_too_short");
    await shop.patch(`/zones/${f.z2}`, { lead_minutes: 60 });
    expect(await refused()).toBe("201");
  });

  it("409 date_blocked on a blocked day", async () => {
    await shop.make("/blocked-dates", { date: "2026-06-03", reason: "stocktaking" });
    const answer = await shop.post("/holds", { slot_id: slot() });
    expect([refusal(answer), answer.json.error.detail]).toEqual([
      "409 date_blocked",
      "The day is blocked: stocktaking.",
    ]);
  });

  it.each([
    ["an unknown window", { slot_id: "win_nothing@2026-06-03" }, "#/slot_id"],
    ["a date that is none", { slot_id: "win_1@2026-06-31" }, "#/slot_id"],
    ["a quantity of 0", { quantity: 0 }, "#/quantity"],
    ["a life of 59 s", { ttl_seconds: 59 }, "#/ttl_seconds"],
    ["a life of more than two hours", { ttl_seconds: 7201 }, "#/ttl_seconds"],
    ["an unknown zone", { zone_id: "zon_nothing" }, "#/zone_id"],
    ["a postcode out of every zone", { postcode: "S1 2AA" }, "#/postcode"],
    ["a postcode of a zone that the window does not serve", { postcode: "SE1 9TG" }, "#/postcode"],
    ["a mistyped postcode", { postcode: "SWIA 2AA" }, "#/postcode"],
  ])("422 %s", async (_, more, pointer) => {
    const answer = await shop.post("/holds", { slot_id: slot(), ...more });
    expect([answer.status, pointersOf(answer)]).toEqual([422, [pointer]]);
  });

  it("422 a day on which the window has no slot, and a zone named twice", async () => {
    await shop.patch(`/slot-windows/${window}`, { days: ["tue"] });
    expect(pointersOf(await shop.post("/holds", { slot_id: slot() }))).toEqual(["#/slot_id"]);
    const twice = { slot_id: slot("2026-06-02"), zone_id: f.z1, postcode: "SW1A 1AA" };
    expect(pointersOf(await shop.post("/holds", twice))).toEqual(["#/postcode"]);
  });
});

describe("holds.get", () => {
  it("200 shows the hold with its state at this instant", async () => {
    const id = await shop.make("/holds", { slot_id: slot() });
    const held = await shop.get(`/holds/${id}`);
    expect(held.json.data.state).toBe("held");
    shop.harness.clock.advance(15 * MINUTE);
    const etag = held.headers.get("etag") ?? "";
    const expired = await shop.call("GET", `/holds/${id}`, undefined, { "if-none-match": etag });
    expect([expired.status, expired.json?.data.state]).toEqual([200, "expired"]);
  });

  it("404 an unknown hold", async () => {
    expect((await shop.get("/holds/hld_nothing")).status).toBe(404);
  });
});

describe("holds.confirm", () => {
  it("200 makes a booking of it, once", async () => {
    const id = await shop.make("/holds", { slot_id: slot(), quantity: 2 });
    const answer = await shop.post(`/holds/${id}/confirm`);
    expect(answer.json.data).toMatchObject({ state: "confirmed", confirmed_at: "2026-06-01T09:00:00.000Z" });
    const again = await shop.post(`/holds/${id}/confirm`);
    expect([again.status, again.json.data]).toEqual([200, answer.json.data]);
    shop.harness.clock.advance(60 * MINUTE);
    expect((await shop.get(`/holds/${id}`)).json.data.state).toBe("confirmed");
    expect(await remaining()).toBe(1);
  });

  it("200 after the cut-off: the hold was made in time", async () => {
    await shop.patch(`/slot-windows/${window}`, { cut_off: { days_before: 2, time: "10:05" } });
    const id = await shop.make("/holds", { slot_id: slot() });
    shop.harness.clock.advance(10 * MINUTE);
    expect((await shop.post(`/holds/${id}/confirm`)).status).toBe(200);
  });

  it("200 after expiry while the capacity is still free", async () => {
    const id = await shop.make("/holds", { slot_id: slot(), quantity: 3 });
    shop.harness.clock.advance(15 * MINUTE);
    expect((await shop.post(`/holds/${id}/confirm`)).json.data.state).toBe("confirmed");
    expect(await remaining()).toBe(0);
  });

  it("409 hold_expired when somebody else has the capacity", async () => {
    const id = await shop.make("/holds", { slot_id: slot(), quantity: 2 });
    shop.harness.clock.advance(15 * MINUTE);
    await shop.make("/holds", { slot_id: slot(), quantity: 2 });
    expect(refusal(await shop.post(`/holds/${id}/confirm`))).toBe("409 hold_expired");
    expect(await remaining()).toBe(1);
  });

  it("409 hold_expired when the zone is not active any more", async () => {
    const id = await shop.make("/holds", { slot_id: slot() });
    await shop.patch(`/zones/${f.z1}`, { active: false });
    shop.harness.clock.advance(16 * MINUTE);
    expect(refusal(await shop.post(`/holds/${id}/confirm`))).toBe("409 hold_expired");
    await shop.patch(`/zones/${f.z1}`, { active: true });
    expect((await shop.post(`/holds/${id}/confirm`)).status).toBe(200);
  });

  it("409 hold_expired when the slot has closed, is blocked, or is no longer offered", async () => {
    const ids = await Promise.all(
      ["2026-06-02", "2026-06-03", "2026-06-04"].map((date) => shop.make("/holds", { slot_id: slot(date) })),
    );
    await shop.make("/blocked-dates", { date: "2026-06-03" });
    await shop.patch(`/slot-windows/${window}`, { valid_until: "2026-06-03" });
    shop.harness.clock.set("2026-06-02T08:00:00.000Z");
    for (const id of ids) expect(refusal(await shop.post(`/holds/${id}/confirm`))).toBe("409 hold_expired");
  });

  it("409 invalid_transition for a released hold", async () => {
    const id = await shop.make("/holds", { slot_id: slot() });
    await shop.post(`/holds/${id}/release`);
    const answer = await shop.post(`/holds/${id}/confirm`);
    expect([refusal(answer), answer.json.error.detail]).toEqual([
      "409 invalid_transition",
      "A hold with status `released` cannot be confirmed.",
    ]);
  });

  it("404 an unknown hold", async () => {
    expect((await shop.post("/holds/hld_nothing/confirm")).status).toBe(404);
  });
});

describe("holds.extend", () => {
  it("200 counts from now, and never past two hours in all", async () => {
    const id = await shop.make("/holds", { slot_id: slot() });
    shop.harness.clock.advance(10 * MINUTE);
    const extend = async (body: object) =>
      (await shop.post(`/holds/${id}/extend`, body)).json.data.expires_at;
    expect(await extend({})).toBe("2026-06-01T09:25:00.000Z");
    expect(await extend({ ttl_seconds: 60 })).toBe("2026-06-01T09:25:00.000Z");
    expect(await extend({ ttl_seconds: 7200 })).toBe("2026-06-01T11:00:00.000Z");
    shop.harness.clock.set("2026-06-01T10:59:59.000Z");
    expect(await remaining()).toBe(2);
    shop.harness.clock.set("2026-06-01T11:00:00.000Z");
    expect(await remaining()).toBe(3);
  });

  it("409 hold_expired for a dead hold, 409 invalid_transition for a booking and a released one", async () => {
    const [dead, booked, released] = await Promise.all(
      [1, 2, 3].map(() => shop.make("/holds", { slot_id: slot() })),
    );
    await shop.post(`/holds/${booked}/confirm`);
    await shop.post(`/holds/${released}/release`);
    shop.harness.clock.advance(15 * MINUTE);
    expect(refusal(await shop.post(`/holds/${dead}/extend`, {}))).toBe("409 hold_expired");
    expect(refusal(await shop.post(`/holds/${booked}/extend`, {}))).toBe("409 invalid_transition");
    expect(refusal(await shop.post(`/holds/${released}/extend`, {}))).toBe("409 invalid_transition");
  });

  it("404 an unknown hold, 422 a life out of bounds", async () => {
    expect((await shop.post("/holds/hld_nothing/extend", {})).status).toBe(404);
    const id = await shop.make("/holds", { slot_id: slot() });
    expect(pointersOf(await shop.post(`/holds/${id}/extend`, { ttl_seconds: 1 }))).toEqual(["#/ttl_seconds"]);
  });
});

describe("holds.release", () => {
  it("200 frees a hold, a booking and a dead hold, each once", async () => {
    const hold = await shop.make("/holds", { slot_id: slot() });
    const booking = await shop.make("/holds", { slot_id: slot() });
    await shop.post(`/holds/${booking}/confirm`);
    expect(await remaining()).toBe(1);
    expect((await shop.post(`/holds/${hold}/release`)).json.data).toMatchObject({ state: "released" });
    expect(await remaining()).toBe(2);
    expect((await shop.post(`/holds/${booking}/release`)).json.data.released_at).toBe(
      "2026-06-01T09:00:00.000Z",
    );
    expect(await remaining()).toBe(3);
    expect((await shop.post(`/holds/${booking}/release`)).status).toBe(200);
    expect(await remaining()).toBe(3);
    const dead = await shop.make("/holds", { slot_id: slot() });
    shop.harness.clock.advance(15 * MINUTE);
    expect((await shop.post(`/holds/${dead}/release`)).json.data.state).toBe("released");
    expect((await shop.get("/bookings")).json.data).toEqual([]);
  });

  it("404 an unknown hold", async () => {
    expect((await shop.post("/holds/hld_nothing/release")).status).toBe(404);
  });
});

describe("holds together", () => {
  it("DA22 200 at once on a capacity of 10: 10 are held, 190 get 409 slot_full", async () => {
    const wide = await makeWindow(shop, [f.z1], { capacity: 10 });
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => shop.post("/holds", { slot_id: `${wide}@2026-06-05` })),
    );
    expect(countBy(answers.map(refusal))).toEqual({ "201": 10, "409 slot_full": 190 });
    const left = await shop.get(`/slots?zone_id=${f.z1}&from=2026-06-05&to=2026-06-05&status=full`);
    expect(
      left.json.data.map(({ id, remaining: rest }: { id: string; remaining: number }) => [id, rest]),
    ).toEqual([[`${wide}@2026-06-05`, 0]]);
  });

  it("an Idempotency-Key holds once, however often it is sent", async () => {
    const headers = { "idempotency-key": "order-7" };
    const send = () => shop.call("POST", "/holds", { slot_id: slot() }, headers);
    const [first] = await Promise.all([send(), send(), send()]);
    const again = await send();
    expect(again.json.data).toEqual(first.json.data);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(await remaining()).toBe(2);
  });

  it("a window that shrinks takes nothing back and gives nothing out", async () => {
    await shop.make("/holds", { slot_id: slot(), quantity: 3 });
    await shop.patch(`/slot-windows/${window}`, { capacity: 1 });
    expect(await remaining()).toBe(0);
    expect(refusal(await shop.post("/holds", { slot_id: slot() }))).toBe("409 slot_full");
    await shop.patch(`/slot-windows/${window}`, { capacity: 4 });
    expect(await remaining()).toBe(1);
  });

  it("a zone that is deleted while it is booked keeps its booking, or never gets it", async () => {
    const [removed, held] = await Promise.all([
      shop.remove(`/zones/${f.z1}`),
      shop.post("/holds", { slot_id: slot() }),
    ]);
    const outcomes = [removed.status, held.status].join(" ");
    expect(["204 422", "409 201"]).toContain(outcomes);
  });
});

describe("holds over real HTTP on files", () => {
  let server: Server;
  let folder: string;
  afterEach(async () => {
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
    rmSync(folder, { recursive: true, force: true });
  });

  it("DA22 200 at once on a capacity of 10: 10 are held, 190 get 409 slot_full", async () => {
    folder = mkdtempSync(join(tmpdir(), "delivery-holds-"));
    const store = await openStore({ driver: "fs", base: folder }, { clock: createTestClock(NOW) });
    const real = await createShop({ store });
    server = createServer(toNodeHandler(real.harness.app));
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const { port } = server.address() as AddressInfo;
    const fixture = await makeFixture(real);
    const id = await makeWindow(real, [fixture.z1], { capacity: 10 });
    const send = async (): Promise<string> => {
      const answer = await fetch(`http://127.0.0.1:${port}/v1/delivery/holds`, {
        method: "POST",
        headers: { authorization: `Bearer ${real.key.plaintext}`, "content-type": "application/json" },
        body: JSON.stringify({ slot_id: `${id}@2026-06-05` }),
      });
      const { error } = await answer.json();
      return error === undefined ? String(answer.status) : `${answer.status} ${error.code}`;
    };
    const answers = await Promise.all(Array.from({ length: 200 }, send));
    expect(countBy(answers)).toEqual({ "201": 10, "409 slot_full": 190 });
    await real.harness.close();
    await store.close();
  });
});

function countBy(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
}
