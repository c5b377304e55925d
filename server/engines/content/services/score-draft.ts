import type { EnginePorts } from "../../../core/ports.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { fromInstant } from "../../../lib/instant.ts";
import { articleId, articles, scoreId, scores, slugHolds, slugId } from "../repository.ts";
import { normaliseUrl } from "../rules/article-url.ts";
import { revisionAtStake } from "../rules/draft-machine.ts";
import { postUrl, slugOfUrl } from "../rules/post-url.ts";
import type { Draft, DraftContent, Settings } from "../schema/draft.ts";
import type { Score } from "../schema/score.ts";
import { SCORE_VERSION } from "../schema.ts";
import { contentAtStake } from "./drafts.ts";
import type { DraftWork } from "./drafts.ts";
import { judgeText, submissionOf } from "./judge.ts";
import type { Neighbours } from "./judge.ts";
import { usesElsewhere } from "./keyphrases.ts";
import { knownText } from "./known-text.ts";
import { newResource } from "../../../lib/new-resource.ts";

/**
 * The score of the latest revision under the current rules: the stored one, or a new one. It is immutable:
 * data of other texts (the same keyphrase, links) is as of its creation.
 */
export async function scoreDraft(work: DraftWork, ports: EnginePorts, draft: Draft): Promise<Stored<Score>> {
  const { tx, settings, nowAt } = work;
  const revision = revisionAtStake(draft);
  const id = scoreId(draft.id, revision, SCORE_VERSION);
  const stored = await tx.get(scores, id);
  if (stored !== null) return stored;
  const content: DraftContent = await contentAtStake(tx, draft);
  const url = postUrl(settings, content.slug);
  const { judged } = await judgeText(
    tx,
    submissionOf(draft.kind, content, url),
    neighboursOf(tx, settings, draft),
  );
  const aeo = await ports.aeoOf(tx, knownText(draft, content, { url, kind: "draft", revision }), {
    now: fromInstant(nowAt),
  });
  const { seo, seo_band, readability, readability_band, ...rest } = judged;
  return tx.create(scores, {
    ...newResource(id, nowAt),
    draft_id: draft.id,
    revision,
    ...rest,
    seo,
    seo_band,
    readability,
    readability_band,
    aeo,
  });
}

/** The summary of a score in its draft; a score of a staged revision does not apply. */
export const scoresOf = (draft: Draft, { value }: Stored<Score>): Draft["scores"] =>
  value.revision === draft.revision
    ? {
        id: value.id,
        seo: value.seo,
        readability: value.readability,
        aeo: value.aeo,
        version: value.score_version,
        revision: value.revision,
        computed_at: value.created_at,
      }
    : draft.scores;

/** Data of the store about a text: competing texts, and links to missing posts. */
export function neighboursOf(
  tx: Tx,
  settings: Settings,
  own: { readonly id: string; readonly twin: string | null } | Draft,
): Neighbours {
  const twin = "twin" in own ? own.twin : own.article_id;
  return {
    usedElsewhere: (stems) => usesElsewhere(tx, stems, twin === null ? [own.id] : [own.id, twin]),
    brokenLinks: (hrefs, locale) => brokenLinks(tx, settings, { hrefs, locale }),
  };
}

/** Internal links to unused slugs and to tracked pages that no longer exist. Other pages are not known to be broken. */
async function brokenLinks(
  tx: Tx,
  settings: Settings,
  { hrefs, locale }: { readonly hrefs: readonly string[]; readonly locale: string },
): Promise<number> {
  let broken = 0;
  for (const href of hrefs) {
    const slug = slugOfUrl(settings, href);
    const held = slug === null ? null : await heldSlug(tx, slug, [settings.locale, locale]);
    const url = URL.canParse(href) ? normaliseUrl(href) : null;
    const article = url === null ? null : await tx.get(articles, articleId(url));
    const isGone = article !== null && article.value.status === "gone";
    if (isGone || (slug !== null && held === null && article === null)) broken += 1;
  }
  return broken;
}

async function heldSlug(tx: Tx, slug: string, locales: readonly string[]) {
  for (const locale of new Set(locales)) {
    const held = await tx.get(slugHolds, slugId(locale, slug));
    if (held !== null) return held;
  }
  return null;
}
