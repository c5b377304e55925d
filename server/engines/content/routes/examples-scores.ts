import type { z } from "zod";

import type { Analysis, Score } from "../schema/score.ts";
import { IDS } from "./examples.ts";

const analysis = {
  score_version: 1,
  text_model: 1,
  icu: "77.1",
  locale: "en-GB",
  seo: 29,
  seo_band: "bad",
  readability: 100,
  readability_band: "good",
  aeo: 31,
  checks: [
    {
      id: "s1",
      name: "Length of the text",
      status: "bad",
      value: 6,
      threshold: "at least 300 words",
      weight: 6,
      fix: "Add at least 294 words, if there is more to say.",
    },
  ],
  formulas: {
    flesch_reading_ease: 59.745,
    flesch_kincaid_grade: 6.42,
    gunning_fog: 9.07,
    smog: 8.84,
    coleman_liau: 9.8,
    automated_readability: 5.8,
  },
  counts: { words: 6, sentences: 1, paragraphs: 1, syllables: 10, polysyllables: 1, reading_minutes: 1 },
  keyphrase: null,
} satisfies Omit<z.input<typeof Analysis>, "input_hash" | "parity">;

export const exampleAnalysis = {
  input_hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  ...analysis,
  parity: { mean_of_nine: 54, reading_penalty: 90 },
} satisfies z.input<typeof Analysis>;

export const exampleScore = {
  id: IDS.score,
  created_at: "2026-06-01T09:00:00.000Z",
  updated_at: "2026-06-01T09:00:00.000Z",
  draft_id: IDS.draft,
  revision: 1,
  ...analysis,
  version: 1,
} satisfies z.input<typeof Score> & { version: number };
