import type { KnownText } from "../../../core/ports.ts";
import type { Draft, DraftContent } from "../schema/draft.ts";

/** A draft's content for other engines. */
export const knownText = (
  draft: Draft,
  content: DraftContent,
  context: { readonly url: string | null; readonly kind: KnownText["kind"]; readonly revision: number },
): KnownText => ({
  id: draft.id,
  kind: context.kind,
  revision: context.revision,
  title: content.title,
  seo_title: content.seo.title,
  description: content.seo.description,
  focus_keyphrase: content.seo.focus_keyphrase,
  locale: content.locale,
  body_format: content.body_format,
  body: content.body,
  url: context.url,
  canonical_url: content.seo.canonical_url,
  robots: content.seo.robots,
  published_at: draft.published_at,
  updated_at: draft.updated_at,
});
