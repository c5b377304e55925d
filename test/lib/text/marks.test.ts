import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { searchWords } from "../../../server/engines/allergens/rules/search-words.ts";
import { toPhrases } from "../../../server/engines/allergens/rules/food-tokens.ts";
import { checkParity } from "../../../server/engines/answeros/rules/check-parity.ts";
import { parseGbPostcode } from "../../../server/engines/delivery/rules/parse-gb-postcode.ts";
import { slugOf } from "../../../server/engines/forms/services/edit-form.ts";
import { slug } from "../../../server/engines/menus/formats/json-ld.ts";
import { runsOf } from "../../../server/engines/reviews/rules/similarity.ts";
import { loadLanguage } from "../../../server/lib/text/language.ts";
import { composed, withoutMarks } from "../../../server/lib/text/marks.ts";
import { cpuMs } from "../../support/longest-turn.ts";

/** Marks that have to be put in order, one by one: the work grows with the square of their number. */
const marks = (count: number): string => `a${"\u0315".repeat(count)}${"\u0300".repeat(count)}b`;

/** Letters with marks, marks alone, and characters that decompose to marks or to several letters. */
const written = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...Array.from("aé\u0301\u0315\u0323ßİΣσﬁŐ\u0344\u0345ｶﾞ\uff9e\uff9f가각\u1100\u1161\u0f77\u1d16"),
      ),
      fc.string({ unit: "binary", maxLength: 3 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

describe("texts without marks", () => {
  it("are what remains of the decomposed text", () => {
    fc.assert(
      fc.property(written, (text) => {
        expect(withoutMarks(text)).toBe(text.normalize("NFKD").replaceAll(/\p{M}/gu, ""));
        expect(withoutMarks(text).toLowerCase()).toBe(
          text.normalize("NFKD").toLowerCase().replaceAll(/\p{M}/gu, ""),
        );
      }),
      { numRuns: 3_000 },
    );
  });
});

describe("composed texts", () => {
  it("have the normal form up to as many marks as a language has", () => {
    expect(composed(marks(15))).toBe(`\u00e0${"\u0300".repeat(14)}${"\u0315".repeat(15)}b`);
    expect(composed("ﬁx", "NFKC")).toBe("fix");
    expect(composed(marks(16))).toBe(marks(16));
  });
});

/** With the square of the number of marks each took 3 to 20 seconds. */
const READING_MS = 500;
const long = marks(100_000);
const english = await loadLanguage("en");
const german = await loadLanguage("de");

it.each<[string, (text: string) => unknown]>([
  ["words of a search", searchWords],
  ["names of foods", toPhrases],
  ["a page with its markup", (text) => checkParity({ "@type": "Product", name: text }, text)],
  ["a postcode", parseGbPostcode],
  ["a name of a form", slugOf],
  ["a name of another system", (text) => slug(text, "part")],
  ["a review", runsOf],
  ["a word in English", english.stem],
  ["a word in German", german.stem],
  ["many words", (text) => composed(`${"\u0301".repeat(30)} `.repeat(text.length / 31))],
])("reads %s of 200,000 marks in time that grows with their number", async (_name, read) => {
  expect(await cpuMs(READING_MS, () => read(long))).toBeLessThan(READING_MS);
});
