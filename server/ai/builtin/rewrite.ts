import type { AiInput, RewriteOp } from "../../core/ai.ts";
import { allergenSentences } from "../../lib/text/facts.ts";
import { ANSWER_WORDS, askedOf, DIRECT_ANSWER } from "../../lib/text/questions.ts";
import { coverage, keyphraseOf } from "../../lib/text/keyphrase.ts";
import type { Keyphrase } from "../../lib/text/keyphrase.ts";
import type { Language, TextModel } from "../../lib/text/model.ts";
import { dropFiller } from "./filler.ts";
import { isBalanced, maskMarkup, withoutMasks } from "./markup.ts";
import { cutText, joinPieces, newList, newParagraph } from "./pieces.ts";
import type { Piece } from "./pieces.ts";
import type { Made } from "./made.ts";
import { splitLong } from "./split-long.ts";
import { upperFirst } from "./titles.ts";

/** What an operation needs in addition to the pieces. */
interface Setting {
  readonly input: AiInput;
  readonly language: Language;
  readonly format: "markdown" | "html";
  /** Sentences about allergens stay word for word where they are. */
  readonly isLocked: (sentence: string) => boolean;
  /** What opens a tag and does not close it cannot be placed elsewhere. */
  readonly isMovable: (sentence: string) => boolean;
}
type Op = (pieces: readonly Piece[], setting: Setting) => Piece[];

/** Applies the operations in the given order; the rest of the text stays unchanged, to the character. */
export async function rewrite(input: AiInput, { language }: TextModel): Promise<Made> {
  const format = input.format ?? "markdown";
  const locked = new Set(input.locked);
  const isLocked = (sentence: string): boolean =>
    locked.has(withoutMasks(sentence)) || allergenSentences([withoutMasks(sentence)]).length > 0;
  const { pieces: masked, unmask } = maskAll(await cutText(input.text, format));
  const isMovable = (sentence: string): boolean => isBalanced(unmask(sentence));
  let pieces: readonly Piece[] = masked;
  for (const op of input.ops ?? [])
    pieces = OPS[op](pieces, { input, language, format, isLocked, isMovable });
  return { text: unmask(joinPieces(pieces)) };
}

/** Markup inside paragraphs and headings is hidden while they are rewritten; what stays as it is needs no hiding. */
function maskAll(pieces: readonly Piece[]): { pieces: Piece[]; unmask: (text: string) => string } {
  const sources = pieces.map(({ kind, source }) => (kind === "other" ? "" : source)).join(PART);
  const { text, unmask } = maskMarkup(sources);
  const parts = text.split(PART);
  return {
    pieces: pieces.map((piece, at) =>
      piece.kind === "other" ? piece : { ...piece, source: parts[at] ?? "" },
    ),
    unmask,
  };
}

/** Parts one source from the next; no text holds it. */
const PART = "\u0000";

/**
 * Moves the sentence that answers the question (else the keyphrase, else the title) before all others, unless the opening has an
 * answer already: what begins well is left as its author wrote it.
 */
const answerFirst: Op = (pieces, { input, language, format, isLocked, isMovable }) => {
  const title = pieces.find(({ kind, level }) => kind === "heading" && level === 1)?.source;
  const subject = keyphraseOf(input.keyphrase ?? input.title ?? title ?? "", language);
  const asked = input.question === undefined ? subject : askedOf(input.question, language);
  const prose = pieces.flatMap(({ kind, source }, place) =>
    kind === "paragraph" ? language.sentences(source).map((sentence) => ({ sentence, place })) : [],
  );
  const answers = prose.filter(({ sentence }) => isAnswer(sentence, asked, language));
  const all = prose.reduce((sum, { sentence }) => sum + language.words(sentence).length, 0);
  let before = 0;
  const opening = prose.filter(({ sentence }) => {
    const isIn = before < all * DIRECT_ANSWER.opening;
    before += language.words(sentence).length;
    return isIn;
  });
  const best = answers.find(({ sentence }) => !isLocked(sentence) && isMovable(sentence));
  const first = pieces.findIndex(({ kind }) => kind === "paragraph");
  if (best === undefined || answers.some((answer) => opening.includes(answer))) return [...pieces];
  return pieces.flatMap((piece, place) => {
    const lead = place === first ? [newParagraph(best.sentence, format)] : [];
    if (place !== best.place) return [...lead, piece];
    const rest = language.sentences(piece.source).filter((sentence) => sentence !== best.sentence);
    return rest.length === 0 ? lead : [...lead, { ...piece, source: rest.join(" ") }];
  });
};

function isAnswer(sentence: string, asked: Keyphrase, language: Language): boolean {
  const { length } = language.words(sentence);
  const { words } = DIRECT_ANSWER;
  const isLongEnough = length >= words.min && length <= words.max;
  return isLongEnough && coverage(asked, language.stems(sentence)) >= DIRECT_ANSWER.coverage;
}

