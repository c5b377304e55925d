import { z } from "zod";
import { requireRoom } from "../../../core/room.ts";

import { byValue } from "../../../core/by-value.ts";
import { toInstant } from "../../../lib/instant.ts";

import { mergePatch } from "../../../lib/merge-patch.ts";
import { created, defineRoute, empty, item, list } from "../../../core/route.ts";
import { listFields, withVersion } from "../../../core/schema.ts";
import { prompts } from "../repository.ts";
import { nextRunAt } from "../rules/next-run.ts";
import { ANSWEROS_LIMITS } from "../schema.ts";
import { Prompt } from "../schema/tracking.ts";
import { IDS, times } from "./examples.ts";
import { full, IdParams, missing, stale } from "./parts.ts";

const PromptView = withVersion(Prompt);
const { text, topic, locale, engines, cadence, active } = Prompt.shape;
const members = { text, topic, locale, engines, cadence, active };

const examplePrompt = {
  id: IDS.prompt,
  ...times,
  text: "Where can I order sourdough in Hackney?",
  topic: "sourdough",
  locale: "en-GB",
  engines: ["builtin", "chatgpt"],
  cadence: "weekly" as const,
  prompt_version: 1,
  active: true,
  last_run_at: "2026-06-01T09:00:00.000Z",
  next_run_at: "2026-06-08T09:00:00.000Z",
  version: 6,
};

const listPrompts = defineRoute({
  id: "answeros.prompts.list",
  method: "GET",
  path: "/prompts",
  summary: "List prompts, newest first",
  query: z.object({ ...listFields, topic: topic.optional(), active: z.enum(["true", "false"]).optional() }),
  data: z.array(PromptView),
  example: { data: [examplePrompt] },
  handle: async ({ query }, { tx }) => {
    const { topic, active: isActive, ...rest } = query;
    const parts = [
      ...(topic === undefined ? [] : [`t-${topic}`]),
      ...(isActive === undefined ? [] : [isActive === "true" ? "active" : "inactive"]),
    ];
    return list(await tx.peekPage(prompts, byValue(parts.join("."), rest)));
  },
});

const createPrompt = defineRoute({
  id: "answeros.prompts.create",
  method: "POST",
  path: "/prompts",
  status: 201,
  summary: "Create a prompt",
  description:
    "A question that customers could ask an answer engine. builtin answers from the store's own approved answers, " +
    "offline. A provider of the AI service is specified by its id. Answers of any other engine are uploaded as " +
    "observations: consumer pages are never scraped.",
  body: z.strictObject({
    text,
    topic: topic.default("general"),
    locale: locale.default("en-GB"),
    engines: engines.default(["builtin"]),
    cadence: cadence.default("manual"),
    active: active.default(true),
  }),
  data: PromptView,
  errors: [full],
  example: {
    body: { text: "Where can I order sourdough in Hackney?", topic: "sourdough", cadence: "weekly" },
    data: examplePrompt,
  },
  handle: async ({ body }, ctx) => {
    await requireRoom(ctx.tx, prompts, { max: ANSWEROS_LIMITS.prompts, noun: "prompts" });
    const stored = ctx.tx.create(prompts, {
      id: ctx.newId("prm"),
      created_at: ctx.nowAt,
      updated_at: ctx.nowAt,
      ...body,
      engines: [...new Set(body.engines)],
      prompt_version: 1,
      last_run_at: null,
      next_run_at: body.cadence === "manual" ? null : ctx.nowAt,
    });
    return created(stored, `/prompts/${stored.id}`);
  },
});

const getPrompt = defineRoute({
  id: "answeros.prompts.get",
  method: "GET",
  path: "/prompts/:id",
  summary: "Show a prompt",
  params: IdParams,
  data: PromptView,
  errors: [missing],
  example: { params: { id: IDS.prompt }, data: examplePrompt },
  handle: async ({ params }, { tx }) => item(await tx.require(prompts, params.id)),
});

const updatePrompt = defineRoute({
  id: "answeros.prompts.update",
  method: "PATCH",
  path: "/prompts/:id",
  summary: "Change a prompt",
  description:
    "A changed text is a different question: prompt_version is incremented, and metrics of different versions are " +
    "never combined.",
  params: IdParams,
  body: z.strictObject(members).partial(),
  data: PromptView,
  errors: [missing, stale],
  example: { params: { id: IDS.prompt }, body: { cadence: "daily" }, data: examplePrompt },
  handle: async ({ params, body }, ctx) => {
    const before = await ctx.current(prompts, params.id);
    const patched = mergePatch<Prompt>(before.value, body);
    const isReworded = patched.text !== before.value.text;
    const isRescheduled = patched.cadence !== before.value.cadence;
    const next = nextRunAt(patched.cadence, patched.last_run_at, ctx.now);
    return item(
      ctx.tx.put(prompts, before, {
        ...patched,
        engines: [...new Set(patched.engines)],
        prompt_version: before.value.prompt_version + (isReworded ? 1 : 0),
        next_run_at: isRescheduled ? (next === null ? null : toInstant(next)) : patched.next_run_at,
        updated_at: ctx.nowAt,
      }),
    );
  },
});

const removePrompt = defineRoute({
  id: "answeros.prompts.remove",
  method: "DELETE",
  path: "/prompts/:id",
  summary: "Delete a prompt",
  description:
    "Its observations are retained and still counted. To stop running the prompt without deleting it, set active to " +
    "false.",
  params: IdParams,
  data: z.null(),
  errors: [missing, stale],
  example: { params: { id: IDS.prompt } },
  handle: async ({ params }, ctx) => {
    ctx.tx.remove(prompts, await ctx.current(prompts, params.id));
    return empty();
  },
});

export const promptRoutes = [listPrompts, createPrompt, getPrompt, updatePrompt, removePrompt];
