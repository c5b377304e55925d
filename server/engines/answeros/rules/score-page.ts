import { countMatches, densityOf, keyphraseOf } from "../../../lib/text/keyphrase.ts";
import type { Check, Penalty, Score } from "../schema.ts";
import { accessChecks } from "./access-checks.ts";
import { answerChecks } from "./answer-checks.ts";
import { entityOf } from "./checks.ts";
import type { ScoreInput } from "./checks.ts";
import { coverageCheck } from "./coverage-check.ts";
import { evidenceChecks } from "./evidence-checks.ts";
import { freshnessCheck } from "./freshness-check.ts";
import { markupChecks, readMarkup } from "./markup-checks.ts";
import { SCORE_VERSION, totalScore } from "./total-score.ts";

export type ScoreResult = Pick<
  Score,
  "total" | "band" | "gate" | "components" | "checks" | "penalties" | "score_version" | "text_model"
>;

/**
 * The AEO score, version 1. The weights follow published effects on citations (GEO, KDD 2024: quotations, figures and
 * sources help, keyword stuffing harms; arXiv 2605.25517: explicit prices and recent dates help), not what is easy to
 * count.
 */
export const scorePage = (input: ScoreInput): ScoreResult => toResult(input, checksOf(input));

/** The result for a page with an answer of its FAQ markup that `pages` pages of the store use, itself included. */
export function addRepetition(result: ScoreResult, pages: number): ScoreResult {
  if (pages < REPEATED_FROM || result.penalties.some(({ id }) => id === REPEATED)) return result;
  const penalties = [
    ...result.penalties,
    repeatedAnswers(`An answer of the FAQ markup is used on ${pages} pages.`),
  ];
  return { ...result, ...totalScore(result.checks, penalties, result.gate), penalties };
}

/** Checks of the site do not apply to a text on its own. */
const OF_THE_SITE: ReadonlySet<Check["component"]> = new Set(["access", "structured_data"]);

/**
 * The same score of a text on its own: crawler access and markup depend on the site and
 * do not apply. The text's own directives (noindex, nosnippet) are a gate all the same.
 */
export const scoreText = (input: ScoreInput): ScoreResult =>
  toResult(
    input,
    checksOf(input).map((check) =>
      OF_THE_SITE.has(check.component) ? { ...check, points: 0, status: "na", fix: null } : check,
    ),
  );

const checksOf = (input: ScoreInput): Check[] => [
  ...accessChecks(input),
  ...answerChecks(input),
  ...evidenceChecks(input),
  freshnessCheck(input),
  coverageCheck(input),
  ...markupChecks(input),
];

function toResult(input: ScoreInput, checks: Check[]): ScoreResult {
  const penalties = [...stuffing(input), ...hiddenAnswers(input)];
  const gate = gateOf(input);
  return {
    ...totalScore(checks, penalties, gate),
    gate,
    checks,
    penalties,
    score_version: SCORE_VERSION,
    text_model: input.facts.text.text_model,
  };
}

/** A page that must not be indexed or quoted cannot be an answer. */
function gateOf({ facts: { robots } }: ScoreInput): Score["gate"] {
  if (robots.noindex) return "noindex";
  // A limit of no characters is equivalent to nosnippet.
  return robots.nosnippet || robots.max_snippet === 0 ? "nosnippet" : null;
}

const STUFFED_ABOVE = 3;
/** Minimum of words: in a shorter text, a title and a definition alone make a high density. */
const JUDGED_FROM_WORDS = 100;
const REPEATED_FROM = 3;
const PENALTY = 10;

function stuffing(input: ScoreInput): Penalty[] {
  const { text } = input.facts;
  const phrase = keyphraseOf(entityOf(input), text.language);
  const density = densityOf(countMatches(phrase, text.sentences), text.counts.words, phrase.stems.length);
  if (density <= STUFFED_ABOVE || text.counts.words < JUDGED_FROM_WORDS) return [];
  return [
    {
      id: "keyword_stuffing",
      points: PENALTY,
      evidence: `“${phrase.text}” has a density of ${density.toFixed(1)} %.`,
      fix: `Use it less often: pages above ${STUFFED_ABOVE} % are quoted less.`,
    },
  ];
}

function hiddenAnswers(input: ScoreInput): Penalty[] {
  const hidden = readMarkup(input).hidden.find(({ path }) => path.endsWith("/text"));
  if (hidden === undefined) return [];
  const text = hidden.value.slice(0, 80);
  return [repeatedAnswers(`The markup contains a text that the page does not show: “${text}”.`)];
}

const REPEATED = "repeated_answers";

const repeatedAnswers = (evidence: string): Penalty => ({
  id: REPEATED,
  points: PENALTY,
  evidence,
  fix: "Publish each answer once, on the page that it belongs to, visible to visitors.",
});
