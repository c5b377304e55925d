import type { PageFacts } from "../../../lib/text/model.ts";
import { readPage } from "../../../lib/text/page.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { ANSWER_BOTS } from "../data/bots.ts";
import { latestScores, pages, questions, scores } from "../repository.ts";
import { nodesOf, valuesAt } from "../rules/json-ld.ts";
import { modifiedAt } from "../rules/freshness-check.ts";
import { robotsAccess } from "../rules/robots-access.ts";
import { scorePage } from "../rules/score-page.ts";
import type { ScoreResult } from "../rules/score-page.ts";
import { parseMarkup } from "../rules/validate-markup.ts";
import type { Page, PageContent, PageMeta, PageType, Score } from "../schema.ts";
import type { z } from "zod";
import { countRepeats, faqAnswersOf } from "./answer-prints.ts";
import type { Moment } from "./ingest.ts";
import { robotsReader } from "./tools.ts";
import { toInstant } from "../../../lib/instant.ts";

/** Minimum change of a total for an event. */
const TOLD_FROM = 5;

/** HTML to parse, and data about it. */
export interface Source {
  readonly html: string;
  readonly url: string | null;
  readonly locale: string;
  readonly x_robots_tag: string | null;
}

/** HTML without a URL is parsed with a placeholder URL. */
const NOWHERE = "https://page.invalid/";

export const readFacts = ({ html, url, locale, x_robots_tag: tag }: Source): Promise<PageFacts> =>
  readPage({ html, url: url ?? NOWHERE, locale, ...(tag === null ? {} : { robotsHeader: tag }) });

/** The facts that a page stores for lists and filters. */
export function metaOf(facts: PageFacts, now: number): z.output<typeof PageMeta> {
  const { robots } = facts;
  const published = facts.json_ld
    .flatMap((text) => nodesOf(parseMarkup(text)))
    .flatMap(({ value }) => valuesAt(value, "datePublished"))
    .find(({ value }) => typeof value === "string" && !Number.isNaN(Date.parse(value)))?.value;
  const modified = modifiedAt(facts, now);
  return {
    title: facts.title,
    description: facts.description,
    noindex: robots.noindex,
    nosnippet: robots.nosnippet,
    max_snippet: robots.max_snippet,
    canonical: facts.canonical,
    date_published: typeof published === "string" ? published : null,
    date_modified: modified === null ? null : toInstant(modified).slice(0, 10),
    word_count: facts.text.counts.words,
  };
}

/** Input of a score in addition to the facts. */
export interface ScoreContext {
  readonly url: string | null;
  readonly page_type: PageType;
  readonly entity: string | null;
  readonly questions: readonly string[];
  readonly robots_txt: string | null;
  readonly repeated_on: number;
  readonly now: number;
}

export async function scoreFacts(facts: PageFacts, context: ScoreContext): Promise<ScoreResult> {
  const { robots_txt: robotsTxt, url } = context;
  const robots =
    robotsTxt === null || url === null
      ? null
      : robotsAccess({ url, robotsTxt }, ANSWER_BOTS, await robotsReader());
  return scorePage({ ...context, facts, robots });
}

/**
 * Scores the last fetched page and stores the score as an immutable record. Emits an event for a
 * total that changed by five points and more.
 */
export async function storeScore(
  tx: Tx,
  before: Stored<Page>,
  content: PageContent,
  moment: Moment & { readonly now: number; readonly facts?: PageFacts },
): Promise<{ readonly score: Stored<Score>; readonly page: Stored<Page> }> {
  const { nowAt, newId, now } = moment;
  const page = before.value;
  const facts = moment.facts ?? (await readFacts({ ...content, url: page.url, locale: page.locale }));
  const documents = await Promise.all(page.tracked_question_ids.map((id) => tx.get(questions, id)));
  const result = await scoreFacts(facts, {
    url: page.url,
    page_type: page.page_type,
    entity: page.entity,
    questions: documents.flatMap((question) => (question === null ? [] : [question.value.text])),
    robots_txt: content.robots_txt,
    repeated_on: await countRepeats(tx, page.id, faqAnswersOf(facts)),
    now,
  });
  const previous = page.latest_score?.total ?? null;
  const score = tx.create(scores, {
    id: newId("scr"),
    created_at: nowAt,
    updated_at: nowAt,
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
