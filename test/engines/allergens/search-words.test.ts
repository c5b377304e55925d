import { describe, expect, it } from "vitest";

import { matchesWords, searchWords, stemOf } from "../../../server/engines/allergens/rules/search-words.ts";

describe("search words", () => {
  it("drops case, accents and signs, each word once", () => {
    expect(searchWords("Crème brûlée & CREME, 2x")).toEqual(["creme", "brulee", "2x"]);
    expect(searchWords("  ")).toEqual([]);
  });
  it("files by three letters, of any script", () => {
    expect(["sourdough", "pi", "ψωμι", "🍞x"].map(stemOf)).toEqual(["sou", "pi", "ψωμ", "🍞x"]);
  });
  it("finds beginnings of three letters, and whole shorter words", () => {
    const title = "Cherry pie, no 7";
    const found = (...words: string[]) => matchesWords(title, words);
    expect([found("che"), found("cherry", "pie"), found("no"), found("7")]).toEqual([true, true, true, true]);
    expect([found("ch"), found("pies"), found("cherry", "tart"), found("erry")]).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(found()).toBe(true);
  });
});
