import { describe, expect, it } from "vitest";

import { parseAcceptLanguage } from "../../../server/engines/menus/rules/parse-accept-language.ts";

describe("parseAcceptLanguage", () => {
  it.each([
    ["MA17", "cy-GB, en;q=0.8", ["cy-GB", "en"]],
    ["by weight", "en;q=0.3, cy ; q=0.9, fr", ["fr", "cy", "en"]],
    ["equal weights as they stand", "de, fr, it", ["de", "fr", "it"]],
    ["a weight of 0 is none", "en;q=0, cy;q=0.000, fr;q=0.001", ["fr"]],
    ["anything names nothing", "*, en;q=0.5", ["en"]],
    ["what cannot be read is left out", "en_GB, ;q=1, cy;q=2, fr;q=0.5;x=1, it", ["it"]],
    ["empty", "", []],
    ["none", undefined, []],
    ["a weight of one", "en;q=1.000, fr;q=1", ["en", "fr"]],
  ] as const)("%s", (_, header, expected) => expect(parseAcceptLanguage(header)).toEqual(expected));

  it("reads no endless list", () => {
    expect(parseAcceptLanguage(Array.from({ length: 5_000 }, () => "en").join()).length).toBeLessThanOrEqual(
      20,
    );
  });
});
