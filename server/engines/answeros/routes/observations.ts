import { z } from "zod";

import { mapPage } from "../../../core/map-page.ts";
import { textErrors } from "../../../core/text-errors.ts";
import { inSlices } from "../../../lib/slices.ts";
import { fail, invalidParameter, unprocessableWhen } from "../../../lib/errors.ts";
import { ok, values } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { routesOf } from "../../../core/resource.ts";
import { Id, listFields } from "../../../core/schema.ts";
import type { Tx } from "../../../core/tx.ts";
import { readAnswers, readObservationCsv } from "../services/import-tasks.ts";
import { brandRevisions, brands, observations } from "../repository.ts";
import { readObservationRow } from "../rules/read-observation-row.ts";
import { ANSWEROS_LIMITS } from "../schema.ts";
import { EngineName, Extraction, Observation } from "../schema/tracking.ts";
import { ObservationInput, Outcomes, ingestObservations } from "./take-in.ts";
import type { Item } from "./take-in.ts";

const ObservationView = Observation.extend(Extraction.shape);
type View = z.output<typeof ObservationView>;

const observationResource = routesOf({
  id: "answeros.observations",
  view: ObservationView,
  example: "obs_01JD8Z5T9QK3M4N5P6R7S8T9V1",
});

const createObservations = observationResource.create({
  status: 200,
  summary: "Upload observed answers of answer engines",
  description:
    `Up to ${ANSWEROS_LIMITS.observationsPerCall} answers per request. Each is stored once: an identical answer is ` +
    "reported as a duplicate and not counted. Answers are committed in groups of ten, so repeat a request that was " +
    `interrupted. At most ${ANSWEROS_LIMITS.observationsPerDay} answers per prompt, engine and day.`,
  body: z.strictObject({
    observations: z.array(ObservationInput).min(1).max(ANSWEROS_LIMITS.observationsPerCall),
  }),
  data: Outcomes,
  errors: [...textErrors],
  example: {
    body: {
      observations: [
        {
          prompt_id: "prm_01JD8Z5T9QK3M4N5P6R7S8T9V1",
          engine: "chatgpt",
          at: "2026-06-01T08:00:00.000Z",
          answer_text: "Crumb bakes sourdough daily in Hackney [1].",
          citations: [{ url: "https://crumb.example/sourdough" }],
        },
      ],
    },
  },
  handle: async ({ body }, ctx) => {
    const entries = body.observations.map((observation, index) => ({ index, observation }));
    const items = await ingestObservations(ctx, entries, (index) => ["observations", index, "prompt_id"]);
    return ok(summaryOf(items, items));
  },
});

const importObservations = defineRoute({
  id: "answeros.observations.import",
  cost: 10,
  method: "POST",
  path: "/observations/imports",
  summary: "Import observations as CSV",
  description:
    "Columns: prompt_id, engine, at, answer_text, and optionally citations (URLs separated by spaces or |), model, " +
    `sentiment, sample. Up to ${ANSWEROS_LIMITS.observationsPerCall} rows per request; invalid rows are reported and ` +
    "skipped, the others are stored.",
  body: z.strictObject({ csv: z.string().min(1).max(900_000) }),
  data: Outcomes,
  errors: [...textErrors, unprocessableWhen("bad_csv", "The text is not valid CSV or has too many rows")],
  example: {
    body: {
      csv: `prompt_id,engine,at,answer_text,citations\nprm_01JD8Z5T9QK3M4N5P6R7S8T9V1,chatgpt,2026-06-01T08:00:00Z,Crumb bakes daily.,https://crumb.example/\n`,
    },
  },
  handle: async ({ body }, ctx) => {
    const rows = await readObservationCsv(ctx.tx, body.csv);
    const rejected: Item[] = [];
    const entries: { index: number; observation: ObservationInput }[] = [];
    for await (const [index, row] of inSlices(rows.entries(), ctx.tx.part)) {
      const read = readObservationRow(row);
      const parsed = read.ok ? ObservationInput.safeParse(read.value) : null;
      if (parsed?.success) entries.push({ index, observation: parsed.data });
      else {
        const column = read.ok ? String(parsed?.error.issues[0]?.path[0] ?? "row") : read.column;
        rejected.push({ index, id: null, outcome: "rejected", detail: `${column} is invalid.` });
      }
    }
    const items = [...rejected, ...(await ingestObservations(ctx, entries, null))];
    return ok(
      summaryOf(
        items,
        items.filter(({ outcome }) => outcome === "rejected"),
      ),
    );
  },
});

function summaryOf(all: readonly Item[], shown: Item[]): z.output<typeof Outcomes> {
  const count = (outcome: Item["outcome"]): number => all.filter((one) => one.outcome === outcome).length;
  return {
    created: count("created"),
    duplicates: count("duplicate"),
    rejected: count("rejected"),
    items: shown,
  };
}

const listObservations = observationResource.list({
  summary: "List observed answers, newest first",
  description: "mentions and pawc are computed with the current brands; the observed answer never changes.",
  query: z.object({
    ...listFields,
    prompt_id: Id.optional(),
    engine: EngineName.optional().meta({ description: "Cannot be combined with prompt_id" }),
    pawc_variant: Extraction.shape.pawc_variant.optional().meta({ description: "Default: paper (eq. 3)" }),
  }),
  errors: [...textErrors],
  handle: async ({ query }, { tx }) => {
    const { prompt_id: prompt, engine, pawc_variant: variant = "paper", limit, cursor } = query;
    if (prompt !== undefined && engine !== undefined) {
      throw invalidParameter("engine", "Cannot be combined with prompt_id.");
    }
    const value = prompt ?? (engine === undefined ? "all" : `e-${engine}`);
    if (!/^[A-Za-z0-9_-]+$/.test(value)) throw invalidParameter("prompt_id", "No prompt with this id.");
    const index = prompt === undefined ? "time" : "prompt";
    const page = await mapPage(tx, observations, { index, value, limit, cursor }, (stored) => stored.value);
    const views = await viewAll(tx, page.items, variant);
    return values(views, { limit, next: page.next });
  },
});

const getObservation = observationResource.get({
  summary: "Show an observation",
  errors: [...textErrors],
  handle: async ({ params }, { tx }) => {
    const { value } = await tx.require(observations, params.id);
    const [view] = await viewAll(tx, [value], "paper");
    if (view === undefined) throw fail("not_found", "No such resource.");
    return ok(view);
  },
});

async function viewAll(tx: Tx, list: readonly Observation[], variant: "paper" | "code"): Promise<View[]> {
  const tracked = (await tx.peekAll(brands)).map(({ value }) => value);
  const version = (await tx.get(brandRevisions, "brands"))?.value.revision ?? 1;
  const extractions = await readAnswers(tx, { answers: list, brands: tracked, variant });
  return list.flatMap((observation, index) => {
    const extraction = extractions[index];
    return extraction === undefined ? [] : [{ ...observation, extraction_version: version, ...extraction }];
  });
}

export const observationRoutes = [createObservations, importObservations, listObservations, getObservation];
