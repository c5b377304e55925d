import { describe, expect, it } from "vitest";

import { calorieLabel } from "../../../../server/engines/allergens/rules/nutrition/calorie-label.ts";
import { facts } from "./facts.ts";

const soup = { fat: 4, carbohydrate: 6.2, protein: 2, portion: { size: 350, unit: "g" } } as const;

describe("calorieLabel", () => {
  it("gives the energy of one portion with the letters kcal, its size and the statement", () => {
    expect(
      calorieLabel(facts({ ...soup, portion: { ...soup.portion, name: "1 bowl" } }), true),
    ).toMatchObject({
      kcal: 241,
      text: "241 kcal",
      portion: "1 bowl (350 g)",
      statement: "adults need around 2000 kcal a day",
      is_required: true,
    });
    expect(calorieLabel(facts(soup), true)?.portion).toBe("350 g");
  });

  it("has nothing to say without a portion, or one of unknown weight", () => {
    expect(calorieLabel(facts({ fat: 4 }), true)).toBeNull();
    expect(calorieLabel(facts({ fat: 4, portion: { size: 350, unit: "ml" } }), true)).toBeNull();
  });

  it.each([
    ["at 1.2 %", 0.9468, true],
    ["above 1.2 %", 0.9469, false],
  ])("exempts drinks above 1.2 %% alcohol by volume: %s", (_, alcohol, isRequired) => {
    const drink = facts({
      basis: "per_100ml",
      alcohol,
      is_drink: true,
      portion: { size: 330, unit: "ml" },
    });
    expect(calorieLabel(drink, true)?.is_required).toBe(isRequired);
  });

  it("does not exempt food with alcohol", () => {
    expect(calorieLabel(facts({ ...soup, alcohol: 5 }), true)?.is_required).toBe(true);
  });

  it("is not required of a business that need not show calories", () => {
    expect(calorieLabel(facts(soup), false)?.is_required).toBe(false);
  });
});
