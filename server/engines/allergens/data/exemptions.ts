import type { ModeId } from "./modes.ts";

/** An ingredient that is made from an allergen and yet need not be declared as it. */
export interface Exemption {
  readonly code: ExemptionCode;
  readonly title: string;
  /** Codes from which it frees, and no others that the ingredient may hold. */
  readonly codes: readonly string[];
  readonly modes: readonly ModeId[];
  readonly source: string;
}

export const EXEMPTION_CODES = [
  "wheat_glucose_syrup",
  "wheat_maltodextrin",
  "barley_glucose_syrup",
  "cereal_distillate",
  "fish_gelatine_carrier",
  "fish_fining",
  "refined_soy_oil",
  "soy_tocopherols",
  "soy_phytosterols",
  "soy_stanol_ester",
  "whey_distillate",
  "lactitol",
  "nut_distillate",
] as const;
export type ExemptionCode = (typeof EXEMPTION_CODES)[number];

const CEREALS = ["wheat", "rye", "barley", "oats", "triticale", "spelt", "khorasan", "kamut"];
const NUTS = ["almond", "brazil_nut", "cashew", "hazelnut", "macadamia", "pecan", "pistachio", "walnut"];

/** The exceptions of Annex II, and nothing beside them: they hold in Great Britain and the Union. */
export const EXEMPTIONS: readonly Exemption[] = [
  annexII(
    "wheat_glucose_syrup",
    "1(a)",
    ["wheat", "spelt", "khorasan", "kamut"],
    "Wheat based glucose syrups including dextrose",
  ),
  annexII("wheat_maltodextrin", "1(b)", ["wheat", "spelt", "khorasan", "kamut"], "Wheat based maltodextrins"),
  annexII("barley_glucose_syrup", "1(c)", ["barley"], "Glucose syrups based on barley"),
  annexII("cereal_distillate", "1(d)", CEREALS, "Cereals used for making alcoholic distillates"),
  annexII(
    "fish_gelatine_carrier",
    "4(a)",
    ["fish"],
    "Fish gelatine used as carrier for vitamin or carotenoid preparations",
  ),
  annexII(
    "fish_fining",
    "4(b)",
    ["fish"],
    "Fish gelatine or isinglass used as fining agent in beer and wine",
  ),
  annexII("refined_soy_oil", "6(a)", ["soy"], "Fully refined soybean oil and fat"),
  annexII(
    "soy_tocopherols",
    "6(b)",
    ["soy"],
    "Mixed and natural tocopherols (E306 and its kin) from soybean sources",
  ),
  annexII(
    "soy_phytosterols",
    "6(c)",
    ["soy"],
    "Phytosterols and phytosterol esters derived from soybean oils",
  ),
  annexII("soy_stanol_ester", "6(d)", ["soy"], "Plant stanol ester from sterols of soybean oils"),
  annexII("whey_distillate", "7(a)", ["milk"], "Whey used for making alcoholic distillates"),
  annexII("lactitol", "7(b)", ["milk"], "Lactitol"),
  annexII("nut_distillate", "8", NUTS, "Nuts used for making alcoholic distillates"),
];

function annexII(code: ExemptionCode, point: string, codes: readonly string[], title: string): Exemption {
  return {
    code,
    title,
    codes,
    modes: ["uk", "eu"],
    source: `Regulation (EU) 1169/2011, Annex II, point ${point}`,
  };
}

const byCode = new Map<string, Exemption>(EXEMPTIONS.map((exemption) => [exemption.code, exemption]));

/** True when an ingredient with this exemption need not be declared as the code in the mode. */
export function isExempt(exemption: string | null, code: string, mode: ModeId): boolean {
  const found = exemption === null ? undefined : byCode.get(exemption);
  return found !== undefined && found.modes.includes(mode) && found.codes.includes(code);
}
