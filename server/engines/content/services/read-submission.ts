import { keyphraseOf } from "../../../lib/text/keyphrase.ts";
import type { TextModel } from "../../../lib/text/model.ts";
import { readText } from "../../../lib/text/read.ts";
import { readabilityOf, readingMinutes } from "../../../lib/text/readability.ts";
import { measureTitle } from "../../../lib/text/title-width.ts";
import type { DraftKind } from "../schema/draft.ts";
import type { Analysis } from "../schema/score.ts";
import { seoFacts } from "../rules/seo-facts.ts";
import type { SeoFacts } from "../rules/seo-facts.ts";

/** Input of the score: a text and its appearance in search engines. */
export interface Submission {
  readonly body: string;
  readonly format: "markdown" | "html";
  readonly locale: string;
  /** Its current or future URL; null if unknown. */
  readonly url: string | null;
  readonly seoTitle: string;
  readonly description: string;
  readonly slug: string;
  readonly kind: DraftKind;
  readonly cornerstone: boolean;
  readonly keyphrase: string | null;
  readonly robots: {
    readonly noindex: boolean;
    readonly nosnippet: boolean;
    readonly max_snippet: number | null;
  };
  readonly canonical: string | null;
}

/** What a score needs of a text: figures, and what to look up in the store. */
export interface ReadSubmission {
  /** Without what only the store knows. */
  readonly facts: SeoFacts;
  readonly base: Pick<Analysis, "text_model" | "icu" | "locale" | "formulas" | "counts">;
  readonly keyphraseStems: readonly string[];
  /** The first distinct internal links. */
  readonly internalHrefs: readonly string[];
}

/** Number of links looked up per text. */
const LINKS_CHECKED = 100;

/** Reads a text for its score. */
export async function readSubmission(submission: Submission): Promise<ReadSubmission> {
  const { body, format, locale, url } = submission;
  return readModel(await readText({ body, format, locale, base_url: url ?? undefined }), submission);
}

/** The same for an analysed text. */
export async function readModel(text: TextModel, submission: Submission): Promise<ReadSubmission> {
  const { counts, language, links } = text;
  const { robots } = submission;
  const phrase = submission.keyphrase === null ? null : keyphraseOf(submission.keyphrase, language);
  const facts = seoFacts(text, {
    seoTitle: submission.seoTitle,
    titlePx: submission.seoTitle === "" ? 0 : await measureTitle(submission.seoTitle),
    description: submission.description,
    slug: submission.slug,
    kind: submission.kind,
    cornerstone: submission.cornerstone,
    isIndexable: !robots.noindex,
    isSnippetAllowed: !robots.nosnippet && robots.max_snippet !== 0,
    canonical: canonicalOf(submission),
    keyphrase: phrase === null || phrase.stems.length === 0 ? null : phrase,
    usedElsewhere: null,
    brokenLinks: null,
  });
  const hrefs = links.filter(({ kind }) => kind === "internal").map(({ href }) => href);
  return {
    facts,
    base: {
      text_model: text.text_model,
      icu: text.icu,
      locale: language.locale,
      formulas: readabilityOf(counts, language.code),
      counts: {
        words: counts.words,
        sentences: counts.sentences,
        paragraphs: counts.paragraphs,
        syllables: counts.syllables,
        polysyllables: counts.polysyllables,
        reading_minutes: readingMinutes(counts.words, language.code),
      },
    },
    keyphraseStems: phrase?.stems ?? [],
    internalHrefs: [...new Set(hrefs)].slice(0, LINKS_CHECKED),
  };
}

/** A missing canonical URL counts as self-referencing. */
function canonicalOf({ canonical, url }: Submission): SeoFacts["meta"]["canonical"] {
  if (canonical === null) return "own";
  if (!URL.canParse(canonical)) return "invalid";
  return url === null || new URL(canonical).href === new URL(url).href ? "own" : "elsewhere";
}
