import { describe, expect, it } from "vitest";

import { pickOptional, pickText } from "../../../server/engines/menus/rules/pick-text.ts";

const text = { en: "Bread", cy: "Bara", "pt-BR": "Pão" };

describe("pickText", () => {
  it.each([
    ["MA17 by language", ["cy-GB", "en"], "Bara"],
    ["exactly", ["pt-BR"], "Pão"],
    ["in whatever case", ["PT-br"], "Pão"],
    ["another country of the language", ["pt-PT", "en"], "Pão"],
    ["the first that there is", ["fr", "de", "cy"], "Bara"],
    ["the store's own", ["fr"], "Bread"],
    ["nothing asked for", [], "Bread"],
  ] as const)("%s", (_, locales, expected) => {
    expect(pickText(text, { locales, fallback: "en" })).toBe(expected);
  });

  it("takes the first there is when the store's own is not there", () => {
    expect(pickText({ cy: "Bara" }, { locales: ["fr"], fallback: "en" })).toBe("Bara");
    expect(pickText({}, { locales: [], fallback: "en" })).toBe("");
    expect(pickOptional(null, { locales: [], fallback: "en" })).toBeNull();
    expect(pickOptional({ en: "x" }, { locales: [], fallback: "en" })).toBe("x");
  });
});
