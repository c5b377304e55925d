import { expect, it } from "vitest";

import { addTally, decisionOf, NO_TALLY } from "../../../server/engines/reviews/rules/tally.ts";
import { makeReview } from "./make.ts";

const decided = { reason: null, note: "", by: null, at: "2026-05-04T23:00:00.000Z", risk: 0, signals: [] };

it.each([
  ["pending", null],
  ["unconfirmed", null],
  ["published", "published"],
  ["rejected", "rejected"],
  ["spam", "spam"],
  ["withdrawn", "removed"],
  ["erased", "removed"],
] as const)("%s counts as %s", (status, kind) => {
  const decision = decisionOf(makeReview({ status, rating: 2, moderation: decided }));
  if (kind === null) expect(decision).toBeNull();
  else expect(decision).toEqual({ day: "2026-05-04", tally: { ...NO_TALLY, [kind]: [0, 1, 0, 0, 0] } });
});

it("adds and takes away", () => {
  const { tally } = decisionOf(makeReview({ moderation: decided })) ?? { tally: NO_TALLY };
  expect(addTally(addTally(NO_TALLY, tally, 1), tally, -1)).toEqual(NO_TALLY);
});
