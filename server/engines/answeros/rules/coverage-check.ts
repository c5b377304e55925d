import { coverage } from "../../../lib/text/keyphrase.ts";
import type { PageFacts } from "../../../lib/text/model.ts";
import type { Check } from "../schema.ts";
import { askedOf } from "../../../lib/text/questions.ts";
import { checkOf } from "./checks.ts";
import type { ScoreInput } from "./checks.ts";

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
