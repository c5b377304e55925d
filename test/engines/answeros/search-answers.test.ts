import MiniSearch from "minisearch";
import { beforeAll, describe, expect, it } from "vitest";

import { indexAnswers } from "../../../server/engines/answeros/rules/search-answers.ts";
import type { AnswerIndex } from "../../../server/engines/answeros/rules/search-answers.ts";
import { loadLanguage } from "../../../server/lib/text/language.ts";

const entries = [
  {
    id: "a",
    text: "How long does sourdough keep?",
    answer: "It is best fresh. Sourdough keeps for four days in paper.",
  },
  { id: "b", text: "Where do you deliver?", answer: "We deliver sourdough and cakes in Hackney." },
  { id: "c", text: "Is the rye vegan?", answer: "Yes, the rye loaf has no milk." },
];
let index: AnswerIndex;
beforeAll(async () => {
  index = indexAnswers(entries, await loadLanguage("en"), MiniSearch);
});
const found = (question: string) => index.find(question, 5).map(({ id }) => id);

describe("the search", () => {
  it("puts a question's own words before those of answers", () => {
    expect(found("how long will my sourdough be keeping")).toEqual(["a", "b"]);
  });
  it("goes by stems", () =>
    expect(found("deliveries")[0] === "b" || found("delivering")[0] === "b").toBe(true));
  it("gives the sentence that fits", () => {
    expect(index.find("sourdough keep days", 1)[0]?.passage).toBe("Sourdough keeps for four days in paper.");
  });
  it("tells how much of the question it covers", () => {
    expect(index.find("vegan rye", 1)[0]?.coverage).toBe(1);
    expect(index.find("vegan banana", 1)[0]?.coverage).toBe(0.5);
  });
  it("finds nothing for stop words, strangers, or nothing", () => {
    expect([found("what is the"), found("bicycle"), found("")]).toEqual([[], [], []]);
  });
  it("gives no more than asked for", () => expect(index.find("sourdough", 1)).toHaveLength(1));
});
