import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createShop, makeFixture, pointersOf, refusal } from "./shop.ts";
import type { FixtureIds, Shop } from "./shop.ts";

let shop: Shop;
let f: FixtureIds;
beforeEach(async () => {
  shop = await createShop();
  f = await makeFixture(shop);
});
afterEach(() => shop.harness.close());

const patternsOf = async (zoneId: string, side = "patterns"): Promise<string[]> =>
  (await shop.get(`/zones/${zoneId}`)).json.data[side];

describe("outcodes.list", () => {
  it("200 one row for each pattern of each zone", async () => {
    const { data } = (await shop.get("/outcodes?limit=100")).json;
    expect(data).toEqual([
      { pattern: "SE", level: "area", zone_id: f.z3, exclude: false },
      { pattern: "SE1", level: "district", zone_id: f.z2, exclude: false },
      { pattern: "SE28", level: "district", zone_id: f.z3, exclude: true },
      { pattern: "SW", level: "area", zone_id: f.z3, exclude: false },
      { pattern: "SW1", level: "district", zone_id: f.z1, exclude: false },
      { pattern: "SW1-SW9", level: "range", zone_id: f.z2, exclude: false },
      { pattern: "SW1X", level: "outcode", zone_id: f.z1, exclude: true },
      { pattern: "WC2", level: "district", zone_id: f.z1, exclude: false },
    ]);
    expect((await shop.get(`/outcodes?zone_id=${f.z3}`)).json.data).toHaveLength(3);
  });

  it("200 a page goes on where the last ended, also when its last row is gone", async () => {
    const first = await shop.get("/outcodes?limit=2");
    await shop.remove("/outcodes/SE1");
    const { next_cursor: cursor } = first.json.meta.pagination;
    const second = await shop.get(`/outcodes?limit=2&cursor=${cursor}`);
    expect(second.json.data.map(({ pattern }: { pattern: string }) => pattern)).toEqual(["SE28", "SW"]);
  });
});

describe("outcodes.create", () => {
  it("201 adds a pattern in canonical form", async () => {
    const answer = await shop.post("/outcodes", { pattern: "sw1a 1aa", zone_id: f.z3 });
    expect([answer.status, answer.headers.get("location")]).toEqual([
      201,
      "/v1/delivery/outcodes/SW1A%201AA",
    ]);
    expect(answer.json.data).toEqual({ pattern: "SW1A 1AA", level: "unit", zone_id: f.z3, exclude: false });
    expect(await patternsOf(f.z3)).toEqual(["SW", "SE", "SW1A 1AA"]);
    const match = (await shop.post("/zones/match", { postcode: "SW1A 1AA" })).json.data;
    expect(match.zone.id).toBe(f.z3);
  });

  it("201 adds an exclude", async () => {
    await shop.post("/outcodes", { pattern: "SW19", zone_id: f.z3, exclude: true });
    expect(await patternsOf(f.z3, "excludes")).toEqual(["SE28", "SW19"]);
  });

  it("409 duplicate_pattern, however it is written", async () => {
    expect(refusal(await shop.post("/outcodes", { pattern: "sw1*", zone_id: f.z1 }))).toBe(
      "409 duplicate_pattern",
    );
  });

  it("409 pattern_conflict with another zone of the same priority", async () => {
    const twin = await shop.make("/zones", { name: "Twin", priority: 10, fee_tiers: [{ from: 0, fee: 1 }] });
    expect(refusal(await shop.post("/outcodes", { pattern: "SW1", zone_id: twin }))).toBe(
      "409 pattern_conflict",
    );
  });

  it("422 a pattern that cannot be read, and a zone that is not", async () => {
    const pattern = await shop.post("/outcodes", { pattern: "BFPO 12", zone_id: f.z1 });
    expect([pattern.status, pointersOf(pattern)]).toEqual([422, ["#/pattern"]]);
    expect(pattern.json.error.errors[0].detail).toContain("BF1");
    expect(pointersOf(await shop.post("/outcodes", { pattern: "E1", zone_id: "zon_nothing" }))).toEqual([
      "#/zone_id",
    ]);
  });
});

