import { z } from "zod";
import { requireRoom } from "../../../core/room.ts";

import { byValue } from "../../../core/by-value.ts";
import { toInstant } from "../../../lib/instant.ts";

import { mergePatch } from "../../../lib/merge-patch.ts";
import { listFields, withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { prompts } from "../repository.ts";
import { nextRunAt } from "../rules/next-run.ts";
import { ANSWEROS_LIMITS } from "../schema.ts";
import { Prompt } from "../schema/tracking.ts";
import { full } from "./parts.ts";
import { newResource } from "../../../lib/new-resource.ts";

const PromptView = withVersion(Prompt);
const { text, topic, locale, engines, cadence, active } = Prompt.shape;
const members = { text, topic, locale, engines, cadence, active };

const promptResource = resource({
  id: "answeros.prompts",
  collection: prompts,
  view: PromptView,
  example: "prm_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const listPrompts = promptResource.list({
  summary: "List prompts, newest first",
  query: z.object({ ...listFields, topic: topic.optional(), active: z.enum(["true", "false"]).optional() }),
  find: (query) => {
    const { topic, active: isActive, ...rest } = query;
    const parts = [
      ...(topic === undefined ? [] : [`t-${topic}`]),
      ...(isActive === undefined ? [] : [isActive === "true" ? "active" : "inactive"]),
    ];
    return byValue(parts.join("."), rest);
  },
});

const createPrompt = promptResource.create({
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
  errors: [full],
  example: {
    body: { text: "Where can I order sourdough in Hackney?", topic: "sourdough", cadence: "weekly" },
  },
  make: async (body, ctx) => {
    await requireRoom(ctx.tx, prompts, { max: ANSWEROS_LIMITS.prompts, noun: "prompts" });
    return {
      ...newResource(ctx.newId("prm"), ctx.nowAt),
      ...body,
      engines: [...new Set(body.engines)],
      prompt_version: 1,
      last_run_at: null,
      next_run_at: body.cadence === "manual" ? null : ctx.nowAt,
    };
  },
});

const getPrompt = promptResource.get({ summary: "Show a prompt" });

const updatePrompt = promptResource.update({
  summary: "Change a prompt",
  description:
    "A changed text is a different question: prompt_version is incremented, and metrics of different versions are " +
    "never combined.",
  body: z.strictObject(members).partial(),
  example: { body: { cadence: "daily" } },
  change: (before, body, ctx) => {
    const patched = mergePatch<Prompt>(before, body);
    const isReworded = patched.text !== before.text;
    const isRescheduled = patched.cadence !== before.cadence;
    const next = nextRunAt(patched.cadence, patched.last_run_at, ctx.now);
    return {
      ...patched,
      engines: [...new Set(patched.engines)],
      prompt_version: before.prompt_version + (isReworded ? 1 : 0),
      next_run_at: isRescheduled ? (next === null ? null : toInstant(next)) : patched.next_run_at,
    };
  },
});

const removePrompt = promptResource.remove({
  summary: "Delete a prompt",
  description:
    "Its observations are retained and still counted. To stop running the prompt without deleting it, set active to " +
    "false.",
});

export const promptRoutes = [listPrompts, createPrompt, getPrompt, updatePrompt, removePrompt];
