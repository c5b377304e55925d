import { defineEngine } from "../../kernel/engine.ts";
import { publishDue } from "./jobs/publish-due.ts";
import { sweepDrafts } from "./jobs/sweep.ts";
import { draftActionRoutes } from "./routes/draft-actions.ts";
import { draftRoutes } from "./routes/drafts.ts";
import { postRoutes } from "./routes/posts.ts";
import { revisionRoutes } from "./routes/revisions.ts";
import { scoreRoutes } from "./routes/scores.ts";
import { settingsRoutes } from "./routes/settings.ts";
import { contentAnswers } from "./routes/text-of.ts";

export const content = defineEngine({
  name: "content",
  summary: "Blog drafts, tracked articles, SEO scoring, AI usage",
  routes: [
    ...draftRoutes,
    ...draftActionRoutes,
    ...revisionRoutes,
    ...scoreRoutes,
    ...postRoutes,
    ...settingsRoutes,
  ],
  jobs: [publishDue, sweepDrafts],
  answers: contentAnswers,
});
