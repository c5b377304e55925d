import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { slotUsages } from "../../../../server/engines/delivery/repository.ts";
import { usageIdOf } from "../../../../server/engines/delivery/rules/list-slots.ts";
import { datesFrom } from "../../../../server/lib/local-time.ts";
import { createShop, idsOf, makeFixture, makeWindow, pointersOf, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

const tier = [{ from: 0, fee: 499 }];
const zone = (more: object = {}) => ({ name: "Zone", fee_tiers: tier, ...more });

describe("zones.create", () => {
  it("201 with defaults, canonical patterns and ids for its tiers", async () => {
    const answer = await shop.post("/zones", zone({ patterns: ["sw1a 1aa", "SW1*", "sw1", "sw2 - sw9"] }));
    expect(answer.status).toBe(201);
    const { data } = answer.json;
    expect(answer.headers.get("location")).toBe(`/v1/delivery/zones/${data.id}`);
    expect(data).toMatchObject({
      id: expect.stringMatching(/^zon_/),
      country: "GB",
      patterns: ["SW1A 1AA", "SW1", "SW2-SW9"],
      excludes: [],
      priority: 0,
      active: true,
      minimum_order: 0,
      free_from: null,
      lead_minutes: null,
      fee_tiers: [{ id: expect.stringMatching(/^fee_/), from: 0, fee: 499 }],
      slot_window_ids: [],
    });
    expect((await shop.get(`/zones/${data.id}`)).json.data).toEqual(data);
  });

  it("422 names every pattern that cannot be read", async () => {
    const answer = await shop.post("/zones", zone({ patterns: ["SW1", "XX1", "SW9-SW1"], excludes: ["E1"] }));
    expect([answer.status, pointersOf(answer)]).toEqual([422, ["#/patterns/1", "#/patterns/2"]]);
    const excludes = await shop.post("/zones", zone({ excludes: ["nowhere"] }));
    expect(pointersOf(excludes)).toEqual(["#/excludes/0"]);
  });

  it.each([
    ["without tiers", { fee_tiers: [] }, "#/fee_tiers"],
    ["a first tier above 0", { fee_tiers: [{ from: 1, fee: 1 }] }, "#/fee_tiers"],
    [
      "tiers out of order",
      { fee_tiers: [...tier, { from: 200, fee: 1 }, { from: 100, fee: 1 }] },
      "#/fee_tiers",
    ],
    [
      "free_from that contradicts the tiers",
      { fee_tiers: [...tier, { from: 500, fee: 0 }], free_from: 400 },
      "#/fee_tiers",
    ],
    ["an unknown member", { colour: "red" }, "#/colour"],
    ["an empty name", { name: "  " }, "#/name"],
  ])("422 %s", async (_, more, pointer) => {
    const answer = await shop.post("/zones", zone(more));
    expect([answer.status, pointersOf(answer)]).toEqual([422, [pointer]]);
  });

  it("409 pattern_conflict when another active zone of equal priority claims the same place", async () => {
    await shop.make("/zones", zone({ patterns: ["SW1-SW5"] }));
    const answer = await shop.post("/zones", zone({ patterns: ["SW4-SW9"] }));
    expect(refusal(answer)).toBe("409 pattern_conflict");
    expect(answer.json.error.detail).toContain("SW4-SW9");
    expect((await shop.post("/zones", zone({ patterns: ["SW4-SW9"], priority: 1 }))).status).toBe(201);
    expect((await shop.post("/zones", zone({ patterns: ["SW4-SW9"], active: false }))).status).toBe(201);
  });

  it("409 limit_reached after 200 zones", async () => {
    for (let made = 0; made < 200; made += 1) await shop.make("/zones", zone());
    expect(refusal(await shop.post("/zones", zone()))).toBe("409 limit_reached");
  });

  it("of two at once that contradict each other one is made", async () => {
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => shop.post("/zones", zone({ patterns: ["SW1"] }))),
    );
    expect(answers.map(refusal).sort()).toEqual([
      "201",
      ...Array.from({ length: 3 }, () => "409 pattern_conflict"),
    ]);
  });
});

