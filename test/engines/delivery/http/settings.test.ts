import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createShop, makeFixture, makeWindow, pointersOf } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

const defaults = {
  id: "settings",
  country: "GB",
  time_zone: "Europe/London",
  currency: "GBP",
  horizon_days: 14,
  hold_ttl_seconds: 900,
  calendar_ids: [],
  default_lead_minutes: 0,
  autocorrect_postcodes: false,
  updated_at: null,
  version: 0,
};

describe("settings", () => {
  it("200 the defaults of a new store", async () => {
    expect((await shop.get("/settings")).json.data).toEqual(defaults);
  });

  it("200 changes what is given and keeps the rest", async () => {
    const first = await shop.patch("/settings", { horizon_days: 3, calendar_ids: ["gb-eng", "gb-nir"] });
    expect(first.json.data).toEqual({
      ...defaults,
      horizon_days: 3,
      calendar_ids: ["gb-eng", "gb-nir"],
      updated_at: "2026-06-01T09:00:00.000Z",
      version: expect.any(Number),
    });
    const second = await shop.patch("/settings", { hold_ttl_seconds: 60 });
    expect(second.json.data).toMatchObject({ horizon_days: 3, hold_ttl_seconds: 60 });
    expect((await shop.get("/settings")).json.data).toEqual(second.json.data);
  });

  it("200 horizon, lead, hold life and zone count at once", async () => {
    const { z1 } = await makeFixture(shop);
    const window = await makeWindow(shop, [z1], { start: "00:30", end: "03:00" });
    const open = async (): Promise<string[]> =>
      (await shop.get(`/slots?zone_id=${z1}&status=open&limit=100`)).json.data.map(
        ({ starts_at }: { starts_at: string }) => starts_at,
      );
    await shop.patch("/settings", { horizon_days: 2 });
    expect(await open()).toEqual(["2026-06-01T23:30:00.000Z"]);
    await shop.patch("/settings", { default_lead_minutes: 60 * 24, horizon_days: 3 });
    expect(await open()).toEqual(["2026-06-02T23:30:00.000Z"]);
    await shop.patch("/settings", { time_zone: "America/New_York" });
    expect(await open()).toEqual(["2026-06-03T04:30:00.000Z"]);
    await shop.patch("/settings", { hold_ttl_seconds: 120, default_lead_minutes: 0 });
    const hold = await shop.post("/holds", { slot_id: `${window}@2026-06-03` });
    expect(hold.json.data.expires_at).toBe("2026-06-01T09:02:00.000Z");
  });

  it("412 when somebody was faster", async () => {
    await shop.patch("/settings", { horizon_days: 3 });
    const answer = await shop.call("PATCH", "/settings", { horizon_days: 4 }, { "if-match": '"999999"' });
    expect(answer.status).toBe(412);
  });

  it.each([
    ["a calendar that is not", { calendar_ids: ["gb-eng", "gb-xyz"] }, "#/calendar_ids/1"],
    ["a fixed offset for a zone", { time_zone: "+01:00" }, "#/time_zone"],
    ["a zone that is none", { time_zone: "Europe/Atlantis" }, "#/time_zone"],
    ["a horizon of 61 days", { horizon_days: 61 }, "#/horizon_days"],
    ["a horizon of 0 days", { horizon_days: 0 }, "#/horizon_days"],
    ["a hold of 59 s", { hold_ttl_seconds: 59 }, "#/hold_ttl_seconds"],
    ["UK for GB", { country: "UK" }, "#/country"],
    ["a currency that is none", { currency: "pounds" }, "#/currency"],
    ["an unknown member", { colour: "red" }, "#/colour"],
  ])("422 %s", async (_, body, pointer) => {
    const answer = await shop.patch("/settings", body);
    expect([answer.status, pointersOf(answer)]).toEqual([422, [pointer]]);
  });
});
