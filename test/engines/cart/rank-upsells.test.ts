import { describe, expect, it } from "vitest";

import type { Audience } from "../../../server/engines/cart/rules/rank-upsells.ts";
import { candidatesOf, whyNotSuggest, wornOutRefs } from "../../../server/engines/cart/rules/rank-upsells.ts";
import type { Upsell } from "../../../server/engines/cart/schema/upsell.ts";
import type { KnownAllergens } from "../../../server/core/ports.ts";

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
const known = (more: Partial<KnownAllergens> = {}): KnownAllergens => ({
  title: "Butter",
  verified: true,
  complete_in: [],
  allergens: [],
  may_contain: [],
  facts: [],
  diets: [],
  unfit_for: [],
  ...more,
});
const pineNut = {
  code: "pine_nut",
  presence: "contains",
  declared_as: null,
  exempt: false,
  origins: [],
} as const;
const audience: Audience = {
  cart: new Set(["bread"]),
  avoids: [],
  diets: [],
  known: new Map(),
  wornOut: new Set(),
};
const why = (change: Partial<Audience>, ref = "butter") =>
  whyNotSuggest(ref, new Set(upsell.out_of_stock), { ...audience, ...change });
const of = (one: KnownAllergens) => new Map([["butter", one]]);
const shown = (times: number, at: string) => Array.from({ length: times }, () => ({ ref: "butter", at }));

describe("a suggestion", () => {
  it.each([
    ["nothing stands against it", null, {}, "butter"],
    ["in the cart", "in_cart", { cart: new Set(["butter"]) }, "butter"],
    ["out of stock", "out_of_stock", {}, "honey"],
    ["an allergen", "allergens", { avoids: ["milk"], known: of(known({ allergens: ["milk"] })) }, "butter"],
    ["a trace", "allergens", { avoids: ["nuts"], known: of(known({ may_contain: ["nuts"] })) }, "butter"],
    [
      "a kind of nut",
      "allergens",
      { avoids: ["nuts"], known: of(known({ allergens: ["almond"] })) },
      "butter",
    ],
    [
      "a nut of any kind",
      "allergens",
      { avoids: ["almond"], known: of(known({ may_contain: ["nuts"] })) },
      "butter",
    ],
    [
      "what need not be declared",
      "allergens",
      { avoids: ["pine_nut"], known: of(known({ facts: [pineNut] })) },
      "butter",
    ],
    [
      "an exempt origin",
      null,
      { avoids: ["pine_nut"], known: of(known({ facts: [{ ...pineNut, exempt: true }] })) },
      "butter",
    ],
    ["a word that is no code", "allergens_unknown", { avoids: ["dairy"], known: of(known()) }, "butter"],
    ["another allergen", null, { avoids: ["nuts"], known: of(known({ allergens: ["milk"] })) }, "butter"],
    ["unknown", "allergens_unknown", { avoids: ["nuts"] }, "butter"],
    [
      "nobody answers for it",
      "allergens_unknown",
      { avoids: ["nuts"], known: of(known({ verified: false })) },
      "butter",
    ],
    ["a diet", "diet", { diets: ["vegan"], known: of(known()) }, "butter"],
    ["a diet it suits", null, { diets: ["vegan"], known: of(known({ diets: ["vegan"] })) }, "butter"],
  ] as const)("%s", (_, reason, change, ref) => expect(why(change as Partial<Audience>, ref)).toBe(reason));

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
