import { expect, it } from "vitest";

import { TEST_TOKENS, testOutcome } from "../../../server/engines/subscriptions/rules/test-tokens.ts";

it("fails as often as it says, and then pays", () =>
  expect([1, 2, 3].map((attempt) => testOutcome("tok_fail_n_then_ok:2", attempt).state)).toEqual([
    "failed",
    "failed",
    "succeeded",
  ]));

it("knows every token that it lists, and declines all others", () => {
  for (const token of TEST_TOKENS)
    expect(testOutcome(token.replace("<n>", "1"), 1).failure?.code).not.toBe("invalid_token");
  for (const token of ["tok_nothing", "constructor", ""])
    expect(testOutcome(token, 1).failure?.code).toBe("invalid_token");
});
