import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parseGbPostcode } from "../../../server/engines/delivery/rules/parse-gb-postcode.ts";
import { suggestPostcode } from "../../../server/engines/delivery/rules/resolve-address.ts";
import { seeded } from "../../seeded.ts";

describe("suggestPostcode", () => {
  it.each([
    // DA9, DA8
    ["SWIA 2AA", "SW1A 2AA"],
    ["1A1 1AA", null],
    ["S014 6WB", "SO14 6WB"],
    ["SW1A OAA", "SW1A 0AA"],
    ["EIO 1AA", "E10 1AA"],
    ["LI 1AA", "L1 1AA"],
    ["SWIA", "SW1A"],
    // Nothing to correct, nothing that would help, nothing that could be delivered to.
    ["SW1A 2AA", null],
    ["SW1A 1CI", null],
    ["Q1 1AA", null],
    ["G1R 0AA", null],
    ["", null],
    ["SW1A 2AA SWIA 2AA", null],
  ])("%j → %j", (text, expected) => {
    expect(suggestPostcode(text)).toBe(expected);
  });

  it("proposes only valid postcodes that differ from the text in O, 0, I, 1 alone", () => {
    const text = fc.string({ unit: fc.constantFrom(..."SWMEL01OIA2 ".split("")), maxLength: 9 });
    fc.assert(
      fc.property(text, (typed) => {
        const suggestion = suggestPostcode(typed);
        if (suggestion === null) return;
        expect(parseGbPostcode(suggestion).ok).toBe(true);
        const blur = (value: string): string =>
          value.replaceAll(" ", "").replaceAll("O", "0").replaceAll("I", "1");
        expect(blur(suggestion)).toBe(blur(typed));
      }),
      seeded(2000),
    );
  });
});
