import type { Judged } from "../services/judge.ts";
import type { KeyphraseFacts, SeoFacts } from "../rules/seo-facts.ts";

/** Facts that the text model extracts from a demo text. */
export interface DemoFacts extends Pick<Judged, "formulas" | "counts" | "text_model" | "icu" | "locale"> {
  readonly facts: SeoFacts;
  /** Its answeros score on the day it is changed. */
  readonly aeo: number;
}

/** The differences between the demo texts. */
interface ScoredText extends Pick<DemoFacts, "aeo" | "counts" | "formulas"> {
  readonly keyphrase: Pick<
    KeyphraseFacts,
    "length" | "count" | "title" | "introduction" | "descriptionSentences" | "inSlug"
  >;
  readonly subheadings: KeyphraseFacts["subheadings"];
  readonly longest: { readonly section: number; readonly paragraph: number };
  /** All of them have an alt text with the keyphrase. */
  readonly images: number;
  readonly hasListOrTable: boolean;
  readonly meta: Pick<SeoFacts["meta"], "titlePx" | "descriptionChars" | "slugChars">;
  /** All of them can be followed. */
  readonly links: { readonly internal: number; readonly outbound: number };
  readonly reading: Pick<SeoFacts["reading"], "passiveSentences" | "transitionSentences" | "sameStart">;
}

/**
 * Precomputed facts of the demo texts: seeding is synchronous, and analysing a text requires loading its tools. A test
 * compares them with the texts.
 */
