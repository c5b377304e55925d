import type { z } from "zod";

import type { Article, Inspection, UrlImport } from "../schema/article.ts";
import { IDS } from "./examples.ts";

const at = "2026-06-01T09:00:00.000Z";
const times = { created_at: at, updated_at: at };

export const exampleArticle = {
  id: IDS.article,
  ...times,
  url: "https://crumb.example/blog/keep-a-sourdough-starter",
  title: "How we keep a sourdough starter",
  source: "import",
  draft_id: null,
  focus_keyphrase: "sourdough starter",
  locale: "en-GB",
  refresh_due_at: "2026-11-28T09:00:00.000Z",
  metadata: {},
  status: "active",
  last_check: null,
  scores: null,
  score_history: [],
  metrics: null,
  decay: null,
  cannibalises: [],
  links: { internal_out: null, internal_in: null, broken: null },
  version: 1,
} satisfies z.input<typeof Article> & { version: number };

export const exampleInspection = {
  id: "chk_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  ...times,
  article_id: IDS.article,
  status: "queued",
  started_at: null,
  finished_at: null,
  hops: [],
  error: null,
  outcome: null,
  result: null,
} satisfies z.input<typeof Inspection>;

export const exampleImport = {
  id: "imp_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  ...times,
  kind: "csv",
  sitemap_url: null,
  status: "queued",
  counts: { rows: 1, created: 0, known: 0, refused: 0 },
  errors: [],
  error: null,
  check: false,
  finished_at: null,
} satisfies z.input<typeof UrlImport>;
