import { z } from "zod";

import { REWRITE_OPS } from "../../../core/ai.ts";
import { Id, Instant, LanguageTag, resourceFields } from "../../../core/schema.ts";
import { ANSWEROS_LIMITS } from "../schema.ts";

export const RewriteOps = z.array(z.enum(REWRITE_OPS)).min(1).max(REWRITE_OPS.length);

const ClaimView = z.looseObject({});

export const DiffPart = z.strictObject({ op: z.enum(["same", "add", "remove"]), text: z.string() });

export const Rewrite = z.strictObject({
  ...resourceFields,
  page_id: Id.nullable(),
  draft_id: Id.nullable(),
  question: z.string().max(300).nullable(),
  locale: LanguageTag,
  format: z.enum(["markdown", "html"]),
  ops: RewriteOps,
  provider: z.string().nullable(),
  model: z.string().nullable(),
  before: z.string().max(ANSWEROS_LIMITS.answerChars * 3),
  after: z
    .string()
    .max(ANSWEROS_LIMITS.answerChars * 4)
    .nullable(),
  diff: z.array(DiffPart),
  score_before: z.int().nullable(),
  score_after: z.int().nullable(),
  unsupported_claims: z
    .array(ClaimView)
    .meta({ description: "Claims of the new text that neither the old text nor the facts support" }),
  status: z.enum(["queued", "ready", "needs_review", "applied", "rejected", "failed"]),
  error: z.strictObject({ code: z.string(), detail: z.string() }).nullable(),
  usage_id: Id.nullable(),
  applied_revision: z.int().nullable(),
  decided_at: Instant.nullable(),
  decided_reason: z.string().max(500).nullable(),
});
export type Rewrite = z.output<typeof Rewrite>;
