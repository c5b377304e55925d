import type { EventType } from "../../../core/engine.ts";

const page_id = "pag_01JD8Z5T9QK3M4N5P6R7S8T9V0";
const prompt = { prompt_id: "prm_01JD8Z5T9QK3M4N5P6R7S8T9V1", engine: "chatgpt" };
const citation = { ...prompt, prompt_version: 1, observation_id: "obs_01JD8Z5T9QK3M4N5P6R7S8T9V1" };

/** Events of the engine. */
export const answerosEvents: readonly EventType[] = [
  {
    type: "answeros.score.changed",
    summary: "The score of a page changed by five points or more.",
    example: { page_id, score_id: "scr_01JD8Z5T9QK3M4N5P6R7S8T9V0", total: 71, previous_total: 64 },
  },
  {
    type: "answeros.schema.invalid",
    summary: "Structured data of a page has errors.",
    example: { schema_id: "sch_01JD8Z5T9QK3M4N5P6R7S8T9V1", page_id, errors: 2, first_code: "not_visible" },
  },
  {
    type: "answeros.rewrite.ready",
    summary: "A rewrite was generated and is ready to be applied or reviewed.",
    example: {
      rewrite_id: "rwr_01JD8Z5T9QK3M4N5P6R7S8T9V1",
      page_id,
      draft_id: null,
      status: "ready",
      score_before: 38,
      score_after: 47,
    },
  },
  {
    type: "answeros.citation.gained",
    summary: "An answer to a prompt cites the store, for the first time or again.",
    example: citation,
  },
  {
    type: "answeros.citation.lost",
    summary: "Three consecutive answers to a prompt no longer cite the store.",
    example: citation,
  },
  {
    type: "answeros.run.failed",
    summary: "A prompt could not be run: the engine refused, or failed to respond three times.",
    example: { ...prompt, run_id: "run_01JD8Z5T9QK3M4N5P6R7S8T9V1", code: "ai_unavailable" },
  },
];
