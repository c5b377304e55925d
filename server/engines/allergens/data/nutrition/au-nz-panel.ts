import type { RoundingTable, Show } from "../../rules/nutrition/rounding.ts";
import { AU_NZ_ENERGY } from "./energy-factors.ts";
import { EU_MICROS } from "./eu-panel.ts";
import type { MicroLine } from "./micronutrients.ts";
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
const upToThreeFigures = (limit: string): RoundingTable => ({
  keepZeros: false,
  bands: [{ under: limit, show: orThreeFigures(limit) }, { show: { figures: 3 } }],
});
export const AU_NZ_ENERGY_KJ = upToThreeFigures("40");
export const AU_NZ_GRAMS = upToThreeFigures("1");
export const AU_NZ_SODIUM = upToThreeFigures("5");
const AU_NZ_FIGURES: RoundingTable = { keepZeros: false, bands: [{ show: { figures: 3 } }] };
const WHOLE_PERCENT: RoundingTable = { keepZeros: false, bands: [{ show: { step: "1" } }] };

/** Section 1.2.8—8: reference values for percentage daily intake, of an adult diet of 8 700 kJ. */
const intake = (adults: string): Reference => ({ adults, of: "exact", rounding: WHOLE_PERCENT });

const grams = { unit: "g", rounding: AU_NZ_GRAMS } as const;
const microRow = ({ code, label, unit }: MicroLine): PanelRow => ({
  key: code,
  label,
  indent: 0,
  of: [code],
  unit,
  isRequired: false,
  rounding: AU_NZ_FIGURES,
});

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
    {
      key: "energy_kj",
      label: "Energy",
      indent: 0,
      of: ["energy_kj"],
      unit: "kJ",
      isRequired: true,
      rounding: AU_NZ_ENERGY_KJ,
      reference: intake("8700"),
    },
    {
      key: "energy_kcal",
      label: "Energy",
      indent: 0,
      of: ["energy_kcal"],
      unit: "kcal",
      isRequired: false,
      rounding: AU_NZ_FIGURES,
    },
    {
      key: "protein",
      label: "Protein",
      indent: 0,
      of: ["protein"],
      ...grams,
      isRequired: true,
      reference: intake("50"),
    },
    {
      key: "fat",
      label: "Fat, total",
      indent: 0,
      of: ["fat"],
      ...grams,
      isRequired: true,
      reference: intake("70"),
    },
    {
      key: "saturates",
      label: "– saturated",
      indent: 1,
      of: ["saturates"],
      ...grams,
      isRequired: true,
      reference: intake("24"),
    },
    { key: "trans_fat", label: "– trans", indent: 1, of: ["trans_fat"], ...grams, isRequired: false },
    {
      key: "polyunsaturates",
      label: "– polyunsaturated",
      indent: 1,
      of: ["polyunsaturates"],
      ...grams,
      isRequired: false,
    },
    {
      key: "monounsaturates",
      label: "– monounsaturated",
      indent: 1,
      of: ["monounsaturates"],
      ...grams,
      isRequired: false,
    },
    {
      key: "cholesterol",
      label: "Cholesterol",
      indent: 0,
      of: ["cholesterol_mg"],
      unit: "mg",
      isRequired: false,
      rounding: AU_NZ_FIGURES,
    },
    {
      key: "carbohydrate",
      label: "Carbohydrate",
      indent: 0,
      of: ["carbohydrate"],
      less: ["polyols"],
      ...grams,
      isRequired: true,
      reference: intake("310"),
    },
    {
      key: "sugars",
      label: "– sugars",
      indent: 1,
      of: ["sugars"],
      ...grams,
      isRequired: true,
      reference: intake("90"),
    },
    {
      key: "fibre",
      label: "Dietary fibre, total",
      indent: 0,
      of: ["fibre"],
      ...grams,
      isRequired: false,
      reference: intake("30"),
    },
    {
      key: "sodium",
      label: "Sodium",
      indent: 0,
      of: ["sodium_mg"],
      unit: "mg",
      isRequired: true,
      rounding: AU_NZ_SODIUM,
      reference: intake("2300"),
    },
    ...EU_MICROS.filter(({ code }) => code !== "chloride").map(microRow),
  ],
};
