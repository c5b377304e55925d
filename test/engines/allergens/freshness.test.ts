import { describe, expect, it } from "vitest";

import {
  findChangedIngredient,
  freshnessOf,
  ingredientChanged,
  isTooOld,
} from "../../../server/engines/allergens/rules/freshness.ts";
import { line, NOW, product, settings, verified } from "./make.ts";

const now = Date.parse(NOW);
const DAY = 86_400_000;
const none = new Map();
const butter = (revision: number) =>
  line("butter", ["milk"], { ingredient_id: "ing_1", ingredient_revision: revision });
const changed = new Map([["ing_1", { revision: 2, name: "butter" }]]);

describe("freshnessOf", () => {
  it("a verification holds until its very last day is over", () => {
    const state = { settings: settings({ stale_after_days: 30 }), pending: none };
    expect(freshnessOf(verified(), now + 30 * DAY - 1, state).status).toBe("verified");
    expect(freshnessOf(verified(), now + 30 * DAY, state)).toMatchObject({
      status: "stale",
      stale_reasons: [{ code: "too_old" }],
    });
    expect(isTooOld(verified(), now + 9999 * DAY, settings({ stale_after_days: null }))).toBe(false);
  });
  it("lapses with an ingredient that changed after it was taken, deep inside too", () => {
    const state = { settings: settings(), pending: changed };
    const inside = verified({ ingredients: [line("filling", [], { sub_ingredients: [butter(1)] })] });
    expect(freshnessOf(inside, now, state)).toEqual({
      status: "stale",
      stale_reasons: [ingredientChanged("butter")],
    });
    expect(freshnessOf(verified({ ingredients: [butter(2)] }), now, state).status).toBe("verified");
    expect(findChangedIngredient(verified({ ingredients: [butter(1)] }), none)).toBeNull();
  });
  it("leaves other statuses as they are", () => {
    const state = { settings: settings({ stale_after_days: 1 }), pending: changed };
    expect(freshnessOf(product({ ingredients: [butter(1)] }), now + 9 * DAY, state).status).toBe(
      "unverified",
    );
  });
});
