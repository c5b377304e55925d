import { describe, expect, it } from "vitest";

import { costByLine, costOf, toLots } from "../../../server/engines/cart/rules/lots.ts";
import { matchBundles } from "../../../server/engines/cart/rules/match-bundles.ts";
import type { LineInput } from "../../../server/engines/cart/schema/parts.ts";
import { bundleOf, lineOf } from "./make.ts";

const pair = bundleOf("bdl_pair", {
  components: [
    { ref: "x", qty: 1 },
    { ref: "y", qty: 1 },
  ],
  pricing: { kind: "fixed_price", value: 700 },
});
const run = (lines: LineInput[], bundles = [pair]) => matchBundles(toLots(lines), bundles);

describe("bundles", () => {
  it("are found as often as they go", () => {
    const { lots, matches } = run([lineOf("x", 500, { quantity: 5 }), lineOf("y", 400, { quantity: 3 })]);
    expect(matches).toMatchObject([{ times: 3, saving: 600 }]);
    expect(costOf(lots)).toBe(3 * 700 + 2 * 500);
  });

  it("take the dearest units where there is a choice", () => {
    const { matches } = run([
      lineOf("x1", 300, { ref: "x" }),
      lineOf("x2", 500, { ref: "x" }),
      lineOf("y", 400),
    ]);
    expect(matches[0]?.parts.map(({ line_id: id }) => id)).toEqual(["x2", "y"]);
  });

  it("go for the highest saving, and use a unit once", () => {
    const better = { ...pair, id: "bdl_better", pricing: { kind: "fixed_price" as const, value: 600 } };
    const { matches } = run([lineOf("x", 500), lineOf("y", 400)], [pair, better]);
    expect(matches.map(({ bundle_id: id }) => id)).toEqual(["bdl_better"]);
  });

  it("that save nothing are not applied", () => {
    expect(run([lineOf("x", 300), lineOf("y", 400)]).matches).toEqual([]);
    const sum = { ...pair, pricing: { kind: "sum" as const, value: 0 } };
    expect(run([lineOf("x", 500), lineOf("y", 400)], [sum]).matches).toEqual([]);
  });

  it("that a customer put together go first, and need not apply by themselves", () => {
    const chosen = {
      ...pair,
      id: "bdl_chosen",
      auto_apply: false,
      pricing: { kind: "amount_off" as const, value: 50 },
    };
    const put = { bundle_id: "bdl_chosen" };
    const { matches } = run([lineOf("x", 500, put), lineOf("y", 400, put)], [pair, chosen]);
    expect(matches).toMatchObject([{ bundle_id: "bdl_chosen", saving: 50 }]);
    expect(run([lineOf("x", 500), lineOf("y", 400)], [chosen]).matches).toEqual([]);
  });

  it("take subscriptions only when they say so", () => {
    const plan = { selling_plan: "monthly" };
    const lines = [lineOf("x", 500, plan), lineOf("y", 400, plan)];
    expect(run(lines).matches).toEqual([]);
    expect(run(lines, [{ ...pair, subscribable: true }]).matches).toHaveLength(1);
  });

  it("mix and match: so many of each group, the dearest first", () => {
    const mix = bundleOf("bdl_mix", {
      type: "mix_match",
      groups: [
        { name: "Main", refs: ["a", "b"], pick_min: 1, pick_max: 1 },
        { name: "Side", refs: ["c", "d"], pick_min: 1, pick_max: 2 },
      ],
      pricing: { kind: "percent_off", value: 1000 },
    });
    const lines = [lineOf("a", 800), lineOf("b", 900), lineOf("c", 300), lineOf("d", 200)];
    const { matches, lots } = run(lines, [mix]);
    expect(matches).toMatchObject([{ times: 1, saving: 140 }]);
    expect(costByLine(lots).get("a")).toBe(800);
    expect(run([lineOf("a", 800)], [mix]).matches).toEqual([]);
  });

  it("tiered: every unit at the highest tier that all reach together", () => {
    const tiered = bundleOf("bdl_tier", {
      type: "tiered",
      components: [
        { ref: "x", qty: 1 },
        { ref: "y", qty: 1 },
      ],
      tiers: [
        { qty: 3, kind: "percent_off", value: 1000 },
        { qty: 6, kind: "percent_off", value: 2000 },
      ],
    });
    const of = (quantity: number) => run([lineOf("x", 100, { quantity }), lineOf("y", 200)], [tiered]);
    expect(of(1).matches).toEqual([]);
    expect(of(2).matches).toMatchObject([{ saving: 40 }]);
    expect(of(5).matches).toMatchObject([{ saving: 140 }]);
  });
});
