import { defineEngine } from "../../kernel/engine.ts";
import { fetchPages } from "./jobs/fetch-pages.ts";
import { reExtract } from "./jobs/re-extract.ts";
import { runPrompts } from "./jobs/run-prompts.ts";
import { scoreKnownText, writeRewrites } from "./jobs/write-rewrites.ts";
import { answerosEvents } from "./data/events.ts";
import { answerRoutes } from "./routes/answers.ts";
import { brandRoutes } from "./routes/brands.ts";
import { citationRoutes } from "./routes/citations.ts";
import { crawlerRoutes } from "./routes/crawlers.ts";
import { fileRoutes } from "./routes/files.ts";
import { gapRoutes } from "./routes/gaps.ts";
import { observationRoutes } from "./routes/observations.ts";
import { pageRoutes } from "./routes/pages.ts";
import { promptRoutes } from "./routes/prompts.ts";
import { questionRoutes } from "./routes/questions.ts";
import { rewriteRoutes } from "./routes/rewrites.ts";
import { runRoutes } from "./routes/runs.ts";
import { schemaToolRoutes } from "./routes/schema-tools.ts";
import { schemaRoutes } from "./routes/schemas.ts";
import { scoreRoutes } from "./routes/scores.ts";
import { visibilityRoutes } from "./routes/visibility.ts";

export const answeros = defineEngine({
  name: "answeros",
  summary: "Answer-engine optimization: schemas, scores, questions, rewrites, citation tracking",
  routes: [
    ...scoreRoutes,
    ...pageRoutes,
    ...schemaToolRoutes,
    ...schemaRoutes,
    ...questionRoutes,
    ...answerRoutes,
    ...rewriteRoutes,
    ...brandRoutes,
    ...promptRoutes,
    ...runRoutes,
    ...observationRoutes,
    ...citationRoutes,
    ...visibilityRoutes,
    ...gapRoutes,
    ...fileRoutes,
    ...crawlerRoutes,
  ],
  jobs: [fetchPages, runPrompts, reExtract, writeRewrites],
  events: answerosEvents,
  answers: { aeoOf: (_, text, { now }) => scoreKnownText(text, now) },
});
