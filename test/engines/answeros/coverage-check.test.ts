import { expect, it } from "vitest";

import { bestCoverage, coverageCheck } from "../../../server/engines/answeros/rules/score-page.ts";
import { factsOf } from "./fixture.ts";

const body = "<h2>How long does rye bread keep?</h2><p>Eight days, wrapped.</p><p>We deliver on Monday.</p>";

it("takes the heading above a passage into account", async () => {
  const facts = await factsOf(body);
  expect(bestCoverage(facts, "How long does rye bread keep?")).toBe(1);
  expect(bestCoverage(facts, "Do you deliver on Sunday?")).toBe(0.5);
  expect(bestCoverage(facts, "Is it vegan?")).toBe(0);
});

it("does not take a heading alone for an answer", async () => {
  expect(
    bestCoverage(await factsOf("<h2>How long does rye bread keep?</h2>"), "How long does rye bread keep?"),
  ).toBe(0);
});

it("gives the share of questions that have a passage", async () => {
  const facts = await factsOf(body);
  const asked = ["How long does rye bread keep?", "Is it vegan?"];
  expect(coverageCheck({ facts, questions: asked })).toMatchObject({ points: 5, max: 10, status: "ok" });
  expect(coverageCheck({ facts, questions: asked }).fix).toContain("Is it vegan?");
  expect(coverageCheck({ facts, questions: [] }).status).toBe("na");
});
