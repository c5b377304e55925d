import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { codesOf, createShop, makeFixture, makeWindow, pointersOf } from "./shop.ts";
import type { FixtureIds, Shop } from "./shop.ts";

let shop: Shop;
let f: FixtureIds;
beforeEach(async () => {
  shop = await createShop();
  f = await makeFixture(shop);
});
afterEach(() => shop.harness.close());

const ask = (postcode: unknown, basketTotal: unknown, more: object = {}) =>
  shop.post("/validate", { postcode, basketTotal, ...more });

describe("200 validate on fixture F", () => {
  it.each([
    // DA10 to DA15
    ["SW1A 1AA", 2999, { fee: 499, amount_to_minimum: 0, amount_to_free_delivery: 2001 }, []],
    ["sw1a1aa", 3000, { fee: 299, amount_to_free_delivery: 2000 }, []],
    ["sw1a1aa", 5000, { fee: 0, amount_to_free_delivery: 0 }, []],
    ["SW1A 1AA", 1499, { fee: 499, amount_to_minimum: 1 }, ["below_minimum_order"]],
    ["SW10 9AA", 3000, { fee: 899, amount_to_free_delivery: null }, []],
    ["S1 2AA", 3000, { fee: null, zone: null }, ["out_of_zone"]],
    ["SW1X 7XJ", 4000, { fee: 399 }, []],
    ["SE28 0AA", 4000, { fee: null, zone: null }, ["zone_excluded"]],
    // DA1 to DA9 over HTTP
    ["SE1 63EF", 3000, { postcode: "SE16 3EF", fee: 899 }, []],
    ["so14\u00a06wb", 3000, { postcode: "SO14 6WB" }, ["out_of_zone"]],
    ["N5", 3000, { precision: "outcode", outcode: "N5" }, ["out_of_zone"]],
    ["", 3000, { precision: "none", postcode: "" }, ["postcode_invalid"]],
    ["GIR 0AA", 3000, { region: "special" }, ["postcode_not_deliverable"]],
    ["GX111AA", 3000, { region: null }, ["postcode_invalid"]],
    ["BF1 3AA", 3000, { region: "forces", precision: "unit" }, ["out_of_zone"]],
    ["SWIA 2AA", 3000, { suggestion: "SW1A 2AA", zone: null }, ["postcode_invalid"]],
  ])("%s with %i", async (postcode, basket, expected, reasons) => {
    const answer = await ask(postcode, basket);
    expect(answer.status).toBe(200);
    expect(answer.json.data).toMatchObject({ ...expected, basket_total: basket, currency: "GBP" });
    expect(codesOf(answer)).toEqual(reasons);
    expect(answer.json.data.deliverable).toBe(reasons.length === 0);
  });

  it("serves every real London postcode of a shop's day from the zone that a reader expects", async () => {
    const expected: Record<string, string> = {
      "SW1A 2AA": "Z1", // Downing Street
      "SW1H 0BD": "Z1", // Westminster
      "WC2N 5DU": "Z1", // Trafalgar Square
      "WC2E 8RF": "Z1", // Covent Garden
      "SE1 9TG": "Z2", // Southwark
      "SW3 1ER": "Z2", // Chelsea
      "SW1X 7XL": "Z2", // Knightsbridge, excluded from Z1
      "SE10 9NF": "Z3", // Greenwich
      "SW19 5AE": "Z3", // Wimbledon
      "SW11 8QX": "Z3", // Battersea
    };
    const found: Record<string, string> = {};
    for (const postcode of Object.keys(expected)) {
      found[postcode] = (await ask(postcode, 9000)).json.data.zone?.name;
    }
    expect(found).toEqual(expected);
  });
});

