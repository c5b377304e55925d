import { sha256Hex } from "../../../core/ids.ts";
import type { PageFacts } from "../../../lib/text/model.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { markups, pageContents, pages } from "../repository.ts";
import type { Page, PageContent, Score } from "../schema.ts";
import type { Markup } from "../schema/markup.ts";
import type { Moment } from "./ingest.ts";
import { judgeMarkup } from "./markup.ts";
import { storeScore, metaOf, readFacts } from "./score.ts";

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
  const facts = await readFacts({ ...content, url: before.value.url, locale: before.value.locale });
  const page = tx.put(pages, before, {
    ...before.value,
    html_hash: sha256Hex(read.html),
    meta: metaOf(facts, now),
    status: "ready",
    error: null,
    fetched_at: nowAt,
    updated_at: nowAt,
  });
  await takeBack(tx, before.id, facts, moment);
  return storeScore(tx, page, content, { ...moment, facts });
}

async function takeBack(tx: Tx, pageId: string, facts: PageFacts, moment: Moment): Promise<void> {
  const value = `${pageId}.published`;
  const { items } = await tx.peekPage(markups, { index: "page", value, limit: PUBLISHED_MAX });
  for (const { id } of items) {
    const before = await tx.get(markups, id);
    if (before === null || before.value.status !== "published") continue;
    const judged = judgeMarkup(before.value.jsonld, facts);
    if (judged.errors.length === 0) continue;
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
