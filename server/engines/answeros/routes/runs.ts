import { z } from "zod";

import { byValue } from "../../../core/by-value.ts";
import {
  conflict,
  conflictWhen,
  invalidField,
  invalidParameter,
  unprocessableWhen,
} from "../../../lib/errors.ts";
import { accepted } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { Id, listFields, withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { askableEngines, markRun, newRun, SAMPLES } from "../jobs/run-prompts.ts";
import { prompts, runs } from "../repository.ts";
import { ANSWEROS_LIMITS } from "../schema.ts";
import { EngineName, Run } from "../schema/tracking.ts";

const RunView = withVersion(Run);

const createRuns = defineRoute({
  id: "answeros.runs.create",
  method: "POST",
  path: "/prompts/:id/runs",
  status: 202,
  summary: "Run a prompt now",
  description:
    "Creates one run for each of its engines that the service can call, with at least three samples each, because " +
    "answers to the same prompt vary. A job runs them; the answers are stored as observations.",
  body: z.strictObject({
    engines: z
      .array(EngineName)
      .min(1)
      .max(6)
      .optional()
      .meta({ description: "Default: the prompt's own engines" }),
    samples: z.int().min(SAMPLES).max(ANSWEROS_LIMITS.samples).default(SAMPLES),
    model: z.string().min(1).max(100).nullable().default(null),
  }),
  data: z.strictObject({ runs: z.array(Run) }),
  errors: [
    unprocessableWhen(
      "engine_not_askable",
      "No provider with this id is configured; upload its answers as observations",
    ),
    conflictWhen("prompt_inactive", "The prompt is not active"),
  ],
  example: { params: { id: "prm_01JD8Z5T9QK3M4N5P6R7S8T9V1" }, body: { engines: ["builtin"] } },
  handle: async ({ params, body }, ctx) => {
    const prompt = await ctx.tx.require(prompts, params.id);
    if (!prompt.value.active) {
      throw conflict("prompt_inactive", "The prompt is not active. Set `active` to true first.");
    }
    const askable = askableEngines(ctx.ports);
    const foreign = (body.engines ?? []).findIndex((name) => !askable.has(name));
    if (foreign !== -1) {
      throw invalidField(
        ["engines", foreign],
        "No provider with this id is configured. Upload its answers as observations.",
        "engine_not_askable",
      );
    }
    const engineNames = [
      ...new Set(body.engines ?? prompt.value.engines.filter((name) => askable.has(name))),
    ];
    if (engineNames.length === 0) {
      throw invalidField(
        ["engines"],
        "The prompt has no engine that the service can call.",
        "engine_not_askable",
      );
    }
    const { samples, model } = body;
    const made = engineNames.map((engine) =>
      ctx.tx.create(runs, newRun(prompt.value, { engine, samples, model }, ctx)),
    );
    markRun(ctx.tx, prompt, ctx.now);
    return accepted({ runs: made.map(({ value }) => value) }, `/runs?prompt_id=${params.id}`);
  },
});

const runResource = resource({
  id: "answeros.runs",
  collection: runs,
  view: RunView,
  example: "run_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const listRuns = runResource.list({
  summary: "List runs of prompts, newest first",
  query: z.object({ ...listFields, prompt_id: Id.optional(), status: Run.shape.status.optional() }),
  find: (query) => {
    const { prompt_id: prompt, status, ...rest } = query;
    if (prompt !== undefined && !/^[A-Za-z0-9_]+$/.test(prompt)) {
      throw invalidParameter("prompt_id", "No prompt with this id.");
    }
    const value = [prompt, status].filter((part) => part !== undefined).join(".");
    return byValue(value, rest);
  },
});

const getRun = runResource.get({ summary: "Show a run" });

export const runRoutes = [createRuns, listRuns, getRun];
