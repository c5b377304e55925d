import { DESCRIPTION_CHARS } from "../../../lib/text/description.ts";
import { TITLE_PX } from "../../../lib/text/title-width.ts";
import type { Check } from "../schema/score.ts";
import { round2, toCheck } from "./check.ts";
import type { SeoFacts } from "./seo-facts.ts";

const SLUG_MAX = 75;

/** Checks m1 to m4: what a results page shows, and whether it is allowed to. */
export const metaChecks = ({ meta }: SeoFacts): Check[] => [
  checkTitle(meta),
  checkDescription(meta),
  toCheck({
    id: "m3",
    name: "Length of the slug",
    status: meta.slugChars <= SLUG_MAX ? "good" : "bad",
    value: meta.slugChars,
    threshold: `at most ${SLUG_MAX} characters`,
    fix: "Shorten the slug to the words that matter.",
  }),
  checkIndexing(meta),
];

function checkTitle({ titlePx }: SeoFacts["meta"]): Check {
  const isMissing = titlePx === 0;
  return toCheck({
    id: "m1",
    name: "Width of the SEO title",
    status: isMissing || titlePx > TITLE_PX.max ? "bad" : titlePx >= TITLE_PX.min ? "good" : "ok",
    value: round2(titlePx),
    threshold: `${TITLE_PX.min} to ${TITLE_PX.max} px in Arial 20 px`,
    fix: isMissing
      ? "Write a title."
      : titlePx > TITLE_PX.max
        ? "Shorten the SEO title: its end would be truncated."
        : "Lengthen the SEO title: it is short.",
  });
}

function checkDescription({ descriptionChars: chars }: SeoFacts["meta"]): Check {
  return toCheck({
    id: "m2",
    name: "Length of the meta description",
    status:
      chars === 0 ? "bad" : chars >= DESCRIPTION_CHARS.min && chars <= DESCRIPTION_CHARS.max ? "good" : "ok",
    value: chars,
    threshold: `${DESCRIPTION_CHARS.min} to ${DESCRIPTION_CHARS.max} characters`,
    fix:
      chars === 0
        ? "Write a meta description."
        : chars < DESCRIPTION_CHARS.min
          ? "Lengthen the meta description."
          : "Shorten the meta description: its end would be truncated.",
  });
}

function checkIndexing({ isIndexable, isSnippetAllowed, canonical }: SeoFacts["meta"]): Check {
  const fault = !isIndexable
    ? "noindex"
    : !isSnippetAllowed
      ? "nosnippet"
      : canonical === "own"
        ? null
        : `canonical ${canonical}`;
  return toCheck({
    id: "m4",
    name: "Indexable by search engines",
    status: fault === null ? "good" : fault === "canonical elsewhere" ? "ok" : "bad",
    value: fault ?? "open",
    threshold: "indexable, snippets allowed, its own canonical URL",
    fix:
      fault === "noindex" || fault === "nosnippet"
        ? `Remove ${fault} if the text is meant to be found by search engines.`
        : "Set the canonical URL to the page itself, if the page is the original.",
  });
}
