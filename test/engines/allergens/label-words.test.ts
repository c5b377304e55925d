import { describe, expect, it } from "vitest";

import { CODES } from "../../../server/engines/allergens/data/codes.ts";
import { labelWords } from "../../../server/engines/allergens/data/label-words.ts";
import { LANGUAGES } from "../../../server/engines/allergens/data/modes.ts";
import { labelName, statementTitles } from "../../../server/engines/allergens/rules/names.ts";
import { rollUp } from "../../../server/engines/allergens/rules/roll-up.ts";
import { writeLabel } from "../../../server/engines/allergens/rules/write-label.ts";
import { fresh, line, settings, textOf, verified } from "./make.ts";

describe("labels in the official languages of the Union", () => {
  it("there are twenty-four, each with a name of its own for all that Annex II declares", () => {
    expect(LANGUAGES).toHaveLength(24);
    for (const locale of LANGUAGES) {
      const codes = CODES.filter(({ code, declared_as: as }) => as.eu === code).map(({ code }) => code);
      const names = codes.map((code) => labelName(code, { mode: "eu", locale }));
      expect(names.every((name) => name.trim() !== "")).toBe(true);
      if (locale !== "en") {
        const english = codes.filter(
          (code, at) => names[at] === labelName(code, { mode: "eu", locale: "en" }),
        );
        // Words that a few languages share with English.
        expect(
          english.filter((code) => !["triticale", "lupin", "gluten", "mustard"].includes(code)),
          locale,
        ).toEqual([]);
      }
      const { contains, mayContain } = statementTitles({ mode: "eu", locale });
      expect([contains, mayContain, labelWords(locale).ingredients].includes("")).toBe(false);
    }
  });

  it.each([
    ["de", { name: "Weizenmehl", contains: ["wheat"] }, "*Weizen*mehl"],
    ["de", { name: "Dinkel", contains: ["spelt"] }, "Dinkel (*Weizen*)"],
    ["de", { name: "Butter", contains: ["milk"] }, "Butter (*Milch*)"],
    ["de", { name: "Kokosmilch", contains: ["milk"] }, "Kokosmilch (*Milch*)"],
    ["fi", { name: "kalmari", contains: ["fish"] }, "kalmari (*kala*)"],
    ["pl", { name: "mąka pszenna", contains: ["wheat"] }, "mąka pszenna (*pszenica*)"],
    ["el", { name: "γάλα", contains: ["milk"] }, "*γάλα*"],
  ] as const)("%s: %o", (language, { name, contains }, expected) => {
    const ingredients = [line(name, contains)];
    const product = verified({ title: "x", ingredients, declarations: rollUp(ingredients) });
    const request = { mode: "eu", locale: language, sale_type: "prepacked" } as const;
    const found = writeLabel(product, request, { freshness: fresh, settings: settings({ language }) });
    expect(textOf(found.segments)).toBe(expected);
    // Of these languages the words of Annex II were not read.
    const unread = ["fi", "el"].includes(language) ? [["words_not_reviewed", "warning"]] : [];
    expect(found.lint.map(({ code, level }) => [code, level])).toEqual(unread);
  });
});
