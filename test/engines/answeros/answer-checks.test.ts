import { describe, expect, it } from "vitest";

import { answerChecks } from "../../../server/engines/answeros/rules/answer-checks.ts";
import { inputOf, words } from "./fixture.ts";

const pointsOf = async (id: string, body: string, more: Parameters<typeof inputOf>[1] = {}) =>
  answerChecks(await inputOf(body, more)).find((check) => check.id === id)?.points;

const question = "Which sourdough bread has oven crust flour?";
const asked = { questions: [question] };
const filler = `<p>${words(60, "other")}.</p>`;
const answer = "Sourdough bread gets its crust from oven and flour.";

describe("B1: an early answer", () => {
  it.each([
    ["covers what is asked", `<p>${answer}</p>${filler}`, 10],
    ["covers 3 of 5 stems: 60 %", `<p>Our sourdough bread has a very good crust here.</p>${filler}`, 10],
    ["covers 2 of 5 stems", `<p>Our sourdough bread has a very good taste here.</p>${filler}`, 0],
    ["has 7 words", `<p>Sourdough bread oven crust flour and more.</p>${filler}`, 0],
    ["has 8 words", `<p>Sourdough bread oven crust flour and even more.</p>${filler}`, 10],
    ["has 40 words", `<p>Sourdough bread oven crust ${words(36)}.</p><p>${words(200)}</p>`, 10],
    ["has 41 words", `<p>Sourdough bread oven crust ${words(37)}.</p><p>${words(200)}</p>`, 0],
    ["comes late", `${filler}${filler}<p>${answer}</p>`, 0],
    ["is a heading", `<h2>${answer}</h2>${filler}`, 0],
  ])("%s", async (_, body, expected) => expect(await pointsOf("B1", body, asked)).toBe(expected));

  it("goes by the entity where no question is tracked", async () => {
    const body = `<h1>Rye loaf</h1><p>A rye loaf of ours weighs a whole kilogram today.</p>${filler}`;
    expect(await pointsOf("B1", body)).toBe(10);
  });
});

describe("B2 and B3: questions as headings", () => {
  const heading = (isQuestion: boolean) => `<h2>${isQuestion ? "How long does it keep?" : "Keeping"}</h2>`;
  const headings = (questions: number, others: number) =>
    heading(true).repeat(questions) + heading(false).repeat(others);

  it.each([
    [3, 7, 6],
    [29, 71, 3],
    [1, 9, 3],
    [9, 91, 0],
    [0, 4, 0],
    [0, 0, 0],
  ])("%i of them and %i others: %i points", async (questions, others, expected) => {
    expect(await pointsOf("B2", headings(questions, others) || "<p>Bread.</p>")).toBe(expected);
  });

  it("looks at H2 and H3 alone", async () => {
    expect(await pointsOf("B2", "<h1>What is rye?</h1><h4>What is rye?</h4><h3>Rye</h3>")).toBe(0);
    expect(await pointsOf("B2", "<h3>What is rye?</h3>")).toBe(6);
  });

  it.each([
    [19, 0],
    [20, 6],
    [80, 6],
    [81, 0],
  ])("a paragraph of %i words below gives %i", async (count, expected) => {
    expect(await pointsOf("B3", `${heading(true)}<p>${words(count)}.</p>`)).toBe(expected);
  });

  it("gives a share, and nothing for a list or for no question at all", async () => {
    const answered = `${heading(true)}<p>${words(30)}.</p>`;
    expect(await pointsOf("B3", answered + heading(true) + answered + heading(true))).toBe(3);
    expect(await pointsOf("B3", `${heading(true)}<ul><li>${words(30)}</li></ul>`)).toBe(0);
    expect(await pointsOf("B3", `${heading(false)}<p>${words(30)}.</p>`)).toBe(0);
  });
});

describe("B4: a definition", () => {
  const about = { entity: "Hackney sourdough" };
  it.each([
    ["is", "<p>Hackney sourdough is a loaf.</p>", 4],
    ["means", "<p>Hackney sourdough means patience.</p>", 4],
    ["refers to", "<p>Hackney sourdough refers to our loaf.</p>", 4],
    ["another subject", "<p>Our oven is hot. Hackney sourdough bakes in it.</p>", 0],
    ["after the verb", "<p>Here is Hackney sourdough.</p>", 0],
    ["within 200 words", `<p>${words(199)}.</p><p>Hackney sourdough is a loaf.</p>`, 4],
    ["after 200 words", `<p>${words(200)}.</p><p>Hackney sourdough is a loaf.</p>`, 0],
  ])("%s", async (_, body, expected) => expect(await pointsOf("B4", body, about)).toBe(expected));
});

describe("B5: short sentences", () => {
  it.each([
    [20, 4],
    [21, 2],
    [25, 2],
    [26, 0],
  ])("a median of %i words gives %i", async (count, expected) => {
    expect(await pointsOf("B5", `<p>${words(count)}.</p>`)).toBe(expected);
  });
  it("is half-way between two in the middle, and nothing without sentences", async () => {
    expect(await pointsOf("B5", `<p>${words(20)}.</p><p>${words(22)}.</p>`)).toBe(2);
    expect(await pointsOf("B5", "<h1>Bread</h1>")).toBe(0);
  });
});
