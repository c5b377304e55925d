import { sha256Hex } from "../../../core/ids.ts";
import { lookAt } from "../../../core/stored.ts";
import { readText } from "../../../lib/text/read.ts";
import { defineWorkerTask } from "../../../lib/worker-tasks.ts";
import { writeFeed } from "../formats/feeds.ts";
import type { FeedAbout, FeedFormat } from "../formats/feeds.ts";
import { readSitemap } from "../formats/sitemap.ts";
import { aiShare, newParagraphs } from "../rules/provenance.ts";
import { readInspected } from "./read-inspected.ts";
import type { FetchedPage } from "./read-inspected.ts";
import { readSubmission } from "./read-submission.ts";
import type { Submission } from "./read-submission.ts";
import { CONTENT_LIMITS } from "../schema.ts";
import type { DraftContent, Post, PostBody } from "../schema/draft.ts";

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

/** Sitemaps per index. */
export const SITEMAPS_MAX = 20;

/** The first URLs of a sitemap, as many as an import takes, and how many there are: five megabytes can have 200,000. */
export const readSitemapText = defineWorkerTask({
  id: "content.sitemap",
  size: (xml: string) => xml.length,
  run: async (xml) => {
    const read = await readSitemap(xml);
    if (read === null) return null;
    const { pages, sitemaps } = read;
    return {
      // One character more than allowed, so that a longer URL is refused and not truncated.
      pages: pages.slice(0, CONTENT_LIMITS.importRows).map((page) => page.slice(0, 1_001)),
      sitemaps: [...new Set(sitemaps)].slice(0, SITEMAPS_MAX),
      count: pages.length,
    };
  },
});

/** A post with its body as it is stored: parsing those of a feed takes long, too. Null without one. */
export interface StoredEntry {
  readonly post: Post;
  readonly body: string | null;
}

interface FeedToWrite {
  readonly format: FeedFormat;
  readonly about: FeedAbout;
  readonly entries: readonly StoredEntry[];
}

const htmlOf = ({ body }: StoredEntry): string =>
  body === null ? "" : lookAt<PostBody>({ members: body }).html;

/** A feed, of which the texts of its posts are written in one piece. */
export const writeFeedText = defineWorkerTask({
  id: "content.feed",
  size: ({ entries }: FeedToWrite) => entries.reduce((sum, { body }) => sum + (body?.length ?? 0), 0),
  run: ({ about, entries, format }) =>
    writeFeed(
      format,
      about,
      entries.map((entry) => ({ post: entry.post, html: htmlOf(entry) })),
    ),
});
