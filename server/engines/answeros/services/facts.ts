import type { z } from "zod";

import { toInstant } from "../../../lib/instant.ts";
import type { PageFacts } from "../../../lib/text/model.ts";
import { readPage } from "../../../lib/text/page.ts";
import { ANSWER_BOTS } from "../data/bots.ts";
import { modifiedAt } from "../rules/freshness-check.ts";
import { nodesOf, valuesAt } from "../rules/json-ld.ts";
import { robotsAccess } from "../rules/robots-access.ts";
import { scorePage } from "../rules/score-page.ts";
import type { ScoreResult } from "../rules/score-page.ts";
import { parseMarkup } from "../rules/validate-markup.ts";
import type { PageMeta, PageType } from "../schema.ts";
import { robotsReader } from "./readers.ts";

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

/** The normalised answers of the FAQ markup of a page. */
export const faqAnswersOf = (facts: PageFacts): string[] =>
  facts.json_ld
    .flatMap((text) => nodesOf(parseMarkup(text)))
    .filter(({ types }) => types.includes("Question"))
    .flatMap(({ value }) => valuesAt(value, "acceptedAnswer/text"))
    .map(({ value }) => String(value).toLowerCase().replaceAll(/\s+/g, " ").trim());
