import { describe, expect, it } from "vitest";

import { addSums, NAMED_MAX, noSums } from "../../../server/engines/answeros/rules/tally.ts";
import { A30, CRUMB, sumsOfAll, sumsOfAnswer } from "./fixture.ts";

describe("sums", () => {
  it("count a domain once an answer, its citations each", () => {
    const sums = sumsOfAnswer({
      text: "Crumb.",
      cites: ["https://crumb.example/a", "https://www.crumb.example/b", "https://guide.example/"],
      sentiment: "neutral",
    });
    expect(sums).toMatchObject({ answers: 1, cited_answers: 1, pairs: 2 });
    expect(sums.domains["crumb.example"]).toMatchObject({ answers: 1, citations: 2 });
    expect(sums.brands[CRUMB.id]).toMatchObject({ cited_answers: 1, cited_pairs: 1, citation_quality: 1 });
  });

  it("count an appearance for a brand that is cited and not named", () => {
    const sums = sumsOfAnswer({ text: "A bakery.", cites: ["https://crumb.example/"], sentiment: "neutral" });
    expect(sums.brands[CRUMB.id]).toMatchObject({ answers: 0, appearances: 1, mention_quality: 0 });
    expect(sums.branded_answers).toBe(0);
  });

  it("are not changed by nothing", () => {
    const sums = sumsOfAll(A30);
    expect(addSums(sums, noSums())).toEqual(sums);
    expect(addSums(noSums(), sums)).toEqual(sums);
  });

  it("leave their parts as they are", () => {
    const left = sumsOfAll(A30.slice(0, 2));
    const copy = structuredClone(left);
    addSums(left, sumsOfAll(A30.slice(2)));
    expect(left).toEqual(copy);
  });

  it(`name ${NAMED_MAX} URLs and count how many they leave out`, () => {
    const cites = Array.from({ length: NAMED_MAX + 5 }, (_, index) => `https://guide.example/${index}`);
    const often = sumsOfAnswer({ text: "", cites: ["https://guide.example/often"], sentiment: "neutral" });
    const sums = addSums(addSums(often, often), sumsOfAnswer({ text: "", cites, sentiment: "neutral" }));
    expect(Object.keys(sums.urls)).toHaveLength(NAMED_MAX);
    expect(sums.urls["https://guide.example/often"]?.answers).toBe(2);
    expect(sums.urls_left_out).toBe(6);
  });
});
