import { describe, expect, it } from "vitest";

import {
  applyRules,
  findRuleProblem,
  holds,
} from "../../../server/engines/reviews/rules/moderation-rules.ts";
import type { Condition } from "../../../server/engines/reviews/schema/settings.ts";
import { makeReview } from "./make.ts";

const field = (name: string, op: string, value: string | number | boolean): Condition => ({
  field: name,
  op,
  value,
});
const rule = (condition: Condition, what: "publish" | "hold" | "spam" = "hold") => {
  // The member is named as on the wire.
  // oxlint-disable-next-line unicorn/no-thenable
  return { if: condition, then: what };
};

describe("moderation rules", () => {
  it("A19: none may look at rating or opinion, however deep it hides", () => {
    for (const name of [
      "rating",
      "stars",
      "rating_value",
      "sentiment",
      "recommends",
      "title",
      "body",
      "pros",
      "nps",
    ]) {
      const problem = findRuleProblem([
        rule(field("risk", "lt", 5)),
        rule({ any: [field("locale", "eq", "en"), { not: field(name, "gte", 4) }] }, "publish"),
      ]);
      expect(problem, name).toMatchObject({
        code: "sentiment_conditional_moderation",
        path: [1, "if", "any", 1, "not", "field"],
      });
    }
    expect(findRuleProblem([rule(field("weather", "eq", "rain"))])).toMatchObject({ code: "unknown_field" });
    expect(findRuleProblem([rule(field("verification", "eq", "verified_purchase"), "publish")])).toBeNull();
  });

  it.each<[Condition, boolean]>([
    [field("risk", "gte", 20), true],
    [field("risk", "lt", 20), false],
    [field("signal", "eq", "url"), true],
    [field("signal", "contains", "DUP"), false],
    [field("country", "eq", "GB"), false],
    [field("country", "neq", "GB"), false],
    [{ not: field("has_media", "eq", true) }, true],
    [{ all: [field("locale", "contains", "en"), field("target_type", "eq", "product")] }, true],
    [{ any: [field("incentive", "neq", "none"), field("relationship", "neq", "none")] }, false],
    [field("locale", "gt", 3), false],
  ])("%j", (condition, expected) => {
    const moderation = {
      reason: null,
      note: "",
      by: null,
      at: null,
      risk: 20,
      signals: [{ code: "url", points: 20 }],
    };
    expect(holds(condition, makeReview({ moderation }))).toBe(expected);
  });

  it("lets the first that holds decide", () => {
    const rules = [
      rule(field("risk", "gt", 90), "spam"),
      rule(field("risk", "lt", 9), "publish"),
      rule(field("risk", "lt", 9)),
    ];
    expect(applyRules(rules, makeReview())).toBe("publish");
    expect(applyRules([], makeReview())).toBeNull();
  });
});
