import type { SeoFacts } from "../../../server/engines/content/rules/seo-facts.ts";

/** Facts of a text that is good in every check. */
export const GOOD: SeoFacts = {
  language: "en",
  words: 1_200,
  kind: "post",
  cornerstone: false,
  keyphrase: {
    length: 2,
    count: 10,
    title: { hasAll: true, startsInFirstHalf: true },
    introduction: "sentence",
    subheadings: { all: 4, reflecting: 2 },
    descriptionSentences: 1,
    inSlug: 2,
    images: { all: 2, withAlt: 2, reflecting: 1 },
    usedElsewhere: 0,
  },
  structure: {
    h1: 0,
    skipsLevel: false,
    subheadings: 4,
    longestSection: 280,
    longestParagraph: 120,
    images: 2,
    imagesWithAlt: 2,
    hasListOrTable: true,
  },
  meta: {
    titlePx: 400.4,
    descriptionChars: 140,
    slugChars: 20,
    isIndexable: true,
    isSnippetAllowed: true,
    canonical: "own",
  },
  links: { internal: { all: 2, followed: 2 }, outbound: { all: 1, followed: 1 }, broken: 0 },
  reading: {
    sentences: 100,
    flesch: 70,
    longSentences: 20,
    passiveSentences: 5,
    transitionSentences: 35,
    sameStart: 2,
  },
};

type Part = "keyphrase" | "structure" | "meta" | "links" | "reading";

/** The good facts with members of one part, or of the whole, in another way. */
export const factsWith = (part: Part | "whole", members: object): SeoFacts =>
  part === "whole" ? { ...GOOD, ...members } : { ...GOOD, [part]: { ...GOOD[part], ...members } };
