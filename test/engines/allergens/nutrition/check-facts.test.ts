import { describe, expect, it } from "vitest";

import { NutritionFacts } from "../../../../server/engines/allergens/schema/nutrition.ts";
import {
  findFactErrors,
  findFactWarnings,
} from "../../../../server/engines/allergens/rules/nutrition/check-facts.ts";
import { facts } from "./facts.ts";

const faults = (given: Partial<NutritionFacts>): [string, string][] =>
  findFactErrors(facts(given)).map(({ path, code }) => [path.join("."), code]);

describe("findFactErrors, invariant 9", () => {
  it.each([
    ["sugars at the carbohydrate", { carbohydrate: 10, sugars: 10 }],
    ["fatty acids 0.1 g over the fat", { fat: 10, saturates: 5, monounsaturates: 3, polyunsaturates: 2.1 }],
    ["polyols at the carbohydrate", { carbohydrate: 10, polyols: 10 }],
    ["erythritol at the polyols", { carbohydrate: 10, polyols: 10, erythritol: 10 }],
    ["salt and sodium that agree", { salt: 0.3, sodium_mg: 118 }],
    ["salt that was rounded up", { salt: 0.3, sodium_mg: 122 }],
    ["salt above 1 g rounded to tenths", { salt: 1.5, sodium_mg: 620 }],
    ["105 g in 100 g", { fat: 50, carbohydrate: 55 }],
    ["140 g in 100 ml of unknown density", { basis: "per_100ml", carbohydrate: 140, sugars: 140 }],
    ["140 g in 100 ml that weigh 142 g", { basis: "per_100ml", carbohydrate: 140, density_g_per_ml: 1.42 }],
    ["a portion with its size", { basis: "per_portion", portion: { size: 30, unit: "g" }, fat: 30 }],
  ] as const)("allows %s", (_, given) => expect(faults(given)).toEqual([]));

  it.each([
    ["sugars", "part_exceeds_whole", { carbohydrate: 10, sugars: 10.01 }],
    ["saturates", "part_exceeds_whole", { fat: 10, saturates: 10.11 }],
    ["saturates", "part_exceeds_whole", { fat: 10, saturates: 5, monounsaturates: 3, polyunsaturates: 2.11 }],
    ["saturates", "part_exceeds_whole", { fat: 1, monounsaturates: 3 }],
    ["trans_fat", "part_exceeds_whole", { fat: 1, trans_fat: 1.1 }],
    ["polyols", "part_exceeds_whole", { carbohydrate: 10, polyols: 10.1 }],
    ["starch", "part_exceeds_whole", { carbohydrate: 10, starch: 10.1 }],
    ["erythritol", "part_exceeds_whole", { carbohydrate: 10, polyols: 5, erythritol: 5.1 }],
    ["erythritol", "part_exceeds_whole", { carbohydrate: 10, erythritol: 5 }],
    ["added_sugars", "part_exceeds_whole", { carbohydrate: 10, sugars: 5, added_sugars: 5.1 }],
    ["free_sugars", "part_exceeds_whole", { carbohydrate: 10, sugars: 5, free_sugars: 5.1 }],
    ["salt", "salt_sodium_disagree", { salt: 0.3, sodium_mg: 130 }],
    ["salt", "salt_sodium_disagree", { salt: 3, sodium_mg: 3 }],
    ["carbohydrate", "sum_exceeds_weight", { fat: 50, carbohydrate: 55.01 }],
    ["carbohydrate", "sum_exceeds_weight", { fat: 50, carbohydrate: 50, salt: 5.1 }],
    ["carbohydrate", "sum_exceeds_weight", { fat: 50, carbohydrate: 50, sodium_mg: 2100 }],
    [
      "carbohydrate",
      "sum_exceeds_weight",
      { basis: "per_portion", portion: { size: 30, unit: "g" }, carbohydrate: 32 },
    ],
    ["portion", "portion_required", { basis: "per_portion" }],
  ] as const)("names %s: %s", (member, code, given) => expect(faults(given)).toEqual([[member, code]]));

  it("are the schema's refusals, at the member", () => {
    const answer = NutritionFacts.safeParse({ ...facts({ carbohydrate: 10, sugars: 11 }) });
    expect(answer.error?.issues.map(({ path, message }) => [path, message])).toEqual([
      [["sugars"], "sugars is 11 g, more than the 10 g of carbohydrate that it is part of."],
    ]);
  });
});

describe("findFactWarnings", () => {
  const codes = (given: Partial<NutritionFacts>): string[] =>
    findFactWarnings(facts(given)).map(({ code }) => code);

  it.each([
    ["100 g in 100 g", { fat: 50, carbohydrate: 50 }, []],
    ["100.1 g in 100 g", { fat: 50, carbohydrate: 50.1 }, ["sum_exceeds_weight"]],
    ["105 g in 100 g", { fat: 50, carbohydrate: 55 }, ["sum_exceeds_weight"]],
    ["106 g, an error already", { fat: 50, carbohydrate: 56 }, []],
    ["an energy not quite 20 % off", { fat: 10, carbohydrate: 37, energy_kj: 1198 }, []],
    ["an energy 50 % off", { fat: 10, carbohydrate: 37, energy_kj: 500 }, ["energy_implausible"]],
    ["a small energy 39 kJ off", { energy_kj: 39 }, []],
  ] as const)("%s", (_, given, expected) => expect(codes(given)).toEqual(expected));
});
