import { expect, it } from "vitest";

import { tallyRsvps, withNeeds } from "../../../server/engines/catering/rules/tally-rsvps.ts";

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

it("says that there are others where guests name more needs than an order lists", () => {
  const own = Array.from({ length: 210 }, (_, at) => `need ${String(at).padStart(3, "0")}`);
  const answers = [own.slice(0, 100), own.slice(100), ["vegan"], ["vegan"]].map((dietary) => ({
    answer: "accepted" as const,
    guests: 0,
    dietary,
  }));
  const { dietary } = tallyRsvps(answers);
  expect(dietary).toHaveLength(200);
  expect(dietary.slice(-2)).toEqual([
    { code: "vegan", count: 2 },
    { code: "12 others", count: 12 },
  ]);
  expect(tallyRsvps(answers.slice(1)).dietary.map(({ code }) => code)).toEqual([...own.slice(100), "vegan"]);
});

it("changes the needs of an order by those of a guest who answers again", () => {
  const before = [
    { code: "halal", count: 1 },
    { code: "vegan", count: 2 },
  ];
  expect(withNeeds(before, { old: ["vegan", "halal", "kosher"], needs: ["vegan", "nuts", "nuts"] })).toEqual([
    { code: "nuts", count: 1 },
    { code: "vegan", count: 2 },
  ]);
  const others = [
    { code: "Vegan", count: 2 },
    { code: "sesame", count: 1 },
  ];
  expect(withNeeds([{ code: "vegan", count: 2 }], { old: ["vegan"], needs: [], others })).toEqual([
    { code: "vegan", count: 2 },
  ]);
  const most = Array.from({ length: 200 }, (_, n) => ({ code: `need ${n}`, count: 2 }));
  expect(withNeeds(most, { old: [], needs: ["nuts"] }).at(-1)).toEqual({ code: "2 others", count: 3 });
});

it("is no answer while nobody has answered", () =>
  expect(tallyRsvps([{ answer: "none", guests: 0, dietary: [] }])).toMatchObject({ count: 0, answered: 0 }));
