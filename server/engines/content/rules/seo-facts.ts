import type { DraftKind } from "../schema/draft.ts";
import { countMatches, coverage, coversAll, phrasePosition } from "../../../lib/text/keyphrase.ts";
import type { Keyphrase } from "../../../lib/text/keyphrase.ts";
import type { TextModel } from "../../../lib/text/model.ts";
import { readabilityOf } from "../../../lib/text/readability.ts";
import { countTransitions, longestSameStart } from "../../../lib/text/transitions.ts";

/** The input of the 28 checks: plain figures, so that a check is only a comparison. */
export interface SeoFacts {
  /** Language only, as in `en`. */
  readonly language: string;
  readonly words: number;
  readonly kind: DraftKind;
  readonly cornerstone: boolean;
  readonly keyphrase: KeyphraseFacts | null;
  readonly structure: StructureFacts;
  readonly meta: MetaFacts;
  readonly links: LinkFacts;
  readonly reading: ReadingFacts;
}

export interface KeyphraseFacts {
  /** Number of content words of the phrase, L. */
  readonly length: number;
  readonly count: number;
  readonly title: { readonly hasAll: boolean; readonly startsInFirstHalf: boolean };
  /** Shortest passage that contains all stems. */
  readonly introduction: "sentence" | "paragraph" | "none";
  /** Number of H2 and H3, and of those with at least half of the stems. */
  readonly subheadings: { readonly all: number; readonly reflecting: number };
  /** Sentences of the meta description with all stems. */
  readonly descriptionSentences: number;
  /** Content words of the phrase in the slug. */
  readonly inSlug: number;
  /** Number of images, of those with an alt text, and of those whose alt text has half of the stems. */
  readonly images: { readonly all: number; readonly withAlt: number; readonly reflecting: number };
  /** Other live drafts and articles with the same phrase; null if unknown. */
  readonly usedElsewhere: number | null;
}

export interface StructureFacts {
  readonly h1: number;
  readonly skipsLevel: boolean;
  readonly subheadings: number;
  /** Words of the longest section between subheadings, including before the first and after the last. */
  readonly longestSection: number;
  readonly longestParagraph: number;
  readonly images: number;
  readonly imagesWithAlt: number;
  readonly hasListOrTable: boolean;
}

export interface MetaFacts {
  /** Width of the SEO title in Arial 20 px; 0 without one. */
  readonly titlePx: number;
  readonly descriptionChars: number;
  readonly slugChars: number;
  readonly isIndexable: boolean;
  readonly isSnippetAllowed: boolean;
  readonly canonical: "own" | "elsewhere" | "invalid";
}

export interface LinkFacts {
  readonly internal: Followed;
  readonly outbound: Followed;
  /** Null if unknown. */
  readonly broken: number | null;
}

export interface Followed {
  readonly all: number;
  readonly followed: number;
}

export interface ReadingFacts {
  readonly sentences: number;
  /** Flesch reading ease; null if not applicable (a language without a formula, no sentence). */
  readonly flesch: number | null;
  readonly longSentences: number;
  /** Null if the language is not supported. */
  readonly passiveSentences: number | null;
  readonly transitionSentences: number | null;
  /** Longest run of sentences that start with the same word. */
  readonly sameStart: number;
}

/** Metadata of a text: from a draft, a request or a page. */
export interface Surroundings {
  readonly seoTitle: string;
  readonly titlePx: number;
  readonly description: string;
  /** The last part of the path, for pages without a slug. */
  readonly slug: string;
  readonly kind: DraftKind;
  readonly cornerstone: boolean;
  readonly isIndexable: boolean;
  readonly isSnippetAllowed: boolean;
  readonly canonical: MetaFacts["canonical"];
  readonly keyphrase: Keyphrase | null;
  readonly usedElsewhere: number | null;
  readonly brokenLinks: number | null;
}

/** Number of words that makes a sentence long, by language. */
const LONG_SENTENCE: Readonly<Record<string, number>> = { it: 25, es: 25, pt: 25, ru: 15, tr: 15, he: 15 };
const LONG_SENTENCE_ELSEWHERE = 20;

