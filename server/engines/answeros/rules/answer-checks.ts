import { coverage, keyphraseOf } from "../../../lib/text/keyphrase.ts";
import type { Keyphrase } from "../../../lib/text/keyphrase.ts";
import { ANSWER_WORDS, DIRECT_ANSWER, askedOf } from "../../../lib/text/questions.ts";
import type { Sentence, TextModel } from "../../../lib/text/model.ts";
import type { Check } from "../schema.ts";
import { checkOf, entityOf, percent, steps } from "./checks.ts";
import type { ScoreInput } from "./checks.ts";

const ANSWER = DIRECT_ANSWER.words;
const COVERED = DIRECT_ANSWER.coverage;
const OPENING_WORDS = 200;

/** B1–B5: is there an answer that is understandable when quoted out of the page? */
export function answerChecks(input: ScoreInput): Check[] {
  const { text } = input.facts;
  const entity = entityOf(input);
  return [
    directAnswer(text, mainQuestion(input, entity)),
    ...questionHeadings(text),
    definition(text, entity),
    sentenceLength(text),
  ];
}

const component = "answerability";

function mainQuestion({ questions, facts: { text } }: ScoreInput, entity: string): Keyphrase {
  const [question] = questions;
  return question === undefined ? keyphraseOf(entity, text.language) : askedOf(question, text.language);
}

function directAnswer(text: TextModel, phrase: Keyphrase): Check {
  const { text: question } = phrase;
  const opening = openingSentences(text, Math.ceil(text.counts.words * DIRECT_ANSWER.opening));
  const best = opening
    .filter(({ words: { length } }) => length >= ANSWER.min && length <= ANSWER.max)
    .map((sentence) => ({ sentence, share: coverage(phrase, sentence.stems) }))
    .sort((a, b) => b.share - a.share)[0];
  const isAnswer = best !== undefined && best.share >= COVERED;
  return checkOf({
    id: "B1",
    component,
    title: "Answers the main question early, in one sentence",
    points: isAnswer ? 10 : 0,
    max: 10,
    evidence:
      best === undefined || best.share === 0
        ? `No sentence in the first third answers “${question}”.`
        : `“${clip(best.sentence.text)}” covers ${percent(best.share)} of “${question}”.`,
    fix:
      `Answer “${question}” within the first third of the page, in a sentence of 8 to 40 words that includes its ` +
      "subject.",
  });
}

/** Sentences that start within the first words; headings announce an answer but are none. */
function openingSentences(text: TextModel, words: number): Sentence[] {
  const sentences: Sentence[] = [];
  let seen = 0;
  for (const block of text.blocks) {
    for (const sentence of block.sentences) {
      if (seen >= words) return sentences;
      if (block.kind !== "heading") sentences.push(sentence);
      seen += sentence.words.length;
    }
  }
  return sentences;
}

function questionHeadings(text: TextModel): Check[] {
  const headings = text.headings.filter(({ level }) => level === 2 || level === 3);
  const questions = headings.filter((heading) => heading.is_question);
  const answered = questions.filter(({ block }) => {
    const next = text.blocks[block + 1];
    return (
      next?.kind === "paragraph" && next.word_count >= ANSWER_WORDS.min && next.word_count <= ANSWER_WORDS.max
    );
  });
  const share = headings.length === 0 ? 0 : questions.length / headings.length;
  const answeredShare = questions.length === 0 ? 0 : answered.length / questions.length;
  return [
    checkOf({
      id: "B2",
      component,
      title: "Headings as questions",
      points: headings.length === 0 ? 0 : steps(share, [0.3, 6], [0.1, 3]),
      max: 6,
      evidence: `${questions.length} of ${headings.length} headings (H2, H3) are questions.`,
      fix: "Write about a third of the headings as the questions that customers ask.",
    }),
    checkOf({
      id: "B3",
      component,
      title: "Question headings are answered immediately",
      points: answeredShare * 6,
      max: 6,
      evidence: `${answered.length} of ${questions.length} question headings are followed by a paragraph of 20 to 80 words.`,
      fix: "Add a paragraph of 20 to 80 words after each question heading that answers it on its own.",
    }),
  ];
}

function definition(text: TextModel, entity: string): Check {
  const entityStems = keyphraseOf(entity, text.language);
  let seen = 0;
  const opening = text.sentences.filter(({ words }) => (seen += words.length) - words.length < OPENING_WORDS);
  const match = opening.find((sentence) => {
    const verb = /\b(?:is|are|means|refers to)\b/i.exec(sentence.text);
    if (verb === null) return false;
    const subject = text.language.stems(sentence.text.slice(0, verb.index));
    return coverage(entityStems, subject) >= COVERED;
  });
  return checkOf({
    id: "B4",
    component,
    title: "Defines its subject",
    points: match === undefined ? 0 : 4,
    max: 4,
    evidence: match === undefined ? `No “${entity} is …” in the first 200 words.` : `“${clip(match.text)}”`,
    fix: `Define the subject in the first 200 words: “${entity} is …”. Definitions are quoted about twice as often.`,
  });
}

function sentenceLength(text: TextModel): Check {
  const lengths = text.blocks
    .filter(({ kind }) => kind !== "heading")
    .flatMap(({ sentences }) => sentences.map(({ words }) => words.length))
    .filter((length) => length > 0)
    .sort((a, b) => a - b);
  const median = medianOf(lengths);
  return checkOf({
    id: "B5",
    component,
    title: "Short sentences",
    points: median === null ? 0 : median <= 20 ? 4 : median <= 25 ? 2 : 0,
    max: 4,
    evidence:
      median === null ? "The page has no sentences." : `Half of the sentences have at most ${median} words.`,
    fix: "Split long sentences: half of them should have at most 20 words.",
  });
}

function medianOf(sorted: readonly number[]): number | null {
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) return null;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

const clip = (text: string): string => (text.length > 160 ? `${text.slice(0, 159)}…` : text);
