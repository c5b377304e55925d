import { DAY_MS, fromInstant, toInstant } from "../../../lib/instant.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { articleId, articles, inspections } from "../repository.ts";
import type { Article, Inspection } from "../schema/article.ts";
import type { Settings } from "../schema/draft.ts";
import { noteArticle } from "./keyphrases.ts";
import { newResource } from "../../../lib/new-resource.ts";

export type NewArticle = Pick<
  Article,
  "url" | "source" | "focus_keyphrase" | "locale" | "metadata" | "title" | "draft_id"
>;

/** A tracked page that has not been checked yet. `url` is normalised. */
export const newArticle = (input: NewArticle, settings: Settings, nowAt: string): Article => ({
  ...newResource(articleId(input.url), nowAt),
  ...input,
  refresh_due_at: toInstant(fromInstant(nowAt) + settings.refresh_days * DAY_MS),
  status: "active",
  last_check: null,
  scores: null,
  score_history: [],
  metrics: null,
  decay: null,
  cannibalises: [],
  links: { internal_out: null, internal_in: null, broken: null },
});

/** Stages an article that is not tracked yet; null if it already is. */
export async function trackArticle(tx: Tx, article: Article): Promise<Stored<Article> | null> {
  if ((await tx.get(articles, article.id)) !== null) return null;
  await noteArticle(tx, article);
  return tx.create(articles, article);
}

export async function saveArticle(tx: Tx, before: Stored<Article>, next: Article): Promise<Stored<Article>> {
  await noteArticle(tx, next);
  return tx.put(articles, before, next);
}

/** Queues a check. */
export const queueInspection = (tx: Tx, id: string, articleOf: string, nowAt: string): Stored<Inspection> =>
  tx.create(inspections, {
    ...newResource(id, nowAt),
    article_id: articleOf,
    status: "queued",
    started_at: null,
    finished_at: null,
    hops: [],
    error: null,
    outcome: null,
    result: null,
  });
