import { densityOf, recommendedCount } from "../../../lib/text/keyphrase.ts";
import type { Check, CheckStatus } from "../schema/score.ts";
import { percent, round2, toCheck } from "./check.ts";
import type { KeyphraseFacts, SeoFacts } from "./seo-facts.ts";

/** Checks k1 to k8: do the text and its metadata contain the focus keyphrase? */
export function keyphraseChecks(facts: SeoFacts): Check[] {
  const { keyphrase, words } = facts;
  if (keyphrase === null) return NAMES.map(([id, name]) => withoutKeyphrase(id, name));
  return [
    checkTitle(keyphrase),
    checkIntroduction(keyphrase),
    checkDensity(keyphrase, words),
    checkSubheadings(keyphrase, words),
    checkDescription(keyphrase),
    checkSlug(keyphrase),
    checkImages(keyphrase),
    checkUsedElsewhere(keyphrase),
  ];
}

const NAMES = [
  ["k1", "Keyphrase in the SEO title"],
  ["k2", "Keyphrase in the introduction"],
  ["k3", "Keyphrase density"],
  ["k4", "Keyphrase in subheadings"],
  ["k5", "Keyphrase in the meta description"],
  ["k6", "Keyphrase in the slug"],
  ["k7", "Keyphrase in image alt texts"],
  ["k8", "Keyphrase used once"],
] as const;

/** A text without a keyphrase must not score better because of that. */
const withoutKeyphrase = (id: (typeof NAMES)[number][0], name: string): Check =>
  toCheck({
    id,
    name,
    status: id === "k7" || id === "k8" ? "na" : "bad",
    value: null,
    threshold: "a focus keyphrase",
    fix: "Set seo.focus_keyphrase.",
  });

const checkTitle = ({ title }: KeyphraseFacts): Check =>
  toCheck({
    id: "k1",
    name: "Keyphrase in the SEO title",
    status: title.hasAll ? (title.startsInFirstHalf ? "good" : "ok") : "bad",
    value: title.hasAll ? (title.startsInFirstHalf ? "first half" : "second half") : "missing",
    threshold: "all its words, starting in the first half",
    fix: title.hasAll
      ? "Move the keyphrase towards the beginning of the title."
      : "Include the whole keyphrase in the SEO title.",
  });

const checkIntroduction = ({ introduction }: KeyphraseFacts): Check =>
  toCheck({
    id: "k2",
    name: "Keyphrase in the introduction",
    status: introduction === "sentence" ? "good" : introduction === "paragraph" ? "ok" : "bad",
    value: introduction,
    threshold: "all its words in one sentence of the first paragraph",
    fix: "State the topic of the text in one sentence of the first paragraph.",
  });

function checkDensity({ count, length }: KeyphraseFacts, words: number): Check {
  const density = densityOf(count, words, length);
  const { min, max } = recommendedCount(words, length);
  const isShort = words < SHORT_TEXT;
  const target = isShort ? (words <= VERY_SHORT_TEXT ? "once" : "once or twice") : `${min} to ${max} times`;
  return toCheck({
    id: "k3",
    name: "Keyphrase density",
    status: isShort ? shortStatus(count, words) : densityStatus(count, density),
    value: round2(density),
    threshold: `0.5 to 3, here ${target}`,
    fix: `The keyphrase occurs ${count} times: use it ${target}.`,
  });
}

const SHORT_TEXT = 100;
const VERY_SHORT_TEXT = 50;

const shortStatus = (count: number, words: number): CheckStatus =>
  count >= 1 && count <= (words <= VERY_SHORT_TEXT ? 1 : 2) ? "good" : "bad";

function densityStatus(count: number, density: number): CheckStatus {
  if (count < 2 || density < 0.5 || density > 3.5) return "bad";
  return density <= 3 ? "good" : "ok";
}

function checkSubheadings({ subheadings: { all, reflecting } }: KeyphraseFacts, words: number): Check {
  const share = percent(reflecting, all);
  const isGood = all === 0 ? words <= 300 : (all === 1 && reflecting === 1) || (share >= 30 && share <= 75);
  return toCheck({
    id: "k4",
    name: "Keyphrase in subheadings",
    status: isGood ? "good" : "bad",
    value: all === 0 ? null : share,
    threshold: "30 to 75 % of H2 and H3",
    fix:
      all === 0
        ? "Divide the text with subheadings, and include the topic in some of them."
        : share > 75
          ? "Include the topic in fewer subheadings."
          : "Include the topic in more subheadings.",
  });
}

const checkDescription = ({ descriptionSentences: count }: KeyphraseFacts): Check =>
  toCheck({
    id: "k5",
    name: "Keyphrase in the meta description",
    status: count === 1 || count === 2 ? "good" : "bad",
    value: count,
    threshold: "all its words in 1 or 2 sentences",
    fix:
      count === 0
        ? "Include the whole keyphrase in one sentence of the meta description."
        : "Use the keyphrase in fewer sentences of the meta description.",
  });

function checkSlug({ inSlug, length }: KeyphraseFacts): Check {
  const isGood = length <= 2 ? inSlug === length : inSlug * 2 > length;
  return toCheck({
    id: "k6",
    name: "Keyphrase in the slug",
    status: isGood ? "good" : inSlug > 0 ? "ok" : "bad",
    value: `${inSlug} of ${length}`,
    threshold: length <= 2 ? "all its words" : "more than half of its words",
    fix: "Include the words of the keyphrase in the slug.",
  });
}

function checkImages({ images: { all, withAlt, reflecting } }: KeyphraseFacts): Check {
  return toCheck({
    id: "k7",
    name: "Keyphrase in image alt texts",
    status: all === 0 ? "na" : imagesStatus(all, withAlt, reflecting),
    value: all === 0 ? null : `${reflecting} of ${all}`,
    threshold: all > 5 ? "30 to 75 % of the images" : all === 5 ? "2 to 4 images" : "at least 1 image",
    fix: "Describe what the images show, and include the topic where they show it.",
  });
}

function imagesStatus(all: number, withAlt: number, reflecting: number): CheckStatus {
  const share = percent(reflecting, all);
  const isGood =
    all < 5 ? reflecting >= 1 : all === 5 ? reflecting >= 2 && reflecting <= 4 : share >= 30 && share <= 75;
  if (isGood) return "good";
  return withAlt > 0 ? "ok" : "bad";
}

const checkUsedElsewhere = ({ usedElsewhere: count }: KeyphraseFacts): Check =>
  toCheck({
    id: "k8",
    name: "Keyphrase used once",
    status: count === null ? "na" : count === 0 ? "good" : count === 1 ? "ok" : "bad",
    value: count,
    threshold: "no other live draft or article",
    fix: "Choose a different keyphrase for this text, or merge it with the other one.",
  });
