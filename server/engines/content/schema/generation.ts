import { z } from "zod";

import { AI_OPERATIONS } from "../../../core/ai.ts";
import { AiUsage } from "../../../core/ai-ledger.ts";
import { Id, Instant, resourceFields } from "../../../core/schema.ts";

export const GenerationOperation = z.enum(AI_OPERATIONS).exclude(["answer", "reply"]);

const Claim = z.strictObject({
  kind: z.enum(["number", "price", "date", "url", "allergen", "name"]),
  text: z.string(),
});

const GeneratedItem = z.strictObject({
  text: z.string(),
  answer: z.string().optional(),
  level: z.int().optional(),
  score: z.number().optional(),
  origin: z.string().optional(),
});

/** One text that was written by a provider, held against what it was given. */
export const Generation = z.strictObject({
  ...resourceFields,
  operation: GenerationOperation,
  provider: z.string(),
  model: z.string(),
  draft_id: Id.nullable(),
  /** Revision of the draft that it was made from; null where the input came with the request. */
  input_revision: z.int().positive().nullable(),
  input_hash: z.string(),
  output: z.string(),
  items: z.array(GeneratedItem),
  usage: AiUsage,
  usage_id: z.string(),
  fallback: z.boolean().meta({ description: "A budget was exhausted and the builtin provider was used" }),
  unsupported_claims: z.array(Claim).meta({
    description: "Claims without a source: the output cannot be applied without an override",
  }),
  applied_revision: z.int().positive().nullable(),
  applied_at: Instant.nullable(),
  override: z
    .strictObject({ by: z.string().nullable(), at: Instant, reason: z.string() })
    .nullable()
    .meta({ description: "Who overrode unsupported claims, and why" }),
});
export type Generation = z.output<typeof Generation>;
