import type { RoundingTable } from "../../rules/nutrition/rounding.ts";
import { US_ENERGY } from "./energy-factors.ts";
import type { MicroLine } from "./micronutrients.ts";
import { bands, row, WHOLE_PERCENT } from "./panel-types.ts";
import type { Panel, PanelRow, Reference } from "./panel-types.ts";

/** 21 CFR 101.9(c)(1): below 5 "may be expressed as zero", so from 2.5 on both 0 and 5 are lawful. */
export const US_CALORIES = bands(
  { under: "5", show: { zero: true }, also: [{ step: "5" }] },
  { upTo: "50", show: { step: "5" } },
  { show: { step: "10" } },
);
/** 21 CFR 101.9(c)(2): below 0.5 g "shall be expressed as zero". */
export const US_FATS = bands(
  { under: "0.5", show: { zero: true } },
  { under: "5", show: { step: "0.5" } },
  { show: { step: "1" } },
);
/** 21 CFR 101.9(c)(3). */
export const US_CHOLESTEROL = bands(
  { under: "2", show: { zero: true } },
  { upTo: "5", show: { lessThan: "5", otherwise: { step: "5" }, word: "less than " } },
  { show: { step: "5" } },
);
/** 21 CFR 101.9(c)(4). */
export const US_SODIUM = bands(
  { under: "5", show: { zero: true } },
  { upTo: "140", show: { step: "5" } },
  { show: { step: "10" } },
);
/** 21 CFR 101.9(c)(6) and (7). */
export const US_GRAMS = bands(
  { under: "0.5", show: { zero: true } },
  { under: "1", show: { lessThan: "1", otherwise: { step: "1" }, word: "less than " } },
  { show: { step: "1" } },
);
/** 21 CFR 101.9(c)(8)(iii): vitamins and minerals; below 2 % "may be declared by a zero". */
export const US_MICRO_PERCENT = bands(
  { under: "2", show: { step: "2" }, also: [{ zero: true }] },
  { upTo: "10", show: { step: "2" } },
  { upTo: "50", show: { step: "5" } },
  { show: { step: "10" } },
);

/** Daily reference values: 21 CFR 101.9(c)(9), adults and children 4 or more years, then children 1 through 3. */
const drv = (adults: string, children: string): Reference => ({
  adults,
  children_1_to_3: children,
  of: "exact",
  rounding: WHOLE_PERCENT,
});

/** Reference daily intakes: 21 CFR 101.9(c)(8)(iv). The first four are declared on every label, in this order. */
const US_MICROS: readonly (MicroLine & { readonly children?: string })[] = [
  { code: "vitamin_d", label: "Vitamin D", unit: "ug", reference: "20", children: "15" },
  { code: "calcium", label: "Calcium", unit: "mg", reference: "1300", children: "700" },
  { code: "iron", label: "Iron", unit: "mg", reference: "18", children: "7" },
  { code: "potassium", label: "Potassium", unit: "mg", reference: "4700", children: "3000" },
  { code: "vitamin_a", label: "Vitamin A", unit: "ug", reference: "900" },
  { code: "vitamin_c", label: "Vitamin C", unit: "mg", reference: "90" },
  { code: "vitamin_e", label: "Vitamin E", unit: "mg", reference: "15" },
  { code: "vitamin_k", label: "Vitamin K", unit: "ug", reference: "120" },
  { code: "thiamin", label: "Thiamin", unit: "mg", reference: "1.2" },
  { code: "riboflavin", label: "Riboflavin", unit: "mg", reference: "1.3" },
  { code: "niacin", label: "Niacin", unit: "mg", reference: "16" },
  { code: "vitamin_b6", label: "Vitamin B6", unit: "mg", reference: "1.7" },
  { code: "folic_acid", label: "Folate", unit: "ug", reference: "400" },
  { code: "vitamin_b12", label: "Vitamin B12", unit: "ug", reference: "2.4" },
  { code: "biotin", label: "Biotin", unit: "ug", reference: "30" },
  { code: "pantothenic_acid", label: "Pantothenic Acid", unit: "mg", reference: "5" },
  { code: "phosphorus", label: "Phosphorus", unit: "mg", reference: "1250" },
  { code: "iodine", label: "Iodine", unit: "ug", reference: "150" },
  { code: "magnesium", label: "Magnesium", unit: "mg", reference: "420" },
  { code: "zinc", label: "Zinc", unit: "mg", reference: "11" },
  { code: "selenium", label: "Selenium", unit: "ug", reference: "55" },
  { code: "copper", label: "Copper", unit: "mg", reference: "0.9" },
  { code: "manganese", label: "Manganese", unit: "mg", reference: "2.3" },
  { code: "chromium", label: "Chromium", unit: "ug", reference: "35" },
  { code: "molybdenum", label: "Molybdenum", unit: "ug", reference: "45" },
  { code: "chloride", label: "Chloride", unit: "mg", reference: "2300" },
  { code: "choline", label: "Choline", unit: "mg", reference: "550" },
];

