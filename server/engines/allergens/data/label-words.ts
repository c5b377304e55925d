import { z } from "zod";

import words from "./label-words.json" with { type: "json" };
import { LANGUAGES } from "./modes.ts";
import type { Language } from "./modes.ts";

/** The fixed words of a label in one language, and the names of allergens in it; English and French names are in `codes.ts`. */
const LabelWords = z.strictObject({
  source: z.enum(["annex", "unreviewed", "codes"]),
  ingredients: z.string(),
  contains: z.string(),
  may_contain: z.string(),
  /** Notice on the printed label of a product that is not verified. */
  unverified: z.string(),
  names: z.record(z.string(), z.string()),
});
type LabelWords = z.output<typeof LabelWords>;
const LabelLanguages = z.strictObject({
  sources: z.record(z.string(), z.string()),
  languages: z.record(z.enum(LANGUAGES), LabelWords),
});

let loaded: Readonly<Record<Language, LabelWords>> | undefined;

/** Label words of `label-words.json`, checked when they are first used. */
export const labelWords = (language: Language): LabelWords =>
  (loaded ??= LabelLanguages.parse(words).languages)[language];