/** Applies a change to each sentence that may be changed, paragraph by paragraph. */
const bySentence =
  (change: (sentence: string, language: Language) => string): Op =>
  (pieces, { language, isLocked }) =>
    pieces.map((piece) => {
      if (piece.kind !== "paragraph") return piece;
      const before = language.sentences(piece.source);
      const after = before.map((sentence) => (isLocked(sentence) ? sentence : change(sentence, language)));
      // A paragraph in which nothing changes keeps its line breaks.
      return after.every((sentence, place) => sentence === before[place])
        ? piece
        : { ...piece, source: after.filter((sentence) => sentence !== "").join(" ") };
    });

/**
 * Makes questions of second and third headings that announce an answer of their own: "How to order", "Where we deliver". English
 * only; any other heading stays, as fixed rules do not know what it asks.
 */
const questionHeadings: Op = (pieces, { language }) =>
  pieces.map((piece, place) => {
    const isMeant = piece.kind === "heading" && (piece.level === 2 || piece.level === 3);
    const next = pieces.slice(place + 1).find(({ source }) => source.trim() !== "");
    const words = next?.kind === "paragraph" ? language.words(next.source).length : 0;
    const isAnswered = words >= ANSWER_WORDS.min && words <= ANSWER_WORDS.max;
    if (!isMeant || !isAnswered || language.code !== "en") return piece;
    return { ...piece, source: toQuestion(piece.source) };
  });

/** Verbs that begin the heading of an instruction. */
const DOING =
  "order|store|bake|make|choose|freeze|slice|serve|use|buy|book|contact|find|pick|get|keep|collect|cook|heat|pay|reach|return|warm";
const MODAL = "can|could|should|will|must|are|were|have";

/** Patterns of headings, and the question that each makes. */
const QUESTIONS: readonly (readonly [RegExp, (...parts: string[]) => string])[] = [
  [/^(How|Where|When) to (\S.*)$/i, (asks, rest) => `${asks} do you ${rest}?`],
  [/^What to (\S.*)$/i, (rest) => `What should you ${rest}?`],
  [
    new RegExp(`^(How|Where|What|Why|When) (we|you|they) (${MODAL})\\b(.*)$`, "i"),
    (asks, who, verb, rest) => `${asks} ${verb} ${who}${rest}?`,
  ],
  [/^(How|Where|What|Why) (we|you|they) (\p{Ll}.*)$/iu, (asks, who, rest) => `${asks} do ${who} ${rest}?`],
  [
    new RegExp(`^((?:${DOING})\\b.*)$`, "i"),
    (rest) => `How do you ${rest.charAt(0).toLowerCase()}${rest.slice(1)}?`,
  ],
];

function toQuestion(heading: string): string {
  let end = heading.length;
  // Not by a pattern, which would start again at every mark of a long run of them.
  while (end > 0 && /[\s.:!]/.test(heading.charAt(end - 1))) end -= 1;
  const plain = heading.slice(0, end);
  if (plain.endsWith("?")) return heading;
  for (const [pattern, ask] of QUESTIONS) {
    const parts = pattern.exec(plain);
    if (parts !== null) return ask(...parts.slice(1));
  }
  return heading;
}

const SERIES = /^(.*(?::|\b(?:such as|including|the following)))\s+(.+?)[.!]?$/s;

/** Makes a list of what the last sentence of a paragraph enumerates after a colon or "such as": three things and more. */
const listFromSeries: Op = (pieces, { language, format, isLocked, isMovable }) =>
  pieces.flatMap((piece) => {
    const sentences = piece.kind === "paragraph" ? language.sentences(piece.source) : [];
    const last = sentences.at(-1) ?? "";
    const match = isLocked(last) ? null : SERIES.exec(last);
    const items = (match?.[2] ?? "")
      // Spaces are trimmed, not matched: from each of thousands, all of them would be looked through.
      .split(/,\s*(?:(?:and|or)\s+)?|\s(?:and|or)\s+/)
      .map((item) => item.trim())
      .filter((item) => item !== "");
    if (
      match === null ||
      items.length < 3 ||
      items.some((item) => item.split(/\s/).length > 8 || !isMovable(item))
    )
      return [piece];
    const intro = (match[1] ?? "").replace(/:$/, "").trimEnd();
    const lead = [...sentences.slice(0, -1), `${intro}:`].join(" ");
    return [
      { ...piece, source: lead, close: format === "html" ? piece.close : "\n\n" },
      newList(items.map(upperFirst), format),
    ];
  });

const OPS: Readonly<Record<RewriteOp, Op>> = {
  answer_first: answerFirst,
  drop_filler: bySentence((sentence, language) => (language.code === "en" ? dropFiller(sentence) : sentence)),
  split_long: bySentence(splitLong),
  question_headings: questionHeadings,
  list_from_series: listFromSeries,
};
