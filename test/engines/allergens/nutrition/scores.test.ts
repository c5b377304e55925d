import { Big } from "big.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  NPM_2004,
  NUTRI_SCORE_2023,
  TRAFFIC_LIGHTS,
} from "../../../../server/engines/allergens/data/nutrition/score-tables.ts";
import type { PointStep } from "../../../../server/engines/allergens/data/nutrition/score-tables.ts";
import type { NutritionFacts } from "../../../../server/engines/allergens/schema/nutrition.ts";
import type { Amounts } from "../../../../server/engines/allergens/rules/nutrition/amounts.ts";
import { scoreComponent } from "../../../../server/engines/allergens/rules/nutrition/points.ts";
import { readScoreAmounts } from "../../../../server/engines/allergens/rules/nutrition/score-input.ts";
import { scoreNpm } from "../../../../server/engines/allergens/rules/nutrition/score-npm.ts";
import type { NpmInput, NpmScore } from "../../../../server/engines/allergens/rules/nutrition/score-npm.ts";
import { scoreNutri } from "../../../../server/engines/allergens/rules/nutrition/score-nutri.ts";
import type {
  NutriInput,
  NutriScore,
} from "../../../../server/engines/allergens/rules/nutrition/score-nutri.ts";
import { trafficLights } from "../../../../server/engines/allergens/rules/nutrition/score-traffic-lights.ts";
import { seeded } from "../../../seeded.ts";
import { decimals, facts } from "./facts.ts";

function amounts(given: Partial<NutritionFacts>): Amounts {
  const read = readScoreAmounts(facts({ salt: 0, ...given }), "100");
  if (!("amounts" in read)) throw new Error("These facts cannot be scored.");
  return read.amounts;
}

describe("points", () => {
  const tables: [string, readonly PointStep[]][] = [
    ...Object.entries(NPM_2004).filter((entry): entry is [string, PointStep[]] => Array.isArray(entry[1])),
    ...Object.entries(NUTRI_SCORE_2023).filter((entry): entry is [string, PointStep[]] =>
      Array.isArray(entry[1]),
    ),
  ];

  it("has tables to look at", () => expect(tables.length).toBeGreaterThan(18));

  it.each(tables)(
    "%s: a threshold itself earns the points below it, the next step its own",
    (name, steps) => {
      const isInclusive = name === "saturatesRatio";
      const points = (value: Big): number =>
        scoreComponent({ component: name, value, unit: "", isInclusive }, steps).points;
      expect(points(new Big(0))).toBe(0);
      for (const [index, { over, points: earned }] of steps.entries()) {
        const before = steps[index - 1]?.points ?? 0;
        expect(earned).toBeGreaterThan(before);
        expect(points(new Big(over).minus("0.001")), `below ${over}`).toBe(before);
        expect(points(new Big(over)), `at ${over}`).toBe(isInclusive ? earned : before);
        expect(points(new Big(over).plus("0.001")), `above ${over}`).toBe(earned);
      }
    },
  );

  it("says why", () => {
    const steps = [
      { over: "1", points: 1 },
      { over: "2", points: 2 },
    ];
    const detail = (value: string): string =>
      scoreComponent({ component: "fat", value: new Big(value), unit: "g" }, steps).detail;
    expect([detail("0.5"), detail("1.5"), detail("3")]).toEqual([
      "0.5 g is not more than 1: 0 points.",
      "1.5 g is more than 1 and not more than 2: 1 point.",
      "3 g is more than 2: 2 points.",
    ]);
  });
});

const npm = (given: Partial<NutritionFacts>, more: Partial<NpmInput> = {}): NpmScore =>
  scoreNpm({
    amounts: amounts(given),
    fruitVegNuts: new Big(given.fvn_percent ?? 0),
    fibreMethod: "aoac",
    isDrink: false,
    ...more,
  });

