import { sha256Hex } from "../../../core/ids.ts";
import { readText } from "../../../lib/text/read.ts";
import { defineWorkerTask } from "../../../lib/worker-tasks.ts";
import { aiShare, newParagraphs } from "../rules/provenance.ts";
import { readInspected } from "./read-inspected.ts";
import type { FetchedPage } from "./read-inspected.ts";
import { readSubmission } from "./read-submission.ts";
import type { Submission } from "./read-submission.ts";
import type { DraftContent } from "../schema/draft.ts";
import { textContent } from "domutils";
import { cutDeep } from "../../../lib/text/depth.ts";
import { select } from "../../../lib/text/select.ts";
import { parse } from "csv-parse/sync";
import type { ImportRow } from "../schema/article.ts";
import { CONTENT_LIMITS } from "../schema.ts";

// Results are kept small: what a thread returns is copied on the event loop.

/** Reads a text for its score. */
export const readForScore = defineWorkerTask({
  id: "content.score",
  size: ({ body }: Submission) => body.length,
  run: readSubmission,
});

/** Reads a fetched page for its inspection; its text only as a hash. */
export const readForInspection = defineWorkerTask({
  id: "content.page",
  size: ({ html, robotsTxt }: FetchedPage) => html.length + (robotsTxt?.text.length ?? 0),
  run: async (page: FetchedPage) => {
    const { text, ...read } = await readInspected(page);
    return { ...read, hash: sha256Hex(text) };
  },
});

/** The words of a draft. */
export const countWords = defineWorkerTask({
  id: "content.words",
  size: ({ body }: Pick<DraftContent, "body" | "body_format" | "locale">) => body.length,
  run: async ({ body, body_format: format, locale }) =>
    (await readText({ body, format, locale })).counts.words,
});

/** The share of a body that an AI wrote, by the hashes of its paragraphs. */
export const shareOfAi = defineWorkerTask({
  id: "content.ai-share",
  size: ({ body, hashes }: { readonly body: string; readonly hashes: readonly string[] }) =>
    hashes.length === 0 ? 0 : body.length,
  run: ({ body, hashes }) => (hashes.length === 0 ? 0 : aiShare(body, hashes)),
});

/** Hashes of the paragraphs that a text has and the one before it has not. */
export const hashNew = defineWorkerTask({
  id: "content.new-paragraphs",
  size: ({ before, after }: { readonly before: string; readonly after: string }) =>
    before.length + after.length,
  run: ({ before, after }) => newParagraphs(before, after),
});

/** The changes between two revisions. */
export const compareContents = defineWorkerTask({
  id: "content.diff",
  size: ({ from, to }: { readonly from: DraftContent; readonly to: DraftContent }) =>
    from.body.length + to.body.length,
  run: async ({ from, to }) => (await import("../rules/revision-diff.ts")).diffContent(from, to),
});

/** The rows of an import of articles. */
export const readArticleCsv = defineWorkerTask({
  id: "content.csv",
  size: (csv: string) => csv.length,
  run: async (csv) => (await import("../formats/csv.ts")).readArticleRows(csv),
});

/** The URLs of a sitemap. */
export const readSitemapText = defineWorkerTask({
  id: "content.sitemap",
  size: (xml: string) => xml.length,
  run: readSitemap,
});

/** URLs of a sitemap, or of the sitemaps in an index. */
interface Sitemap {
  readonly pages: readonly string[];
  readonly sitemaps: readonly string[];
}

/**
 * Parses a sitemap (sitemaps.org 0.9) or a sitemap index; null for anything else. Only XML's predefined entities are
 * resolved.
 */
async function readSitemap(text: string): Promise<Sitemap | null> {
  const { parseDocument } = await import("htmlparser2");
  const root = parseDocument(await cutDeep(text, true), { xmlMode: true });
  const locations = (selector: string): string[] =>
    select(selector, root)
      .map((node) => node.children.find((child) => "name" in child && child.name === "loc"))
      .map((loc) => (loc === undefined ? "" : textContent(loc).trim()))
      .filter((loc) => loc !== "");
  if (select("urlset", root).length > 0) return { pages: locations("urlset > url"), sitemaps: [] };
  if (select("sitemapindex", root).length > 0)
    return { pages: [], sitemaps: locations("sitemapindex > sitemap") };
  return null;
}

type ReadRows =
  | { readonly ok: true; readonly rows: readonly ImportRow[] }
  | { readonly ok: false; readonly detail: string };

const NAMES: Readonly<Record<string, keyof ImportRow>> = {
  url: "url",
  page: "url",
  address: "url",
  keyphrase: "keyphrase",
  focus_keyphrase: "keyphrase",
  keyword: "keyphrase",
  title: "title",
};

/** Parses CSV with a header that contains `url` and optionally `keyphrase` and `title`. */
function readArticleRows(csv: string): ReadRows {
  let lines: string[][];
  try {
    lines = parse(csv, { bom: true, skip_empty_lines: true, relax_column_count: true, trim: true });
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : "The file is not valid CSV." };
  }
  const [header = [], ...rows] = lines;
  const columns = header.map((name) => NAMES[name.toLowerCase().replaceAll(/[\s-]+/g, "_")]);
  if (!columns.includes("url"))
    return { ok: false, detail: "The first line must contain the column names, including url." };
  if (rows.length > CONTENT_LIMITS.importRows) {
    return {
      ok: false,
      detail: `At most ${CONTENT_LIMITS.importRows} rows can be imported at once; the file has ${rows.length}. Split it.`,
    };
  }
  const cell = (row: readonly string[], name: keyof ImportRow): string | null =>
    row[columns.indexOf(name)] || null;
  return {
    ok: true,
    rows: rows.map((row) => ({
      url: cell(row, "url") ?? "",
      keyphrase: columns.includes("keyphrase") ? (cell(row, "keyphrase")?.slice(0, 120) ?? null) : null,
      title: columns.includes("title") ? (cell(row, "title")?.slice(0, 300) ?? null) : null,
    })),
  };
}
