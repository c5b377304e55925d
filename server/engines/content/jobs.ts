import { importArticles } from "./jobs/import-articles.ts";
import { inspectArticles } from "./jobs/inspect-articles.ts";
import { publishDue } from "./jobs/publish-due.ts";
import { reviewArticles } from "./jobs/review-articles.ts";
import { sweepDrafts } from "./jobs/sweep.ts";

export const contentJobs = [publishDue, importArticles, inspectArticles, reviewArticles, sweepDrafts];