describe("UK nutrient profiling model 2004/05", () => {
  const aa20 = {
    energy_kj: 2234,
    fat: 40,
    saturates: 18.5,
    carbohydrate: 57,
    sugars: 56.7,
    salt: 0.22,
    fibre: 2.1,
    protein: 7.3,
    fvn_percent: 0,
  };
  const aa21 = {
    energy_kj: 335,
    fat: 1,
    saturates: 1,
    carbohydrate: 4.5,
    sugars: 4.5,
    salt: 0.225,
    fibre: 0.9,
    protein: 1.6,
    fvn_percent: 40,
  };

  it("AA20 scores chocolate 24: 26 A points, fibre 2, protein not counted", () => {
    const score = npm(aa20);
    expect(score).toMatchObject({
      a_points: 26,
      c_points: 2,
      protein_counted: false,
      score: 24,
      class: "less_healthy",
    });
    expect(score.negative.map(({ component, points }) => [component, points])).toEqual([
      ["energy_kj", 6],
      ["saturates", 10],
      ["sugars", 10],
      ["sodium_mg", 0],
    ]);
    expect(score.positive.at(-1)).toMatchObject({ component: "protein", points: 0 });
    expect(score.positive.at(-1)?.detail).toMatch(/4 points\. Not counted: 26 A points/);
  });

  it("AA21 gives nothing at the lower bounds", () => {
    expect(npm(aa21)).toMatchObject({ a_points: 0, c_points: 0, score: 0, class: "not_less_healthy" });
  });

  it("counts protein with 10 A points, not with 11, again with 5 points of fruit", () => {
    const ten = { energy_kj: 0, saturates: 10.5, fat: 20, protein: 9 };
    expect(npm(ten)).toMatchObject({ a_points: 10, protein_counted: true, score: 5 });
    const eleven = { ...ten, energy_kj: 336 };
    expect(npm(eleven)).toMatchObject({ a_points: 11, protein_counted: false, score: 11 });
    expect(npm({ ...eleven, fvn_percent: 80 })).toMatchObject({ protein_counted: false, score: 9 });
    expect(npm({ ...eleven, fvn_percent: 80.1 })).toMatchObject({ protein_counted: true, score: 1 });
  });

  it("is less healthy from 4 as food and from 1 as a drink", () => {
    const at = (points: number, isDrink: boolean) =>
      npm({ energy_kj: 0, fat: 20, saturates: points + 0.5 }, { isDrink }).class;
    expect([at(3, false), at(4, false), at(0, true), at(1, true)]).toEqual([
      "not_less_healthy",
      "less_healthy",
      "not_less_healthy",
      "less_healthy",
    ]);
  });

  it("reads fibre by its method", () => {
    const fibre = (fibreMethod: "aoac" | "nsp") =>
      npm({ energy_kj: 0, fibre: 0.8 }, { fibreMethod }).c_points;
    expect([fibre("aoac"), fibre("nsp")]).toEqual([0, 1]);
  });
});

