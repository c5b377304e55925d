import { sha256Hex } from "../../../core/ids.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { markups, pageContents, pages } from "../repository.ts";
import type { Page, PageContent, Score } from "../schema.ts";
import type { Markup } from "../schema/markup.ts";
import type { Moment } from "./ingest.ts";
import { judgeMarkups } from "./page-tasks.ts";
import { readScore, storeScore } from "./score.ts";

/** Schemas of one page that are published at a time. */
export const PUBLISHED_MAX = 20;

/**
 * Stores HTML in a page: the reduced HTML, its facts, its score. Published markup that no longer matches it
 * is unpublished in the same commit.
 */
export async function storeContent(
  tx: Tx,
  before: Stored<Page>,
  read: Omit<PageContent, "id">,
  moment: Moment & { readonly now: number },
): Promise<{ readonly score: Stored<Score>; readonly page: Stored<Page> }> {
  const { nowAt, now } = moment;
  const content = { id: before.id, ...read };
  const stored = await tx.get(pageContents, before.id);
  tx.save(pageContents, stored, content);
  const scored = await readScore(tx, before.value, content, now);
  const page = tx.put(pages, before, {
    ...before.value,
    html_hash: sha256Hex(read.html),
    meta: scored.meta,
    status: "ready",
    error: null,
    fetched_at: nowAt,
    updated_at: nowAt,
  });
  await takeBack(tx, before.id, scored.text, moment);
  return storeScore(tx, page, scored, moment);
}

async function takeBack(tx: Tx, pageId: string, pageText: string, moment: Moment): Promise<void> {
  const value = `${pageId}.published`;
  const { items } = await tx.peekPage(markups, { index: "page", value, limit: PUBLISHED_MAX });
  const found = await Promise.all(items.map(({ id }) => tx.get(markups, id)));
  const published = found.flatMap((before) => (before?.value.status === "published" ? [before] : []));
  if (published.length === 0) return;
  const jsonld = published.map((before) => before.value.jsonld);
  const all = await judgeMarkups(tx, { jsonld, page: pageText });
  for (const [index, before] of published.entries()) {
    const judged = all[index];
    if (judged === undefined || judged.errors.length === 0) continue;
    const invalid = { status: "invalid" as const, published_at: null };
    const { nowAt } = moment;
    const after = { ...before.value, ...judged, ...invalid, validated_at: nowAt, updated_at: nowAt };
    emitInvalid(tx, tx.put(markups, before, after).value, moment);
  }
}

/** Emits an event for structured data with errors. */
export function emitInvalid(tx: Tx, { id, page_id, status, errors }: Markup, { nowAt, newId }: Moment): void {
  if (status !== "invalid") return;
  tx.emit({
    id: newId("evt"),
    type: "answeros.schema.invalid",
    at: nowAt,
    data: { schema_id: id, page_id, errors: errors.length, first_code: errors[0]?.code ?? null },
  });
}
