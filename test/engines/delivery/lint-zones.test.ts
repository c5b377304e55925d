import { describe, expect, it } from "vitest";

import { fixtureZones, lintZones, zone } from "./fixture.ts";

const pairs = (...parts: Parameters<typeof zone>[1][]): string[] =>
  lintZones(parts.map((part, at) => zone(`zon_${at}`, part))).map(
    ({ pattern, otherPattern }) => `${pattern} ~ ${otherPattern}`,
  );

describe("lintZones", () => {
  it("finds nothing in fixture F", () => expect(lintZones(fixtureZones)).toEqual([]));

  it("finds the same pattern in two active zones of one priority, however it is written", () => {
    expect(pairs({ patterns: ["SW1A"] }, { patterns: ["sw1a*"] })).toEqual(["SW1A ~ SW1A"]);
    expect(lintZones([zone("zon_a", { patterns: ["*"] }), zone("zon_b", { patterns: ["*"] })])).toEqual([
      { pattern: "*", zoneId: "zon_b", otherPattern: "*", otherZoneId: "zon_a" },
    ]);
  });

  it.each([
    ["another priority", [{ patterns: ["SW1"], priority: 1 }, { patterns: ["SW1"] }]],
    ["an inactive zone", [{ patterns: ["SW1"], active: false }, { patterns: ["SW1"] }]],
    ["another level", [{ patterns: ["SW1"] }, { patterns: ["SW1A"] }]],
    ["another country", [{ patterns: ["*"], country: "NL" }, { patterns: ["*"] }]],
    ["the same zone twice", [{ patterns: ["SW1", "sw1"] }]],
    ["ranges that only touch their neighbours", [{ patterns: ["SW1-SW4"] }, { patterns: ["SW5-SW9"] }]],
    ["overlap inside one zone", [{ patterns: ["SW1-SW4", "SW2-SW5"] }, { patterns: ["SW6-SW9"] }]],
  ])("allows %s", (_, parts) => expect(pairs(...parts)).toEqual([]));

  it("finds ranges that overlap, also behind a longer one of the same zone", () => {
    expect(pairs({ patterns: ["SW1-SW5"] }, { patterns: ["SW5-SW9"] })).toEqual(["SW5-SW9 ~ SW1-SW5"]);
    expect(pairs({ patterns: ["SW1-SW20", "SW8-SW9"] }, { patterns: ["SW10-SW12"] })).toEqual([
      "SW10-SW12 ~ SW1-SW20",
    ]);
    expect(pairs({ patterns: ["SW2-SW9"] }, { patterns: ["SW1-SW30", "SW4-SW6"] })).toEqual([
      "SW2-SW9 ~ SW1-SW30",
      "SW4-SW6 ~ SW2-SW9",
    ]);
  });

  it("puts ranges of other countries on one scale", () => {
    const nl = { country: "NL" };
    expect(pairs({ ...nl, patterns: ["10-19"] }, { ...nl, patterns: ["1900-1999"] })).toHaveLength(1);
    expect(pairs({ ...nl, patterns: ["10-19"] }, { ...nl, patterns: ["2000-2999"] })).toEqual([]);
  });
});
