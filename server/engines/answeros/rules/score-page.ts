import { countMatches, densityOf, keyphraseOf, coverage } from "../../../lib/text/keyphrase.ts";
import type { Check, Penalty, Score, Band } from "../schema.ts";
import { accessChecks } from "./access-checks.ts";
import { answerChecks } from "./answer-checks.ts";
import { entityOf, checkOf } from "./checks.ts";
import type { ScoreInput } from "./checks.ts";
import { evidenceChecks } from "./evidence-checks.ts";
import { freshnessCheck } from "./freshness-check.ts";
import { markupChecks, readMarkup } from "./markup-checks.ts";
import type { PageFacts } from "../../../lib/text/model.ts";
import { askedOf } from "../../../lib/text/questions.ts";

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

/** Share of a question's words that its best passage must contain. */
const COVERED = 0.6;

/** Number of tracked questions with a passage on the page. */
export function coverageCheck({ facts, questions }: Pick<ScoreInput, "facts" | "questions">): Check {
  const open = questions.filter((question) => bestCoverage(facts, question) < COVERED);
  const share = questions.length === 0 ? null : 1 - open.length / questions.length;
  return checkOf({
    id: "F1",
    component: "coverage",
    title: "Answers its tracked questions",
    points: share === null ? null : share * 10,
    max: 10,
    evidence:
      questions.length === 0
        ? "No question is tracked for the page."
        : `${questions.length - open.length} of ${questions.length} tracked questions have an answer passage.`,
    fix: `Add a passage that answers each of: ${open.slice(0, 3).join(" ")}`,
  });
}

/** How well the best passage of a page covers a question, 0 to 1; a passage is a block with the heading above it. */
export function bestCoverage({ text }: PageFacts, question: string): number {
  const phrase = askedOf(question, text.language);
  const stemsOf = (index: number): readonly string[] =>
    text.blocks[index]?.sentences.flatMap(({ stems }) => stems) ?? [];
  const shares = text.blocks.map(({ kind }, index) => {
    if (kind === "heading") return 0;
    const above = text.blocks[index - 1]?.kind === "heading" ? stemsOf(index - 1) : [];
    return coverage(phrase, [...above, ...stemsOf(index)]);
  });
  return Math.max(0, ...shares);
}

/** Version of the rules of the score: totals of different versions are not comparable. */
const SCORE_VERSION = 1;

/** Maximum total of a page that answers must not show. */
const GATED_MAX = 20;
const GOOD_FROM = 80;
const FAIR_FROM = 50;

export const bandOf = (total: number): Band =>
  total >= GOOD_FROM ? "good" : total >= FAIR_FROM ? "fair" : "poor";

/**
 * The AEO score of a page from its checks: 100 · points / points of all applicable checks, less the penalties, never
 * below 0; at most 20 with a gate. Inapplicable checks (`na`) are ignored.
 */
export function totalScore(
  checks: readonly Pick<Check, "component" | "points" | "max" | "status">[],
  penalties: readonly Pick<Penalty, "points">[],
  gate: Score["gate"],
): Pick<Score, "total" | "band" | "components"> {
  const applying = checks.filter(({ status }) => status !== "na");
  const reached = sum(applying.map(({ points }) => points));
  const max = sum(applying.map((check) => check.max));
  const plain = max === 0 ? 0 : Math.round((100 * reached) / max);
  const less = Math.max(0, plain - sum(penalties.map(({ points }) => points)));
  const total = gate === null ? less : Math.min(less, GATED_MAX);
  const of = (component: Check["component"]): number =>
    Math.round(
      sum(applying.filter((check) => check.component === component).map(({ points }) => points)) * 100,
    ) / 100;
  return {
    total,
    band: bandOf(total),
    components: {
      access: of("access"),
      answerability: of("answerability"),
      evidence: of("evidence"),
      freshness: of("freshness"),
      coverage: of("coverage"),
      structured_data: of("structured_data"),
    },
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
