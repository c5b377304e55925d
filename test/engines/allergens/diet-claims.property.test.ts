import * as fc from "fast-check";
import { expect, it } from "vitest";

import { loadFoods } from "../../../server/engines/allergens/data/foods.ts";
import { findClaimConflict } from "../../../server/engines/allergens/rules/check-claims.ts";
import { knowProduct } from "../../../server/engines/allergens/rules/know-product.ts";
import type { AnimalOrigin } from "../../../server/engines/allergens/schema/ingredient.ts";
import type { Claim } from "../../../server/engines/allergens/schema/declaration.ts";
import { seeded } from "../../seeded.ts";
import { claimed, fresh, line, verified } from "./make.ts";

interface Breaker {
  readonly codes: readonly string[];
  readonly origins: readonly AnimalOrigin[];
  readonly alcohol: boolean;
}
const ANIMAL = ["milk", "egg", "fish", "crustacean", "mollusc"];
const has =
  (...codes: string[]) =>
  ({ codes: found }: Breaker) =>
    found.some((code) => codes.includes(code));
const comes =
  (...from: AnimalOrigin[]) =>
  ({ origins }: Breaker) =>
    origins.some((origin) => from.includes(origin));

/** Written out by hand, apart from the rules: which foods a diet does not allow. */
const BREAKS: readonly (readonly [Claim, (food: Breaker) => boolean])[] = [
  ["vegan", (food) => has(...ANIMAL)(food) || food.origins.length > 0],
  [
    "vegetarian",
    (food) => has("fish", "crustacean", "mollusc")(food) || comes("fish", "meat", "pork", "insect")(food),
  ],
  ["halal", (food) => comes("pork")(food) || food.alcohol],
  ["kosher", (food) => has("crustacean", "mollusc")(food) || comes("pork")(food)],
  ["milk_free", (food) => has("milk")(food) || comes("dairy")(food)],
  ["egg_free", has("egg")],
  ["fish_free", has("fish")],
  ["peanut_free", has("peanut")],
  ["soy_free", has("soy")],
  ["sesame_free", has("sesame")],
  ["nut_free", has("nuts", "almond", "hazelnut", "walnut", "cashew", "pecan", "pistachio", "macadamia")],
  ["alcohol_free", ({ alcohol }) => alcohol],
];

const FOODS = loadFoods().entries.flatMap(({ names, contains, origins, alcohol }) =>
  Object.values(names)
    .flatMap((each) => Object.keys(each))
    .map((name) => ({ name, codes: contains, origins, alcohol })),
);
const HARMLESS = [
  "water",
  "salt",
  "carrot",
  "coconut milk",
  "cocoa butter",
  "sugar",
  "Kokosmilch",
  "noix de coco",
];
const DRESSED = [
  (name: string) => name,
  (name: string) => name.toUpperCase(),
  (name: string) => `organic ${name} (12%)`,
  (name: string) => `${name}, salt`,
];

const subject = fc.constantFrom(...BREAKS).chain(([claim, breaks]) =>
  fc.record({
    claim: fc.constant(claim),
    food: fc.constantFrom(...FOODS.filter(breaks)),
    dress: fc.constantFrom(...DRESSED),
    others: fc.array(fc.constantFrom(...HARMLESS), { maxLength: 3 }),
    nested: fc.boolean(),
  }),
);

it("no diet claim survives an ingredient that breaks it", () => {
  fc.assert(
    fc.property(subject, ({ claim, food, dress, others, nested }) => {
      const breaker = line(dress(food.name));
      const inside = nested ? line("filling", [], { sub_ingredients: [breaker] }) : breaker;
      const dietary = [claimed(claim)];
      const product = verified({ ingredients: [...others.map((name) => line(name)), inside], dietary });
      expect(findClaimConflict(product, "uk")).not.toBeNull();
      expect(knowProduct(product, fresh, { mode: "uk", today: "2026-06-01" }).diets).not.toContain(claim);
      if (food.origins.length > 1) return;
      // What somebody codes breaks the claim under any name.
      const coded = { animal_origin: food.origins[0] ?? "none", alcohol: food.alcohol };
      const hidden = verified({ ingredients: [line("mystery", food.codes, coded)], dietary });
      expect(findClaimConflict(hidden, "uk")).not.toBeNull();
    }),
    seeded(3_000),
  );
});
