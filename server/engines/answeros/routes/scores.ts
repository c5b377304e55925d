import { z } from "zod";

import { defineRoute, list } from "../../../kernel/route.ts";
import { ListQuery, withVersion } from "../../../kernel/schema.ts";
import { scores } from "../repository.ts";
import { Score } from "../schema.ts";

const example: z.input<typeof Score> = {
  id: "scr_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  created_at: "2026-06-01T09:00:00.000Z",
  updated_at: "2026-06-01T09:00:00.000Z",
  page_id: "pag_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  total: 71,
  band: "fair",
  components: { access: 20, answerability: 15, evidence: 12, freshness: 8, coverage: 9, structured_data: 7 },
  score_version: 1,
  previous_total: 64,
  computed_at: "2026-06-01T09:00:00.000Z",
};

export const listScores = defineRoute({
  id: "answeros.scores.list",
  method: "GET",
  path: "/scores",
  summary: "Answer-engine scores, newest first",
  query: ListQuery,
  data: z.array(withVersion(Score)),
  example: { data: [{ ...example, version: 1 }] },
  handle: async ({ query }, { tx }) => list(await tx.page(scores, query)),
});