/** Computes the facts of a text and its metadata. */
export function seoFacts(text: TextModel, around: Surroundings): SeoFacts {
  const { language, counts, sentences } = text;
  const limit = LONG_SENTENCE[language.code] ?? LONG_SENTENCE_ELSEWHERE;
  return {
    language: language.code,
    words: counts.words,
    kind: around.kind,
    cornerstone: around.cornerstone,
    keyphrase: around.keyphrase === null ? null : keyphraseFacts(text, around, around.keyphrase),
    structure: structureFacts(text),
    meta: {
      titlePx: around.titlePx,
      descriptionChars: Array.from(around.description).length,
      slugChars: around.slug.length,
      isIndexable: around.isIndexable,
      isSnippetAllowed: around.isSnippetAllowed,
      canonical: around.canonical,
    },
    links: {
      internal: followed(text, "internal"),
      outbound: followed(text, "outbound"),
      broken: around.brokenLinks,
    },
    reading: {
      sentences: sentences.length,
      flesch: readabilityOf(counts, language.code).flesch_reading_ease,
      passiveSentences: text.passive_sentences,
      transitionSentences: countTransitions(sentences, language),
      longSentences: sentences.filter(({ words }) => words.length > limit).length,
      sameStart: longestSameStart(sentences),
    },
  };
}

function keyphraseFacts(text: TextModel, around: Surroundings, phrase: Keyphrase): KeyphraseFacts {
  const { language } = text;
  const reflects = (text: string): boolean => coverage(phrase, language.stems(text)) >= 0.5;
  const subheadings = text.headings.filter(({ level }) => level === 2 || level === 3);
  const slugStems = language.stems(around.slug.replaceAll("-", " "));
  return {
    length: phrase.stems.length,
    count: countMatches(phrase, text.sentences),
    title: titleFacts(text, around.seoTitle, phrase),
    introduction: introduction(text, phrase),
    subheadings: {
      all: subheadings.length,
      reflecting: subheadings.filter((heading) => reflects(heading.text)).length,
    },
    descriptionSentences: language
      .sentences(around.description)
      .filter((sentence) => coversAll(phrase, language.stems(sentence))).length,
    inSlug: phrase.stems.filter((stem) => slugStems.includes(stem)).length,
    images: {
      all: text.images.length,
      withAlt: text.images.filter(({ alt }) => alt !== null && alt.trim() !== "").length,
      reflecting: text.images.filter(({ alt }) => reflects(alt ?? "")).length,
    },
    usedElsewhere: around.usedElsewhere,
  };
}

function titleFacts({ language }: TextModel, title: string, phrase: Keyphrase): KeyphraseFacts["title"] {
  const position = phrasePosition(phrase, title, language);
  return {
    hasAll: coversAll(phrase, language.stems(title)),
    startsInFirstHalf: position !== null && position < 0.5,
  };
}

const INTRODUCTION_WORDS = 40;

function introduction(text: TextModel, phrase: Keyphrase): KeyphraseFacts["introduction"] {
  const first = text.blocks.find(({ kind }) => kind === "paragraph");
  if (first === undefined) return "none";
  if (first.sentences.some(({ stems }) => coversAll(phrase, stems))) return "sentence";
  if (
    coversAll(
      phrase,
      first.sentences.flatMap(({ stems }) => stems),
    )
  )
    return "paragraph";
  const opening = text.sentences
    .flatMap(({ words }) => words)
    .slice(0, Math.max(INTRODUCTION_WORDS, Math.ceil(text.counts.words / 10)));
  return coversAll(phrase, text.language.stems(opening.join(" "))) ? "paragraph" : "none";
}

function structureFacts(text: TextModel): StructureFacts {
  const levels = text.headings.map(({ level }) => level);
  const sections = [0];
  for (const block of text.blocks) {
    if (block.kind === "heading" && block.level >= 2) sections.push(0);
    else sections.push((sections.pop() ?? 0) + block.word_count);
  }
  const paragraphs = text.blocks.filter(({ kind }) => kind === "paragraph");
  return {
    h1: levels.filter((level) => level === 1).length,
    skipsLevel: levels.some((level, at) => level > (levels[at - 1] ?? 2) + 1),
    subheadings: levels.filter((level) => level >= 2).length,
    longestSection: Math.max(...sections),
    longestParagraph: Math.max(0, ...paragraphs.map(({ word_count: words }) => words)),
    images: text.images.length,
    imagesWithAlt: text.images.filter(({ alt }) => alt !== null && alt.trim() !== "").length,
    hasListOrTable: text.lists.length + text.tables.length > 0,
  };
}

function followed({ links }: TextModel, kind: "internal" | "outbound"): Followed {
  const own = links.filter((link) => link.kind === kind);
  return { all: own.length, followed: own.filter(({ is_followed: is }) => is).length };
}
