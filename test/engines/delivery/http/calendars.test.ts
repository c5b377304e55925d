import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createShop, idsOf, makeFixture, pointersOf, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop({ now: "2026-09-01T09:00:00.000Z" });
});
afterEach(() => shop.harness.close());

const harvest = { name: "Markets", events: [{ date: "2026-09-12", title: "Harvest market" }] };
/** Whether a day can be had by a customer in Westminster. */
const isFree = async (date: string): Promise<boolean> => {
  const answer = await shop.post("/validate", { postcode: "SW1A 1AA", basketTotal: 3000, date });
  return answer.json.data.deliverable;
};

describe("calendars", () => {
  it("200 lists the shipped ones beside the store's own", async () => {
    const own = await shop.make("/calendars", harvest);
    const answer = await shop.get("/calendars");
    expect(idsOf(answer)).toEqual([own, "gb-eng", "gb-nir", "gb-sct"]);
    const england = answer.json.data[1];
    expect(england).toMatchObject({ name: "England and Wales", version: 0 });
    expect(england.source).toContain("Open Government Licence v3.0");
    expect(england.events).toContainEqual({ date: "2026-12-28", title: "Boxing Day", substitute: true });
  });

  it("201 creates one, 200 shows it, 404 an unknown one", async () => {
    const answer = await shop.post("/calendars", {
      ...harvest,
      events: [{ date: "2026-09-20", title: "Second", substitute: true }, ...harvest.events],
    });
    expect(answer.status).toBe(201);
    const { data } = answer.json;
    expect(answer.headers.get("location")).toBe(`/v1/delivery/calendars/${data.id}`);
    expect(data.events).toEqual([
      { date: "2026-09-12", title: "Harvest market", substitute: false },
      { date: "2026-09-20", title: "Second", substitute: true },
    ]);
    expect((await shop.get(`/calendars/${data.id}`)).json.data).toEqual(data);
    expect((await shop.get("/calendars/gb-sct")).json.data.name).toBe("Scotland");
    expect((await shop.get("/calendars/gb-xyz")).status).toBe(404);
  });

  it("413 for titles that together are more than one resource holds, with an Idempotency-Key too", async () => {
    const events = Array.from({ length: 1_000 }, (_, day) => ({
      date: new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10),
      title: "€".repeat(120),
    }));
    for (const headers of [{}, { "idempotency-key": "large" }]) {
      const { key, harness } = shop;
      const body = { name: "Large", events };
      const answer = await harness.call("POST", "/v1/delivery/calendars", { key, body, headers });
      expect([answer.status, answer.json.error.detail]).toEqual([
        413,
        "The resource would exceed the limit of 262144 bytes.",
      ]);
    }
    expect((await shop.get("/calendars")).json.data).toHaveLength(3);
  });

  it("201 blocks days through settings, and through a blocked date for a zone", async () => {
    const { z1 } = await makeFixture(shop);
    const id = await shop.make("/calendars", harvest);
    expect(await isFree("2026-09-12")).toBe(true);
    const entry = await shop.make("/blocked-dates", { calendar_id: id, scope: "zones", zone_ids: [z1] });
    expect(await isFree("2026-09-12")).toBe(false);
    await shop.remove(`/blocked-dates/${entry}`);
    await shop.patch("/settings", { calendar_ids: [id] });
    expect([await isFree("2026-09-12"), await isFree("2026-09-13")]).toEqual([false, true]);
  });

  it("200 import takes gov.uk's own form, in place of the snapshot, and delete goes back to it", async () => {
    await makeFixture(shop);
    await shop.patch("/settings", { calendar_ids: ["gb-eng"] });
    const answer = await shop.post("/calendars/gb-eng/import", {
      division: "england-and-wales",
      source: "https://www.gov.uk/bank-holidays.json",
      events: [
        { title: "Boxing Day", date: "2026-12-28", notes: "Substitute day", bunting: true },
        { title: "A day of joy", date: "2026-09-08", notes: "", bunting: true },
      ],
    });
    expect(answer.status).toBe(200);
    expect(answer.json.data).toMatchObject({
      id: "gb-eng",
      name: "England and Wales",
      events: [
        { date: "2026-09-08", title: "A day of joy", substitute: false },
        { date: "2026-12-28", title: "Boxing Day", substitute: true },
      ],
    });
    expect(idsOf(await shop.get("/calendars"))).toEqual(["gb-eng", "gb-nir", "gb-sct"]);
    expect(await isFree("2026-09-08")).toBe(false);
    expect((await shop.remove("/calendars/gb-eng")).status).toBe(204);
    expect(await isFree("2026-09-08")).toBe(true);
    expect((await shop.get("/calendars/gb-eng")).json.data.version).toBe(0);
  });

  it("404 import into, or delete of, a calendar that is not the store's", async () => {
    const events = harvest.events;
    expect((await shop.post("/calendars/cal_nothing/import", { events })).status).toBe(404);
    expect((await shop.remove("/calendars/cal_nothing")).status).toBe(404);
    expect((await shop.remove("/calendars/gb-eng")).status).toBe(404);
  });

  it("409 in_use while settings or a blocked date name it", async () => {
    const id = await shop.make("/calendars", harvest);
    await shop.patch("/settings", { calendar_ids: [id] });
    expect(refusal(await shop.remove(`/calendars/${id}`))).toBe("409 in_use");
    await shop.patch("/settings", { calendar_ids: [] });
    const entry = await shop.make("/blocked-dates", { calendar_id: id });
    expect(refusal(await shop.remove(`/calendars/${id}`))).toBe("409 in_use");
    await shop.remove(`/blocked-dates/${entry}`);
    expect((await shop.remove(`/calendars/${id}`)).status).toBe(204);
  });

  it("409 limit_reached after 20 of its own", async () => {
    for (let made = 0; made < 20; made += 1) await shop.make("/calendars", harvest);
    expect(refusal(await shop.post("/calendars", harvest))).toBe("409 limit_reached");
  });

  it("412 when somebody was faster", async () => {
    const id = await shop.make("/calendars", harvest);
    const stale = { "if-match": '"999999"' };
    expect((await shop.call("DELETE", `/calendars/${id}`, undefined, stale)).status).toBe(412);
  });

  it("422 days that are none", async () => {
    const wrong = await shop.post("/calendars", { name: "x", events: [{ date: "2026-02-30", title: "x" }] });
    expect([wrong.status, pointersOf(wrong)]).toEqual([422, ["#/events/0/date"]]);
    expect(pointersOf(await shop.post("/calendars/gb-eng/import", { events: [] }))).toEqual(["#/events"]);
  });
});
