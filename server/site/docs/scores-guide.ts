import { DEMO_FACTS } from "../../engines/content/data/demo-facts.ts";
import { judge } from "../../engines/content/rules/seo-score.ts";
import { lengthsOf } from "../../engines/content/rules/structure-checks.ts";
import type { Guide } from "./guide.ts";

const KINDS = [
  ["Posts, pages, recipes", "post", false],
  ["Cornerstone texts", "post", true],
  ["Product texts", "product_copy", false],
  ["Category texts", "category_copy", false],
] as const;

/** What each check asks for, from the checks themselves. */
const checks = (): string =>
  judge(DEMO_FACTS.STARTER.facts)
    .map(({ id, name, threshold, weight }) => `| ${id} | ${name} | ${threshold} | ${weight} |`)
    .join("\n");

const lengths = (): string =>
  KINDS.map(([name, kind, isCornerstone]) => {
    const { enough, almost, short, thin } = lengthsOf(kind, isCornerstone);
    return `| ${name} | ${enough} | ${almost} | ${short} | ${thin} |`;
  }).join("\n");

export const textScores: Guide = {
  slug: "scores-of-texts",
  title: "Scores of texts",
  summary: "What the SEO and readability scores of content measure, and how they are computed.",
  markdown: () => `
\`POST /v1/content/analyses\` scores a text and stores nothing; drafts and tracked articles are scored by the same checks.

Each check is good (1 point), fair (half a point) or bad (0), or does not apply. The SEO score is the mean of all checks that apply, by their
weights, from 0 to 100; readability is the mean of s4, s5 and r1 to r5. 80 and more is good, 50 and more is fair.

| Check | | Good | Weight |
|---|---|---|---|
${checks()}

## Length

Other checks cannot make up for a text that says little. Below the third figure the score is at most 49, below the fourth at most 30. Under 50
words readability is null. A text that uses its keyphrase too often (a density above 4) scores at most 60.

| Words | Good | Fair | Short | Thin |
|---|---|---|---|---|
${lengths()}

The figures are those that yoastseo documents for its check of the text length. Rank Math asks for more: 600 words for 2 of 8 points, 2,500 for all.

## Languages

| Language | Reading ease | Transition words | Passive voice |
|---|---|---|---|
| English | 206.835 − 1.015 · words per sentence − 84.6 · syllables per word (Flesch 1948) | yes | yes |
| German | 180 − words per sentence − 58.5 · syllables per word (Amstad 1978) | yes | does not apply |
| French | 207 − 1.015 · words per sentence − 73.6 · syllables per word (Kandel and Moles 1958) | yes | does not apply |
| Others | does not apply | does not apply | does not apply |

Stop words and stems are known for 25 languages. A check that does not apply in a language counts neither for nor against the text.
`,
};
