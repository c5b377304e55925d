import * as fc from "fast-check";

import type { NutritionFacts } from "../../../../server/engines/allergens/schema/nutrition.ts";

/** Facts per 100 g of which a test names only what it is about. */
export const facts = (given: Partial<NutritionFacts> = {}): NutritionFacts => ({
  basis: "per_100g",
  fat: 0,
  saturates: 0,
  carbohydrate: 0,
  sugars: 0,
  protein: 0,
  is_drink: false,
  as_prepared: false,
  source: "manual",
  ...given,
});

/** Numbers with up to `places` decimals, as people write them. */
export const decimals = (max: number, places = 3): fc.Arbitrary<number> =>
  fc.integer({ min: 0, max: max * 10 ** places }).map((whole) => whole / 10 ** places);
