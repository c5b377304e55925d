import { conflict } from "../../../lib/errors.ts";
import type { NewId } from "../../../core/ids.ts";
import { loadLanguage } from "../../../lib/text/language.ts";
import { renderSafeHtml } from "../../../lib/text/tasks.ts";
import { readingMinutes } from "../../../lib/text/readability.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { recordDeparture, recordSite } from "./site-pages.ts";
import { drafts, postBodies, posts, readRevision, revisionId, revisions } from "../repository.ts";
import { statusAfterEdit } from "../rules/draft-machine.ts";
import { postUrl } from "../rules/post-url.ts";
import { contentOf, hashContent } from "../rules/revision-content.ts";
import type { Draft, DraftContent, Post, Revision, Settings } from "../schema/draft.ts";
import { noteDraft } from "./keyphrases.ts";
import { claimSlug, moveSlug, releaseSlug } from "./slugs.ts";
import { countWords, shareOfAi } from "./text-tasks.ts";
import { newResource } from "../../../lib/new-resource.ts";

/** Author, time and settings of a write; everything is staged in one transaction. */
export interface DraftWork {
  readonly tx: Tx;
  readonly settings: Settings;
  readonly nowAt: string;
  /** Id of the key, or name of the job. */
  readonly by: string | null;
}

/** Metadata of a revision. */
export interface RevisionNote {
  readonly message: string;
  readonly source: Revision["source"];
}

/** Emits an event about a draft: ids and statuses, no text. */
export function emitDraft(work: DraftWork, newId: NewId, action: string, draft: Draft): void {
  work.tx.emit({
    id: newId("evt"),
    type: `content.draft.${action}`,
    at: work.nowAt,
    data: { draft_id: draft.id, kind: draft.kind, status: draft.status, revision: draft.revision },
  });
}

/**
 * The content that the next edit is based on and the next publication publishes: the staged revision, otherwise the
 * current one.
 */
export async function contentAtStake(tx: Tx, draft: Draft): Promise<DraftContent> {
  if (draft.pending_revision === null) return contentOf(draft);
  return (await readRevision(tx, draft.id, draft.pending_revision)).value.content;
}

/** Stages a new draft with its first revision and its slug. */
export async function openDraft(work: DraftWork, draft: Draft, note: RevisionNote): Promise<Stored<Draft>> {
  const { tx } = work;
  await claimSlug(work, draft.id, draft);
  const words = await countWords(tx, draft);
  tx.create(
    revisions,
    revisionOf(work, { draftId: draft.id, number: 1 }, contentOf(draft), { ...note, words }),
  );
  const stored = tx.create(drafts, await withFigures(tx, draft, words));
  await noteDraft(tx, stored.value);
  return stored;
}

export interface Edit extends RevisionNote {
  readonly content: DraftContent;
  /** Fields other than the content. */
  readonly plain?: Partial<
    Pick<Draft, "kind" | "planned_for" | "article_id" | "external" | "metadata" | "ai">
  >;
  /** Do not show it on the site until it is published. */
  readonly stage: boolean;
}

/**
 * Stages an edit. Content equal to the current one creates no revision. Throws 409 `not_editable` if the status does
 * not
 * allow an edit, and `pending_revision` for a live edit while a revision is staged.
 */
