import { describe, expect, it } from "vitest";

import { intentOf, suggestQuestions } from "../../../server/engines/answeros/rules/suggest-questions.ts";
import { factsOf } from "./fixture.ts";

describe("suggestions", () => {
  it("begin with what the page asks, with the answer it gives", async () => {
    const facts = await factsOf(
      "<h2>Does rye keep?</h2><p>Eight days.</p><h2>Who bakes?</h2><h2>Baking</h2>",
    );
    const found = suggestQuestions({ facts, entity: "rye" }, [], 3);
    expect(found.map(({ text, answer }) => [text, answer])).toEqual([
      ["Does rye keep?", "Eight days."],
      ["Who bakes?", null],
      ["What is rye?", null],
    ]);
  });

  it("leave out what is there, whatever its case and marks", () => {
    const texts = suggestQuestions({ facts: null, entity: "rye" }, ["what is RYE"], 10).map(
      ({ text }) => text,
    );
    expect(texts).not.toContain("What is rye?");
    expect(texts.length).toBeGreaterThan(3);
    expect(new Set(texts).size).toBe(texts.length);
  });
});

it.each([
  ["How much does rye cost?", "commercial"],
  ["How do I order rye?", "transactional"],
  ["Where are you?", "local"],
  ["How do I log in?", "navigational"],
  ["What is rye?", "informational"],
] as const)("%s is %s", (text, intent) => expect(intentOf(text)).toBe(intent));
