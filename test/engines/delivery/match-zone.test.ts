import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { indexZonesSteps, matchZone } from "../../../server/engines/delivery/rules/match-zone.ts";
import { runAtOnce } from "../../../server/lib/slices.ts";
import type { MatchZone, ZoneMatch } from "../../../server/engines/delivery/rules/match-zone.ts";
import { seeded } from "../../seeded.ts";
import { fixtureZones, postcode, Z1, zone } from "./fixture.ts";

const match = (code: string, zones: readonly MatchZone[] = fixtureZones, country = "GB"): ZoneMatch =>
  matchZone(runAtOnce(indexZonesSteps(zones)), postcode(code, country));

describe("matchZone on fixture F", () => {
  it.each([
    // DA10 to DA15
    ["SW1A 1AA", "zon_1"],
    ["sw1a1aa", "zon_1"],
    ["SW10 9AA", "zon_3"],
    ["SW1X 7XJ", "zon_2"],
    ["WC2N 5DU", "zon_1"],
    ["SW9 8AA", "zon_2"],
    ["SE1 9TG", "zon_2"],
    ["SE16 3EF", "zon_3"],
  ])("%s lies in %s", (code, expected) => {
    expect(match(code)).toMatchObject({ zoneId: expected, reason: null });
  });

  it.each([
    ["S1 2AA", "out_of_zone"],
    ["SE28 0AA", "zone_excluded"],
    ["W1A 0AX", "out_of_zone"],
    ["JE2 3AB", "out_of_zone"],
  ])("%s lies in none: %s", (code, reason) => {
    expect(match(code)).toMatchObject({ zoneId: null, reason });
  });

  it("explains every candidate, the winner first", () => {
    expect(match("SW1X 7XJ").candidates).toEqual([
      {
        zone_id: "zon_2",
        name: "zon_2",
        priority: 5,
        included_by: { pattern: "SW1-SW9", level: "range" },
        excluded_by: null,
        outcome: "chosen",
        detail: "Included by SW1-SW9, the most specific pattern.",
      },
      {
        zone_id: "zon_3",
        name: "zon_3",
        priority: 1,
        included_by: { pattern: "SW", level: "area" },
        excluded_by: null,
        outcome: "outranked",
        detail: "SW1-SW9 of zone zon_2 is more specific than SW.",
      },
      {
        zone_id: "zon_1",
        name: "zon_1",
        priority: 10,
        included_by: { pattern: "SW1", level: "district" },
        excluded_by: { pattern: "SW1X", level: "outcode" },
        outcome: "excluded",
        detail: "Excluded by SW1X, which is at least as specific as SW1.",
      },
    ]);
  });
});

