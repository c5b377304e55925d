import { DEMO_SHOP } from "../../core/shop.ts";
import { budgets } from "../../core/ai-ledger.ts";
import { defineEngine, seedSets } from "../../core/engine.ts";
import { CONTENT_EVENTS } from "./data/events.ts";
import { demoContent } from "./demo.ts";
import { contentJobs } from "./jobs.ts";
import {
  articleMetrics,
  articles,
  drafts,
  keyphraseUses,
  postBodies,
  posts,
  revisions,
  scores,
  contentSettings,
  sites,
  slugHolds,
} from "./repository.ts";
import { articleCheckRoutes } from "./routes/article-checks.ts";
import { articleRoutes } from "./routes/articles.ts";
import { budgetRoutes } from "./routes/budgets.ts";
import { draftActionRoutes } from "./routes/draft-actions.ts";
import { draftRoutes } from "./routes/drafts.ts";
import { generationRoutes } from "./routes/generations.ts";
import { insightRoutes } from "./routes/insights.ts";
import { postRoutes } from "./routes/posts.ts";
import { publicFeedRoutes } from "./routes/public-feeds.ts";
import { revisionRoutes } from "./routes/revisions.ts";
import { scoreRoutes } from "./routes/scores.ts";
import { settingsRoutes } from "./routes/settings.ts";
import { contentAnswers } from "./routes/text-of.ts";
import { usageRoutes } from "./routes/usage.ts";
import { draftStates } from "./rules/draft-machine.ts";

export const content = defineEngine({
  name: "content",
  summary: "Blog drafts, tracked articles, SEO scoring, AI usage",
  routes: [
    ...draftRoutes,
    ...draftActionRoutes,
    ...revisionRoutes,
    ...scoreRoutes,
    ...articleCheckRoutes,
    ...articleRoutes,
    ...insightRoutes,
    ...generationRoutes,
    ...usageRoutes,
    ...budgetRoutes,
    ...postRoutes,
    ...settingsRoutes,
  ],
  links: publicFeedRoutes,
  jobs: contentJobs,
  events: CONTENT_EVENTS,
  states: [draftStates],
  answers: contentAnswers,
  seed: (now) => {
    const demo = demoContent(now);
    return [
      contentSettings.seed(DEMO_SHOP, demo.settings),
      ...seedSets(demo, {
        revisions,
        slugs: slugHolds,
        scores,
        keyphrases: keyphraseUses,
        bodies: postBodies,
        posts,
        drafts,
        metrics: articleMetrics,
        articles,
        budgets,
        sites,
      }),
    ];
  },
});
