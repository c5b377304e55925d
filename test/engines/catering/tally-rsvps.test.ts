import { expect, it } from "vitest";

import { tallyRsvps } from "../../../server/engines/catering/rules/tally-rsvps.ts";

it("counts who comes, with guests, and each need once a person", () => {
  const tally = tallyRsvps([
    { answer: "accepted", guests: 2, dietary: ["vegan", "vegan"] },
    { answer: "accepted", guests: 0, dietary: ["vegan", "halal"] },
    { answer: "declined", guests: 0, dietary: ["halal"] },
    { answer: "none", guests: 0, dietary: [] },
  ]);
  expect(tally).toEqual({
    count: 4,
    answered: 3,
    dietary: [
      { code: "halal", count: 1 },
      { code: "vegan", count: 2 },
    ],
    evidence: ["2 accepted with 2 guests, 1 declined, 1 without an answer"],
  });
});

it("is no answer while nobody has answered", () =>
  expect(tallyRsvps([{ answer: "none", guests: 0, dietary: [] }])).toMatchObject({ count: 0, answered: 0 }));