describe("outcodes.bulk", () => {
  it("200 adds, removes and replaces", async () => {
    const bulk = async (patterns: string[], mode?: string) =>
      (await shop.post("/outcodes/bulk", { zone_id: f.z1, patterns, ...(mode ? { mode } : {}) })).json.data;
    const counts = { zone_id: f.z1 };
    expect(await bulk(["E1", "e1", "E2", "SW1"])).toEqual({
      ...counts,
      added: 2,
      removed: 0,
      unchanged: 2,
      total: 4,
    });
    expect(await bulk(["E2", "E9"], "remove")).toEqual({
      ...counts,
      added: 0,
      removed: 1,
      unchanged: 3,
      total: 3,
    });
    expect(await bulk(["SW1", "N1"], "replace")).toEqual({
      ...counts,
      added: 1,
      removed: 2,
      unchanged: 1,
      total: 2,
    });
    expect(await patternsOf(f.z1)).toEqual(["SW1", "N1"]);
  });

  it("200 takes thousands of outcodes at once", async () => {
    const patterns = ["E", "N", "W", "B", "M", "L", "S", "G"].flatMap((area) =>
      Array.from({ length: 99 }, (_, at) => [
        `${area}${at + 1}`,
        `${area}${at + 1} 1`,
        `${area}${at + 1} 2`,
      ]).flat(),
    );
    const answer = await shop.post("/outcodes/bulk", { zone_id: f.z3, patterns });
    expect(answer.json.data).toMatchObject({ added: patterns.length, total: patterns.length + 2 });
    const asked = await shop.post("/validate", { postcode: "M44 2AA", basketTotal: 3000 });
    expect(asked.json.data.zone.id).toBe(f.z3);
  });

  it("422 all or nothing", async () => {
    const answer = await shop.post("/outcodes/bulk", { zone_id: f.z1, patterns: ["E1", "??", "E2", "Q1"] });
    expect([answer.status, pointersOf(answer)]).toEqual([422, ["#/patterns/1", "#/patterns/3"]]);
    expect(await patternsOf(f.z1)).toEqual(["SW1", "WC2"]);
    expect(pointersOf(await shop.post("/outcodes/bulk", { zone_id: "zon_x", patterns: [] }))).toEqual([
      "#/zone_id",
    ]);
  });

  it("409 pattern_conflict", async () => {
    await shop.patch(`/zones/${f.z2}`, { priority: 1, patterns: ["E1"] });
    const answer = await shop.post("/outcodes/bulk", { zone_id: f.z2, patterns: ["SW"] });
    expect(refusal(answer)).toBe("409 pattern_conflict");
  });
});

describe("outcodes.get", () => {
  it.each([
    ["SW1A", "outcode", "Z1"],
    ["SW1X", "outcode", "Z2"],
    ["SW10", "outcode", "Z3"],
    ["SW1A%201AA", "unit", "Z1"],
  ])("200 %s", async (path, precision, name) => {
    const { data } = (await shop.get(`/outcodes/${path}`)).json;
    expect([data.precision, data.zone.name]).toEqual([precision, name]);
    expect(data.candidates[0].outcome).toBe("chosen");
  });

  it("200 says that finer rules make it an estimate", async () => {
    await shop.post("/outcodes", { pattern: "SW1A 2", zone_id: f.z3 });
    expect((await shop.get("/outcodes/SW1A")).json.data).toMatchObject({
      estimate: true,
      zone: { name: "Z1" },
    });
    expect((await shop.get("/outcodes/SW1E")).json.data.estimate).toBe(false);
  });

  it("200 with a reason for what is no outcode", async () => {
    const { data } = (await shop.get("/outcodes/hello")).json;
    expect([data.zone, data.reasons[0].code]).toEqual([null, "postcode_invalid"]);
  });
});

describe("outcodes.remove", () => {
  it("204 removes a pattern, however it is written", async () => {
    expect((await shop.remove("/outcodes/wc2")).status).toBe(204);
    expect(await patternsOf(f.z1)).toEqual(["SW1"]);
    expect((await shop.remove("/outcodes/sw1-sw9")).status).toBe(204);
    expect((await shop.remove("/outcodes/SE28")).status).toBe(204);
    expect(await patternsOf(f.z3, "excludes")).toEqual([]);
  });

  it("404 a pattern that no zone has, or not this one", async () => {
    expect((await shop.remove("/outcodes/E1")).status).toBe(404);
    expect((await shop.remove(`/outcodes/SW1?zone_id=${f.z2}`)).status).toBe(404);
    expect((await shop.remove("/outcodes/SW1?exclude=true")).status).toBe(404);
  });

  it("409 ambiguous_pattern until the zone is named", async () => {
    await shop.post("/outcodes", { pattern: "SW1", zone_id: f.z3, exclude: true });
    expect(refusal(await shop.remove("/outcodes/SW1"))).toBe("409 ambiguous_pattern");
    expect((await shop.remove(`/outcodes/SW1?zone_id=${f.z3}`)).status).toBe(204);
    expect((await shop.remove("/outcodes/SW1")).status).toBe(204);
  });

  it("412 when the zone has changed", async () => {
    expect((await shop.call("DELETE", "/outcodes/WC2", undefined, { "if-match": '"999999"' })).status).toBe(
      412,
    );
  });
});