describe("zones.list and zones.get", () => {
  it("200 newest first, in pages", async () => {
    const { z1, z2, z3 } = await makeFixture(shop);
    shop.harness.clock.advance(1);
    const z4 = await shop.make("/zones", zone());
    const first = await shop.get("/zones?limit=3");
    expect(idsOf(first)).toEqual([z4, z3, z2]);
    const { next_cursor: cursor } = first.json.meta.pagination;
    expect(idsOf(await shop.get(`/zones?limit=3&cursor=${cursor}`))).toEqual([z1]);
  });

  it("404 an unknown zone, and another store's", async () => {
    const { z1 } = await makeFixture(shop);
    expect((await shop.get("/zones/zon_nothing")).status).toBe(404);
    const stranger = await shop.harness.key();
    expect((await shop.harness.call("GET", `/v1/delivery/zones/${z1}`, { key: stranger })).status).toBe(404);
  });
});

describe("zones.update", () => {
  it("200 changes what is given and keeps the rest", async () => {
    const { z1 } = await makeFixture(shop);
    const before = (await shop.get(`/zones/${z1}`)).json.data;
    shop.harness.clock.advance(1000);
    const answer = await shop.patch(`/zones/${z1}`, { minimum_order: 1200, patterns: ["sw1"] });
    expect(answer.json.data).toEqual({
      ...before,
      minimum_order: 1200,
      patterns: ["SW1"],
      updated_at: "2026-06-01T09:00:01.000Z",
      version: expect.any(Number),
    });
    expect(answer.json.data.version).toBeGreaterThan(before.version);
    expect(answer.headers.get("etag")).toBe(`"${answer.json.data.version}"`);
  });

  it("200 takes free_from away with null", async () => {
    const id = await shop.make("/zones", zone({ free_from: 5000 }));
    expect((await shop.patch(`/zones/${id}`, { free_from: null })).json.data.free_from).toBeNull();
  });

  it("404 an unknown zone", async () => {
    expect((await shop.patch("/zones/zon_nothing", { priority: 1 })).status).toBe(404);
  });

  it("409 pattern_conflict when the priorities become equal", async () => {
    const { z1 } = await makeFixture(shop);
    const twin = await shop.make("/zones", zone({ patterns: ["SW1"], priority: 3 }));
    expect(refusal(await shop.patch(`/zones/${twin}`, { priority: 10 }))).toBe("409 pattern_conflict");
    await shop.patch(`/zones/${z1}`, { active: false });
    expect((await shop.patch(`/zones/${twin}`, { priority: 10 })).status).toBe(200);
    expect(refusal(await shop.patch(`/zones/${z1}`, { active: true }))).toBe("409 pattern_conflict");
  });

  it("412 when somebody was faster", async () => {
    const { z1 } = await makeFixture(shop);
    const etag = (await shop.get(`/zones/${z1}`)).headers.get("etag") ?? "";
    await shop.patch(`/zones/${z1}`, { priority: 11 });
    const answer = await shop.call("PATCH", `/zones/${z1}`, { priority: 12 }, { "if-match": etag });
    expect(answer.status).toBe(412);
    expect((await shop.get(`/zones/${z1}`)).json.data.priority).toBe(11);
  });

  it("422 when the tiers no longer fit", async () => {
    const { z1 } = await makeFixture(shop);
    expect((await shop.patch(`/zones/${z1}`, { free_from: 100 })).status).toBe(422);
    expect((await shop.patch(`/zones/${z1}`, { country: "NL" })).status).toBe(422);
  });
});

