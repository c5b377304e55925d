import { expect, it } from "vitest";

import { gapOf } from "../../../server/engines/answeros/rules/rank-gaps.ts";
import { noSums } from "../../../server/engines/answeros/rules/tally.ts";
import { A30, CRUMB, LOAFLY, sumsOfAll } from "./fixture.ts";

const own = new Set([CRUMB.id]);

it("is there where a competitor is cited and the shop is not", () => {
  const answers = A30.filter((_, index) => index !== 1);
  expect(gapOf(sumsOfAll(answers), own)).toEqual({
    answers: 4,
    own_mentions: 2,
    own_citations: 0,
    competitors: [{ brand_id: LOAFLY.id, cited_answers: 2, answers: 3 }],
    domains: [
      { domain: "guide.example", answers: 2 },
      { domain: "loafly.example", answers: 2 },
    ],
    opportunity: 0.5,
  });
});

it("is not there where the shop is cited once", () => expect(gapOf(sumsOfAll(A30), own)).toBeNull());
it("is not there where nobody that is tracked is cited", () => {
  expect(gapOf(sumsOfAll([A30[3] ?? { text: "", cites: [], sentiment: null }]), own)).toBeNull();
  expect(gapOf(noSums(), own)).toBeNull();
});