describe("traffic lights", () => {
  const light = (given: Partial<NutritionFacts>, portion: number | null = null) => {
    const [fat] = trafficLights({
      per100: amounts(given),
      portionSize: portion === null ? null : new Big(portion),
      isDrink: given.is_drink ?? false,
    });
    return fat;
  };

  it.each([
    ["17.5 g of fat", 17.5, null, { light: "amber", because: "per_100" }],
    ["17.6 g of fat", 17.6, null, { light: "red", because: "per_100" }],
    ["12 g of fat in a portion of 200 g (24 > 21)", 12, 200, { light: "red", because: "per_portion" }],
  ])("AA19 %s", (_, fat, portion, expected) => expect(light({ fat }, portion)).toMatchObject(expected));

  it("says why", () => {
    expect(light({ fat: 12 }, 200)?.detail).toBe("24 g in a portion is more than 21 g.");
    expect(light({ fat: 3 })?.detail).toBe("3 g per 100 is not more than 3.0 g.");
  });

  it.each([
    ["food of 100 g does not know the portion rule", { fat: 17.5 }, 100, "amber"],
    ["food of 121 g", { fat: 17.5 }, 121, "red"],
    ["food of 120 g at the limit", { fat: 17.5 }, 120, "amber"],
    ["food of 150 g above it", { fat: 14.01 }, 150, "red"],
    ["a drink of 150 ml does not know it", { fat: 8, is_drink: true }, 150, "amber"],
    ["a drink of 151 ml", { fat: 8, is_drink: true }, 151, "red"],
  ])("%s", (_, given, portion, colour) => expect(light(given, portion)?.light).toBe(colour));

  it.each(
    (["food", "drink"] as const).flatMap((kind) =>
      (["fat", "saturates", "sugars", "salt"] as const).map((nutrient) => [kind, nutrient] as const),
    ),
  )("%s: the limits of %s belong to the lower colour", (kind, nutrient) => {
    const { low, high } = TRAFFIC_LIGHTS[kind].limits[nutrient];
    const colour = (amount: Big): string | undefined =>
      trafficLights({
        per100: new Map([[nutrient, amount]]),
        portionSize: null,
        isDrink: kind === "drink",
      }).find((candidate) => candidate.nutrient === nutrient)?.light;
    const just = new Big("0.001");
    expect([colour(new Big(low)), colour(new Big(low).plus(just))]).toEqual(["green", "amber"]);
    expect([colour(new Big(high)), colour(new Big(high).plus(just))]).toEqual(["amber", "red"]);
  });

  it("more of a nutrient, or a larger portion, never betters a light", () => {
    const rank = { green: 0, amber: 1, red: 2 };
    fc.assert(
      fc.property(
        fc.record({ fat: decimals(60, 2), more: decimals(60, 2) }),
        fc.record({ portion: fc.integer({ min: 1, max: 500 }), larger: fc.integer({ min: 0, max: 500 }) }),
        fc.boolean(),
        ({ fat, more }, { portion, larger }, isDrink) => {
          const lights = (grams: Big, size: number) =>
            trafficLights({ per100: new Map([["fat", grams]]), portionSize: new Big(size), isDrink })[0]
              ?.light ?? "red";
          const before = rank[lights(new Big(fat), portion)];
          expect(rank[lights(new Big(fat).plus(more), portion)]).toBeGreaterThanOrEqual(before);
          expect(rank[lights(new Big(fat), portion + larger)]).toBeGreaterThanOrEqual(before);
        },
      ),
      seeded(500),
    );
  });
});

const nutri = (given: Partial<NutritionFacts>, more: Partial<NutriInput> = {}): NutriScore =>
  scoreNutri({
    amounts: amounts(given),
    category: "general",
    fruitVegLegumes: new Big(0),
    hasSweeteners: false,
    ...more,
  });

