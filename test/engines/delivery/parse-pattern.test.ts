import { describe, expect, it } from "vitest";

import { isInRange, parsePattern } from "../../../server/engines/delivery/rules/parse-pattern.ts";
import { postcode } from "./fixture.ts";

const read = (text: string, country = "GB"): string => {
  const parsed = parsePattern(text, country);
  return parsed.ok ? `${parsed.pattern.level} ${parsed.pattern.text}` : "refused";
};

describe("parsePattern", () => {
  it.each([
    ["SW1A 1AA", "unit SW1A 1AA"],
    ["sw1a1aa", "unit SW1A 1AA"],
    ["SW1A 1", "sector SW1A 1"],
    ["SW1A1", "sector SW1A 1"],
    ["SW11 1", "sector SW11 1"],
    ["SW1 1", "sector SW1 1"],
    ["SW1A", "outcode SW1A"],
    ["SW1", "district SW1"],
    ["SW11", "district SW11"],
    ["W1", "district W1"],
    ["SW1-SW9", "range SW1-SW9"],
    ["sw1 – sw9", "range SW1-SW9"],
    ["SW5-SW5", "range SW5-SW5"],
    ["SW", "area SW"],
    ["S", "area S"],
    ["JE", "area JE"],
    ["*", "all *"],
    [" * ", "all *"],
    // A star at the end is what textual matchers wanted.
    ["SW1*", "district SW1"],
    ["SW*", "area SW"],
    ["SW1A *", "outcode SW1A"],
    ["SE1*", "district SE1"],
  ])("%j is the %s", (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it.each([
    "",
    "**",
    "AA",
    "XX",
    "Q1",
    "SW1-SE9",
    "SW9-SW1",
    "SW1-9",
    "SW1...SW9",
    "SW1A-SW1C",
    "SW1, SW2",
    "GIR 0AA",
    "BFPO 12",
    "SW1A 1CI",
    "1A1",
    "hello world",
  ])("refuses %j and says how it should look", (text) => {
    const parsed = parsePattern(text, "GB");
    expect(parsed.ok).toBe(false);
    if (!parsed.ok) expect(parsed.detail).toMatch(/SW1|BF1|GIR/);
  });

  it("orders the levels: unit > sector > outcode > district > range > area > all", () => {
    const ranks = ["SW1A 1AA", "SW1A 1", "SW1A", "SW1", "SW1-SW9", "SW", "*"].map((text) => {
      const parsed = parsePattern(text, "GB");
      return parsed.ok ? parsed.pattern.rank : Number.NaN;
    });
    expect(ranks).toEqual([...ranks].sort((a, b) => b - a));
    expect(new Set(ranks).size).toBe(7);
  });

  it.each([
    ["NL", "1012*", "prefix 1012*"],
    ["NL", "1012 AB", "unit 1012 AB"],
    ["NL", "1000-1999", "range 1000-1999"],
    ["DE", "10115", "unit 10115"],
    ["DE", "10000-14999", "range 10000-14999"],
    ["US", "94107-1234", "unit 94107-1234"],
    ["PL", "00-950", "unit 00-950"],
    ["PL", "00000-09999", "range 00000-09999"],
    ["IE", "d02*", "prefix D02*"],
    ["DE", "*", "all *"],
  ])("%s %j is the %s", (country, text, expected) => {
    expect(read(text, country)).toBe(expected);
  });

  it.each([
    ["DE", "100-9999"],
    ["DE", "20000-10000"],
    ["DE", "Berlin!"],
    ["DE", "1011"],
    ["NL", "--"],
  ])("%s refuses %j", (country, text) => {
    expect(parsePattern(text, country).ok).toBe(false);
  });

  it("ranks a longer prefix above a shorter one, and a whole code above both", () => {
    const rank = (text: string): number => {
      const parsed = parsePattern(text, "NL");
      return parsed.ok ? parsed.pattern.rank : Number.NaN;
    };
    expect(rank("1012 AB")).toBeGreaterThan(rank("1012A*"));
    expect(rank("1012A*")).toBeGreaterThan(rank("1012*"));
    expect(rank("1012*")).toBeGreaterThan(rank("1000-1999"));
  });
});

describe("isInRange", () => {
  it.each([
    ["SW1-SW9", "GB", "SW1A 1AA", true],
    ["SW1-SW9", "GB", "SW9 8AA", true],
    ["SW1-SW9", "GB", "SW10 9AA", false],
    ["SW1-SW9", "GB", "SW19 1AA", false],
    // A range is numeric and inclusive, where a textual matcher misses its own end.
    ["KW15-KW17", "GB", "KW17 2AA", true],
    ["1000-1999", "NL", "1012 AB", true],
    ["1000-1999", "NL", "2011 AB", false],
    ["94100-94199", "US", "94107-1234", true],
    ["D10-D20", "IE", "D02X285", false],
  ])("%s of %s holds %s: %s", (text, country, code, expected) => {
    const parsed = parsePattern(text, country);
    expect(parsed.ok && isInRange(parsed.pattern, postcode(code, country))).toBe(expected);
  });

  it("is false for a pattern that is no range", () => {
    const parsed = parsePattern("SW1", "GB");
    expect(parsed.ok && isInRange(parsed.pattern, postcode("SW1A 1AA"))).toBe(false);
  });
});
