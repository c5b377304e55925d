import type { NutritionFacts, PanelView } from "../schema/nutrition.ts";
import type { ScoreAnswer } from "../schema/score.ts";

/** Shortbread, per 100 g, as its baker states it. */
export const exampleFacts: NutritionFacts = {
  basis: "per_100g",
  portion: { size: 25, unit: "g", servings_per_pack: 8, name: "1 finger" },
  fat: 28.1,
  saturates: 17.5,
  carbohydrate: 57.7,
  sugars: 17.2,
  fibre: 1.9,
  protein: 5.5,
  salt: 0.64,
  is_drink: false,
  as_prepared: false,
  source: "laboratory",
};

interface Row {
  readonly key: string;
  readonly label: string;
  readonly unit: "kJ" | "kcal" | "g";
  readonly value: number;
  readonly display: string;
  readonly percent: number | null;
  readonly indent?: 0 | 1;
}

const row = ({ percent, indent = 0, ...rest }: Row) => ({
  ...rest,
  indent,
  is_below: false,
  alternatives: [],
  percent,
  percent_display: percent === null ? null : `${percent}%`,
});

export const examplePanel: PanelView = {
  mode: "uk",
  per: "100",
  basis: "per 100 g",
  source:
    "Regulation (EU) No 1169/2011, Articles 30–34, Annexes XIII–XV; Commission guidance on tolerances (2012)",
  percent_name: "RI",
  percent_note: "Reference intake of an average adult (8400 kJ/2000 kcal)",
  rows: [
    row({ key: "energy_kj", label: "Energy", unit: "kJ", value: 2129, display: "2129 kJ", percent: 25 }),
    row({ key: "energy_kcal", label: "Energy", unit: "kcal", value: 510, display: "510 kcal", percent: 25 }),
    row({ key: "fat", label: "Fat", unit: "g", value: 28, display: "28 g", percent: 40 }),
    row({
      key: "saturates",
      label: "of which saturates",
      unit: "g",
      value: 18,
      display: "18 g",
      percent: 88,
      indent: 1,
    }),
    row({ key: "carbohydrate", label: "Carbohydrate", unit: "g", value: 58, display: "58 g", percent: 22 }),
    row({
      key: "sugars",
      label: "of which sugars",
      unit: "g",
      value: 17,
      display: "17 g",
      percent: 19,
      indent: 1,
    }),
    row({ key: "fibre", label: "Fibre", unit: "g", value: 1.9, display: "1.9 g", percent: null }),
    row({ key: "protein", label: "Protein", unit: "g", value: 5.5, display: "5.5 g", percent: 11 }),
    row({ key: "salt", label: "Salt", unit: "g", value: 0.64, display: "0.64 g", percent: 11 }),
  ],
  missing: [],
  omitted: [],
};

export const exampleCalorieLabel = {
  kcal: 127,
  text: "127 kcal",
  portion: "1 finger (25 g)",
  statement: "adults need around 2000 kcal a day",
  is_required: false,
  detail:
    "Also exempt: on the menu for less than 30 days a year, condiments, made at a customer's express request.",
};

export const exampleScore: ScoreAnswer = {
  model: "npm_2004",
  source: "UK nutrient profiling model 2004/05 (Department of Health technical guidance, 2011)",
  basis: "per 100 g",
  score: 20,
  class: "less_healthy",
  protein_counted: false,
  negative: [
    {
      component: "energy_kj",
      value: 2129.3,
      unit: "kJ",
      points: 6,
      max: 10,
      detail: "2129.3 kJ is more than 2010 and not more than 2345: 6 points.",
    },
    {
      component: "saturates",
      value: 17.5,
      unit: "g",
      points: 10,
      max: 10,
      detail: "17.5 g is more than 10: 10 points.",
    },
    {
      component: "sugars",
      value: 17.2,
      unit: "g",
      points: 3,
      max: 10,
      detail: "17.2 g is more than 13.5 and not more than 18: 3 points.",
    },
    {
      component: "sodium_mg",
      value: 256,
      unit: "mg",
      points: 2,
      max: 10,
      detail: "256 mg is more than 180 and not more than 270: 2 points.",
    },
  ],
  positive: [
    {
      component: "fruit_veg_nuts",
      value: 0,
      unit: "%",
      points: 0,
      max: 5,
      detail: "0 % is not more than 40: 0 points.",
    },
    {
      component: "fibre",
      value: 1.9,
      unit: "g",
      points: 1,
      max: 5,
      detail: "1.9 g is more than 0.9 and not more than 1.9: 1 point.",
    },
    {
      component: "protein",
      value: 5.5,
      unit: "g",
      points: 0,
      max: 5,
      detail:
        "5.5 g is more than 4.8 and not more than 6.4: 3 points. Not counted: 21 A points (11 or more) and " +
        "fruit, vegetables and nuts below 5 points.",
    },
  ],
  lights: [],
  assumed: ["fvn_percent"],
};
