import { z } from "zod";

import { Id, Instant, resourceFields } from "../../kernel/schema.ts";

export const Score = z.strictObject({
  ...resourceFields,
  page_id: Id,
  total: z.int().min(0).max(100),
  band: z.enum(["good", "fair", "poor"]),
  components: z.strictObject({
    access: z.int(),
    answerability: z.int(),
    evidence: z.int(),
    freshness: z.int(),
    coverage: z.int(),
    structured_data: z.int(),
  }),
  score_version: z.int().positive(),
  previous_total: z.int().nullable(),
  computed_at: Instant,
});
export type Score = z.output<typeof Score>;
