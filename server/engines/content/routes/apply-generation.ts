import { z } from "zod";

import { textErrors } from "../../../core/text-errors.ts";
import { renderSafeHtml } from "../../../lib/text/tasks.ts";
import { conflict, conflictWhen, fail, invalidField } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { item } from "../../../core/reply.ts";
import { defineRoute, stale } from "../../../core/route.ts";
import { Id } from "../../../core/schema.ts";
import { contentAtStake, editDraft } from "../services/drafts.ts";
import { drafts, generations } from "../repository.ts";
import { applyGeneration, replacesBody } from "../rules/apply-generation.ts";
import { revisionAtStake } from "../rules/draft-machine.ts";
import type { DraftContent } from "../schema/draft.ts";
import type { Generation } from "../schema/generation.ts";
import { CONTENT_LIMITS } from "../schema.ts";
import { DraftView, deskOf, gateError, notEditable, passGate } from "./env.ts";
import { hashNew } from "../services/text-tasks.ts";

export const apply = defineRoute({
  id: "content.generations.apply",
  method: "POST",
  path: "/generations/:id/apply",
  summary: "Apply a generated text to its draft",
  description:
    "Creates a revision with source ai; on a published draft it is staged. Titles, descriptions, summaries and " +
    "keywords replace their fields, rewritten and drafted texts replace the body, outlines and questions are " +
    "appended to it. Unsupported claims require an override with a reason and the scope content:manage; the draft " +
    "records who overrode them.",
  body: z
    .strictObject({
      draft_id: Id.optional().meta({ description: "Required if the generation belongs to no draft" }),
      item: z
        .int()
        .min(0)
        .max(100)
        .default(0)
        .meta({ description: "Index of the title, if there are several" }),
      override: z.strictObject({ reason: z.string().trim().min(3).max(500) }).optional(),
    })
    .default({ item: 0 }),
  data: DraftView,
  errors: [
    ...textErrors,
    { type: "not_found", when: "No generation or draft with this id" },
    stale,
    notEditable,
    conflictWhen(
      "unsupported_claims",
      "The output contains claims without a source and there is no override",
    ),
    conflictWhen("input_changed", "The draft was edited after the text was generated"),
    { type: "forbidden", when: "An override requires content:manage" },
    gateError,
  ],
  example: {
    params: { id: "gen_01JD8Z5T9QK3M4N5P6R7S8T9V0" },
    body: { draft_id: "drf_01JD8Z5T9QK3M4N5P6R7S8T9V0" },
  },
  handle: async ({ params: { id }, body }, ctx) => {
    const found = await ctx.tx.require(generations, id);
    const generation = found.value;
    refuseClaims(generation, body.override, ctx);
    const draftId = generation.draft_id ?? body.draft_id;
    if (draftId === undefined)
      throw invalidField(["draft_id"], "The generation belongs to no draft. Specify one.");
    const before = await ctx.tx.require(drafts, draftId);
    refuseChanged(generation, revisionAtStake(before.value));
    const work = await deskOf(ctx);
    const base = await contentAtStake(ctx.tx, before.value);
    const output = await outputFor(ctx, base, generation);
    const { content, written } = applyGeneration(base, { ...generation, output }, body.item);
    const paragraphs = await hashNew(ctx.tx, written);
    const override =
      body.override === undefined ? null : { by: ctx.caller, at: ctx.nowAt, reason: body.override.reason };
    const ai = withGeneration(before.value.ai, generation, { paragraphs, override });
    const stored = await editDraft(work, before, {
      content,
      plain: { ai },
      stage: true,
      message: `Applies ${generation.operation} ${id}`,
      source: "ai",
    });
    // Content that goes live later without another check must always pass the publishing checks.
    if (stored.value.status === "scheduled" && stored.value.revision !== before.value.revision) {
      await passGate(work, ctx, stored.value);
    }
    ctx.tx.put(generations, found, {
      ...generation,
      updated_at: ctx.nowAt,
      applied_revision: revisionAtStake(stored.value),
      applied_at: ctx.nowAt,
      override,
    });
    return item(stored);
  },
});

/** Outlines and questions are written in Markdown, which a body of HTML would show as it is. */
const outputFor = async (
  { tx }: Ctx,
  { body_format: format }: DraftContent,
  { operation, output }: Generation,
): Promise<string> =>
  format === "html" && (operation === "outline" || operation === "faq")
    ? (await renderSafeHtml(tx, { body: output, format: "markdown" })).trim()
    : output;

function refuseClaims(
  { unsupported_claims: claims }: Generation,
  override: object | undefined,
  ctx: Ctx,
): void {
  if (claims.length === 0) return;
  if (override === undefined) {
    const named = claims.slice(0, 5).map(({ text }) => text);
    throw conflict(
      "unsupported_claims",
      `The text contains claims without a source: ${named.join("; ")}. Add the facts and generate again, or override.`,
    );
  }
  if (!ctx.scopes.has("content:manage"))
    throw fail("forbidden", "An override requires the scope content:manage.");
}

function refuseChanged(generation: Generation, revision: number): void {
  if (
    !replacesBody(generation) ||
    generation.input_revision === null ||
    generation.input_revision === revision
  )
    return;
  throw conflict(
    "input_changed",
    `The text was generated from revision ${generation.input_revision}, but the draft is at ${revision}. Generate it ` +
      "again.",
  );
}

type DraftAi = z.output<typeof DraftView>["ai"];

const withGeneration = (
  ai: DraftAi,
  { id, unsupported_claims: claims }: Generation,
  { paragraphs, override }: { paragraphs: readonly string[]; override: Generation["override"] },
): DraftAi => ({
  ...ai,
  generation_ids: [...ai.generation_ids.filter((one) => one !== id), id].slice(-CONTENT_LIMITS.aiGenerations),
  paragraphs: [...new Set([...ai.paragraphs, ...paragraphs])].slice(-CONTENT_LIMITS.aiParagraphs),
  overrides:
    override === null || claims.length === 0
      ? ai.overrides
      : [
          ...ai.overrides,
          {
            generation_id: id,
            by: override.by ?? "unknown",
            at: override.at,
            reason: override.reason,
            claims: claims.length,
          },
        ].slice(-CONTENT_LIMITS.aiGenerations),
});
