import type { ModeId } from "./modes.ts";

/** An ingredient that is made from an allergen and yet need not be declared as it. */
export interface Exemption {
  readonly code: ExemptionCode;
  readonly title: string;
  /** Codes from which it exempts in each mode, and no others that the ingredient may contain; absent: not exempt there. */
  readonly codes: Readonly<Partial<Record<ModeId, readonly string[]>>>;
  readonly source: string;
}

export const EXEMPTION_CODES = [
  "wheat_glucose_syrup",
  "refined_wheat_glucose_syrup",
  "wheat_maltodextrin",
  "barley_glucose_syrup",
  "cereal_distillate",
  "cereal_in_beer_or_spirits",
  "fish_gelatine_carrier",
  "fish_fining",
  "isinglass_fining",
  "refined_soy_oil",
  "highly_refined_oil",
  "soy_tocopherols",
  "soy_phytosterols",
  "soy_stanol_ester",
  "whey_distillate",
  "lactitol",
  "nut_distillate",
  "mustard_behenic_acid",
] as const;
export type ExemptionCode = (typeof EXEMPTION_CODES)[number];

const WHEAT = ["wheat", "spelt", "khorasan", "kamut"];
const CEREALS = [...WHEAT, "rye", "barley", "oats", "triticale"];
const NUTS = ["almond", "brazil_nut", "cashew", "hazelnut", "macadamia", "pecan", "pistachio", "walnut"];
/** Major allergens of which oils are refined. Milk, egg and crustaceans are left out: no oil of them is refined so far. */
const OIL_FOODS = [
  ...WHEAT,
  ...NUTS,
  "pine_nut",
  "black_walnut",
  "california_walnut",
  "heartnut",
  "peanut",
  "soy",
  "sesame",
];

const annex = (point: string): string => `Regulation (EU) No 1169/2011, Annex II, point ${point}`;
const SCHEDULE_9 = "Food Standards Code, Standard 1.2.3-4 and Schedule 9 (P1031)";
const OIL_LAW = "21 U.S.C. 321(qq)(2)(A)";
const inAnnex = (codes: readonly string[]) => ({ uk: codes, eu: codes });

/**
 * What the laws exempt, and nothing else. Where Australia and New Zealand exempt less than Annex II does, the narrower
 * product is an entry of its own, which is exempt by both.
 */
export const EXEMPTIONS: readonly Exemption[] = [
  {
    code: "wheat_glucose_syrup",
    title: "Wheat based glucose syrups including dextrose",
    codes: inAnnex(WHEAT),
    source: annex("1(a)"),
  },
  {
    code: "refined_wheat_glucose_syrup",
    title:
      "Glucose syrups made from wheat starch, refined to the lowest gluten protein reasonably achievable, at most 20 mg/kg",
    codes: { ...inAnnex(WHEAT), au_nz: WHEAT },
    source: `${annex("1(a)")}; ${SCHEDULE_9}`,
  },
  {
    code: "wheat_maltodextrin",
    title: "Wheat based maltodextrins",
    codes: inAnnex(WHEAT),
    source: annex("1(b)"),
  },
  {
    code: "barley_glucose_syrup",
    title: "Glucose syrups based on barley",
    codes: inAnnex(["barley"]),
    source: annex("1(c)"),
  },
  {
    code: "cereal_distillate",
    title: "Alcoholic distillates made from cereals; in au_nz from wheat",
    codes: { ...inAnnex(CEREALS), au_nz: WHEAT },
    source: `${annex("1(d)")}; ${SCHEDULE_9}`,
  },
  {
    code: "cereal_in_beer_or_spirits",
    title: "Wheat, barley, oats and rye in beer and spirits",
    codes: { au_nz: CEREALS },
    source: SCHEDULE_9,
  },
  {
    code: "fish_gelatine_carrier",
    title: "Fish gelatine used as carrier for vitamin or carotenoid preparations",
    codes: inAnnex(["fish"]),
    source: annex("4(a)"),
  },
  {
    code: "fish_fining",
    title: "Fish gelatine or isinglass used as fining agent in beer and wine",
    codes: inAnnex(["fish"]),
    source: annex("4(b)"),
  },
  {
    code: "isinglass_fining",
    title: "Isinglass derived from swim bladders, used as fining agent in beer and wine",
    codes: { ...inAnnex(["fish"]), au_nz: ["fish"] },
    source: `${annex("4(b)")}; ${SCHEDULE_9}`,
  },
  {
    code: "refined_soy_oil",
    title: "Fully refined soybean oil (degummed, neutralised, bleached and deodorised), and fat of it",
    codes: { ...inAnnex(["soy"]), us: ["soy"], au_nz: ["soy"] },
    source: `${annex("6(a)")}; ${OIL_LAW}; ${SCHEDULE_9}`,
  },
  {
    code: "highly_refined_oil",
    title: "Highly refined oil of a major food allergen, and ingredients derived from such an oil",
    codes: { us: OIL_FOODS },
    source: OIL_LAW,
  },
  {
    code: "soy_tocopherols",
    title: "Mixed and natural tocopherols (E306, E307) from soybean sources",
    codes: { ...inAnnex(["soy"]), au_nz: ["soy"] },
    source: `${annex("6(b)")}; ${SCHEDULE_9}`,
  },
  {
    code: "soy_phytosterols",
    title: "Phytosterols and phytosterol esters derived from soybean oils",
    codes: { ...inAnnex(["soy"]), au_nz: ["soy"] },
    source: `${annex("6(c)")}; ${SCHEDULE_9}`,
  },
  {
    code: "soy_stanol_ester",
    title: "Plant stanol ester from sterols of soybean oils",
    codes: inAnnex(["soy"]),
    source: annex("6(d)"),
  },
  {
    code: "whey_distillate",
    title: "Alcohol distilled from whey",
    codes: { ...inAnnex(["milk"]), au_nz: ["milk"] },
    source: `${annex("7(a)")}; ${SCHEDULE_9}`,
  },
  { code: "lactitol", title: "Lactitol", codes: inAnnex(["milk"]), source: annex("7(b)") },
  {
    code: "nut_distillate",
    title: "Nuts used for making alcoholic distillates",
    codes: inAnnex(NUTS),
    source: annex("8"),
  },
  {
    code: "mustard_behenic_acid",
    title:
      "Behenic acid of at least 85 % purity, obtained after two distillations, in the emulsifiers E 470a, E 471 and E 477",
    // Great Britain keeps Annex II as it was at the end of 2020; Northern Ireland is mode eu.
    codes: { eu: ["mustard"] },
    source: "Commission Delegated Regulation (EU) 2024/2512, applicable from 1 April 2025",
  },
];

const byCode = new Map<string, Exemption>(EXEMPTIONS.map((exemption) => [exemption.code, exemption]));

/** True when an ingredient with this exemption need not be declared as the code in the mode. */
export const isExempt = (exemption: string | null, code: string, mode: ModeId): boolean =>
  (exemption === null ? undefined : byCode.get(exemption))?.codes[mode]?.includes(code) ?? false;
