import { eachDue } from "../../../core/batches.ts";
import { fetchFollowing, isOverBudget } from "../../../core/fetching.ts";
import type { Job, JobContext } from "../../../core/engine.ts";
import { OutgoingError } from "../../../core/ports.ts";
import type { Tx } from "../../../core/tx.ts";
import { watch } from "../../../core/watch.ts";
import { isTooComplex } from "../../../lib/worker-tasks.ts";
import { importRows, readSettings, urlImports } from "../repository.ts";
import { normaliseUrl } from "../rules/article-url.ts";
import { fittingRows } from "../rules/import-rows.ts";
import type { ImportRow, UrlImport } from "../schema/article.ts";
import type { Settings } from "../schema/draft.ts";
import { CONTENT_LIMITS } from "../schema.ts";
import { newArticle, queueInspection, trackArticle } from "../services/articles.ts";
import { readSitemapText, SITEMAPS_MAX } from "../services/text-tasks.ts";

/** Rows per commit; an article with its keyphrase and its check takes about sixteen operations. */
const ROWS = 10;
const ERRORS_KEPT = 50;
const SITEMAP_BYTES = 5_000_000;
/** Characters of a reason, which may name an address of another server. */
const ERROR_CHARS = 500;

/** Continues imports: fetches a sitemap, then tracks its pages in batches. */
export const importArticles: Job = {
  id: "content.import-articles",
  summary: "Tracks the pages of imported sitemaps and CSV files",
  schedule: "*/10 * * * * *",
  watches: [watch(urlImports, { index: "open" })],
  async run(work) {
    const open = { collection: urlImports, index: "open", isDue: () => true };
    const { done } = await eachDue(work, open, async (id) => {
      let steps = 0;
      while (work.hasTime() && (await stepImport(work, id))) steps += 1;
      return steps;
    });
    return { steps: done };
  },
};

/** The sitemap, or the next rows; false once the import is over. */
async function stepImport(work: JobContext, id: string): Promise<boolean> {
  const stored = await work.runTx(work.part, (tx) => tx.get(urlImports, id));
  if (stored === null || stored.value.finished_at !== null) return false;
  if (stored.value.status === "queued" && stored.value.kind === "sitemap")
    await fetchSitemap(work, stored.value);
  else await work.runTx(work.part, (tx) => importSome(tx, work, id));
  return true;
}

/**
 * Reads the sitemap, and those it refers to, into rows; an unavailable one ends the import. Throws where the budget of outgoing requests
 * is used up.
 */
async function fetchSitemap(work: JobContext, { id, sitemap_url: url }: UrlImport): Promise<void> {
  const found = await pagesOf(work, url ?? "").catch((error: unknown) => {
    if (error instanceof OutgoingError && !isOverBudget(error)) return error.message;
    if (isTooComplex(error)) return error.detail;
    throw error;
  });
  if (work.signal.aborted) return;
  await work.runTx(work.part, async (tx) => {
    const before = await tx.get(urlImports, id);
    if (before === null || before.value.status !== "queued") return;
    const at = { updated_at: work.nowAt };
    if (typeof found === "string") {
      tx.put(urlImports, before, {
        ...before.value,
        ...at,
        status: "failed",
        error: found.slice(0, ERROR_CHARS),
        finished_at: work.nowAt,
      });
      return;
    }
    const rows = fittingRows(
      found.pages.map((page): ImportRow => ({ url: page, keyphrase: null, title: null })),
    );
    const left = found.count - rows.length;
    const errors =
      left === 0
        ? []
        : [
            {
              row: rows.length + 1,
              detail: `${left} further URLs exceed the limit of an import. Import them separately.`,
            },
          ];
    tx.create(importRows, { id, at: 0, rows: [...rows] });
    const counts = { ...before.value.counts, rows: rows.length };
    tx.put(urlImports, before, { ...before.value, ...at, status: "running", counts, errors });
  });
}

/** URLs of pages and how many there are, or the reason why there are none. */
async function pagesOf(
  { part, ports, signal }: JobContext,
  url: string,
): Promise<{ readonly pages: readonly string[]; readonly count: number } | string> {
  const waiting = [url];
  const seen = new Set<string>();
  const pages: string[] = [];
  let count = 0;
  while (waiting.length > 0 && seen.size < SITEMAPS_MAX && pages.length < CONTENT_LIMITS.importRows) {
    const next = waiting.shift() ?? url;
    if (seen.has(next)) continue;
    seen.add(next);
    const { answer } = await fetchFollowing(ports.fetch, { url: next, bytesMax: SITEMAP_BYTES, signal });
    if (answer.status !== 200) return `${next} answers ${answer.status}.`;
    const sitemap = await readSitemapText(part, answer.text());
    if (sitemap === null) return `${next} is not a sitemap.`;
    pages.push(...sitemap.pages);
    count += sitemap.count;
    waiting.push(...sitemap.sitemaps);
  }
  return { pages, count };
}

/** Tracks the next rows of an import, in one commit with the progress. */
async function importSome(tx: Tx, work: JobContext, id: string): Promise<void> {
  const [before, waiting] = [await tx.get(urlImports, id), await tx.get(importRows, id)];
  if (before === null || before.value.finished_at !== null) return;
  const rows = waiting?.value.rows ?? [];
  const from = waiting?.value.at ?? 0;
  const settings = await readSettings(tx);
  const counts = { ...before.value.counts };
  const errors = [...before.value.errors];
  for (const [offset, row] of rows.slice(from, from + ROWS).entries()) {
    const outcome = await importRow(tx, work, { row, settings, import: before.value });
    counts[outcome] += 1;
    if (outcome === "refused" && errors.length < ERRORS_KEPT) {
      errors.push({
        row: from + offset + 1,
        detail: "Expected an absolute http or https URL of at most 1,000 characters.",
      });
    }
  }
  const isDone = from + ROWS >= rows.length;
  if (waiting !== null) {
    if (isDone) tx.remove(importRows, waiting);
    else tx.put(importRows, waiting, { ...waiting.value, at: from + ROWS });
  }
  tx.put(urlImports, before, {
    ...before.value,
    updated_at: work.nowAt,
    status: isDone ? "done" : "running",
    finished_at: isDone ? work.nowAt : null,
    counts,
    errors,
  });
}

async function importRow(
  tx: Tx,
  { nowAt, newId }: JobContext,
  context: { readonly row: ImportRow; readonly settings: Settings; readonly import: UrlImport },
): Promise<"created" | "known" | "refused"> {
  const url = normaliseUrl(context.row.url);
  if (url === null) return "refused";
  const article = newArticle(
    {
      url,
      source: context.import.kind === "csv" ? "import" : "sitemap",
      focus_keyphrase: context.row.keyphrase,
      title: context.row.title ?? "",
      locale: context.settings.locale,
      metadata: {},
      draft_id: null,
    },
    context.settings,
    nowAt,
  );
  const stored = await trackArticle(tx, article);
  if (stored === null) return "known";
  if (context.import.check) queueInspection(tx, newId("chk"), stored.id, nowAt);
  return "created";
}
