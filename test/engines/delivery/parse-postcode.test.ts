import { describe, expect, it } from "vitest";

import { foreignCompact, parsePostcode } from "../../../server/engines/delivery/rules/parse-postcode.ts";

describe("parsePostcode", () => {
  it.each([
    ["GB", "sw1a1aa", "SW1A 1AA"],
    ["NL", "1012ab", "1012AB"],
    ["NL", " 1012  AB ", "1012 AB"],
    ["US", "94107", "94107"],
    ["US", "94107-1234", "94107-1234"],
    ["US", "941071234", "94107-1234"],
    ["PL", "00950", "00-950"],
    ["JP", "100-0001", "100-0001"],
    ["JP", "1000001", "100-0001"],
    ["IE", "d02x285", "D02X285"],
    ["DE", "１０１１５", "10115"],
    ["SE", "114 55", "114 55"],
    ["DE", "D-10115", "10115"],
    ["AT", "A-1010", "1010"],
    ["LV", "LV1010", "1010"],
    ["AD", "ad 500", "AD500"],
    // A country that the package does not know takes any code.
    ["HK", "ABC 123", "ABC 123"],
  ])("%s %j is %s", (country, text, expected) => {
    const parsed = parsePostcode(text, country);
    expect(parsed.ok ? parsed.value.postcode : parsed.code).toBe(expected);
  });

  it.each([
    ["DE", "1011"],
    ["DE", ""],
    ["US", "9410"],
    ["NL", "0"],
    ["FR", "75001 Paris"],
    ["HK", "a-very-long-text-that-is-no-code"],
    ["EC", ""],
    ["HK", "💥"],
  ])("%s %j is not a postcode", (country, text) => {
    expect(parsePostcode(text, country)).toMatchObject({ ok: false, code: "postcode_invalid" });
  });

  it("GB is never judged by the package, which takes Q1 1AA", () => {
    expect(parsePostcode("Q1 1AA", "GB").ok).toBe(false);
  });

  it("compares foreign codes without spaces, hyphens and country", () => {
    expect(foreignCompact("se-114 55", "SE")).toBe("11455");
    expect(foreignCompact("c1425abc", "AR")).toBe("C1425ABC");
  });
});
