import { z } from "zod";

import { aiErrors, REWRITE_OPS } from "../../../core/ai.ts";
import { textErrors } from "../../../core/text-errors.ts";
import type { AiRequest, AiResult } from "../../../core/ai.ts";
import { invalidField, unprocessableWhen } from "../../../lib/errors.ts";
import { sha256Hex } from "../../../core/ids.ts";
import type { Ctx } from "../../../core/route.ts";
import { created, raw } from "../../../core/reply.ts";
import { Id, LanguageTag, listFields, withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { contentAtStake } from "../services/drafts.ts";
import { drafts, generations } from "../repository.ts";
import { revisionAtStake } from "../rules/draft-machine.ts";
import { BodyFormat } from "../schema/draft.ts";
import { Generation, GenerationOperation } from "../schema/generation.ts";
import { CONTENT_LIMITS } from "../schema.ts";
import { apply } from "./apply-generation.ts";

const GenerationView = withVersion(Generation);
const Line = z.string().trim().min(1).max(500);

const GenerationRequest = z.strictObject({
  operation: GenerationOperation,
  draft_id: Id.nullable()
    .default(null)
    .meta({ description: "Its latest text is the input if none is specified" }),
  input: z
    .strictObject({
      text: z.string().max(CONTENT_LIMITS.generationInputChars),
      format: BodyFormat,
      locale: LanguageTag,
      title: z.string().max(300),
      keyphrase: z.string().max(120),
      brand: z.string().max(120),
      question: z.string().max(300),
      ops: z.array(z.enum(REWRITE_OPS)).max(REWRITE_OPS.length),
      count: z.int().min(1).max(20),
      facts: z
        .array(Line)
        .max(100)
        .meta({ description: "Additional facts about the store that the output may state" }),
      locked: z.array(Line).max(50).meta({ description: "Sentences that must not be changed" }),
    })
    .partial()
    .default({}),
  instructions: z.string().max(4_000).optional(),
  provider: z.string().max(60).optional(),
  model: z.string().max(120).optional(),
  stream: z
    .boolean()
    .default(false)
    .meta({ description: "Respond with text/event-stream: delta, usage, done, error" }),
});
type GenerationRequest = z.output<typeof GenerationRequest>;

const generationResource = resource({
  id: "content.generations",
  collection: generations,
  view: GenerationView,
  example: "gen_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const create = generationResource.custom.create({
  summary: "Generate a text",
  description:
    "The store's budgets are reserved first and settled afterwards. Claims of the output that are neither in the " +
    "input nor in the facts are listed in unsupported_claims. With stream, the text is sent as Server-Sent Events; " +
    "the last event, done, contains the generation.",
  body: GenerationRequest,
  otherTypes: ["text/event-stream"],
  errors: [
    ...textErrors,
    { type: "not_found", when: "No draft with this id" },
    ...aiErrors,
    unprocessableWhen(
      "needs_model",
      "The builtin provider cannot write it: a draft, or a description, keywords or titles of too short a text",
    ),
  ],
  example: {
    body: {
      operation: "meta_description",
      input: {
        text:
          "Crumb bakes sourdough bread in Hackney every morning, with organic flour, water and salt. " +
          "Customers order before noon and get their bread on the next day.",
        locale: "en-GB",
      },
    },
  },
  handle: async ({ body }, ctx) => {
    const { request, revision } = await requestOf(body, ctx);
    const draft = {
      id: ctx.newId("gen"),
      operation: body.operation,
      draft_id: body.draft_id,
      input_revision: revision,
      input_hash: hashInput(request),
    };
    if (body.stream) return streamed(ctx, request, draft);
    const result = await ctx.ports.ai.generate(request);
    const generation = toGeneration(result, draft, ctx);
    return created(ctx.tx.create(generations, generation), `/generations/${generation.id}`);
  },
});

/** The request to the provider, and the revision used as input. */
async function requestOf(
  body: GenerationRequest,
  ctx: Ctx,
): Promise<{ request: AiRequest; revision: number | null }> {
  const draft = body.draft_id === null ? null : (await ctx.tx.require(drafts, body.draft_id)).value;
  const content = draft === null ? null : await contentAtStake(ctx.tx, draft);
  const text = body.input.text ?? content?.body;
  if (text === undefined)
    throw invalidField(["input", "text"], "Specify either a text or a draft_id whose text is used.");
  if (text.length > CONTENT_LIMITS.generationInputChars) {
    throw invalidField(
      ["input", "text"],
      `The input must have at most ${CONTENT_LIMITS.generationInputChars} characters.`,
    );
  }
  const knownText =
    content === null
      ? {}
      : {
          format: content.body_format,
          locale: content.locale,
          title: content.title,
          ...(content.seo.focus_keyphrase === null ? {} : { keyphrase: content.seo.focus_keyphrase }),
        };
  const request: AiRequest = {
    engine: "content",
    operation: body.operation,
    input: { ...knownText, ...body.input, text } as AiRequest["input"],
    instructions: body.instructions,
    provider: body.provider,
    model: body.model,
    key_id: ctx.caller,
    resource: body.draft_id,
    request_id: ctx.requestId,
    part: ctx.tx.part,
    signal: ctx.signal(),
  };
  return { request, revision: draft === null ? null : revisionAtStake(draft) };
}

const hashInput = ({ operation, input, instructions }: AiRequest): string =>
  sha256Hex(JSON.stringify([operation, input, instructions ?? null]));

type GenerationInput = Pick<Generation, "id" | "draft_id" | "input_revision" | "input_hash" | "operation">;

const toGeneration = (
  result: AiResult,
  draft: GenerationInput,
  { nowAt }: Pick<Ctx, "nowAt">,
): Generation => ({
  created_at: nowAt,
  updated_at: nowAt,
  ...draft,
  provider: result.provider,
  model: result.model,
  output: result.text,
  items: (result.items ?? []).map((one) => ({ ...one })),
  usage: result.usage,
  usage_id: result.usage_id,
  fallback: result.fallback,
  unsupported_claims: result.unsupported_claims.map((claim) => ({ ...claim })),
  applied_revision: null,
  applied_at: null,
  override: null,
});

/** Events of the provider; the generation is stored before `done` is sent. */
async function streamed(ctx: Ctx, request: AiRequest, draft: GenerationInput) {
  const events = await ctx.ports.ai.stream(request);
  const { runTx } = ctx;
  const { part } = ctx.tx;
  async function* written() {
    for await (const event of events) {
      if (event.type !== "done") {
        const { type, ...data } = event;
        yield { type, data };
        continue;
      }
      const stored = await runTx(part, async (tx) =>
        tx.create(generations, toGeneration(event.result, draft, ctx)),
      );
      yield { type: "done", data: { ...stored.value, version: stored.version } };
    }
  }
  return raw("text/event-stream; charset=utf-8", toEventStream(written()), {
    status: 201,
    // It is stored before `done` is sent.
    headers: { "Cache-Control": "no-store", Location: `/v1/content/generations/${draft.id}` },
  });
}

const listAll = generationResource.list({
  summary: "List generated texts, newest first",
  query: z.object({ ...listFields, draft_id: Id.optional() }),
  find: (query) => ({
    ...query,
    ...(query.draft_id === undefined ? {} : { index: "draft", value: query.draft_id }),
  }),
});

const get = generationResource.get({ summary: "Show a generated text" });

export const generationRoutes = [create, listAll, get, apply];

/** One event in the format of Server-Sent Events (HTML Living Standard §9.2). JSON contains no bare line break. */
const toEvent = (type: string, data: unknown): string => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

/**
 * Events as a byte stream. When the reader disconnects, `return` is called on the source, as when a loop ends early.
 */
function toEventStream(
  events: AsyncIterator<{ readonly type: string; readonly data: unknown }>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const next = await events.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(toEvent(next.value.type, next.value.data)));
    },
    async cancel() {
      await events.return?.();
    },
  });
}
