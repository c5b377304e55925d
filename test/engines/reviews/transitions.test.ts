import { describe, expect, it } from "vitest";

import type { PostAction, ReviewAction } from "../../../server/engines/reviews/rules/transitions.ts";
import { nextPostStatus, nextReviewStatus } from "../../../server/engines/reviews/rules/transitions.ts";
import { REVIEW_STATUSES } from "../../../server/engines/reviews/schema.ts";
import { POST_STATUSES } from "../../../server/engines/reviews/schema/question.ts";

describe("states of reviews", () => {
  it.each<[ReviewAction, string]>([
    ["confirm", "unconfirmed>pending"],
    ["approve", "pending>published rejected>published"],
    ["reject", "pending>rejected published>rejected"],
    ["spam", "pending>spam published>spam"],
    ["unspam", "spam>pending"],
    ["revise", "unconfirmed>pending pending>pending published>pending"],
    ["flagged", "published>pending"],
    ["withdraw", "unconfirmed>withdrawn pending>withdrawn published>withdrawn"],
    [
      "erase",
      "unconfirmed>erased pending>erased published>erased rejected>erased spam>erased withdrawn>erased",
    ],
  ])("%s", (action, expected) => {
    const found = REVIEW_STATUSES.flatMap((from) => {
      const to = nextReviewStatus(from, action);
      return to === null ? [] : [`${from}>${to}`];
    });
    expect(found.join(" ")).toBe(expected);
  });
});

describe("states of questions and answers", () => {
  it.each<[PostAction, string]>([
    ["approve", "pending>published rejected>published"],
    ["reject", "pending>rejected published>rejected"],
    ["spam", "pending>spam published>spam"],
    ["unspam", "spam>pending"],
    ["erase", "pending>erased published>erased rejected>erased spam>erased"],
  ])("%s", (action, expected) => {
    const found = POST_STATUSES.flatMap((from) => {
      const to = nextPostStatus(from, action);
      return to === null ? [] : [`${from}>${to}`];
    });
    expect(found.join(" ")).toBe(expected);
  });
});