describe("422 validate", () => {
  it.each([
    // DA16
    ["a fraction", 12.5],
    ["a string", "1250"],
    ["a negative total", -1],
    ["more than 2^53 - 1", 2 ** 53],
    ["null", null],
  ])("422 basketTotal is %s", async (_, basketTotal) => {
    const answer = await ask("SW1A 1AA", basketTotal);
    expect([answer.status, pointersOf(answer)]).toEqual([422, ["#/basketTotal"]]);
  });

  it.each([
    ["postcode", { postcode: 12 }],
    ["postcode", { postcode: "x".repeat(65) }],
    ["slot_id", { slot_id: "win_1" }],
    ["slot_id", { slot_id: "win_1@2026-02-30" }],
    ["date", { date: "2026-02-30" }],
    ["date", { date: "2026-06-02", slot_id: "win_1@2026-06-03" }],
    ["country", { country: "UK" }],
  ])("422 %s", async (field, more) => {
    const answer = await shop.post("/validate", { postcode: "SW1A 1AA", basketTotal: 1, ...more });
    expect([answer.status, pointersOf(answer)]).toEqual([422, [`#/${field}`]]);
  });

  it("members it does not know are ignored, as the specification's clients may send them", async () => {
    expect((await ask("SW1A 1AA", 3000, { currency: "GBP", note: "x" })).status).toBe(200);
  });
});

describe("200 validate with slots", () => {
  it("offers the next three open slots with their fee", async () => {
    const id = await makeWindow(shop, [f.z1], { fee_delta: 150, capacity: 1 });
    await shop.make("/holds", { slot_id: `${id}@2026-06-03` });
    const answer = await ask("SW1A 1AA", 3000);
    // Monday 10:00: today's slot has begun, and Wednesday's is held.
    expect(answer.json.data.next_slots.map((slot: { id: string }) => slot.id)).toEqual([
      `${id}@2026-06-02`,
      `${id}@2026-06-04`,
      `${id}@2026-06-05`,
    ]);
    expect(answer.json.data.next_slots[0]).toMatchObject({
      fee: 449,
      status: "open",
      remaining: 1,
      reason: null,
    });
    expect(answer.json.data).toMatchObject({ deliverable: true, fee: 299, slot: null });
  });

  it("no_slots when none is open in the days that can be booked", async () => {
    await makeWindow(shop, [f.z1], { valid_until: "2026-06-01" });
    const answer = await ask("SW1A 1AA", 3000);
    expect([codesOf(answer), answer.json.data.next_slots]).toEqual([["no_slots"], []]);
  });

  it("judges the slot that is named, and counts its surcharge", async () => {
    const id = await makeWindow(shop, [f.z1], {
      fee_delta: 150,
      capacity: 1,
      cut_off: { minutes_before: 60 },
    });
    const open = await ask("SW1A 1AA", 3000, { slot_id: `${id}@2026-06-02` });
    expect(open.json.data).toMatchObject({ deliverable: true, fee: 449, slot: { id: `${id}@2026-06-02` } });
    const late = await ask("SW1A 1AA", 3000, { slot_id: `${id}@2026-06-01` });
    expect(codesOf(late)).toEqual(["slot_closed"]);
    shop.harness.clock.set("2026-06-02T07:00:00.000Z");
    expect(codesOf(await ask("SW1A 1AA", 3000, { slot_id: `${id}@2026-06-02` }))).toEqual(["cutoff_passed"]);
    await shop.make("/holds", { slot_id: `${id}@2026-06-03` });
    expect(codesOf(await ask("SW1A 1AA", 100, { slot_id: `${id}@2026-06-03` }))).toEqual([
      "below_minimum_order",
      "slot_full",
    ]);
  });

  it("a slot of another zone, of no window, or on a wrong day is closed", async () => {
    const id = await makeWindow(shop, [f.z2], { days: ["tue"] });
    for (const slotId of [`${id}@2026-06-02`, "win_none@2026-06-02"]) {
      expect(codesOf(await ask("SW1A 1AA", 3000, { slot_id: slotId }))).toEqual(["slot_unknown"]);
    }
    expect(codesOf(await ask("SE1 9TG", 3000, { slot_id: `${id}@2026-06-03` }))).toEqual(["slot_unknown"]);
    expect(codesOf(await ask("SE1 9TG", 3000, { slot_id: `${id}@2026-06-02` }))).toEqual([]);
  });

  it("judges the day that is named", async () => {
    await makeWindow(shop, [f.z1], { days: ["tue", "wed"] });
    await shop.make("/blocked-dates", { date: "2026-06-03", reason: "stocktaking" });
    const at = async (date: string) => codesOf(await ask("SW1A 1AA", 3000, { date }));
    expect(await at("2026-06-02")).toEqual([]);
    expect(await at("2026-06-03")).toEqual(["date_blocked"]);
    expect(await at("2026-06-04")).toEqual(["no_slots"]);
    expect(await at("2026-06-14")).toEqual(["no_slots"]);
    expect(await at("2026-06-15")).toEqual(["outside_horizon"]);
    expect(await at("2026-05-31")).toEqual(["outside_horizon"]);
    const blocked = await ask("SW1A 1AA", 3000, { date: "2026-06-03" });
    expect(blocked.json.data.reasons[0].detail).toBe("The day is blocked: stocktaking.");
    expect(blocked.json.data.next_slots[0].local.date).toBe("2026-06-09");
  });

  it("a zone without windows is judged by day only when one is named", async () => {
    await shop.make("/blocked-dates", { date: "2026-06-03" });
    expect(codesOf(await ask("SW1A 1AA", 3000))).toEqual([]);
    expect(codesOf(await ask("SW1A 1AA", 3000, { date: "2026-06-03" }))).toEqual(["date_blocked"]);
    expect(codesOf(await ask("SW1A 1AA", 3000, { date: "2026-06-04" }))).toEqual([]);
  });
});

