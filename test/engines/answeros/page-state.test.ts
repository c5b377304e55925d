import { expect, it } from "vitest";

import {
  markupStates,
  pageStates,
  rewriteStates,
  runStates,
} from "../../../server/engines/answeros/rules/page-state.ts";

it("decides a rewrite once, and publishes only structured data that is valid", () => {
  expect(rewriteStates.from("apply")).toEqual(["ready", "needs_review"]);
  expect(rewriteStates.allows("reject", "applied")).toBe(false);
  expect(markupStates.from("publish")).toEqual(["valid"]);
  expect(pageStates.allows("fetch_again", "failed")).toBe(true);
  expect(runStates.allows("answered", "failed")).toBe(false);
});
