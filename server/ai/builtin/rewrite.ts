import type { AiInput, RewriteOp } from "../../core/ai.ts";
import { allergenSentences } from "../../lib/text/facts.ts";
import { isQuestion } from "../../lib/text/questions.ts";
import { coverage, keyphraseOf } from "../../lib/text/keyphrase.ts";
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
  readonly text: string;
  /** Sentences about allergens stay word for word where they are. */
  readonly isLocked: (sentence: string) => boolean;
  /** What opens a tag and does not close it cannot be placed elsewhere. */
  readonly isMovable: (sentence: string) => boolean;
}
type Op = (pieces: readonly Piece[], setting: Setting) => Piece[];

/** Applies the operations in the given order; the rest of the text stays unchanged, to the character. */
export async function rewrite(input: AiInput, model: TextModel): Promise<Made> {
  const format = input.format ?? "markdown";
  const { language, text } = model;
  const locked = new Set(input.locked);
  const isLocked = (sentence: string): boolean =>
    locked.has(withoutMasks(sentence)) || allergenSentences([withoutMasks(sentence)]).length > 0;
  const { pieces: masked, unmask } = maskAll(await cutText(input.text, format));
  const isMovable = (sentence: string): boolean => isBalanced(unmask(sentence));
  let pieces: readonly Piece[] = masked;
  for (const op of input.ops ?? [])
    pieces = OPS[op](pieces, { input, language, format, text, isLocked, isMovable });
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

/** Moves the sentence that best answers the question (else the keyphrase, else the title) before all others. */
const answerFirst: Op = (pieces, { input, language, format, isLocked, isMovable }) => {
  const title = pieces.find(({ kind, level }) => kind === "heading" && level === 1)?.source;
  const asked = keyphraseOf(input.question ?? input.keyphrase ?? input.title ?? title ?? "", language);
  const candidates = pieces.flatMap((piece, place) =>
    piece.kind === "paragraph"
      ? language
          .sentences(piece.source)
          .filter((sentence) => !isLocked(sentence) && isMovable(sentence))
          .map((sentence) => ({ sentence, place, score: coverage(asked, language.stems(sentence)) }))
      : [],
  );
  const best = candidates.reduce<(typeof candidates)[number] | null>(
    (found, next) => (next.score > (found?.score ?? 0) ? next : found),
    null,
  );
  const first = pieces.findIndex(({ kind }) => kind === "paragraph");
  if (
    best === null ||
    (best.place === first && language.sentences(pieces[first]?.source ?? "")[0] === best.sentence)
  ) {
    return [...pieces];
  }
  return pieces.flatMap((piece, place) => {
    const lead = place === first ? [newParagraph(best.sentence, format)] : [];
    if (place !== best.place) return [...lead, piece];
    const rest = language.sentences(piece.source).filter((sentence) => sentence !== best.sentence);
    return rest.length === 0 ? lead : [...lead, { ...piece, source: rest.join(" ") }];
  });
};

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

/** Makes questions of second and third headings that are none. English only. */
const questionHeadings: Op = (pieces, { language, text }) =>
  pieces.map((piece) => {
    const isMeant = piece.level === 2 || piece.level === 3;
    if (
      piece.kind !== "heading" ||
      !isMeant ||
      language.code !== "en" ||
      isQuestion(piece.source, language)
    ) {
      return piece;
    }
    return { ...piece, source: toQuestion(piece.source, text) };
  });

const DOING = new Set(
  "order store bake make choose freeze slice serve use buy book contact find pick get keep collect cook heat pay reach return".split(
    " ",
  ),
);

function toQuestion(heading: string, text: string): string {
  let end = heading.length;
  // Not by a pattern, which would start again at every mark of a long run of them.
  while (end > 0 && /[\s.:!]/.test(heading.charAt(end - 1))) end -= 1;
  const plain = heading.slice(0, end);
  const [first = ""] = plain.split(/\s/, 1);
  const lower = first.toLowerCase();
  // A word that the text writes with a capital amid its sentences is a name.
  const isName =
    first.slice(1) !== lower.slice(1) || new RegExp(`[\\p{Ll},] ${escape(first)}(?!\\p{L})`, "u").test(text);
  const subject = isName ? plain : lower + plain.slice(first.length);
  return DOING.has(lower) ? `How do you ${subject}?` : `What should you know about ${subject}?`;
}

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

const SERIES = /^(.*(?::|\b(?:such as|including|the following)))\s+(.+?)[.!]?$/s;

/** Makes a list of what the last sentence of a paragraph enumerates after a colon or "such as": three things and more. */
const listFromSeries: Op = (pieces, { language, format, isLocked, isMovable }) =>
  pieces.flatMap((piece) => {
    const sentences = piece.kind === "paragraph" ? language.sentences(piece.source) : [];
    const last = sentences.at(-1) ?? "";
    const match = isLocked(last) ? null : SERIES.exec(last);
    const items = (match?.[2] ?? "")
      .split(/\s*,\s*(?:(?:and|or)\s+)?|\s+(?:and|or)\s+/)
      .filter((item) => item !== "");
    if (
      match === null ||
      items.length < 3 ||
      items.some((item) => item.split(/\s/).length > 8 || !isMovable(item))
    )
      return [piece];
    const intro = (match[1] ?? "").replace(/\s*:$/, "");
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