export async function editDraft(work: DraftWork, before: Stored<Draft>, edit: Edit): Promise<Stored<Draft>> {
  const { tx, nowAt, settings } = work;
  const live = before.value;
  const touched: Draft = { ...live, ...edit.plain, updated_at: nowAt, updated_by: work.by };
  const base = await contentAtStake(tx, live);
  if (hashContent(base) === hashContent(edit.content)) {
    if (!edit.stage) await updatePost(work, touched);
    return finish(tx, before, touched);
  }
  const status = statusAfterEdit(live.status, settings.approvals_required);
  if (status === null) {
    throw conflict(
      "not_editable",
      live.status === "archived"
        ? "The draft is archived. Restore it first."
        : "The draft is scheduled for publication. Unschedule it first.",
    );
  }
  if (live.status === "published" && !edit.stage && live.pending_revision !== null) {
    throw conflict(
      "pending_revision",
      "The draft has a staged revision. Publish or discard it first, or set `stage` to true.",
    );
  }
  const number = live.last_revision + 1;
  const words = await countWords(tx, edit.content);
  tx.create(revisions, revisionOf(work, { draftId: live.id, number }, edit.content, { ...edit, words }));
  const isStaged = live.status === "published" && edit.stage;
  await claimSlug(work, live.id, edit.content, isStaged);
  if (isStaged) {
    if (isElsewhere(base, edit.content) && isElsewhere(base, live)) await releaseSlug(tx, live.id, base);
    return finish(tx, before, { ...touched, pending_revision: number, last_revision: number });
  }
  const next = {
    ...touched,
    ...contentOf(edit.content),
    status,
    revision: number,
    last_revision: number,
    scores: null,
  };
  if (isElsewhere(base, edit.content)) {
    // Visitors were directed to the post's earlier URLs, even if it is not live at the moment.
    if (live.status === "published" || live.unpublished_at !== null) {
      await moveSlug(work, live.id, live, edit.content);
    } else await releaseSlug(tx, live.id, base);
  }
  const after = await withFigures(tx, next, words);
  if (after.status === "published") return showPost(work, before, after);
  return finish(tx, before, after);
}

/** Publishes the latest content. `publishedAt` is the scheduled time, if any. */
export async function goLive(
  work: DraftWork,
  before: Stored<Draft>,
  { publishedAt, lateSeconds }: { readonly publishedAt: string; readonly lateSeconds: number | null },
): Promise<Stored<Draft>> {
  const { tx, nowAt } = work;
  const draft = before.value;
  const content = await contentAtStake(tx, draft);
  if (draft.status === "published" && isElsewhere(content, draft)) {
    await claimSlug(work, draft.id, content);
    await moveSlug(work, draft.id, draft, content);
  }
  const words = draft.pending_revision === null ? draft.word_count : await countWords(tx, content);
  const next: Draft = {
    ...draft,
    ...content,
    status: "published",
    revision: draft.pending_revision ?? draft.revision,
    pending_revision: null,
    scores: draft.pending_revision === null ? draft.scores : null,
    // An updated post keeps its original publication date.
    published_at: draft.status === "published" ? draft.published_at : publishedAt,
    scheduled_at: null,
    unpublished_at: null,
    late_seconds: draft.status === "published" ? draft.late_seconds : lateSeconds,
    updated_at: nowAt,
    updated_by: work.by,
  };
  return showPost(work, before, await withFigures(tx, next, words));
}

/** Unpublishes a post; a staged revision becomes the text of the draft. */
export async function takeDown(work: DraftWork, before: Stored<Draft>): Promise<Stored<Draft>> {
  const { tx, nowAt } = work;
  const draft = before.value;
  const content = await contentAtStake(tx, draft);
  if (isElsewhere(content, draft)) {
    await claimSlug(work, draft.id, content);
    await moveSlug(work, draft.id, draft, content);
  }
  const [post, body] = await Promise.all([tx.get(posts, draft.id), tx.get(postBodies, draft.id)]);
  if (post !== null) {
    tx.remove(posts, post);
    await recordDeparture(tx, work.settings, nowAt);
  }
  if (body !== null) tx.remove(postBodies, body);
  const next: Draft = {
    ...draft,
    ...content,
    status: "draft",
    revision: draft.pending_revision ?? draft.revision,
    pending_revision: null,
    scores: draft.pending_revision === null ? draft.scores : null,
    published_at: null,
    unpublished_at: nowAt,
    published_url: null,
    late_seconds: null,
    updated_at: nowAt,
    updated_by: work.by,
  };
  return finish(tx, before, await withFigures(tx, next, await countWords(tx, content)));
}

