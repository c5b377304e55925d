import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { AREAS, parseGbPostcode } from "../../../server/engines/delivery/rules/parse-gb-postcode.ts";
import { seeded } from "../../seeded.ts";

const read = (text: string): string => {
  const parsed = parseGbPostcode(text);
  return parsed.ok ? `${parsed.value.precision} ${parsed.value.postcode}` : parsed.code;
};

describe("parseGbPostcode", () => {
  it.each([
    // DA1
    ["SW13EF", "unit SW1 3EF"],
    ["so14 6wb", "unit SO14 6WB"],
    ["so14\u00a06wb", "unit SO14 6WB"],
    ["SE1 63EF", "unit SE16 3EF"],
    // DA2
    ["N5", "outcode N5"],
    ["SO144 6WB", "postcode_invalid"],
    ["NF1 1AA", "postcode_invalid"],
    ["BFPO 1234", "postcode_invalid"],
    ["", "postcode_invalid"],
    // DA3 to DA6
    ["GIR 0AA", "postcode_not_deliverable"],
    ["gir0aa", "postcode_not_deliverable"],
    ["GX111AA", "postcode_invalid"],
    ["BF1 3AA", "unit BF1 3AA"],
    ["SW1A 1CI", "postcode_invalid"],
    ["Q1 1AA", "postcode_invalid"],
    // DA8, DA9
    ["1A1 1AA", "postcode_invalid"],
    ["SWIA 2AA", "postcode_invalid"],
    // What published libraries let pass or reject wrongly.
    [" SW1A 1AA ", "unit SW1A 1AA"],
    ["AA1 1AA", "postcode_invalid"],
    ["W1I 1AA", "postcode_invalid"],
    ["SW1", "outcode SW1"],
    // Every shape of outcode.
    ["M1 1AE", "unit M1 1AE"],
    ["B33 8TH", "unit B33 8TH"],
    ["CR2 6XH", "unit CR2 6XH"],
    ["DN55 1PT", "unit DN55 1PT"],
    ["W1A 0AX", "unit W1A 0AX"],
    ["EC1A 1BB", "unit EC1A 1BB"],
    ["SE1P 5LX", "unit SE1P 5LX"],
    ["N1P 1AA", "unit N1P 1AA"],
    // Odd spaces, widths and letters.
    ["S W 1 A 1 A A", "unit SW1A 1AA"],
    ["SW1A\u200b1AA\ufeff", "unit SW1A 1AA"],
    ["\tsw1a\n1aa", "unit SW1A 1AA"],
    ["ＳＷ１Ａ １ＡＡ", "unit SW1A 1AA"],
    ["ß1 1AA", "postcode_invalid"],
    ["ı1 1AA", "postcode_invalid"],
    ["SW1A-1AA", "postcode_invalid"],
    ["SW1A 1", "postcode_invalid"],
    ["XX10 1AA", "postcode_invalid"],
    ["ASCN 1ZZ", "postcode_invalid"],
    ["SW1A 1AA'; DROP TABLE zones;--", "postcode_invalid"],
  ])("%j is %s", (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it("DA7 takes a postcode apart", () => {
    const parsed = parseGbPostcode("Sw1A     2aa");
    expect(parsed).toEqual({
      ok: true,
      value: {
        country: "GB",
        precision: "unit",
        postcode: "SW1A 2AA",
        compact: "SW1A2AA",
        outcode: "SW1A",
        incode: "2AA",
        area: "SW",
        district: "SW1",
        sector: "SW1A 2",
        unit: "AA",
        region: "geographic",
      },
    });
  });

  it.each([
    ["SW1A 1AA", "geographic"],
    ["JE2 3AB", "crown_dependency"],
    ["GY1 1AA", "crown_dependency"],
    ["IM1 1AA", "crown_dependency"],
    ["BF1 3AA", "forces"],
    ["BX1 1LT", "non_geographic"],
    ["GIR 0AA", "special"],
  ])("%s lies in the region %s", (text, region) => {
    const parsed = parseGbPostcode(text);
    expect(parsed.ok ? parsed.value.region : parsed.region).toBe(region);
  });

  it("repeats what cannot be understood in a tidy form", () => {
    expect(parseGbPostcode("  not\u00a0 a  postcode ")).toMatchObject({ postcode: "NOT A POSTCODE" });
  });

  it("knows 126 areas less GIR", () => {
    expect(AREAS.size).toBe(126);
    expect([...AREAS].filter((area) => !/^[A-Z]{1,2}$/.test(area))).toEqual([]);
  });

  it("reads what it wrote, whatever the spacing and case", () => {
    const area = fc.constantFrom(...AREAS);
    const inward = fc
      .tuple(
        fc.integer({ min: 0, max: 9 }),
        fc.constantFrom(..."ABDEFGHJLNPQRSTUWXYZ".split("")),
        fc.constantFrom(..."ABDEFGHJLNPQRSTUWXYZ".split("")),
      )
      .map((parts) => parts.join(""));
    const gap = fc.constantFrom("", " ", "  ", "\u00a0", "\u200b", "\t");
    fc.assert(
      fc.property(area, fc.integer({ min: 1, max: 99 }), inward, gap, (letters, number, incode, space) => {
        const parsed = parseGbPostcode(`${letters}${number}${space}${incode}`.toLowerCase());
        expect(parsed).toMatchObject({
          ok: true,
          value: {
            postcode: `${letters}${number} ${incode}`,
            area: letters,
            district: `${letters}${number}`,
          },
        });
      }),
      seeded(),
    );
  });

  it("never throws and never accepts a text outside its alphabet", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
        const parsed = parseGbPostcode(text);
        if (parsed.ok) expect(parsed.value.compact).toMatch(/^[A-Z]{1,2}\d[A-Z\d]?(\d[A-Z]{2})?$/);
      }),
      seeded(1000),
    );
  });
});
