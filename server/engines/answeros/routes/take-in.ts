import { z } from "zod";

import { invalidField } from "../../../lib/errors.ts";
import { inSlices } from "../../../lib/slices.ts";
import type { Ctx } from "../../../core/route.ts";
import { Id, Instant } from "../../../core/schema.ts";
import { DAY_FULL, OBSERVATIONS_PER_COMMIT, storeObservations } from "../services/ingest.ts";
import type { Outcome } from "../services/ingest.ts";
import { promptCellId, prompts } from "../repository.ts";
import { buildObservation } from "../rules/build-observation.ts";
import { ANSWEROS_LIMITS } from "../schema.ts";
import { EngineName, Sentiment } from "../schema/tracking.ts";
import type { Observation, Prompt } from "../schema/tracking.ts";

/** An uploaded observation. */
export const ObservationInput = z.strictObject({
  prompt_id: Id,
  prompt_version: z
    .int()
    .positive()
    .optional()
    .meta({ description: "Default: the current version of the prompt" }),
  engine: EngineName,
  model: z.string().min(1).max(100).nullable().default(null),
  sample: z
    .int()
    .min(1)
    .max(1_000)
    .default(1)
    .meta({ description: "Distinguishes identical answers with the same timestamp" }),
  at: Instant,
  answer_text: z.string().max(ANSWEROS_LIMITS.answerChars),
  citations: z
    .array(
      z.strictObject({
        url: z.string().min(1).max(2_000),
        title: z.string().max(300).nullable().optional(),
        n: z
          .int()
          .min(1)
          .max(999)
          .optional()
          .meta({ description: "Its number in the text. Default: its position" }),
      }),
    )
    .max(ANSWEROS_LIMITS.citationsPerAnswer)
    .default([]),
  sentiment: Sentiment.nullable().default(null),
});
export type ObservationInput = z.output<typeof ObservationInput>;

/** Result per observation. */
export const Outcomes = z.strictObject({
  created: z.int(),
  duplicates: z.int(),
  rejected: z.int(),
  items: z
    .array(
      z.strictObject({
        index: z
          .int()
          .meta({ description: "Index in the request, starting at 0; for CSV, the row after the header" }),
        id: Id.nullable(),
        outcome: z.enum(["created", "duplicate", "rejected"]),
        detail: z.string().nullable(),
      }),
    )
    .meta({ description: "One per answer of a JSON request; for CSV, only rejected rows" }),
});
export type Item = z.output<typeof Outcomes>["items"][number];

/**
 * Stores uploaded observations, ten per commit. Throws 422 at the first unknown prompt if `placeOf`
 * returns its path; without it such an observation is rejected and the others are stored.
 */
export async function ingestObservations(
  ctx: Ctx,
  entries: readonly { readonly index: number; readonly observation: ObservationInput }[],
  placeOf: ((index: number) => (string | number)[]) | null,
): Promise<Item[]> {
  const cache = new Map<string, Prompt | null>();
  const items: Item[] = [];
  const ready: { index: number; observation: Observation; cell: string }[] = [];
  for await (const { index, observation } of inSlices(entries, ctx.tx.part)) {
    const { prompt_id: id } = observation;
    if (!cache.has(id)) cache.set(id, (await ctx.tx.get(prompts, id))?.value ?? null);
    const prompt = cache.get(id) ?? null;
    if (prompt !== null) {
      const built = toObservation(observation, prompt, ctx.nowAt);
      ready.push({ index, observation: built, cell: promptCellId(built) });
      continue;
    }
    if (placeOf !== null) throw invalidField(placeOf(index), "No prompt with this id.");
    items.push({ index, id: null, outcome: "rejected", detail: "prompt_id: no prompt with this id." });
  }
  // Adjacent observations share their sums: fewer documents are written.
  ready.sort((a, b) => (a.cell < b.cell ? -1 : 1));
  for (let start = 0; start < ready.length; start += OBSERVATIONS_PER_COMMIT) {
    const batch = ready.slice(start, start + OBSERVATIONS_PER_COMMIT);
    const outcomes = await ctx.runTx(ctx.tx.part, (tx) =>
      storeObservations(
        tx,
        batch.map(({ observation }) => observation),
        ctx,
      ),
    );
    for (const [at, { index, observation }] of batch.entries()) {
      items.push(itemOf(index, observation.id, outcomes[at] ?? "duplicate"));
    }
  }
  return items.sort((a, b) => a.index - b.index);
}

function toObservation(input: ObservationInput, prompt: Prompt, nowAt: string): Observation {
  const { prompt_version: version, ...rest } = input;
  return buildObservation(
    {
      ...rest,
      prompt_version: version ?? prompt.prompt_version,
      topic: prompt.topic,
      locale: prompt.locale,
      origin: "import",
      run_id: null,
    },
    nowAt,
  );
}

const itemOf = (index: number, id: string, outcome: Outcome): Item =>
  outcome === "day_full"
    ? { index, id: null, outcome: "rejected", detail: DAY_FULL }
    : { index, id, outcome, detail: null };
