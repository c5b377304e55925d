import { describe, expect, it } from "vitest";

import { isHeld, nextStatus } from "../../../server/engines/forms/rules/submission-state.ts";
import { SubmissionStatus } from "../../../server/engines/forms/schema/submission.ts";

describe("states of a submission", () => {
  it.each([
    ["spam", { new: "spam", open: "spam", done: "spam", quarantined: "spam" }],
    ["unspam", { spam: "new", quarantined: "new" }],
    ["open", { new: "open", done: "open" }],
    ["done", { new: "done", open: "done" }],
  ] as const)("%s", (action, expected) => {
    const moves = SubmissionStatus.options.flatMap((status) => {
      const next = nextStatus(action, status);
      return next === null ? [] : [[status, next]];
    });
    expect(Object.fromEntries(moves)).toEqual(expected);
  });

  it("holds back spam and quarantine", () => {
    expect(SubmissionStatus.options.filter(isHeld)).toEqual(["spam", "quarantined"]);
  });
});