describe("zones.set-fee-tiers", () => {
  it("200 replaces the tiers; one that starts where one started keeps its id", async () => {
    const { z1 } = await makeFixture(shop);
    const before = (await shop.get(`/zones/${z1}`)).json.data.fee_tiers;
    const feeTiers = [
      { from: 0, fee: 450 },
      { from: 6000, fee: 0 },
    ];
    const answer = await shop.call("PUT", `/zones/${z1}/fee-tiers`, { fee_tiers: feeTiers });
    expect(answer.status).toBe(200);
    expect(answer.json.data.fee_tiers).toMatchObject(feeTiers);
    expect(answer.json.data.fee_tiers[0].id).toBe(before[0].id);
  });

  it("404, 412 and 422", async () => {
    const { z1 } = await makeFixture(shop);
    const put = (id: string, feeTiers: unknown, headers = {}) =>
      shop.call("PUT", `/zones/${id}/fee-tiers`, { fee_tiers: feeTiers }, headers);
    expect((await put("zon_nothing", tier)).status).toBe(404);
    expect((await put(z1, tier, { "if-match": '"999999"' })).status).toBe(412);
    expect((await put(z1, [])).status).toBe(422);
    expect((await put(z1, [...tier, ...tier])).status).toBe(422);
  });
});

describe("zones.remove", () => {
  it("204, and it leaves the windows and blocked dates that name it", async () => {
    const { z1, z2 } = await makeFixture(shop);
    const window = await makeWindow(shop, [z1, z2]);
    const both = await shop.make("/blocked-dates", {
      date: "2026-07-01",
      scope: "zones",
      zone_ids: [z1, z2],
    });
    const only = await shop.make("/blocked-dates", { date: "2026-07-02", scope: "zones", zone_ids: [z1] });
    const answer = await shop.remove(`/zones/${z1}`);
    expect([answer.status, answer.text]).toEqual([204, ""]);
    expect((await shop.get(`/zones/${z1}`)).status).toBe(404);
    expect((await shop.get(`/slot-windows/${window}`)).json.data.zone_ids).toEqual([z2]);
    expect((await shop.get(`/blocked-dates/${both}`)).json.data.zone_ids).toEqual([z2]);
    // A block for this zone alone must not turn into one for all.
    expect((await shop.get(`/blocked-dates/${only}`)).status).toBe(404);
    expect((await shop.get("/outcodes?limit=100")).text).not.toContain(z1);
  });

  it("409 has_bookings while it has a live hold or a booking", async () => {
    const { z1, z2 } = await makeFixture(shop);
    const window = await makeWindow(shop, [z1, z2]);
    const hold = await shop.make("/holds", { slot_id: `${window}@2026-06-05`, zone_id: z1 });
    expect(refusal(await shop.remove(`/zones/${z1}`))).toBe("409 has_bookings");
    expect((await shop.remove(`/zones/${z2}`)).status).toBe(204);
    await shop.post(`/holds/${hold}/confirm`);
    shop.harness.clock.advance(3_600_000);
    expect(refusal(await shop.remove(`/zones/${z1}`))).toBe("409 has_bookings");
    // Also when the window no longer serves it.
    const other = await shop.make("/zones", zone());
    await shop.patch(`/slot-windows/${window}`, { zone_ids: [other] });
    expect(refusal(await shop.remove(`/zones/${z1}`))).toBe("409 has_bookings");
    await shop.post(`/holds/${hold}/release`);
    expect((await shop.remove(`/zones/${z1}`)).status).toBe(204);
  });

  it("409 has_bookings behind years of bookings that are past, in a window that no longer serves it", async () => {
    const { z1, z2 } = await makeFixture(shop);
    const window = await makeWindow(shop, [z1]);
    const hold = await shop.make("/holds", { slot_id: `${window}@2026-06-05`, zone_id: z1 });
    await shop.post(`/holds/${hold}/confirm`);
    await shop.patch(`/slot-windows/${window}`, { zone_ids: [z2] });
    const { storeId } = shop.key;
    for (const month of ["01", "02", "03", "04"]) {
      await shop.harness.services.runTx(storeId.toLowerCase(), async (tx) => {
        for (const date of datesFrom(`2026-${month}-01`, `2026-${month}-28`))
          tx.create(slotUsages, {
            id: usageIdOf(window, date),
            date,
            held: [],
            confirmed: [{ zone_id: z1, quantity: 1 }],
          });
      });
    }
    expect(refusal(await shop.remove(`/zones/${z1}`))).toBe("409 has_bookings");
  });

  it("204 when the holds have expired and the bookings are past", async () => {
    const { z1 } = await makeFixture(shop);
    const window = await makeWindow(shop, [z1]);
    await shop.make("/holds", { slot_id: `${window}@2026-06-05` });
    const booked = await shop.make("/holds", { slot_id: `${window}@2026-06-03` });
    await shop.post(`/holds/${booked}/confirm`);
    shop.harness.clock.set("2026-06-03T20:00:00.000Z");
    expect(refusal(await shop.remove(`/zones/${z1}`))).toBe("409 has_bookings");
    shop.harness.clock.set("2026-06-05T20:00:00.000Z");
    expect((await shop.remove(`/zones/${z1}`)).status).toBe(204);
  });

  it("409 too_many_links when more than 90 others name it", async () => {
    const id = await shop.make("/zones", zone());
    for (let made = 0; made < 91; made += 1) {
      await shop.make("/blocked-dates", { date: "2026-07-01", scope: "zones", zone_ids: [id] });
    }
    const answer = await shop.remove(`/zones/${id}`);
    expect(refusal(answer)).toBe("409 too_many_links");
    const [first] = idsOf(await shop.get("/blocked-dates?limit=1"));
    await shop.remove(`/blocked-dates/${first}`);
    expect((await shop.remove(`/zones/${id}`)).status).toBe(204);
  });

  it("404 and 412", async () => {
    const { z1 } = await makeFixture(shop);
    expect((await shop.remove("/zones/zon_nothing")).status).toBe(404);
    expect((await shop.call("DELETE", `/zones/${z1}`, undefined, { "if-match": '"999999"' })).status).toBe(
      412,
    );
    expect((await shop.get(`/zones/${z1}`)).status).toBe(200);
  });
});

