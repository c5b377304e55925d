import { Big } from "big.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  AU_NZ_ENERGY,
  CA_ENERGY,
  FIC_ENERGY,
  US_ENERGY,
} from "../../../../server/engines/allergens/data/nutrition/energy-factors.ts";
import type { EnergyRule } from "../../../../server/engines/allergens/data/nutrition/energy-factors.ts";
import type { NutritionFacts } from "../../../../server/engines/allergens/schema/nutrition.ts";
import { readAmounts, scaleAmounts } from "../../../../server/engines/allergens/rules/nutrition/amounts.ts";
import { energyOf, statedEnergy } from "../../../../server/engines/allergens/rules/nutrition/energy.ts";
import { seeded } from "../../../seeded.ts";
import { decimals, facts } from "./facts.ts";

const energy = (given: Partial<NutritionFacts>, rule: EnergyRule): [number | null, number | null] => {
  const { kj, kcal } = energyOf(readAmounts(facts(given)), rule);
  return [kj?.toNumber() ?? null, kcal?.toNumber() ?? null];
};

describe("energy by FIC Annex XIV", () => {
  it.each([
    ["AA10", { fat: 10, carbohydrate: 50, protein: 8, fibre: 5 }, 1396, 332],
    ["AA11", { fat: 5, carbohydrate: 50, polyols: 20, protein: 3, fibre: 2 }, 962, 229],
    ["AA12", { fat: 5, carbohydrate: 50, polyols: 20, erythritol: 12, protein: 3, fibre: 2 }, 842, 200.2],
    ["a gram of ethanol", { alcohol: 1 }, 29, 7],
    ["a gram of organic acids", { organic_acids: 1 }, 13, 3],
    ["a gram of salatrims", { salatrims: 1 }, 25, 6],
    ["a gram of polyols", { carbohydrate: 1, polyols: 1 }, 10, 2.4],
    ["nothing", {}, 0, 0],
  ])("%s", (_, given, kj, kcal) => expect(energy(given, FIC_ENERGY)).toEqual([kj, kcal]));
});

describe("energy elsewhere", () => {
  it.each([
    [
      "us: fibre counts as carbohydrate",
      US_ENERGY,
      { fat: 10, carbohydrate: 50, protein: 8, fibre: 5 },
      [null, 342],
    ],
    ["us: unknown without fibre", US_ENERGY, { fat: 10, carbohydrate: 50, protein: 8 }, [null, null]],
    ["ca: as us", CA_ENERGY, { fat: 10, carbohydrate: 50, protein: 8, fibre: 5 }, [null, 342]],
    ["ca: unknown with polyols", CA_ENERGY, { carbohydrate: 50, polyols: 5, fibre: 1 }, [null, null]],
    ["au_nz: kcal = kJ / 4.18", AU_NZ_ENERGY, { fat: 10 }, [370, 370 / 4.18]],
    [
      "au_nz: erythritol 1 kJ/g",
      AU_NZ_ENERGY,
      { carbohydrate: 10, polyols: 10, erythritol: 10 },
      [10, 10 / 4.18],
    ],
    ["au_nz: unknown with other polyols", AU_NZ_ENERGY, { carbohydrate: 10, polyols: 10 }, [null, null]],
  ] as const)("%s", (_, rule, given, [kj, kcal]) => {
    const [gotKj, gotKcal] = energy(given, rule);
    expect(gotKj).toBe(kj);
    if (kcal === null) expect(gotKcal).toBeNull();
    else expect(gotKcal).toBeCloseTo(kcal, 9);
  });

  it("takes an energy that is given over one that is worked out", () => {
    const amounts = readAmounts(facts({ fat: 10, energy_kj: 400 }));
    const { kj, kcal } = statedEnergy(amounts, FIC_ENERGY);
    expect([kj?.toNumber(), kcal?.toNumber()]).toEqual([400, 90]);
    expect(statedEnergy(amounts, AU_NZ_ENERGY).kcal?.round(4).toNumber()).toBe(95.6938);
  });
});

describe("energy is linear", () => {
  const arbitrary = fc.record({
    fat: decimals(100),
    carbohydrate: decimals(100),
    protein: decimals(100),
    fibre: decimals(50),
    alcohol: decimals(20),
  });

  it("in every scheme: the energy of a scaled food is the scaled energy", () => {
    fc.assert(
      fc.property(arbitrary, fc.integer({ min: 1, max: 500 }), (given, percent) => {
        const amounts = readAmounts(facts(given));
        const factor = new Big(percent).div(100);
        for (const rule of [FIC_ENERGY, US_ENERGY, CA_ENERGY]) {
          const once = energyOf(amounts, rule);
          const scaled = energyOf(scaleAmounts(amounts, { times: factor, over: new Big(1) }), rule);
          expect(scaled.kcal?.toFixed()).toBe(once.kcal?.times(factor).toFixed());
          expect(scaled.kj?.toFixed()).toBe(once.kj?.times(factor).toFixed());
        }
      }),
      seeded(),
    );
  });

  it("two foods together have the sum of their energies", () => {
    fc.assert(
      fc.property(arbitrary, arbitrary, (left, right) => {
        const both = {
          fat: new Big(left.fat).plus(right.fat).toNumber(),
          carbohydrate: new Big(left.carbohydrate).plus(right.carbohydrate).toNumber(),
          protein: new Big(left.protein).plus(right.protein).toNumber(),
          fibre: new Big(left.fibre).plus(right.fibre).toNumber(),
          alcohol: new Big(left.alcohol).plus(right.alcohol).toNumber(),
        };
        const kj = (given: Partial<NutritionFacts>): Big =>
          energyOf(readAmounts(facts(given)), FIC_ENERGY).kj ?? new Big(-1);
        expect(kj(both).toFixed()).toBe(kj(left).plus(kj(right)).toFixed());
      }),
      seeded(),
    );
  });
});
