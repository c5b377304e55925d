import type { Check, CheckStatus } from "../schema/score.ts";
import type { DraftKind } from "../schema/draft.ts";
import { percent, toCheck } from "./check.ts";
import { READING_FROM_WORDS } from "./reading-checks.ts";
import type { SeoFacts } from "./seo-facts.ts";

/** Numbers of words: what is enough, what is almost enough, below what a text is short, and below what it is thin. */
interface Lengths {
  readonly enough: number;
  readonly almost: number;
  readonly short: number;
  readonly thin: number;
}
const ARTICLE: Lengths = { enough: 300, almost: 250, short: 200, thin: 100 };
const CORNERSTONE: Lengths = { enough: 900, almost: 400, short: 300, thin: 100 };

/**
 * Lengths by kind of text, as the documentation of yoastseo gives them for posts, cornerstone content, products and lists of
 * products (scoring of "Text length").
 */
export const lengthsOf = (kind: DraftKind, cornerstone: boolean): Lengths =>
  cornerstone
    ? CORNERSTONE
    : kind === "product_copy"
      ? { enough: 200, almost: 150, short: 100, thin: 50 }
      : kind === "category_copy"
        ? { enough: 30, almost: 10, short: 10, thin: 1 }
        : ARTICLE;

/** Checks s1 to s8: length, headings, paragraphs, images. */
export function structureChecks({ kind, words, cornerstone, structure }: SeoFacts): Check[] {
  const { h1, skipsLevel, longestParagraph } = structure;
  const yes = (is: boolean): CheckStatus => (is ? "good" : "bad");
  const { enough, almost } = lengthsOf(kind, cornerstone);
  return [
    toCheck({
      id: "s1",
      name: "Length of the text",
      status: words >= enough ? "good" : words >= almost ? "ok" : "bad",
      value: words,
      threshold: `at least ${enough} words`,
      fix: `Add at least ${enough - words} words, if there is more to say.`,
    }),
    toCheck({
      id: "s2",
      name: "Single title",
      status: yes(h1 <= 1),
      value: h1,
      threshold: "at most 1 H1 in the body",
      fix: "Change the additional H1 headings to H2.",
    }),
    toCheck({
      id: "s3",
      name: "Order of heading levels",
      status: yes(!skipsLevel),
      value: skipsLevel ? "skipped" : "in order",
      threshold: "no level skipped",
      fix: "Use H3 only below H2, and H4 only below H3.",
    }),
    checkSections(words, structure),
    toCheck({
      id: "s5",
      name: "Length of paragraphs",
      status:
        words < READING_FROM_WORDS
          ? "na"
          : longestParagraph <= 150
            ? "good"
            : longestParagraph <= 200
              ? "ok"
              : "bad",
      value: longestParagraph,
      threshold: "at most 150 words each",
      fix: "Divide the longest paragraph.",
    }),
    ...imageChecks(structure),
    checkLists(words, structure),
  ];
}

function checkSections(words: number, { subheadings, longestSection }: SeoFacts["structure"]): Check {
  const isUndivided = subheadings === 0 && words > 300;
  return toCheck({
    id: "s4",
    name: "Words between subheadings",
    status:
      words < READING_FROM_WORDS
        ? "na"
        : isUndivided
          ? "bad"
          : longestSection <= 300
            ? "good"
            : longestSection <= 350
              ? "ok"
              : "bad",
    value: longestSection,
    threshold: "at most 300",
    fix: isUndivided ? "Divide the text with subheadings." : "Add a subheading to the longest section.",
  });
}

function imageChecks({ images, imagesWithAlt }: SeoFacts["structure"]): Check[] {
  const share = percent(imagesWithAlt, images);
  return [
    toCheck({
      id: "s6",
      name: "Images",
      status: images >= 1 ? "good" : "bad",
      value: images,
      threshold: "at least 1",
      fix: "Add an image.",
    }),
    toCheck({
      id: "s7",
      name: "Alt texts",
      status: images === 0 ? "na" : share === 100 ? "good" : share >= 80 ? "ok" : "bad",
      value: images === 0 ? null : share,
      threshold: "100 % of the images",
      fix: "Add an alt text to every image that describes what it shows.",
    }),
  ];
}

const checkLists = (words: number, { hasListOrTable }: SeoFacts["structure"]): Check =>
  toCheck({
    id: "s8",
    name: "List or table in a long text",
    status: words <= 1_000 ? "na" : hasListOrTable ? "good" : "bad",
    value: words <= 1_000 ? null : hasListOrTable ? "yes" : "no",
    threshold: "at least 1 beyond 1,000 words",
    fix: "Present what can be counted or compared as a list or a table.",
  });
