import MiniSearch from "minisearch";
import { beforeAll, describe, expect, it } from "vitest";

import { indexAnswers } from "../../../server/engines/answeros/rules/search-answers.ts";
import type { AnswerIndex } from "../../../server/engines/answeros/rules/search-answers.ts";
import { longestOf, many, TURN_MS } from "../../support/longest-turn.ts";
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
  index = await indexAnswers(entries, {
    language: await loadLanguage("en"),
    Engine: MiniSearch,
    key: "sto_a",
  });
});
const find = (question: string, limit: number) => index.find(question, limit, "sto_a");
const found = async (question: string) => (await find(question, 5)).map(({ id }) => id);

describe("the search", () => {
  it("puts a question's own words before those of answers", async () => {
    expect(await found("how long will my sourdough be keeping")).toEqual(["a", "b"]);
  });
  it("goes by stems", async () => {
    const [first, second] = [await found("deliveries"), await found("delivering")];
    expect(first[0] === "b" || second[0] === "b").toBe(true);
  });
  it("gives the sentence that fits", async () => {
    expect((await find("sourdough keep days", 1))[0]?.passage).toBe(
      "Sourdough keeps for four days in paper.",
    );
  });
  it("tells how much of the question it covers", async () => {
    expect((await find("vegan rye", 1))[0]?.coverage).toBe(1);
    expect((await find("vegan banana", 1))[0]?.coverage).toBe(0.5);
  });
  it("finds nothing for stop words, strangers, or nothing", async () => {
    expect([await found("what is the"), await found("bicycle"), await found("")]).toEqual([[], [], []]);
  });
  it("scores as one search for all stems does", async () => {
    const language = await loadLanguage("en");
    const whole = new MiniSearch({
      fields: ["text", "answer"],
      tokenize: (text) => language.stems(text),
      processTerm: (term) => term,
    });
    whole.addAll(entries);
    const question = "sourdough cakes, vegan sourdough and milk in four days";
    const expected = whole.search(question, { boost: { text: 2, answer: 1 } });
    expect((await find(question, 5)).map(({ id, score }) => [id, score])).toEqual(
      expected.map(({ id, score }) => [id, Math.round(score * 1e6) / 1e6]),
    );
  });
  it("gives no more than asked for", async () => expect(await find("sourdough", 1)).toHaveLength(1));
  it("pauses between long answers while it builds the index", async () => {
    const language = await loadLanguage("en");
    const long = many(60, (n) => ({
      id: `answer-${n}`,
      text: `Question ${n} about bread`,
      answer: many(700, (word) => `w${(n * 31 + word * 17) % 900}`).join(" "),
    }));
    const build = async () => void (await indexAnswers(long, { language, Engine: MiniSearch, key: "sto_a" }));
    expect(await longestOf(() => undefined, build)).toBeLessThan(TURN_MS);
  });
});