describe("200 validate and the settings", () => {
  it("uses a correction only when the store asks for it, and says so", async () => {
    await shop.patch("/settings", { autocorrect_postcodes: true });
    const { data } = (await ask("swia 2aa", 3000)).json;
    expect(data).toMatchObject({
      deliverable: true,
      postcode: "SW1A 2AA",
      suggestion: "SW1A 2AA",
      corrected_from: "swia 2aa",
    });
  });

  it("judges another country's postcodes by that country's zones", async () => {
    await shop.make("/zones", {
      name: "Centrum",
      country: "NL",
      patterns: ["1011-1019"],
      fee_tiers: [{ from: 0, fee: 350 }],
    });
    expect((await ask("1012 ab", 3000, { country: "NL" })).json.data).toMatchObject({
      zone: { name: "Centrum" },
      country: "NL",
      outcode: null,
      fee: 350,
    });
    expect(codesOf(await ask("1012 AB", 3000))).toEqual(["postcode_invalid"]);
    expect(codesOf(await ask("2011 AB", 3000, { country: "NL" }))).toEqual(["out_of_zone"]);
  });

  it("a change of configuration counts from the next request on", async () => {
    expect((await ask("SW1A 1AA", 3000)).json.data.fee).toBe(299);
    await shop.call("PUT", `/zones/${f.z1}/fee-tiers`, { fee_tiers: [{ from: 0, fee: 111 }] });
    expect((await ask("SW1A 1AA", 3000)).json.data.fee).toBe(111);
    await shop.patch(`/zones/${f.z1}`, { active: false });
    expect((await ask("SW1A 1AA", 3000)).json.data.zone.name).toBe("Z2");
    await shop.patch("/settings", { currency: "EUR" });
    expect((await ask("SW1A 1AA", 3000)).json.data.currency).toBe("EUR");
  });

  it("a store without zones says out_of_zone", async () => {
    const other = await shop.harness.key();
    const answer = await shop.harness.call("POST", "/v1/delivery/validate", {
      key: other,
      body: { postcode: "SW1A 1AA", basketTotal: 3000 },
    });
    expect(codesOf(answer)).toEqual(["out_of_zone"]);
  });
});

describe("200 validate and bank holidays", () => {
  const day = async (date: string, calendar: string): Promise<string[]> => {
    shop.harness.clock.set(`${date}T00:00:00.000Z`);
    await shop.patch("/settings", { calendar_ids: [calendar] });
    return codesOf(await ask("SW1A 1AA", 3000, { date }));
  };

  it("DA24 2026-06-15 is a holiday in Scotland only", async () => {
    expect(await day("2026-06-15", "gb-sct")).toEqual(["date_blocked"]);
    expect(await day("2026-06-15", "gb-eng")).toEqual([]);
  });

  it("DA25 the substitute counts, the Saturday does not", async () => {
    expect(await day("2026-12-26", "gb-eng")).toEqual([]);
    expect(await day("2026-12-28", "gb-eng")).toEqual(["date_blocked"]);
  });
});
