import type { JudgedText } from "../../../core/ports.ts";
import { scoreText } from "../rules/score-page.ts";
import { readFacts } from "./score.ts";
import { textHtml } from "./source-html.ts";

/** The score of a text of /v1/content as an article, on its own: used by `aeoOf`. */
export async function scoreJudgedText(text: JudgedText, now: number): Promise<number> {
  const html = await textHtml(text);
  const facts = await readFacts({ html, url: null, locale: text.locale, x_robots_tag: null });
  return scoreText({
    facts,
    url: null,
    page_type: "article",
    entity: null,
    questions: [],
    robots: null,
    repeated_on: 0,
    now,
  }).total;
}
