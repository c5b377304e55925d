import type { Check, CheckStatus } from "../schema/score.ts";
import { percent, toCheck } from "./check.ts";
import type { SeoFacts } from "./seo-facts.ts";

/** Checks s1 to s8: length, headings, paragraphs, images. */
export function structureChecks({ words, cornerstone, structure }: SeoFacts): Check[] {
  const { h1, skipsLevel, longestParagraph } = structure;
  const yes = (is: boolean): CheckStatus => (is ? "good" : "bad");
  const [enough, almost] = cornerstone ? [900, 400] : [300, 250];
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
      status: longestParagraph <= 150 ? "good" : longestParagraph <= 200 ? "ok" : "bad",
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
    status: isUndivided ? "bad" : longestSection <= 300 ? "good" : longestSection <= 350 ? "ok" : "bad",
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