/**
 * 21 CFR 101.9(c)(8)(ii) takes the levels of significance of the RDI table and allows finer ones; FDA guidance of
 * December 2019 recommends tenths where the RDI is below 25. Its 10 mg for the largest is left: the regulation's own
 * example declares 235 mg of potassium.
 */
const microRounding = (reference: string | null): RoundingTable =>
  bands({ show: { step: reference !== null && Number(reference) < 25 ? "0.1" : "1" } });

const MANDATORY_MICROS = 4;
const microRow = (line: (typeof US_MICROS)[number], index: number): PanelRow =>
  row(line.code, line.label, {
    unit: line.unit,
    isRequired: index < MANDATORY_MICROS,
    rounding: microRounding(line.reference),
    ...(line.reference === null
      ? {}
      : {
          reference: {
            adults: line.reference,
            ...(line.children === undefined ? {} : { children_1_to_3: line.children }),
            of: "exact" as const,
            rounding: US_MICRO_PERCENT,
          },
        }),
  });

const fat = { unit: "g", rounding: US_FATS } as const;
const grams = { unit: "g", rounding: US_GRAMS } as const;

/** 21 CFR 101.9(c): names and order of the Nutrition Facts label. Total carbohydrate includes fibre there. */
export const US_PANEL: Panel = {
  source: "21 CFR 101.9(c) and (d)",
  per: "portion",
  energy: US_ENERGY,
  percentPer: ["100", "portion"],
  percentName: "DV",
  // 21 CFR 101.9(d)(9)(i).
  percentNote:
    "*The % Daily Value (DV) tells you how much a nutrient in a serving of food contributes to a daily diet. " +
    "2,000 calories a day is used for general nutrition advice.",
  space: "",
  units: { kJ: "kJ", kcal: "", g: "g", mg: "mg", ug: "mcg" },
  significant: null,
  rows: [
    row("energy_kcal", "Calories", { unit: "kcal", rounding: US_CALORIES }),
    row("fat", "Total Fat", { ...fat, reference: drv("78", "39") }),
    row("saturates", "Saturated Fat", { indent: 1, ...fat, reference: drv("20", "10") }),
    row("trans_fat", "Trans Fat", { indent: 1, ...fat }),
    row("polyunsaturates", "Polyunsaturated Fat", { indent: 1, ...fat, isRequired: false }),
    row("monounsaturates", "Monounsaturated Fat", { indent: 1, ...fat, isRequired: false }),
    row("cholesterol_mg", "Cholesterol", {
      key: "cholesterol",
      unit: "mg",
      rounding: US_CHOLESTEROL,
      reference: drv("300", "300"),
    }),
    row("sodium_mg", "Sodium", {
      key: "sodium",
      unit: "mg",
      rounding: US_SODIUM,
      reference: drv("2300", "1500"),
    }),
    row("carbohydrate", "Total Carbohydrate", {
      of: ["carbohydrate", "fibre"],
      ...grams,
      reference: drv("275", "150"),
    }),
    row("fibre", "Dietary Fiber", { indent: 1, ...grams, reference: drv("28", "14") }),
    row("sugars", "Total Sugars", { indent: 1, ...grams }),
    row("added_sugars", "Added Sugars", { indent: 2, ...grams, reference: drv("50", "25") }),
    row("polyols", "Sugar Alcohol", { indent: 1, ...grams, isRequired: false }),
    // 101.9(c)(7): a percentage needs a correction for digestibility, which facts do not contain.
    row("protein", "Protein", { ...grams }),
    ...US_MICROS.map(microRow),
  ],
};
