import { DAY_MS, toInstant } from "../../lib/instant.ts";
import { sha256Hex } from "../../core/ids.ts";
import { DEMO_IDS, DEMO_LOCALE, timesAt } from "./data/demo-ids.ts";
import { DEMO_PAGES, DEMO_ROBOTS, DEMO_SHOP, DEMO_SITE, demoHtml } from "./data/demo-pages.ts";
import type { DemoPage } from "./data/demo-pages.ts";
import { DEMO_QUESTIONS } from "./data/demo-questions.ts";
import { demoScore } from "./data/demo-scores.ts";
import type { LatestScore, Page, PageContent, Score } from "./schema.ts";
import type { Question } from "./schema/question.ts";

/** Pages of the demo store at an instant, with the current score and the one before their last revision. */
export function demoPages(now: number) {
  const pages: Page[] = [];
  const contents: PageContent[] = [];
  const scores: Score[] = [];
  const latest: LatestScore[] = [];
  for (const page of DEMO_PAGES) {
    const id = DEMO_IDS.pages.get(page.key) ?? "";
    const changedOn = toInstant(now - page.changed_days * DAY_MS).slice(0, 10);
    const html = demoHtml(page, changedOn, true);
    const scoreOfPage = demoScore(page.key);
    const scoreId = DEMO_IDS.scores.get(page.key) ?? "";
    const earlier = score(page, DEMO_IDS.earlier.get(page.key) ?? "", now - 30 * DAY_MS, null);
    const newer = score(page, scoreId, now - DAY_MS, earlier.total);
    scores.push(earlier, newer);
    const { total, band, computed_at } = newer;
    latest.push({
      id,
      score_id: scoreId,
      page_type: page.page_type,
      band,
      total,
      delta: total - earlier.total,
      computed_at,
    });
    contents.push({ id, html, robots_txt: DEMO_ROBOTS, x_robots_tag: null });
    pages.push({
      id,
      ...timesAt(now - 40 * DAY_MS),
      url: DEMO_SITE + page.path,
      source: null,
      page_type: page.page_type,
      locale: DEMO_LOCALE,
      entity: page.entity,
      html_hash: sha256Hex(html),
      meta: { ...scoreOfPage.meta, date_published: null, date_modified: changedOn },
      tracked_question_ids: trackedBy(page.key),
      status: "ready",
      error: null,
      fetched_at: toInstant(now - DAY_MS),
      latest_score: { id: scoreId, total, band, computed_at },
    });
  }
  return { pages, contents, scores, latest };
}

/** The tracked questions of a page. */
const trackedBy = (key: DemoPage["key"]): string[] =>
  DEMO_QUESTIONS.flatMap(({ page }, index) => (page === key ? [DEMO_IDS.questions[index] ?? ""] : []));

function score(page: DemoPage, id: string, at: number, previous: number | null): Score {
  const score = demoScore(page.key);
  const result = previous === null ? score.before : score.after;
  return {
    id,
    ...timesAt(at),
    page_id: DEMO_IDS.pages.get(page.key) ?? "",
    page_type: page.page_type,
    ...result,
    previous_total: previous,
    computed_at: toInstant(at),
  };
}

export const demoQuestions = (now: number): Question[] =>
  DEMO_QUESTIONS.map(({ page, answer, status, ...rest }, index) => ({
    id: DEMO_IDS.questions[index] ?? "",
    ...timesAt(now - 35 * DAY_MS),
    ...rest,
    locale: DEMO_LOCALE,
    page_id: page === null ? null : (DEMO_IDS.pages.get(page) ?? null),
    answer:
      answer === null
        ? null
        : {
            text: answer,
            status,
            sources: [{ title: DEMO_SHOP, url: DEMO_SITE + pathOf(page) }],
            approved_at: status === "approved" ? toInstant(now - 30 * DAY_MS) : null,
          },
  }));

const pathOf = (key: DemoPage["key"] | null): string =>
  DEMO_PAGES.find((page) => page.key === key)?.path ?? "/";
