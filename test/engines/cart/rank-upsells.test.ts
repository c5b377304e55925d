import { describe, expect, it } from "vitest";

import type { Audience } from "../../../server/engines/cart/rules/rank-upsells.ts";
import { candidatesOf, whyNotSuggest, wornOutRefs } from "../../../server/engines/cart/rules/rank-upsells.ts";
import type { Upsell } from "../../../server/engines/cart/schema/upsell.ts";
import type { ProductVerdict } from "../../../server/core/known-allergens.ts";

const AT = "2025-06-10T09:00:00.000Z";
const upsell: Upsell = {
  id: "ups_1",
  created_at: AT,
  updated_at: AT,
  title: "Spreads",
  placement: "cart",
  when: { match: "all", rules: [] },
  source: "refs",
  refs: ["butter", "jam"],
  out_of_stock: ["honey"],
  margin_weights: [{ ref: "jam", weight_bps: 20_000 }],
  discount: null,
  cap: 3,
  rank: 0,
  active: true,
  metadata: {},
};
const audience: Audience = {
  cart: new Set(["bread"]),
  judged: null,
  wornOut: new Set(),
};
const why = (change: Partial<Audience>, ref = "butter") =>
  whyNotSuggest(ref, new Set(upsell.out_of_stock), { ...audience, ...change });
const of = (one: Partial<ProductVerdict>) => ({
  judged: new Map([["butter", { allergens: "safe", diets: "safe", ...one } as const]]),
});
const shown = (times: number, at: string) => Array.from({ length: times }, () => ({ ref: "butter", at }));

describe("a suggestion", () => {
  it.each([
    ["nothing stands against it", null, {}, "butter"],
    ["in the cart", "in_cart", { cart: new Set(["butter"]) }, "butter"],
    ["out of stock", "out_of_stock", {}, "honey"],
    ["what is avoided", "allergens", of({ allergens: "unsafe" }), "butter"],
    ["what may be in it", "allergens_unknown", of({ allergens: "unknown" }), "butter"],
    ["a product that is not known", "allergens_unknown", of({}), "jam"],
    ["a diet", "diet", of({ diets: "unknown" }), "butter"],
    ["a diet that it breaks", "diet", of({ diets: "unsafe" }), "butter"],
    ["suits", null, of({}), "butter"],
  ] as const)("%s", (_, reason, change, ref) => expect(why(change, ref)).toBe(reason));

  it("is worn out after six times in thirty days, unless it was taken", () => {
    const exposure = (times: number, at: string, accepted = shown(0, AT)) => ({
      id: "e",
      shown: shown(times, at),
      accepted,
    });
    const wornOut = (...how: Parameters<typeof exposure>) => [
      ...wornOutRefs(exposure(...how), Date.parse(AT)),
    ];
    expect(wornOut(5, "2025-06-01T09:00:00.000Z")).toEqual([]);
    expect(wornOut(6, "2025-06-01T09:00:00.000Z")).toEqual(["butter"]);
    expect(wornOut(6, "2025-05-11T09:00:00.000Z")).toEqual([]);
    expect(wornOut(6, "2025-06-01T09:00:00.000Z", shown(1, AT))).toEqual([]);
    expect(why({ wornOut: new Set(["butter"]) })).toBe("shown_too_often");
    expect(wornOutRefs(null, Date.parse(AT)).size).toBe(0);
  });

  it("is ranked by lift times margin, and by name where that is equal", () => {
    expect(candidatesOf(upsell, new Set(), []).map(({ ref }) => ref)).toEqual(["jam", "butter"]);
    const found = [
      {
        id: "a",
        ref: "bread",
        computed_at: AT,
        with: [
          { ref: "butter", orders: 9, lift: 3 },
          { ref: "jam", orders: 9, lift: 1.6 },
        ],
      },
      { id: "b", ref: "tea", computed_at: AT, with: [{ ref: "milk", orders: 9, lift: 9 }] },
    ];
    const auto = candidatesOf({ ...upsell, source: "auto" }, new Set(["bread"]), found);
    expect(auto.map(({ ref, score, reason }) => [ref, score, reason])).toEqual([
      ["jam", 3.2, "Often bought with bread"],
      ["butter", 3, "Often bought with bread"],
    ]);
  });
});
