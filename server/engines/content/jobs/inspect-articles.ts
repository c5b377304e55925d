import { DAY_MS, fromInstant, toInstant } from "../../../lib/instant.ts";
import { eachDue } from "../../../core/batches.ts";
import type { Job, JobContext } from "../../../core/engine.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { Problem } from "../../../lib/errors.ts";
import { watch } from "../../../core/watch.ts";
import { articleMetrics, articles, inspections, readSettings } from "../repository.ts";
import type { Article, Inspection } from "../schema/article.ts";
import { CONTENT_LIMITS, SCORE_VERSION } from "../schema.ts";
import { saveArticle } from "../services/articles.ts";
import { inspectPage } from "../services/inspect-page.ts";
import type { InspectionResult } from "../services/inspect-page.ts";
import { neighboursOf } from "../services/score-draft.ts";

const HISTORY = 12;

/** Fetches the requested pages one after the other. */
export const inspectArticles: Job = {
  id: "content.inspect-articles",
  summary: "Fetches and checks tracked articles that are due",
  schedule: "*/10 * * * * *",
  watches: [watch(inspections, { index: "waiting" })],
  async run(work) {
    const waiting = { collection: inspections, index: "waiting", isDue: () => true };
    const { done } = await eachDue(work, waiting, async (id) => {
      const inspection = await work.runTx(work.part, (tx) => tx.get(inspections, id));
      if (inspection?.value.status !== "queued") return 0;
      await inspectOne(work, inspection.value);
      return 1;
    });
    return { done };
  },
};

async function inspectOne(work: JobContext, { id, article_id: articleId }: Inspection): Promise<void> {
  const { runTx, part, ports, signal } = work;
  const result = await runTx(part, async (tx) => {
    const article = await tx.get(articles, articleId);
    if (article === null) return null;
    const { draft_id: twin } = article.value;
    const neighbours = neighboursOf(tx, await readSettings(tx), { id: articleId, twin });
    // Nothing is written here: responses of other servers must not delay a commit.
    return inspectPage({ fetch: ports.fetch, part, signal }, article.value, neighbours);
  });
  if (signal.aborted) return;
  const keep = (kept: InspectionResult | null) => runTx(part, (tx) => record(tx, id, kept, work.nowAt));
  try {
    await keep(result);
  } catch (error) {
    // More than a document holds, which would be fetched again and again before all others; anything else is a fault of ours.
    if (!(error instanceof Problem) || error.type !== "content_too_large" || result === null) throw error;
    const failure = {
      code: "page_too_large",
      detail: "What the page says of itself is too long to be stored.",
    };
    await keep({ ...result, outcome: "error", page: null, error: failure });
  }
}

async function record(tx: Tx, id: string, result: InspectionResult | null, nowAt: string): Promise<void> {
  const before = await tx.get(inspections, id);
  // Another node has already done it.
  if (before === null || before.value.status !== "queued") return;
  const article = await tx.get(articles, before.value.article_id);
  if (result === null || article === null) {
    tx.remove(inspections, before);
    return;
  }
  const { page } = result;
  // Null where no check before has read the page.
  const hash = article.value.last_check?.hash ?? null;
  const changed = page !== null && hash !== null && hash !== page.hash;
  tx.put(inspections, before, {
    ...before.value,
    updated_at: nowAt,
    status: result.error === null ? "done" : "failed",
    started_at: nowAt,
    finished_at: nowAt,
    hops: [...result.hops],
    error: result.error,
    outcome: result.outcome,
    result: page === null ? null : { ...page.result, changed },
  });
  await saveArticle(
    tx,
    article,
    withFound(article.value, result, { nowAt, refreshDays: (await readSettings(tx)).refresh_days, changed }),
  );
  if (page !== null) await saveTargets(tx, article, page.targets);
  await dropOld(tx, article.id);
}

function withFound(
  article: Article,
  { outcome, httpStatus, page }: InspectionResult,
  { nowAt, refreshDays, changed }: { nowAt: string; refreshDays: number; changed: boolean },
): Article {
  const scores =
    page === null
      ? article.scores
      : {
          seo: page.result.seo,
          readability: page.result.readability,
          technical: page.result.technical,
          version: SCORE_VERSION,
          computed_at: nowAt,
        };
  const point =
    page === null
      ? []
      : [{ at: nowAt, seo: page.result.seo, technical: page.result.technical, version: SCORE_VERSION }];
  return {
    ...article,
    updated_at: nowAt,
    status: outcome,
    title: page === null || page.result.title === "" ? article.title : page.result.title.slice(0, 300),
    last_check: {
      at: nowAt,
      http_status: httpStatus,
      hash: page?.hash ?? article.last_check?.hash ?? null,
      word_count: page?.result.counts.words ?? null,
      indexable: page?.indexable ?? null,
      canonical: page?.canonical ?? null,
    },
    scores,
    score_history: [...point, ...article.score_history].slice(0, HISTORY),
    links:
      page === null
        ? article.links
        : { ...article.links, internal_out: page.internalOut, broken: page.broken },
    // The due date of a changed text starts over.
    refresh_due_at: changed ? toInstant(fromInstant(nowAt) + refreshDays * DAY_MS) : article.refresh_due_at,
  };
}

async function saveTargets(tx: Tx, { id }: Stored<Article>, targets: readonly string[]): Promise<void> {
  const before = await tx.get(articleMetrics, id);
  tx.save(articleMetrics, before, { id, days: [], ...before?.value, targets: [...targets] });
}

async function dropOld(tx: Tx, articleId: string): Promise<void> {
  const page = await tx.peekPage(inspections, {
    index: "article",
    value: articleId,
    limit: CONTENT_LIMITS.checksKept + 10,
  });
  for (const { id } of page.items.slice(CONTENT_LIMITS.checksKept)) {
    const old = await tx.get(inspections, id);
    if (old !== null && old.value.status !== "queued") tx.remove(inspections, old);
  }
}
