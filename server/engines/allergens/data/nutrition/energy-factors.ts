import type { Nutrient } from "./nutrients.ts";

/** Energy of a gram of `of` without the part of it that `less` names, in kJ and kcal; null where the rule has no figure. */
export interface EnergyFactor {
  readonly of: Nutrient;
  readonly less?: Nutrient;
  readonly kj: string | null;
  readonly kcal: string | null;
}

export interface EnergyRule {
  readonly source: string;
  readonly factors: readonly EnergyFactor[];
  /** Nutrients without which nothing can be worked out; others count as nothing where they are not given. */
  readonly needs: readonly Nutrient[];
  /** The rule has no factor for these: with any of them in the food the energy has to be given. */
  readonly unknown: readonly { readonly of: Nutrient; readonly less?: Nutrient }[];
  /** Divides kJ to give kcal, where the rule itself says so; else the two are summed apart. */
  readonly kjPerKcal: string | null;
}

/** Regulation (EU) 1169/2011 Annex XIV, kept in UK law. */
export const FIC_ENERGY: EnergyRule = {
  source: "Regulation (EU) No 1169/2011, Annex XIV",
  factors: [
    { of: "carbohydrate", less: "polyols", kj: "17", kcal: "4" },
    { of: "polyols", less: "erythritol", kj: "10", kcal: "2.4" },
    { of: "erythritol", kj: "0", kcal: "0" },
    { of: "protein", kj: "17", kcal: "4" },
    { of: "fat", kj: "37", kcal: "9" },
    { of: "salatrims", kj: "25", kcal: "6" },
    { of: "alcohol", kj: "29", kcal: "7" },
    { of: "organic_acids", kj: "13", kcal: "3" },
    { of: "fibre", kj: "8", kcal: "2" },
  ],
  needs: ["fat", "carbohydrate", "protein"],
  unknown: [],
  kjPerKcal: null,
};

/**
 * 21 CFR 101.9(c)(1)(i)(B): general factors 4, 4, 9 for protein, total carbohydrate (fibre and sugar alcohols
 * included) and total fat. The paragraph gives no factor for ethanol; 7 is that of USDA Handbook 74 (6.93) as labels
 * round it.
 */
export const US_ENERGY: EnergyRule = {
  source: "21 CFR 101.9(c)(1)(i)(B)",
  factors: [
    { of: "carbohydrate", kj: null, kcal: "4" },
    { of: "fibre", kj: null, kcal: "4" },
    { of: "protein", kj: null, kcal: "4" },
    { of: "fat", kj: null, kcal: "9" },
    { of: "alcohol", kj: null, kcal: "7" },
  ],
  needs: ["fat", "carbohydrate", "fibre", "protein"],
  unknown: [{ of: "salatrims" }],
  kjPerKcal: null,
};

/**
 * CFIA, Elements within the Nutrition Facts table, Energy: average Atwater factors 4, 4, 9 and 7 for alcohol, on
 * carbohydrate that includes fibre. Sugar alcohols have a factor each there, so a sum of polyols has none.
 */
export const CA_ENERGY: EnergyRule = {
  source: "CFIA, Elements within the Nutrition Facts table: Energy",
  factors: US_ENERGY.factors,
  needs: US_ENERGY.needs,
  unknown: [{ of: "polyols" }, { of: "salatrims" }],
  kjPerKcal: null,
};

/**
 * Food Standards Code Schedule 11, S11-2: kJ per gram; calories are kJ / 4.18 by S11-2(4). Polyols other than
 * erythritol have a factor each (9 to 14 kJ), so a sum of them has none.
 */
export const AU_NZ_ENERGY: EnergyRule = {
  source: "Australia New Zealand Food Standards Code, Schedule 11, S11—2",
  factors: [
    { of: "carbohydrate", less: "polyols", kj: "17", kcal: null },
    { of: "erythritol", kj: "1", kcal: null },
    { of: "fibre", kj: "8", kcal: null },
    { of: "protein", kj: "17", kcal: null },
    { of: "fat", kj: "37", kcal: null },
    { of: "alcohol", kj: "29", kcal: null },
    { of: "organic_acids", kj: "13", kcal: null },
  ],
  needs: ["fat", "carbohydrate", "protein"],
  unknown: [{ of: "polyols", less: "erythritol" }, { of: "salatrims" }],
  kjPerKcal: "4.18",
};
