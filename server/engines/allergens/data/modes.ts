/**
 * Regulatory modes. Sources: uk, eu: Regulation (EU) 1169/2011 Art. 21 and Annex II (assimilated law in Great
 * Britain; Northern Ireland stays under the Union's: mode eu); us: FD&C Act 201(qq), 403(w) (FALCPA, FASTER Act)
 * and FDA's Q&A on food allergens, Edition 5 (January 2025); ca: Food and Drug Regulations B.01.010.1 to
 * B.01.010.3; au_nz: Food Standards Code 1.2.3 and Schedule 9 (plain English allergen labelling).
 */
export const MODE_IDS = ["uk", "eu", "us", "ca", "au_nz"] as const;
export type ModeId = (typeof MODE_IDS)[number];

/** The official languages of the Union (Regulation No 1, Article 1), English first. */
export const LANGUAGES = [
  "en",
  "bg",
  "cs",
  "da",
  "de",
  "el",
  "es",
  "et",
  "fi",
  "fr",
  "ga",
  "hr",
  "hu",
  "it",
  "lt",
  "lv",
  "mt",
  "nl",
  "pl",
  "pt",
  "ro",
  "sk",
  "sl",
  "sv",
] as const;
export type Language = (typeof LANGUAGES)[number];

/** From which amount on sulphites must be declared; the modes differ at exactly 10. */
export interface SulphiteRule {
  readonly comparison: "above" | "at_least";
  readonly mg_per_kg: number;
  readonly measured_as: string;
}

/** The most gluten that food with a claim may contain, and whether that amount itself is still allowed. */
export interface GlutenRule {
  readonly comparison: "at_most" | "below";
  readonly mg_per_kg: number;
  readonly oats: "at_most_limit" | "forbidden";
  /** Wheat, rye, barley and their products that were not processed to remove gluten, whatever was measured. */
  readonly unprocessed_grains: "at_most_limit" | "forbidden";
  readonly source: string;
}

export interface Mode {
  readonly id: ModeId;
  readonly title: string;
  readonly sulphite_rule: SulphiteRule | null;
  /** Form of the nutrition panel. */
  readonly panel: "eu" | "us" | "ca" | "au_nz";
  /** A statement that repeats the allergens of an ingredients list. */
  readonly contains_statement: "forbidden" | "optional" | "required";
  /** How the name of an allergen is emphasised in the ingredients list. */
  readonly emphasis: "typeset" | "bold" | "none";
  /** Groups for which the label names the species. */
  readonly species_named: readonly string[];
  /** Wider words that a precautionary statement may name; `advised` false: lawful, and advised against. */
  readonly warning_groups: readonly { readonly code: string; readonly advised: boolean }[];
  /** The statement adds "gluten" when a cereal with gluten is in the food. */
  readonly summary_names_gluten: boolean;
  readonly gluten_free: GlutenRule;
  /** Null where the claim does not exist. */
  readonly very_low_gluten: GlutenRule | null;
  /** Languages in which labels are written. Default: the first. */
  readonly languages: readonly Language[];
  /** Languages in which every label has to be written. */
  readonly required_languages: readonly Language[];
  readonly sources: readonly string[];
}

const annexII = "Regulation (EU) 1169/2011, Annex II";
const glutenAtMost = (mgPerKg: number): GlutenRule => ({
  comparison: "at_most",
  mg_per_kg: mgPerKg,
  oats: "at_most_limit",
  unprocessed_grains: "at_most_limit",
  source: "Regulation (EU) 828/2014, Annex",
});

/** Law of the European Union, which Great Britain has retained. */
const EU_LAW = {
  sulphite_rule: {
    comparison: "above",
    mg_per_kg: 10,
    measured_as: "Total SO2 as ready for consumption or as reconstituted",
  },
  panel: "eu",
  contains_statement: "forbidden",
  emphasis: "typeset",
  species_named: [],
  summary_names_gluten: false,
  gluten_free: glutenAtMost(20),
  very_low_gluten: glutenAtMost(100),
  required_languages: [],
} as const;

export const MODES: Readonly<Record<ModeId, Mode>> = {
  uk: {
    id: "uk",
    title: "Great Britain",
    ...EU_LAW,
    // FSA technical guidance (2023): name which of the 14 allergens, tree nuts or peanuts instead of "nuts".
    warning_groups: [
      { code: "tree_nuts", advised: true },
      { code: "nuts", advised: false },
    ],
    languages: ["en"],
    sources: [annexII, "FSA technical guidance on food allergen labelling, Part 1"],
  },
  eu: {
    id: "eu",
    title: "European Union and Northern Ireland",
    ...EU_LAW,
    warning_groups: [],
    languages: LANGUAGES,
    sources: [annexII, "Commission Delegated Regulation (EU) 2024/2512"],
  },
  us: {
    id: "us",
    title: "United States",
    sulphite_rule: null,
    panel: "us",
    contains_statement: "optional",
    emphasis: "none",
    species_named: ["fish", "crustacean"],
    warning_groups: [],
    summary_names_gluten: false,
    gluten_free: {
      comparison: "below",
      mg_per_kg: 20,
      oats: "at_most_limit",
      unprocessed_grains: "forbidden",
      source: "21 CFR 101.91(a)(3)",
    },
    very_low_gluten: null,
    languages: ["en"],
    required_languages: [],
    sources: [
      "21 U.S.C. 321(qq), 343(w)",
      "FDA, Questions and Answers Regarding Food Allergens, Edition 5 (January 2025), Table 1",
    ],
  },
  ca: {
    id: "ca",
    title: "Canada",
    sulphite_rule: { comparison: "at_least", mg_per_kg: 10, measured_as: "Added sulphites in total" },
    panel: "ca",
    contains_statement: "optional",
    emphasis: "none",
    species_named: ["fish", "crustacean", "mollusc"],
    warning_groups: [],
    summary_names_gluten: false,
    gluten_free: {
      comparison: "at_most",
      mg_per_kg: 20,
      oats: "at_most_limit",
      unprocessed_grains: "at_most_limit",
      source: "Food and Drug Regulations B.24.018, as Health Canada reads it",
    },
    very_low_gluten: null,
    languages: ["en", "fr"],
    required_languages: ["en", "fr"],
    sources: [
      "Food and Drug Regulations B.01.010.1 to B.01.010.3 and B.01.012 (both languages)",
      "CFIA, food allergen labelling",
    ],
  },
  au_nz: {
    id: "au_nz",
    title: "Australia and New Zealand",
    sulphite_rule: { comparison: "at_least", mg_per_kg: 10, measured_as: "Added sulphites" },
    panel: "au_nz",
    contains_statement: "required",
    emphasis: "bold",
    species_named: [],
    warning_groups: [],
    summary_names_gluten: true,
    gluten_free: {
      comparison: "at_most",
      mg_per_kg: 0,
      oats: "forbidden",
      unprocessed_grains: "at_most_limit",
      source: "Food Standards Code 1.2.7, Schedule 4: no detectable gluten, no oats",
    },
    very_low_gluten: null,
    languages: ["en"],
    required_languages: [],
    sources: ["Food Standards Code 1.2.3, Schedule 9"],
  },
};