describe("matchZone", () => {
  it("an exclude beats an include of the same level, and yields to a finer one", () => {
    const same = zone("zon_a", { patterns: ["SW1"], excludes: ["SW1"] });
    expect(match("SW1A 1AA", [same])).toMatchObject({ zoneId: null, reason: "zone_excluded" });
    const finer = zone("zon_a", { patterns: ["SW", "SW1A 1"], excludes: ["SW1"] });
    expect(match("SW1A 1AA", [finer]).zoneId).toBe("zon_a");
    expect(match("SW1A 2AA", [finer]).zoneId).toBeNull();
  });

  it("between equals the priority decides, then the id; it says which", () => {
    const low = zone("zon_a", { patterns: ["SW1"], priority: 1 });
    const high = zone("zon_b", { patterns: ["SW1"], priority: 2 });
    const twin = zone("zon_c", { patterns: ["SW1"], priority: 2 });
    const { zoneId, candidates } = match("SW1A 1AA", [low, twin, high]);
    expect(zoneId).toBe("zon_b");
    expect(candidates.map(({ detail }) => detail)).toEqual([
      "Included by SW1, the most specific pattern.",
      "Priority and specificity are equal; zone zon_b has the lower id.",
      "Zone zon_b has the higher priority (2, this one 1).",
    ]);
  });

  it("an inactive zone is told, not chosen", () => {
    const off = zone("zon_a", { patterns: ["SW1A 1AA"], active: false });
    const { zoneId, candidates } = match("SW1A 1AA", [off, Z1]);
    expect(zoneId).toBe("zon_1");
    expect(candidates[1]).toMatchObject({ zone_id: "zon_a", outcome: "inactive" });
    expect(match("SW1A 1AA", [off])).toMatchObject({ zoneId: null, reason: "out_of_zone" });
  });

  it("* serves the geographic areas only; the rest must be named", () => {
    const all = zone("zon_a", { patterns: ["*"] });
    expect(match("ZE1 0AA", [all]).zoneId).toBe("zon_a");
    for (const code of ["JE2 3AB", "GY1 1AA", "IM1 1AA", "BF1 3AA", "BX1 1LT"]) {
      expect(match(code, [all]).zoneId, code).toBeNull();
    }
    expect(match("JE2 3AB", [all, zone("zon_j", { patterns: ["JE"] })]).zoneId).toBe("zon_j");
  });

  it("an exclude in a zone that includes nothing there still explains itself", () => {
    const { reason, candidates } = match("SW1A 1AA", [
      zone("zon_a", { patterns: ["E1"], excludes: ["SW1"] }),
    ]);
    expect(reason).toBe("zone_excluded");
    expect(candidates[0]?.detail).toBe("Excluded by SW1, and no pattern includes it.");
  });

  it("an outcode alone is judged by outcode rules, and is an estimate where finer ones exist", () => {
    const fine = zone("zon_a", { patterns: ["SW1A 1"], excludes: ["E1 6AN"] });
    const coarse = zone("zon_b", { patterns: ["SW1", "E1"] });
    expect(match("SW1A", [fine, coarse])).toMatchObject({ zoneId: "zon_b", estimate: true });
    expect(match("SW1A 1AA", [fine, coarse])).toMatchObject({ zoneId: "zon_a", estimate: false });
    expect(match("E1", [fine, coarse])).toMatchObject({ zoneId: "zon_b", estimate: true });
    expect(match("SW1E", [fine, coarse])).toMatchObject({ zoneId: "zon_b", estimate: false });
    expect(match("SW1A", [zone("zon_a", { patterns: ["SW1A 1"], active: false }), coarse]).estimate).toBe(
      false,
    );
  });

  it.each([
    ["US", "90210", "90210-1234"],
    ["US", "90210", "902101234"],
    ["LU", "1009", "L-1009"],
    ["LV", "LV-1010", "LV1010"],
    ["LV", "LV-10*", "1010"],
    ["CH", "8000-8099", "CH-8001"],
    ["IM", "IM*", "IM1 1AA"],
    ["LV", "LV-*", "1010"],
    ["AD", "ad*", "AD500"],
  ])("%s: %s contains %s", (country, pattern, code) =>
    expect(match(code, [zone("zon_a", { country, patterns: [pattern] })], country).zoneId).toBe("zon_a"),
  );

  it("other countries: whole code over longer prefix over shorter prefix over range over *", () => {
    const zones = [
      zone("zon_all", { country: "NL", patterns: ["*"] }),
      zone("zon_range", { country: "NL", patterns: ["1000-1999"] }),
      zone("zon_10", { country: "NL", patterns: ["10*"] }),
      zone("zon_1012", { country: "NL", patterns: ["1012*"] }),
      zone("zon_code", { country: "NL", patterns: ["1012 AB"] }),
    ];
    const ids = ["1012ab", "1012 AC", "1099 AA", "1500 AA", "3000 AA"].map(
      (code) => match(code, zones, "NL").zoneId,
    );
    expect(ids).toEqual(["zon_code", "zon_1012", "zon_10", "zon_range", "zon_all"]);
    expect(match("75001", zones, "FR").zoneId).toBeNull();
  });

  it("a zone of another country is no candidate", () => {
    expect(match("SW1A 1AA", [zone("zon_a", { country: "NL", patterns: ["*"] })]).candidates).toEqual([]);
  });

  it("agrees with trying every pattern in turn", () => {
    const patterns = [
      "SW1A 1AA",
      "SW1A 1",
      "SW1A",
      "SW1",
      "SW1-SW9",
      "SW",
      "*",
      "SW10",
      "S",
      "SW2-SW20",
      "SE1",
    ];
    const codes = [
      "SW1A 1AA",
      "SW1A 1AB",
      "SW1A 2AA",
      "SW1E 5AA",
      "SW9 8AA",
      "SW10 9AA",
      "S1 2AA",
      "SE1 9TG",
    ];
    const anyZone = fc.record({
      patterns: fc.uniqueArray(fc.constantFrom(...patterns), { maxLength: 4 }),
      excludes: fc.uniqueArray(fc.constantFrom(...patterns), { maxLength: 3 }),
      priority: fc.integer({ min: 0, max: 2 }),
      active: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(anyZone, { maxLength: 5 }), fc.constantFrom(...codes), (parts, code) => {
        const zones = parts.map((part, at) => zone(`zon_${at}`, part));
        expect(match(code, zones).zoneId).toBe(oracle(zones, code));
      }),
      seeded(1500),
    );
  });
});

/** The rule once more, as slowly and plainly as it can be written. */
function oracle(zones: readonly MatchZone[], code: string): string | null {
  const order = ["*", "area", "range", "district", "outcode", "sector", "unit"];
  const [out = "", inward = ""] = code.split(" ");
  const area = out.replace(/\d.*/, "");
  const number = Number(/\d+/.exec(out)?.[0]);
  const levelOf = (pattern: string): number => {
    const [first = "", last = ""] = pattern.split("-");
    if (pattern === "*") return 0;
    if (pattern === area) return 1;
    if (last !== "" && first.replace(/\d+/, "") === area) {
      const isIn = Number(/\d+/.exec(first)?.[0]) <= number && number <= Number(/\d+/.exec(last)?.[0]);
      return isIn ? order.indexOf("range") : -1;
    }
    if (pattern === `${area}${number}`) return order.indexOf("district");
    if (pattern === out) return order.indexOf("outcode");
    if (pattern === `${out} ${inward.charAt(0)}`) return order.indexOf("sector");
    return pattern === code ? order.indexOf("unit") : -1;
  };
  const best = (patterns: readonly string[]): number => Math.max(-1, ...patterns.map(levelOf));
  const [winner] = zones
    .filter((each) => each.active && best(each.patterns) > best(each.excludes))
    .sort((a, b) => best(b.patterns) - best(a.patterns) || b.priority - a.priority || (a.id < b.id ? -1 : 1));
  return winner?.id ?? null;
}