/** Discards the staged revision of a published draft. */
export async function discardStaged(work: DraftWork, before: Stored<Draft>): Promise<Stored<Draft>> {
  const { tx, nowAt } = work;
  const draft = before.value;
  const staged = await contentAtStake(tx, draft);
  if (isElsewhere(staged, draft)) await releaseSlug(tx, draft.id, staged);
  const approvals = draft.approvals.filter(({ revision }) => revision !== draft.pending_revision);
  const next = { ...draft, pending_revision: null, approvals, updated_at: nowAt, updated_by: work.by };
  return finish(tx, before, next);
}

/** Writes the public projection of a published draft, and the draft. */
async function showPost(work: DraftWork, before: Stored<Draft>, draft: Draft): Promise<Stored<Draft>> {
  const { tx, settings, nowAt } = work;
  const url = postUrl(settings, draft.slug);
  const html = await renderSafeHtml(tx, { body: draft.body, format: draft.body_format });
  const [post, body] = await Promise.all([tx.get(posts, draft.id), tx.get(postBodies, draft.id)]);
  const next = postOf({ ...draft, published_url: url }, post?.value.created_at ?? nowAt, nowAt);
  tx.save(posts, post, next);
  await recordSite(tx, settings, nowAt);
  tx.save(postBodies, body, { id: draft.id, html, author_id: draft.author?.id ?? null });
  return finish(tx, before, { ...draft, published_url: url });
}

/** Shows readers a change of the public fields that no revision has; nothing for a draft that is not published. */
async function updatePost({ tx, nowAt, settings }: DraftWork, { id, kind, ai }: Draft): Promise<void> {
  const post = await tx.get(posts, id);
  if (post === null || (post.value.kind === kind && post.value.ai_disclosed === ai.disclosed)) return;
  if (post.value.kind !== kind) await recordDeparture(tx, settings, nowAt);
  tx.put(posts, post, { ...post.value, kind, ai_disclosed: ai.disclosed, updated_at: nowAt });
}

async function finish(tx: Tx, before: Stored<Draft>, after: Draft): Promise<Stored<Draft>> {
  await noteDraft(tx, after);
  return tx.put(drafts, before, after);
}

/** The public fields of a published draft. */
export const postOf = (draft: Draft, createdAt: string, nowAt: string): Post => ({
  id: draft.id,
  created_at: createdAt,
  updated_at: nowAt,
  kind: draft.kind,
  title: draft.title,
  slug: draft.slug,
  locale: draft.locale,
  url: draft.published_url,
  excerpt: draft.excerpt,
  author: draft.author === null ? null : { name: draft.author.name, url: draft.author.url },
  tags: draft.tags,
  category: draft.category,
  cover: draft.cover,
  published_at: draft.published_at ?? nowAt,
  word_count: draft.word_count,
  reading_minutes: draft.reading_minutes,
  ai_disclosed: draft.ai.disclosed,
  seo: {
    title: draft.seo.title,
    description: draft.seo.description,
    canonical_url: draft.seo.canonical_url,
    robots: draft.seo.robots,
    og: draft.seo.og,
    schema_type: draft.seo.schema_type,
  },
});

function revisionOf(
  { nowAt, by }: DraftWork,
  { draftId, number }: { readonly draftId: string; readonly number: number },
  content: DraftContent,
  { message, source, words }: RevisionNote & { readonly words: number },
): Revision {
  const plain = contentOf(content);
  return {
    ...newResource(revisionId(draftId, number), nowAt),
    draft_id: draftId,
    number,
    hash: hashContent(plain),
    author: by,
    message,
    source,
    word_count: words,
    content: plain,
  };
}

/** The draft with the metrics of its text. */
async function withFigures({ part }: Tx, draft: Draft, words: number): Promise<Draft> {
  const { code } = await loadLanguage(draft.locale);
  return {
    ...draft,
    word_count: words,
    reading_minutes: readingMinutes(words, code),
    ai: { ...draft.ai, share: await shareOfAi(part, { body: draft.body, hashes: draft.ai.paragraphs }) },
  };
}

const isElsewhere = (a: { slug: string; locale: string }, b: { slug: string; locale: string }): boolean =>
  a.slug !== b.slug || a.locale.toLowerCase() !== b.locale.toLowerCase();
