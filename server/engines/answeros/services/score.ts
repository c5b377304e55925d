import type { Stored, Tx } from "../../../core/tx.ts";
import { latestScores, pages, questions, scores } from "../repository.ts";
import { addRepetition } from "../rules/score-page.ts";
import type { Page, PageContent, Score } from "../schema.ts";
import { countRepeats } from "./readers.ts";
import type { Moment } from "./ingest.ts";
import { scoreSource } from "./page-tasks.ts";
import { newResource } from "../../../lib/new-resource.ts";

/** Minimum change of a total for an event. */
const TOLD_FROM = 5;

/** What `scoreSource` returns. */
export type ScoredSource = Awaited<ReturnType<typeof scoreSource>>;

/** Reads and scores the content of a page. */
export async function readScore(
  tx: Tx,
  page: Page,
  content: Omit<PageContent, "id">,
  now: number,
): Promise<ScoredSource> {
  const documents = await Promise.all(page.tracked_question_ids.map((id) => tx.get(questions, id)));
  return scoreSource(tx, {
    source: { ...content, url: page.url, locale: page.locale },
    context: {
      url: page.url,
      page_type: page.page_type,
      entity: page.entity,
      questions: documents.flatMap((question) => (question === null ? [] : [question.value.text])),
      robots_txt: content.robots_txt,
      now,
    },
  });
}

/**
 * Stores the score of a page as an immutable record. Emits an event for a total that changed by five points and more.
 */
export async function storeScore(
  tx: Tx,
  before: Stored<Page>,
  { faqAnswers, result: scored }: ScoredSource,
  { nowAt, newId }: Moment,
): Promise<{ readonly score: Stored<Score>; readonly page: Stored<Page> }> {
  const page = before.value;
  const result = addRepetition(scored, await countRepeats(tx, page.id, faqAnswers));
  const previous = page.latest_score?.total ?? null;
  const score = tx.create(scores, {
    ...newResource(newId("scr"), nowAt),
    page_id: page.id,
    page_type: page.page_type,
    ...result,
    previous_total: previous,
    computed_at: nowAt,
  });
  await pointTo(tx, score.value);
  const delta = previous === null ? 0 : result.total - previous;
  if (Math.abs(delta) >= TOLD_FROM) {
    tx.emit({
      id: newId("evt"),
      type: "answeros.score.changed",
      at: nowAt,
      data: { page_id: page.id, score_id: score.id, total: result.total, previous_total: previous },
    });
  }
  const { total, band } = result;
  const latest = { id: score.id, total, band, computed_at: nowAt };
  return { score, page: tx.put(pages, before, { ...page, latest_score: latest, updated_at: nowAt }) };
}

async function pointTo(tx: Tx, score: Score): Promise<void> {
  const { page_id: id, page_type, band, total, previous_total: previous, computed_at } = score;
  const delta = previous === null ? 0 : total - previous;
  const value = { id, score_id: score.id, page_type, band, total, delta, computed_at };
  const before = await tx.get(latestScores, id);
  tx.save(latestScores, before, value);
}
