import { z } from "zod";

import type { Judged } from "../services/judge.ts";
import type { SeoFacts } from "../rules/seo-facts.ts";
import texts from "./demo-facts.json" with { type: "json" };

/** Facts that the text model extracts from a demo text. */
export interface DemoFacts extends Pick<Judged, "formulas" | "counts" | "text_model" | "icu" | "locale"> {
  readonly facts: SeoFacts;
  /** Its answeros score on the day it is changed. */
  readonly aeo: number;
}

const Introduction = z.enum(["sentence", "paragraph", "none"]);

/**
 * Precomputed facts of the demo texts: seeding is synchronous, and analysing a text requires loading its tools. A test
 * compares them with the texts.
 */
export const DEMO_FACTS = {
  FIRST_LOAF: whole(texts.FIRST_LOAF),
  GLUTEN: whole(texts.GLUTEN),
  RYE: whole(texts.RYE),
  STARTER: whole(texts.STARTER),
  SUMMER: whole(texts.SUMMER),
  TOOLS: whole(texts.TOOLS),
} satisfies Readonly<Record<string, DemoFacts>>;

/** With the facts that all of them share: images have an alt text with the keyphrase, links can be followed. */
function whole({ aeo, counts, formulas, ...facts }: (typeof texts)[keyof typeof texts]): DemoFacts {
  const { hasListOrTable, images, keyphrase, links, longest, meta, reading, subheadings } = facts;
  return {
    facts: {
      language: "en",
      words: counts.words,
      kind: "post",
      cornerstone: false,
      keyphrase: {
        ...keyphrase,
        introduction: Introduction.parse(keyphrase.introduction),
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
