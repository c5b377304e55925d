import type { RoundingTable, Show } from "../../rules/nutrition/rounding.ts";
import { AU_NZ_ENERGY } from "./energy-factors.ts";
import { EU_MICROS } from "./eu-panel.ts";
import type { MicroLine } from "./micronutrients.ts";
import { bands, row, WHOLE_PERCENT } from "./panel-types.ts";
import type { Panel, PanelRow, Reference } from "./panel-types.ts";

/**
 * Standard 1.2.8, section 1.2.8—7: figures have at most three significant figures; energy under 40 kJ, grams under 1
 * and sodium under 5 mg may be expressed as "LESS THAN" that.
 */
const orThreeFigures = (limit: string): Show => ({
  lessThan: limit,
  otherwise: { figures: 3 },
  word: "LESS THAN ",
});
const upToThreeFigures = (limit: string): RoundingTable =>
  bands({ under: limit, show: orThreeFigures(limit) }, { show: { figures: 3 } });
export const AU_NZ_ENERGY_KJ = upToThreeFigures("40");
export const AU_NZ_GRAMS = upToThreeFigures("1");
export const AU_NZ_SODIUM = upToThreeFigures("5");
const AU_NZ_FIGURES = bands({ show: { figures: 3 } });

/** Section 1.2.8—8: reference values for percentage daily intake, of an adult diet of 8 700 kJ. */
const intake = (adults: string): Reference => ({ adults, of: "exact", rounding: WHOLE_PERCENT });

const grams = { unit: "g", rounding: AU_NZ_GRAMS } as const;
const microRow = ({ code, label, unit }: MicroLine): PanelRow =>
  row(code, label, { unit, isRequired: false, rounding: AU_NZ_FIGURES });

/** Standard 1.2.8 and Schedule 12 (S12—2, S12—3): order and names. Carbohydrate is without polyols there (S11—3). */
export const AU_NZ_PANEL: Panel = {
  source: "Australia New Zealand Food Standards Code, Standard 1.2.8 and Schedules 11 and 12",
  per: "100",
  energy: AU_NZ_ENERGY,
  percentPer: ["portion"],
  percentName: "DI",
  percentNote:
    "Percentage daily intakes are based on an average adult diet of 8700 kJ. " +
    "Your daily intakes may be higher or lower depending on your energy needs.",
  space: " ",
  units: { kJ: "kJ", kcal: "Cal", g: "g", mg: "mg", ug: "µg" },
  significant: null,
  rows: [
    row("energy_kj", "Energy", { unit: "kJ", rounding: AU_NZ_ENERGY_KJ, reference: intake("8700") }),
    row("energy_kcal", "Energy", { unit: "kcal", isRequired: false, rounding: AU_NZ_FIGURES }),
    row("protein", "Protein", { ...grams, reference: intake("50") }),
    row("fat", "Fat, total", { ...grams, reference: intake("70") }),
    row("saturates", "– saturated", { indent: 1, ...grams, reference: intake("24") }),
    row("trans_fat", "– trans", { indent: 1, ...grams, isRequired: false }),
    row("polyunsaturates", "– polyunsaturated", { indent: 1, ...grams, isRequired: false }),
    row("monounsaturates", "– monounsaturated", { indent: 1, ...grams, isRequired: false }),
    row("cholesterol_mg", "Cholesterol", {
      key: "cholesterol",
      unit: "mg",
      isRequired: false,
      rounding: AU_NZ_FIGURES,
    }),
    row("carbohydrate", "Carbohydrate", { less: ["polyols"], ...grams, reference: intake("310") }),
    row("sugars", "– sugars", { indent: 1, ...grams, reference: intake("90") }),
    row("fibre", "Dietary fibre, total", { ...grams, isRequired: false, reference: intake("30") }),
    row("sodium_mg", "Sodium", {
      key: "sodium",
      unit: "mg",
      rounding: AU_NZ_SODIUM,
      reference: intake("2300"),
    }),
    ...EU_MICROS.filter(({ code }) => code !== "chloride").map(microRow),
  ],
};