describe("Nutri-Score 2023", () => {
  const bread = {
    energy_kj: 1050,
    fat: 2,
    saturates: 0.4,
    carbohydrate: 46,
    sugars: 3,
    salt: 1.1,
    fibre: 6,
    protein: 9.5,
  };

  it("general: bread is A or B by its fibre", () => {
    expect(nutri(bread)).toMatchObject({
      negative_points: 8,
      positive_points: 6,
      protein_counted: true,
      score: 2,
      class: "B",
    });
    expect(nutri({ ...bread, fibre: 7.5 })).toMatchObject({ positive_points: 8, score: 0, class: "A" });
  });

  it("counts protein with 10 negative points, not with 11, but always of cheese", () => {
    const fatty = { energy_kj: 0, fat: 30, saturates: 11, protein: 18 };
    expect(nutri(fatty)).toMatchObject({ negative_points: 10, protein_counted: true, score: 3 });
    const more = { ...fatty, energy_kj: 336 };
    expect(nutri(more)).toMatchObject({ negative_points: 11, protein_counted: false, score: 11, class: "D" });
    expect(nutri(more, { category: "cheese" })).toMatchObject({
      protein_counted: true,
      score: 4,
      class: "C",
    });
  });

  it("cuts the protein of red meat to 2 points", () => {
    const meat = { energy_kj: 600, fat: 5, saturates: 2, protein: 20, salt: 0.1 };
    expect(nutri(meat).positive_points).toBe(7);
    const red = nutri(meat, { category: "red_meat" });
    expect(red).toMatchObject({ positive_points: 2, score: 0 });
    expect(red.positive.at(-1)).toMatchObject({ points: 2, max: 2 });
  });

  it("judges fats by the share and the energy of their saturates", () => {
    const olive = { energy_kj: 3700, fat: 100, saturates: 14 };
    const score = nutri(olive, { category: "fats_oils_nuts", fruitVegLegumes: new Big(100) });
    expect(score.negative.map(({ component, value, points }) => [component, value, points])).toEqual([
      ["energy_from_saturates", 518, 4],
      ["saturates_ratio", 14, 1],
      ["sugars", 0, 0],
      ["salt", 0, 0],
    ]);
    expect(score).toMatchObject({ score: 0, class: "B" });
    const butter = nutri({ fat: 82, saturates: 54 }, { category: "fats_oils_nuts" });
    expect(butter).toMatchObject({ negative_points: 20, protein_counted: false, class: "E" });
    expect(nutri({}, { category: "fats_oils_nuts" })).toMatchObject({ score: 0, protein_counted: true });
  });

  it("judges beverages by tables of their own, and only water is A", () => {
    const cola = { basis: "per_100ml", energy_kj: 180, carbohydrate: 10.6, sugars: 10.6 } as const;
    expect(nutri(cola, { category: "beverage" })).toMatchObject({ negative_points: 12, class: "E" });
    const light = { basis: "per_100ml", energy_kj: 1 } as const;
    expect(nutri(light, { category: "beverage" })).toMatchObject({ score: 0, class: "B" });
    expect(nutri(light, { category: "beverage", hasSweeteners: true })).toMatchObject({
      score: 4,
      class: "C",
    });
    expect(nutri({}, { category: "water" })).toMatchObject({ class: "A" });
    const juice = { basis: "per_100ml", energy_kj: 190, carbohydrate: 9, sugars: 9 } as const;
    expect(nutri(juice, { category: "beverage", fruitVegLegumes: new Big(100) })).toMatchObject({
      positive_points: 6,
      score: 4,
      class: "C",
    });
  });

  it.each([
    ["general", [0, 2, 10, 18], ["A", "B", "C", "D", "E"]],
    ["fats_oils_nuts", [-6, 2, 10, 18], ["A", "B", "C", "D", "E"]],
    ["beverage", [2, 6, 9], ["B", "C", "D", "E"]],
  ] as const)("%s: the limits of the classes", (category, limits, letters) => {
    const seen = new Map<number, string>();
    for (let salt = 0; salt <= 4.2; salt += 0.2) {
      for (let fibre = 2.5; fibre <= 8; fibre += 0.5) {
        for (const fruit of [0, 50, 70, 90]) {
          const score = nutri(
            { energy_kj: 0, salt: Number(salt.toFixed(1)) + 0.01, fibre },
            { category, fruitVegLegumes: new Big(fruit) },
          );
          seen.set(score.score, score.class);
        }
      }
    }
    for (const [index, limit] of limits.entries()) {
      if (seen.has(limit)) expect([limit, seen.get(limit)]).toEqual([limit, letters[index]]);
      if (seen.has(limit + 1))
        expect([limit + 1, seen.get(limit + 1)]).toEqual([limit + 1, letters[index + 1]]);
    }
    expect(limits.filter((limit) => seen.has(limit) && seen.has(limit + 1)).length).toBeGreaterThan(1);
  });

  it("goes by the figures that the declaration prints", () => {
    const sugars = (grams: number) =>
      nutri({ energy_kj: 0, carbohydrate: 20, sugars: grams }).negative_points;
    expect([sugars(3.44), sugars(3.45)]).toEqual([0, 1]);
  });
});

describe("readScoreAmounts", () => {
  it("works the energy out where it is not given, and tells what it assumed", () => {
    const read = readScoreAmounts(facts({ fat: 10, sodium_mg: 100 }), "100g");
    if (!("amounts" in read)) throw new Error("These facts can be scored.");
    expect(read.amounts.get("energy_kj")?.toNumber()).toBe(370);
    expect(read.assumed).toEqual(["fibre"]);
  });

  it("refuses what would make a score too good", () => {
    expect(readScoreAmounts(facts(), "100g")).toEqual({ missing: "salt" });
    expect(readScoreAmounts(facts({ salt: 1 }), "100ml")).toEqual({ fault: "density_required" });
  });
});