describe("zones.match", () => {
  it("200 explains every candidate", async () => {
    const { z1, z2, z3 } = await makeFixture(shop);
    const { data } = (await shop.post("/zones/match", { postcode: "sw1x7xj" })).json;
    expect(data).toMatchObject({ postcode: "SW1X 7XJ", zone: { id: z2, name: "Z2" }, reasons: [] });
    expect(data.candidates.map(({ zone_id, outcome }: Record<string, string>) => [zone_id, outcome])).toEqual(
      [
        [z2, "chosen"],
        [z3, "outranked"],
        [z1, "excluded"],
      ],
    );
  });

  it("200 says why there is none", async () => {
    await makeFixture(shop);
    const none = (await shop.post("/zones/match", { postcode: "SE28 0AA" })).json.data;
    expect([none.zone, none.reasons[0].code]).toEqual([null, "zone_excluded"]);
    const typo = (await shop.post("/zones/match", { postcode: "SWIA 2AA" })).json.data;
    expect([typo.suggestion, typo.reasons[0].code, typo.candidates]).toEqual([
      "SW1A 2AA",
      "postcode_invalid",
      [],
    ]);
  });

  it("needs to read only", async () => {
    const reader = await shop.harness.key({ scopes: ["delivery:read"] });
    const call = (path: string, body: object) =>
      shop.harness.call("POST", `/v1/delivery${path}`, { key: reader, body });
    expect((await call("/zones/match", { postcode: "SW1A 1AA" })).status).toBe(200);
    expect((await call("/zones", zone())).status).toBe(403);
  });
});
