import { z } from "zod";

import { Id, Instant } from "../../../core/schema.ts";

export const CheckId = z.enum([
  "k1",
  "k2",
  "k3",
  "k4",
  "k5",
  "k6",
  "k7",
  "k8",
  "s1",
  "s2",
  "s3",
  "s4",
  "s5",
  "s6",
  "s7",
  "s8",
  "m1",
  "m2",
  "m3",
  "m4",
  "l1",
  "l2",
  "l3",
  "r1",
  "r2",
  "r3",
  "r4",
  "r5",
]);
export type CheckId = z.output<typeof CheckId>;

export const CheckStatus = z.enum(["good", "ok", "bad", "na"]);
export type CheckStatus = z.output<typeof CheckStatus>;

export const Check = z.strictObject({
  id: CheckId,
  name: z.string(),
  status: CheckStatus.meta({ description: "na: not applicable and excluded from the score" }),
  value: z.union([z.number(), z.string()]).nullable().meta({ description: "Measured value" }),
  threshold: z.string().meta({ description: "Target value" }),
  weight: z.int().positive(),
  fix: z.string().nullable().meta({ description: "Recommendation; null if the check is good" }),
});
export type Check = z.output<typeof Check>;

const Band = z.enum(["good", "ok", "bad"]);
const Percent = z.int().min(0).max(100);

/** Readability by six formulas; stored unclamped. */
const Formulas = z.strictObject({
  flesch_reading_ease: z.number().nullable(),
  flesch_kincaid_grade: z.number().nullable(),
  gunning_fog: z.number().nullable(),
  smog: z.number().nullable(),
  coleman_liau: z.number().nullable(),
  automated_readability: z.number().nullable(),
});
type Formulas = z.output<typeof Formulas>;

export const analysisFields = {
  score_version: z.int().positive(),
  text_model: z.int().positive(),
  icu: z.string(),
  locale: z.string(),
  seo: Percent,
  seo_band: Band,
  readability: Percent.nullable().meta({ description: "Null for a text of fewer than 50 words" }),
  readability_band: Band.nullable(),
  aeo: Percent.nullable().meta({ description: "Null if it is not scored yet" }),
  checks: z.array(Check),
  formulas: Formulas,
  counts: z.strictObject({
    words: z.int(),
    sentences: z.int(),
    paragraphs: z.int(),
    syllables: z.int(),
    polysyllables: z.int(),
    reading_minutes: z.int(),
  }),
  keyphrase: z
    .strictObject({
      count: z.int(),
      density: z.number(),
      recommended_min: z.int(),
      recommended_max: z.int(),
    })
    .nullable(),
};

/** The same checks by published formulas of others, for comparison. */
const Parity = z.strictObject({
  mean_of_nine: z.int().meta({ description: "round(100 × sum / (9 × n)) over 9, 6 and 3 points" }),
  reading_penalty: z
    .int()
    .meta({ description: "90, 60 or 30, depending on the penalties of the reading checks" }),
});
export const Analysis = z.strictObject({
  input_hash: z.string().meta({ description: "SHA-256 of the scored content" }),
  ...analysisFields,
  parity: Parity,
});
export type Analysis = z.output<typeof Analysis>;

/** Score of a revision under one version of the rules; immutable. */
export const Score = z.strictObject({
  id: Id,
  created_at: Instant,
  updated_at: Instant,
  draft_id: Id,
  revision: z.int().positive(),
  ...analysisFields,
});
export type Score = z.output<typeof Score>;
