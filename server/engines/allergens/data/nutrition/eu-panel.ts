import type { RoundingTable, Show } from "../../rules/nutrition/rounding.ts";
import { FIC_ENERGY } from "./energy-factors.ts";
import type { MicroCode, MicroLine } from "./micronutrients.ts";
import { bands, row, WHOLE_PERCENT } from "./panel-types.ts";
import type { Panel, PanelRow, Reference } from "./panel-types.ts";

const below = (limit: string): Show => ({ lessThan: limit, otherwise: { zero: true }, word: "<" });

/**
 * Rounding guidelines of the Commission's guidance on tolerances for nutrient values (December 2012), table 4.
 * An amount at the lower limit counts as negligible: "0 g" or "<0.5 g".
 */
export const EU_ENERGY_ROUNDING: RoundingTable = { keepZeros: true, bands: [{ show: { step: "1" } }] };
export const EU_GRAMS: RoundingTable = {
  keepZeros: true,
  bands: [
    { upTo: "0.5", show: below("0.5") },
    { under: "10", show: { step: "0.1" } },
    { show: { step: "1" } },
  ],
};
export const EU_FATTY_ACIDS: RoundingTable = {
  keepZeros: true,
  bands: [
    { upTo: "0.1", show: below("0.1") },
    { under: "10", show: { step: "0.1" } },
    { show: { step: "1" } },
  ],
};
export const EU_SALT: RoundingTable = {
  keepZeros: true,
  bands: [
    { upTo: "0.0125", show: below("0.01") },
    { under: "1", show: { step: "0.01" } },
    { show: { step: "0.1" } },
  ],
};
const THREE_FIGURES = bands({ show: { figures: 3 } });
const TWO_FIGURES = bands({ show: { figures: 2 } });

/** Reference intakes of adults: Regulation (EU) No 1169/2011 Annex XIII part B. */
const intake = (adults: string): Reference => ({ adults, of: "exact", rounding: WHOLE_PERCENT });

/** Nutrient reference values of adults: Regulation (EU) No 1169/2011 Annex XIII part A point 1. */
export const EU_MICROS: readonly MicroLine[] = [
  { code: "vitamin_a", label: "Vitamin A", unit: "ug", reference: "800" },
  { code: "vitamin_d", label: "Vitamin D", unit: "ug", reference: "5" },
  { code: "vitamin_e", label: "Vitamin E", unit: "mg", reference: "12" },
  { code: "vitamin_k", label: "Vitamin K", unit: "ug", reference: "75" },
  { code: "vitamin_c", label: "Vitamin C", unit: "mg", reference: "80" },
  { code: "thiamin", label: "Thiamin", unit: "mg", reference: "1.1" },
  { code: "riboflavin", label: "Riboflavin", unit: "mg", reference: "1.4" },
  { code: "niacin", label: "Niacin", unit: "mg", reference: "16" },
  { code: "vitamin_b6", label: "Vitamin B6", unit: "mg", reference: "1.4" },
  { code: "folic_acid", label: "Folic acid", unit: "ug", reference: "200" },
  { code: "vitamin_b12", label: "Vitamin B12", unit: "ug", reference: "2.5" },
  { code: "biotin", label: "Biotin", unit: "ug", reference: "50" },
  { code: "pantothenic_acid", label: "Pantothenic acid", unit: "mg", reference: "6" },
  { code: "potassium", label: "Potassium", unit: "mg", reference: "2000" },
  { code: "chloride", label: "Chloride", unit: "mg", reference: "800" },
  { code: "calcium", label: "Calcium", unit: "mg", reference: "800" },
  { code: "phosphorus", label: "Phosphorus", unit: "mg", reference: "700" },
  { code: "magnesium", label: "Magnesium", unit: "mg", reference: "375" },
  { code: "iron", label: "Iron", unit: "mg", reference: "14" },
  { code: "zinc", label: "Zinc", unit: "mg", reference: "10" },
  { code: "copper", label: "Copper", unit: "mg", reference: "1" },
  { code: "manganese", label: "Manganese", unit: "mg", reference: "2" },
  { code: "fluoride", label: "Fluoride", unit: "mg", reference: "3.5" },
  { code: "selenium", label: "Selenium", unit: "ug", reference: "55" },
  { code: "chromium", label: "Chromium", unit: "ug", reference: "40" },
  { code: "molybdenum", label: "Molybdenum", unit: "ug", reference: "50" },
  { code: "iodine", label: "Iodine", unit: "ug", reference: "150" },
];

/** The guidance gives these three significant figures and all others two. */
const THREE_FIGURE_MICROS: ReadonlySet<MicroCode> = new Set([
  "vitamin_a",
  "folic_acid",
  "chloride",
  "calcium",
  "phosphorus",
  "magnesium",
  "iodine",
  "potassium",
]);

const microRow = ({ code, label, unit, reference }: MicroLine): PanelRow =>
  row(code, label, {
    unit,
    isRequired: false,
    rounding: THREE_FIGURE_MICROS.has(code) ? THREE_FIGURES : TWO_FIGURES,
    ...(reference === null ? {} : { reference: intake(reference) }),
  });

const grams = { unit: "g", rounding: EU_GRAMS } as const;
const fattyAcid = { unit: "g", rounding: EU_FATTY_ACIDS, indent: 1 } as const;

/** Regulation (EU) No 1169/2011 Articles 30 to 34, order of Annex XV; the same in UK law. */
export const EU_PANEL: Panel = {
  source:
    "Regulation (EU) No 1169/2011, Articles 30–34, Annexes XIII–XV; Commission guidance on tolerances (2012)",
  per: "100",
  energy: FIC_ENERGY,
  percentPer: ["100", "portion"],
  percentName: "RI",
  // Article 32(5): the statement is placed next to percentages per 100 g or 100 ml.
  percentNote: "Reference intake of an average adult (8400 kJ/2000 kcal)",
  space: " ",
  units: { kJ: "kJ", kcal: "kcal", g: "g", mg: "mg", ug: "µg" },
  significant: { per100: "0.15", per100Drink: "0.075", portion: "0.15" },
  rows: [
    row("energy_kj", "Energy", { unit: "kJ", rounding: EU_ENERGY_ROUNDING, reference: intake("8400") }),
    row("energy_kcal", "Energy", { unit: "kcal", rounding: EU_ENERGY_ROUNDING, reference: intake("2000") }),
    row("fat", "Fat", { ...grams, reference: intake("70") }),
    row("saturates", "of which saturates", { ...fattyAcid, reference: intake("20") }),
    row("monounsaturates", "of which mono-unsaturates", { ...fattyAcid, isRequired: false }),
    row("polyunsaturates", "of which polyunsaturates", { ...fattyAcid, isRequired: false }),
    row("carbohydrate", "Carbohydrate", { ...grams, reference: intake("260") }),
    row("sugars", "of which sugars", { indent: 1, ...grams, reference: intake("90") }),
    row("polyols", "of which polyols", { indent: 1, ...grams, isRequired: false }),
    row("starch", "of which starch", { indent: 1, ...grams, isRequired: false }),
    row("fibre", "Fibre", { ...grams, isRequired: false }),
    row("protein", "Protein", { ...grams, reference: intake("50") }),
    row("salt", "Salt", { unit: "g", rounding: EU_SALT, reference: intake("6") }),
    ...EU_MICROS.map(microRow),
  ],
};
