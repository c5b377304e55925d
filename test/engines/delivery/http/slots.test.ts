import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createShop, idsOf, makeFixture, makeWindow, pointersOf } from "./shop.ts";
import type { FixtureIds, Shop } from "./shop.ts";

let shop: Shop;
let f: FixtureIds;
let morning: string;
let evening: string;
beforeEach(async () => {
  shop = await createShop();
  f = await makeFixture(shop);
  morning = await makeWindow(shop, [f.z1], { capacity: 2 });
  evening = await makeWindow(shop, [f.z1, f.z2], {
    start: "18:00",
    end: "20:00",
    fee_delta: 200,
    channels: ["app"],
  });
});
afterEach(() => shop.harness.close());

const list = (query: string) => shop.get(`/slots?${query}`);

describe("slots.list", () => {
  it("200 every slot of the zone in order of time, to the end of the horizon", async () => {
    const answer = await list(`zone_id=${f.z1}&limit=100`);
    expect(answer.json.data).toHaveLength(28);
    expect(idsOf(answer).slice(0, 3)).toEqual([
      `${morning}@2026-06-01`,
      `${evening}@2026-06-01`,
      `${morning}@2026-06-02`,
    ]);
    expect(idsOf(answer).at(-1)).toBe(`${evening}@2026-06-14`);
    expect(answer.json.data[0]).toMatchObject({
      status: "closed",
      reason: { code: "slot_closed" },
      fee: null,
    });
  });

  it("200 without slots for a zone that is not active, in which no hold is taken either", async () => {
    expect((await shop.patch(`/zones/${f.z1}`, { active: false })).status).toBe(200);
    const answer = await list(`zone_id=${f.z1}`);
    expect([answer.status, answer.json.data]).toEqual([200, []]);
    expect(idsOf(await list(`zone_id=${f.z2}&limit=1`))).toEqual([`${evening}@2026-06-01`]);
  });

  it("200 by postcode, with the fee of a basket", async () => {
    const answer = await list("postcode=sw1a1aa&from=2026-06-02&to=2026-06-02&basket_total=3000");
    expect(answer.json.data.map(({ fee }: { fee: number }) => fee)).toEqual([299, 499]);
    expect((await list("postcode=SE1 9TG&limit=1")).json.data[0].zone_id).toBe(f.z2);
  });

  it("200 with one status, over pages", async () => {
    await shop.make("/holds", { slot_id: `${morning}@2026-06-03`, quantity: 2 });
    await shop.make("/blocked-dates", { date: "2026-06-04" });
    const day = "from=2026-06-03&to=2026-06-04";
    expect(idsOf(await list(`zone_id=${f.z1}&${day}&status=full`))).toEqual([`${morning}@2026-06-03`]);
    expect(idsOf(await list(`zone_id=${f.z1}&${day}&status=blocked`))).toEqual([
      `${morning}@2026-06-04`,
      `${evening}@2026-06-04`,
    ]);
    const whole = idsOf(await list(`zone_id=${f.z1}&status=open&limit=100`));
    expect(whole).toHaveLength(24);
    const paged: string[] = [];
    let cursor = "";
    do {
      const page = await list(`zone_id=${f.z1}&status=open&limit=5${cursor}`);
      paged.push(...idsOf(page));
      const next = page.json.meta.pagination.next_cursor;
      cursor = next === null ? "" : `&cursor=${next}`;
    } while (cursor !== "");
    expect(paged).toEqual(whole);
  });

  it("200 of one channel", async () => {
    const day = `zone_id=${f.z1}&from=2026-06-02&to=2026-06-02`;
    expect(idsOf(await list(`${day}&channel=web`))).toEqual([`${morning}@2026-06-02`]);
    expect(idsOf(await list(`${day}&channel=app`))).toHaveLength(2);
  });

  it("200 leaves out a slot that the spring change has swallowed, and tells the length of the others", async () => {
    shop.harness.clock.set("2026-03-20T00:00:00.000Z");
    await makeWindow(shop, [f.z3], { start: "01:00", end: "02:00" });
    await makeWindow(shop, [f.z3], { start: "00:00", end: "02:00" });
    const answer = await list(`zone_id=${f.z3}&from=2026-03-28&to=2026-03-29`);
    expect(
      answer.json.data.map(({ starts_at, ends_at }: Record<string, string>) => [starts_at, ends_at]),
    ).toEqual([
      ["2026-03-28T00:00:00.000Z", "2026-03-28T02:00:00.000Z"],
      ["2026-03-28T01:00:00.000Z", "2026-03-28T02:00:00.000Z"],
      // DA17; DA19 is the one that is missing.
      ["2026-03-29T00:00:00.000Z", "2026-03-29T01:00:00.000Z"],
    ]);
  });

  it("200 empty outside every zone, and before today", async () => {
    expect((await list("postcode=S1 2AA")).json.data).toEqual([]);
    expect((await list(`zone_id=${f.z3}`)).json.data).toEqual([]);
    expect(idsOf(await list(`zone_id=${f.z1}&from=2026-01-01&to=2026-06-01`))).toHaveLength(2);
  });

  it("200 for a mistyped postcode where the store corrects them, as validate and holds do", async () => {
    await shop.patch("/settings", { autocorrect_postcodes: true });
    expect(idsOf(await list("postcode=SWIA 2AA"))).toEqual(idsOf(await list("postcode=SW1A 2AA")));
  });

  it("404 an unknown zone", async () => {
    expect((await list("zone_id=zon_nothing")).status).toBe(404);
  });

  it.each([
    ["neither postcode nor zone", "", "postcode"],
    ["both", "zone_id=zon_1&postcode=SW1A 1AA", "postcode"],
    ["a mistyped postcode", "postcode=SWIA 2AA", "postcode"],
    ["a last day beyond the horizon", "postcode=SW1A 1AA&to=2026-06-15", "to"],
    ["a span backwards", "postcode=SW1A 1AA&from=2026-06-05&to=2026-06-04", "to"],
    ["a date that is none", "postcode=SW1A 1AA&from=2026-06-31", "from"],
    ["a basket in pounds", "postcode=SW1A 1AA&basket_total=12.5", "basket_total"],
    ["a status that is none", "postcode=SW1A 1AA&status=free", "status"],
  ])("422 %s", async (_, query, parameter) => {
    const answer = await list(query);
    expect([answer.status, pointersOf(answer)]).toEqual([422, [parameter]]);
  });
});
