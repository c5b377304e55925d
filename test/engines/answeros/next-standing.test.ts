import { expect, it } from "vitest";

import { LOST_AFTER, nextStanding } from "../../../server/engines/answeros/rules/next-standing.ts";

/** The changes that a row of answers makes, day by day. */
function changes(...answers: readonly boolean[]) {
  let state: Parameters<typeof nextStanding>[0] = null;
  return answers.map((isCited, day) => {
    const { next, change } = nextStanding(state, { at: `2026-06-0${day + 1}T00:00:00.000Z`, isCited });
    state = next ?? state;
    return change;
  });
}

it("tells of the first citation", () => expect(changes(false, true, true)).toEqual([null, "gained", null]));
it("does not tell of a loss before three answers in a row", () => {
  expect(LOST_AFTER).toBe(3);
  expect(changes(true, false, false, true)).toEqual(["gained", null, null, null]);
  expect(changes(true, false, false, false, false)).toEqual(["gained", null, null, "lost", null]);
});
it("tells of what comes back", () => expect(changes(true, false, false, false, true).at(-1)).toBe("gained"));
it("tells of no loss where nothing was won", () =>
  expect(changes(false, false, false, false)).toEqual([null, null, null, null]));
it("leaves late answers alone", () => {
  const { next } = nextStanding(null, { at: "2026-06-02T00:00:00.000Z", isCited: true });
  expect(nextStanding(next, { at: "2026-06-01T00:00:00.000Z", isCited: false })).toEqual({
    next: null,
    change: null,
  });
});
