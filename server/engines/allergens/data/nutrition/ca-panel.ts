import type { RoundingTable } from "../../rules/nutrition/rounding.ts";
import { CA_ENERGY } from "./energy-factors.ts";
import type { MicroCode } from "./micronutrients.ts";
import { bands, row, WHOLE_PERCENT } from "./panel-types.ts";
import type { Panel, PanelRow, PercentOf, Reference } from "./panel-types.ts";

/**
 * Food and Drug Regulations (C.R.C., c. 870), table to B.01.401, column 4. Where the table lets a food that is "free
 * of" a nutrient print 0, the figure of all other foods is shown and 0 is given as the alternative: whether a food is
 * "free of" depends on its reference amount, which facts do not contain.
 */
export const CA_CALORIES = bands(
  { under: "5", show: { step: "1" }, also: [{ zero: true }] },
  { upTo: "50", show: { step: "5" } },
  { show: { step: "10" } },
);
/** Items 3 to 5: fat, saturated and trans fatty acids. */
export const CA_FATS = bands(
  { under: "0.5", show: { step: "0.1" }, also: [{ zero: true }] },
  { upTo: "5", show: { step: "0.5" } },
  { show: { step: "1" } },
);
/** Item 7. */
export const CA_CHOLESTEROL = bands({ show: { step: "5" } });
/** Item 8. */
export const CA_SODIUM = bands(
  { under: "5", show: { step: "1" }, also: [{ zero: true }] },
  { upTo: "140", show: { step: "5" } },
  { show: { step: "10" } },
);
/** Items 9 to 11: carbohydrate, fibre, sugars. */
export const CA_GRAMS = bands({ under: "0.5", show: { zero: true } }, { show: { step: "1" } });
/** Item 12. */
export const CA_PROTEIN = bands({ under: "0.5", show: { step: "0.1" } }, { show: { step: "1" } });
/** Items 13 and 14: potassium, calcium. */
export const CA_POTASSIUM = bands(
  { under: "5", show: { zero: true } },
  { under: "50", show: { step: "10" } },
  { under: "250", show: { step: "25" } },
  { show: { step: "50" } },
);
/** Item 15. */
export const CA_IRON = bands(
  { under: "0.05", show: { zero: true } },
  { under: "0.5", show: { step: "0.1" } },
  { under: "2.5", show: { step: "0.25" } },
  { show: { step: "0.5" } },
);

/**
 * Health Canada, Table of Daily Values (2022-10-20), persons of 4 years and over. B.01.401(1.2): the percentage of a
 * mineral is of its rounded amount.
 */
const dailyValue = (adults: string, of: PercentOf = "exact"): Reference => ({
  adults,
  of,
  rounding: WHOLE_PERCENT,
});

const mineral = (code: MicroCode, label: string, rounding: RoundingTable, value: string): PanelRow =>
  row(code, label, { unit: "mg", rounding, reference: dailyValue(value, "declared") });

const fat = { unit: "g", rounding: CA_FATS } as const;
const grams = { unit: "g", rounding: CA_GRAMS } as const;

/** Core information of the Nutrition Facts table: B.01.401, in the order of the Directory of Nutrition Facts Table Formats. */
export const CA_PANEL: Panel = {
  source: "Food and Drug Regulations (C.R.C., c. 870), B.01.401 and its table",
  per: "portion",
  energy: CA_ENERGY,
  percentPer: ["100", "portion"],
  percentName: "DV",
  // Item 16.
  percentNote: "*5% or less is a little, 15% or more is a lot",
  space: " ",
  units: { kJ: "kJ", kcal: "", g: "g", mg: "mg", ug: "µg" },
  significant: null,
  rows: [
    row("energy_kcal", "Calories", { unit: "kcal", rounding: CA_CALORIES }),
    row("fat", "Fat", { ...fat, reference: dailyValue("75") }),
    // Item 6: one percentage for the sum of both.
    row("saturates", "Saturated", {
      indent: 1,
      ...fat,
      reference: { ...dailyValue("20"), sum: ["saturates", "trans_fat"] },
    }),
    row("trans_fat", "+ Trans", { indent: 1, ...fat }),
    row("carbohydrate", "Carbohydrate", { of: ["carbohydrate", "fibre"], ...grams }),
    row("fibre", "Fibre", { indent: 1, ...grams, reference: dailyValue("28") }),
    row("sugars", "Sugars", { indent: 1, ...grams, reference: dailyValue("100") }),
    row("protein", "Protein", { unit: "g", rounding: CA_PROTEIN }),
    row("cholesterol_mg", "Cholesterol", { key: "cholesterol", unit: "mg", rounding: CA_CHOLESTEROL }),
    row("sodium_mg", "Sodium", {
      key: "sodium",
      unit: "mg",
      rounding: CA_SODIUM,
      reference: dailyValue("2300"),
    }),
    mineral("potassium", "Potassium", CA_POTASSIUM, "3400"),
    mineral("calcium", "Calcium", CA_POTASSIUM, "1300"),
    mineral("iron", "Iron", CA_IRON, "18"),
  ],
};