export const DEMO_FACTS = {
  FIRST_LOAF: whole({
    counts: {
      words: 187,
      sentences: 19,
      paragraphs: 5,
      syllables: 222,
      polysyllables: 4,
      reading_minutes: 1,
    },
    formulas: {
      flesch_reading_ease: 96.41103855896426,
      flesch_kincaid_grade: 2.256977202364201,
      gunning_fog: 4.7924570785251905,
      smog: 5.7502877580894305,
      coleman_liau: 2.6057754010695184,
      automated_readability: 0.9709456797072917,
    },
    keyphrase: {
      length: 3,
      count: 1,
      title: { hasAll: true, startsInFirstHalf: false },
      introduction: "sentence",
      descriptionSentences: 1,
      inSlug: 2,
    },
    subheadings: { all: 4, reflecting: 1 },
    longest: { section: 44, paragraph: 44 },
    images: 1,
    hasListOrTable: false,
    meta: { titlePx: 422.2, descriptionChars: 131, slugChars: 10 },
    links: { internal: 1, outbound: 0 },
    reading: { passiveSentences: 0, transitionSentences: 11, sameStart: 1 },
    aeo: 64,
  }),
  GLUTEN: whole({
    counts: { words: 49, sentences: 4, paragraphs: 2, syllables: 58, polysyllables: 1, reading_minutes: 1 },
    formulas: {
      flesch_reading_ease: 94.26247448979593,
      flesch_kincaid_grade: 3.15484693877551,
      gunning_fog: 5.716326530612245,
      smog: 5.985473137389441,
      coleman_liau: 4.703673469387752,
      automated_readability: 3.0543877551020415,
    },
    keyphrase: {
      length: 3,
      count: 1,
      title: { hasAll: false, startsInFirstHalf: false },
      introduction: "sentence",
      descriptionSentences: 0,
      inSlug: 2,
    },
    subheadings: { all: 0, reflecting: 0 },
    longest: { section: 49, paragraph: 31 },
    images: 0,
    hasListOrTable: false,
    meta: { titlePx: 311.6, descriptionChars: 0, slugChars: 21 },
    links: { internal: 0, outbound: 0 },
    reading: { passiveSentences: 0, transitionSentences: 3, sameStart: 1 },
    aeo: 24,
  }),
  RYE: whole({
    counts: { words: 97, sentences: 10, paragraphs: 3, syllables: 116, polysyllables: 1, reading_minutes: 1 },
    formulas: {
      flesch_reading_ease: 95.81836597938147,
      flesch_kincaid_grade: 2.304340206185568,
      gunning_fog: 4.292371134020619,
      smog: 4.935628992294339,
      coleman_liau: 3.5773195876288675,
      automated_readability: 1.385979381443299,
    },
    keyphrase: {
      length: 2,
      count: 1,
      title: { hasAll: true, startsInFirstHalf: true },
      introduction: "sentence",
      descriptionSentences: 1,
      inSlug: 2,
    },
    subheadings: { all: 2, reflecting: 1 },
    longest: { section: 34, paragraph: 34 },
    images: 0,
    hasListOrTable: false,
    meta: { titlePx: 322.4, descriptionChars: 105, slugChars: 15 },
    links: { internal: 0, outbound: 0 },
    reading: { passiveSentences: 0, transitionSentences: 3, sameStart: 2 },
    aeo: 68,
  }),
  STARTER: whole({
    counts: {
      words: 196,
      sentences: 20,
      paragraphs: 4,
      syllables: 241,
      polysyllables: 6,
      reading_minutes: 1,
    },
    formulas: {
      flesch_reading_ease: 92.8645306122449,
      flesch_kincaid_grade: 2.74118367346939,
      gunning_fog: 5.144489795918368,
      smog: 6.2581,
      coleman_liau: 4.309591836734693,
      automated_readability: 2.045663265306125,
    },
    keyphrase: {
      length: 2,
      count: 2,
      title: { hasAll: true, startsInFirstHalf: true },
      introduction: "sentence",
      descriptionSentences: 1,
      inSlug: 2,
    },
    subheadings: { all: 3, reflecting: 2 },
    longest: { section: 61, paragraph: 52 },
    images: 1,
    hasListOrTable: true,
    meta: { titlePx: 444.6, descriptionChars: 128, slugChars: 17 },
    links: { internal: 1, outbound: 1 },
    reading: { passiveSentences: 1, transitionSentences: 10, sameStart: 2 },
    aeo: 41,
  }),
  SUMMER: whole({
    counts: { words: 66, sentences: 9, paragraphs: 2, syllables: 86, polysyllables: 3, reading_minutes: 1 },
    formulas: {
      flesch_reading_ease: 89.15530303030306,
      flesch_kincaid_grade: 2.645757575757578,
      gunning_fog: 4.751515151515152,
      smog: 6.42735559955562,
      coleman_liau: 4.93090909090909,
      automated_readability: 2.075757575757578,
    },
    keyphrase: {
      length: 2,
      count: 1,
      title: { hasAll: false, startsInFirstHalf: false },
      introduction: "sentence",
      descriptionSentences: 0,
      inSlug: 1,
    },
    subheadings: { all: 1, reflecting: 0 },
    longest: { section: 49, paragraph: 15 },
    images: 0,
    hasListOrTable: true,
    meta: { titlePx: 289.6, descriptionChars: 115, slugChars: 13 },
    links: { internal: 0, outbound: 0 },
    reading: { passiveSentences: 0, transitionSentences: 3, sameStart: 1 },
    aeo: 24,
  }),
  TOOLS: whole({
    counts: { words: 13, sentences: 2, paragraphs: 1, syllables: 19, polysyllables: 1, reading_minutes: 1 },
    formulas: {
      flesch_reading_ease: 76.59134615384617,
      flesch_kincaid_grade: 4.191153846153846,
      gunning_fog: 5.676923076923078,
      smog: 7.168621630094336,
      coleman_liau: 3.1661538461538434,
      automated_readability: 0.6600000000000001,
    },
    keyphrase: {
      length: 3,
      count: 0,
      title: { hasAll: false, startsInFirstHalf: false },
      introduction: "none",
      descriptionSentences: 0,
      inSlug: 2,
    },
    subheadings: { all: 0, reflecting: 0 },
    longest: { section: 13, paragraph: 13 },
    images: 0,
    hasListOrTable: false,
    meta: { titlePx: 316, descriptionChars: 0, slugChars: 12 },
    links: { internal: 0, outbound: 0 },
    reading: { passiveSentences: 0, transitionSentences: 0, sameStart: 1 },
    aeo: 24,
  }),
} satisfies Readonly<Record<string, DemoFacts>>;

/** With the facts that all of them share. */
function whole({ aeo, counts, formulas, ...facts }: ScoredText): DemoFacts {
  const { hasListOrTable, images, keyphrase, links, longest, meta, reading, subheadings } = facts;
  return {
    facts: {
      language: "en",
      words: counts.words,
      kind: "post",
      cornerstone: false,
      keyphrase: {
        ...keyphrase,
        subheadings,
        images: { all: images, withAlt: images, reflecting: images },
        usedElsewhere: 0,
      },
      structure: {
        h1: 0,
        skipsLevel: false,
        subheadings: subheadings.all,
        longestSection: longest.section,
        longestParagraph: longest.paragraph,
        images,
        imagesWithAlt: images,
        hasListOrTable,
      },
      meta: { ...meta, isIndexable: true, isSnippetAllowed: true, canonical: "own" },
      links: {
        internal: { all: links.internal, followed: links.internal },
        outbound: { all: links.outbound, followed: links.outbound },
        broken: 0,
      },
      reading: {
        ...reading,
        sentences: counts.sentences,
        flesch: formulas.flesch_reading_ease,
        longSentences: 0,
      },
    },
    formulas,
    counts,
    text_model: 1,
    aeo,
    icu: "78.2",
    locale: "en-GB",
  };
}
