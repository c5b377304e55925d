import { describe, expect, it } from "vitest";

import {
  emphasises,
  findNames,
  labelName,
  statementName,
  statementTitles,
} from "../../../server/engines/allergens/rules/names.ts";

describe("names", () => {
  it.each([
    ["soy", "uk", "en", "soya", "soya"],
    ["soy", "us", "en", "soy", "soy"],
    ["egg", "uk", "en", "egg", "eggs"],
    ["egg", "au_nz", "en", "egg", "egg"],
    ["crustacean", "au_nz", "en", "crustacean", "crustacean"],
    ["crustacean", "uk", "en", "crustaceans", "crustaceans"],
    ["milk", "ca", "fr", "lait", "lait"],
    ["hazelnut", "eu", "fr", "noisette", "noisettes"],
  ] as const)("%s in %s (%s): %s, %s", (code, mode, locale, ...expected) => {
    expect([labelName(code, { mode, locale }), statementName(code, { mode, locale })]).toEqual(expected);
  });

  it("begins statements as the mode does", () => {
    expect(statementTitles({ mode: "ca", locale: "fr" }).contains).toBe("Contient :");
    expect(statementTitles({ mode: "ca", locale: "en" }).contains).toBe("Contains:");
    expect(statementTitles({ mode: "au_nz", locale: "en" }).contains).toBe("Contains");
    expect([emphasises("uk"), emphasises("au_nz"), emphasises("us")]).toEqual([true, true, false]);
  });
});

describe("findNames", () => {
  const found = (text: string, ...codes: string[]) =>
    findNames(text, codes).map(({ start, end }) => text.slice(start, end));
  it("finds every place, as whole words in any case", () => {
    expect(found("Egg white, eggs, eggplant, nutmeg", "egg")).toEqual(["Egg", "eggs"]);
    expect(found("buttermilk", "milk")).toEqual([]);
    expect(found("Œufs et lait", "egg", "milk")).toEqual(["Œufs", "lait"]);
  });
  it("takes the longer of two that begin at one place", () => {
    expect(found("noix de coco", "walnut", "coconut")).toEqual(["noix de coco"]);
  });
});
