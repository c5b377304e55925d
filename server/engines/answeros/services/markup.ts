import type { Stored, Tx } from "../../../core/tx.ts";
import { pageContents, pages } from "../repository.ts";
import { judgeMarkup } from "./judge-markup.ts";
import type { JudgedMarkup } from "./judge-markup.ts";
import type { Page } from "../schema.ts";
import type { Source } from "./facts.ts";
import { judgeMarkups } from "./page-tasks.ts";

/** A page with its content as last fetched; null if it was never fetched. */
export async function sourceOfPage(
  tx: Tx,
  pageId: string,
): Promise<{ readonly page: Stored<Page>; readonly source: Source | null }> {
  const page = await tx.require(pages, pageId);
  const content = await tx.get(pageContents, pageId);
  const source =
    content === null ? null : { ...content.value, url: page.value.url, locale: page.value.locale };
  return { page, source };
}

/** Validates JSON-LD and compares it with a page. */
export async function judgeFor(tx: Tx, jsonld: unknown, page: Source | null): Promise<JudgedMarkup> {
  const [judged] = await judgeMarkups(tx, { jsonld: [jsonld], page });
  return judged ?? judgeMarkup(jsonld, null);
}
