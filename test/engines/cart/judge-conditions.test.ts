import { describe, expect, it } from "vitest";

import { createJudge } from "../../../server/engines/cart/rules/judge-conditions.ts";
import type { Situation } from "../../../server/engines/cart/rules/judge-conditions.ts";
import { Condition } from "../../../server/engines/cart/schema/offer.ts";
import { category, lineOf } from "./make.ts";

const situation: Situation = {
  lines: [lineOf("a", 500, { quantity: 2, category: "food" }), lineOf("b", 100)],
  subtotal: 1100,
  customer: { tiers: ["lvl_1", "gold"], order_count: 0 },
  outcode: "SW1A",
  channel: "web",
  local: { weekday: 5, time: "23:30" },
};

describe("conditions", () => {
  it.each([
    ["a subtotal that is reached", { kind: "subtotal", min: 1100 }, true],
    ["a subtotal that is not", { kind: "subtotal", min: 1101 }, false],
    ["a subtotal that is passed", { kind: "subtotal", max: 1099 }, false],
    ["units of a category", { kind: "quantity", filter: category("food"), min: 2 }, true],
    ["more units than there are", { kind: "quantity", filter: category("food"), min: 3 }, false],
    ["the tier", { kind: "customer_tier", any_of: ["silver", "gold"] }, true],
    ["another tier", { kind: "customer_tier", any_of: ["silver"] }, false],
    ["a first order", { kind: "first_order" }, true],
    ["a weekday", { kind: "weekday", days: [5] }, true],
    ["another weekday", { kind: "weekday", days: [6] }, false],
    ["hours over midnight", { kind: "weekday", from: "22:00", to: "02:00" }, true],
    ["hours that have ended", { kind: "weekday", from: "20:00", to: "23:30" }, false],
    ["hours from now on", { kind: "weekday", from: "23:30" }, true],
    ["an outcode, in any case", { kind: "outcode", any_of: ["sw1a"] }, true],
    ["a channel", { kind: "channel", any_of: ["pos"] }, false],
  ])("%s", (_, rule, expected) => {
    const rules = [Condition.parse(rule)];
    expect(createJudge(situation)({ match: "all", rules })).toEqual(expected ? [] : [rules[0]?.kind]);
  });

  it.each([
    ["Friday 01:00", 5, "01:00", false],
    ["Friday 21:59", 5, "21:59", false],
    ["Friday 22:00", 5, "22:00", true],
    ["Saturday 01:59", 6, "01:59", true],
    ["Saturday 02:00", 6, "02:00", false],
    ["Saturday 22:00", 6, "22:00", false],
  ])("Friday from 22:00 to 02:00 at %s", (_, weekday, time, expected) => {
    const rules = [Condition.parse({ kind: "weekday", days: [5], from: "22:00", to: "02:00" })];
    const judge = createJudge({ ...situation, local: { weekday, time } });
    expect(judge({ match: "all", rules })).toEqual(expected ? [] : ["weekday"]);
  });

  it("Sunday night goes on on Monday", () => {
    const rules = [Condition.parse({ kind: "weekday", days: [7], from: "22:00", to: "02:00" })];
    const judge = createJudge({ ...situation, local: { weekday: 1, time: "00:30" } });
    expect(judge({ match: "all", rules })).toEqual([]);
  });

  it("hold all together, or any of them", () => {
    const rules = [
      Condition.parse({ kind: "first_order" }),
      Condition.parse({ kind: "channel", any_of: ["pos"] }),
    ];
    expect(createJudge(situation)({ match: "all", rules })).toEqual(["channel"]);
    expect(createJudge(situation)({ match: "any", rules })).toEqual([]);
    expect(createJudge(situation)({ match: "any", rules: [] })).toEqual([]);
  });

  it("do not take an unknown customer for a new one", () => {
    const rules = [Condition.parse({ kind: "first_order" })];
    expect(createJudge({ ...situation, customer: null })({ match: "all", rules })).toEqual(["first_order"]);
  });
});
