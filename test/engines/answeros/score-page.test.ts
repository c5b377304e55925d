import { describe, expect, it } from "vitest";

import { addRepetition, scorePage, scoreText } from "../../../server/engines/answeros/rules/score-page.ts";
import { inputOf, words } from "./fixture.ts";

const robots = (rules: string) => ({ head: `<meta name="robots" content="${rules}">` });
const faq = (answer: string) => ({
  head: `<script type="application/ld+json">${JSON.stringify({
    "@type": "FAQPage",
    mainEntity: [{ "@type": "Question", name: "Rye?", acceptedAnswer: { "@type": "Answer", text: answer } }],
  })}</script>`,
});

describe("the score", () => {
  it("has its eighteen checks in order, and versions", async () => {
    const score = scorePage(await inputOf("<p>Bread.</p>"));
    expect(score.checks.map(({ id }) => id).join(" ")).toBe(
      "A1 A2 A3 A4 B1 B2 B3 B4 B5 C1 C2 C3 C4 D1 F1 E1 E2 E3",
    );
    expect(score.checks.reduce((sum, { max }) => sum + max, 0)).toBe(100);
    expect([score.score_version, score.text_model]).toEqual([1, 1]);
  });

  it.each([
    ["noindex", "noindex"],
    ["nosnippet", "nosnippet"],
    ["max-snippet:0", "nosnippet"],
    ["max-snippet:1", null],
    ["nofollow", null],
  ])("with %s the gate is %s", async (rules, gate) => {
    const score = scorePage(await inputOf("<p>Bread.</p>", robots(rules)));
    expect(score.gate).toBe(gate);
    if (gate !== null) expect(score.total).toBeLessThanOrEqual(20);
  });

  it("is the same for the same page", async () => {
    const body = "<h1>Rye</h1><p>Rye is bread of 800 g.</p>";
    expect(scorePage(await inputOf(body))).toEqual(scorePage(await inputOf(body)));
  });
});

describe("the score of a text by itself", () => {
  const body = "<h1>Rye</h1><p>Rye is bread of 800 g, with a crust that keeps for days.</p>";

  it("leaves out what the site puts around it", async () => {
    const score = scoreText(await inputOf(body));
    const applying = score.checks.filter(({ status }) => status !== "na");
    expect(applying.map(({ id }) => id).join(" ")).toBe("B1 B2 B3 B4 B5 C1 C2 C3 D1");
    expect(score.components).toMatchObject({ access: 0, structured_data: 0 });
    // B1 10, B4 4, B5 4 and C1 8 of 59 points.
    expect(score.total).toBe(44);
  });

  it("holds to what the text asks of crawlers", async () => {
    expect(scoreText(await inputOf(body, robots("noindex")))).toMatchObject({ gate: "noindex", total: 20 });
  });
});

describe("penalties", () => {
  // One content word: density = 100 · count / words · 1.0333.
  it.each([
    [3, 101, []],
    [3, 100, ["keyword_stuffing"]],
    [4, 104, ["keyword_stuffing"]],
  ])("%i times in %i other words: %o", async (count, others, expected) => {
    const body = `<p>${"Focaccia. ".repeat(count)}${words(others, "oven")}.</p>`;
    const { penalties } = scorePage(await inputOf(body, { entity: "focaccia" }));
    expect(penalties.map(({ id }) => id)).toEqual(expected);
  });

  it("judge no page of fewer than a hundred words", async () => {
    const { penalties } = scorePage(
      await inputOf(`<p>${"Focaccia. ".repeat(50)}</p>`, { entity: "focaccia" }),
    );
    expect(penalties).toEqual([]);
  });

  it.each([
    [2, []],
    [3, ["repeated_answers"]],
  ])("for an answer on %i pages: %o", async (count, expected) => {
    const { penalties } = addRepetition(scorePage(await inputOf("<p>Bread.</p>")), count);
    expect(penalties.map(({ id }) => id)).toEqual(expected);
  });

  it("for an answer in the markup that the page does not show", async () => {
    const shown = scorePage(await inputOf("<p>Rye? It is bread.</p>", faq("It is bread.")));
    expect(shown.penalties).toEqual([]);
    const hidden = scorePage(await inputOf("<p>Rye?</p>", faq("It is bread.")));
    expect(hidden.penalties.map(({ id, points }) => [id, points])).toEqual([["repeated_answers", 10]]);
  });
});
