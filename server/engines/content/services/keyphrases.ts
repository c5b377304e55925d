import { keyphraseOf } from "../../../lib/text/keyphrase.ts";
import { loadLanguage } from "../../../lib/text/language.ts";
import type { Tx } from "../../../core/tx.ts";
import { keyphraseUses, stemKey } from "../repository.ts";
import type { Article, KeyphraseUse } from "../schema/article.ts";
import type { Draft } from "../schema/draft.ts";

/** Stores the keyphrase of a draft; an archived draft or one without a keyphrase has none. */
export async function noteDraft(tx: Tx, draft: Draft): Promise<void> {
  const phrase = draft.status === "archived" ? null : draft.seo.focus_keyphrase;
  await keep(
    tx,
    draft.id,
    await useOf(phrase, draft.locale, {
      id: draft.id,
      kind: "draft",
      title: draft.title,
      url: draft.published_url,
      is_live: draft.status === "published",
      twin_id: draft.article_id,
    }),
  );
}

/** The same for a tracked article; a deleted one has none. */
export async function noteArticle(tx: Tx, article: Article): Promise<void> {
  const phrase = article.status === "active" ? article.focus_keyphrase : null;
  await keep(
    tx,
    article.id,
    await useOf(phrase, article.locale, {
      id: article.id,
      kind: "article",
      title: article.title === "" ? article.url : article.title,
      url: article.url,
      is_live: true,
      twin_id: article.draft_id,
    }),
  );
}

export const forget = (tx: Tx, id: string): Promise<void> => keep(tx, id, null);

/** The stored keyphrase; null for a phrase without content words. */
export async function useOf(
  phrase: string | null,
  locale: string,
  owner: Omit<KeyphraseUse, "phrase" | "stems" | "stem_key">,
): Promise<KeyphraseUse | null> {
  if (phrase === null) return null;
  const { stems } = keyphraseOf(phrase, await loadLanguage(locale));
  return stems.length === 0 ? null : { ...owner, phrase, stems: [...stems], stem_key: stemKey(stems) };
}

async function keep(tx: Tx, id: string, use: KeyphraseUse | null): Promise<void> {
  const before = await tx.get(keyphraseUses, id);
  if (use === null) {
    if (before !== null) tx.remove(keyphraseUses, before);
  } else if (before === null) tx.create(keyphraseUses, use);
  else if (JSON.stringify(before.value) !== JSON.stringify(use)) tx.put(keyphraseUses, before, use);
}

/** Maximum of competing texts counted: two are as bad as twenty. */
const COUNTED = 5;

/** Other drafts and articles with the same keyphrase, up to four; a draft and its article are one text. */
export async function usesElsewhere(
  tx: Tx,
  stems: readonly string[],
  ownIds: readonly string[],
): Promise<number> {
  const page = await tx.peekPage(keyphraseUses, { index: "stems", value: stemKey(stems), limit: COUNTED });
  return page.items.filter(
    ({ value: { id, twin_id: twin } }) => !ownIds.includes(id) && !ownIds.includes(twin ?? ""),
  ).length;
}
