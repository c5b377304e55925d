import { defineEngine, seedSet } from "../../core/engine.ts";
import { demoCrawlerDays, demoFiles, demoMarkups, demoRewrites } from "./data/demo-files.ts";
import { demoBrands, demoObservations, demoPrompts, demoRuns } from "./data/demo-tracking.ts";
import { demoPages, demoQuestions } from "./demo.ts";
import { fetchPages } from "./jobs/fetch-pages.ts";
import { reExtract } from "./jobs/re-extract.ts";
import { runPrompts } from "./jobs/run-prompts.ts";
import { scoreJudgedText } from "./services/page-tasks.ts";
import { writeRewrites } from "./jobs/write-rewrites.ts";
import { answerosEvents } from "./data/events.ts";
import {
  aggregates,
  brands,
  crawlerDays,
  latestScores,
  markups,
  observations,
  pageContents,
  pages,
  prompts,
  questions,
  rewrites,
  runs,
  scores,
  siteFiles,
  standings,
} from "./repository.ts";
import { answerRoutes } from "./routes/answers.ts";
import { brandRoutes } from "./routes/brands.ts";
import { citationRoutes } from "./routes/citations.ts";
import { crawlerRoutes } from "./routes/crawlers.ts";
import { fileRoutes, publicFileRoutes } from "./routes/files.ts";
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
import { markupStates, pageStates, rewriteStates, runStates } from "./rules/page-state.ts";

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
  links: publicFileRoutes,
  jobs: [fetchPages, runPrompts, reExtract, writeRewrites],
  states: [pageStates, markupStates, rewriteStates, runStates],
  events: answerosEvents,
  answers: { aeoOf: ({ part }, text, { now }) => scoreJudgedText(part, { text, now }) },
  seed: (now) => {
    const shown = demoPages(now);
    const seen = demoObservations(now);
    return [
      seedSet(questions, demoQuestions(now)),
      seedSet(pages, shown.pages),
      seedSet(pageContents, shown.contents),
      seedSet(scores, shown.scores),
      seedSet(latestScores, shown.latest),
      seedSet(markups, demoMarkups(now)),
      seedSet(rewrites, demoRewrites(now)),
      seedSet(brands, demoBrands(now)),
      seedSet(prompts, demoPrompts(now)),
      seedSet(runs, demoRuns(now)),
      seedSet(observations, seen.observations),
      seedSet(aggregates, seen.aggregates),
      seedSet(standings, seen.standings),
      seedSet(siteFiles, demoFiles(now)),
      seedSet(crawlerDays, demoCrawlerDays(now)),
    ];
  },
});
