import { fetchFollowing, isOverBudget } from "../../../core/fetching.ts";
import { OutgoingError } from "../../../core/ports.ts";
import type { FetchedAnswer, Ports } from "../../../core/ports.ts";
import type { FetchedPage } from "./read-inspected.ts";
import { technicalScore } from "../rules/technical.ts";
import { isTooComplex } from "../../../lib/worker-tasks.ts";
import { articleId } from "../repository.ts";
import type { Article, ArticleStatus, Inspection } from "../schema/article.ts";
import { CONTENT_LIMITS } from "../schema.ts";
import { judgeRead } from "./judge.ts";
import type { Neighbours } from "./judge.ts";
import { readForInspection } from "./text-tasks.ts";

/** What an inspection needs of its job; `part` is the store's partition. */
export interface Inspecting {
  readonly fetch: Ports["fetch"];
  readonly part: string;
  readonly signal: AbortSignal;
}

/** Result of fetching a tracked page. */
export interface InspectionResult {
  readonly outcome: ArticleStatus;
  readonly hops: Inspection["hops"];
  readonly error: Inspection["error"];
  readonly httpStatus: number | null;
  readonly page: FoundPage | null;
}

export interface FoundPage {
  readonly result: Omit<NonNullable<Inspection["result"]>, "changed">;
  readonly hash: string;
  readonly indexable: boolean;
  readonly canonical: string | null;
  readonly internalOut: number;
  /** Ids for pages of the same site that it links to, tracked or not. */
  readonly targets: readonly string[];
  readonly broken: number;
}

const USER_AGENT = "storefront-platform/0.1 (content check)";
const HTML = /^\s*(text\/html|application\/xhtml\+xml)\b/i;

/**
 * Fetches a page with at most three redirects, each verified by the guard, and scores it like a draft.
 * A failure is a result too: `blocked` by the guard, or `error`. Throws where the budget of outgoing requests is used up.
 */
export async function inspectPage(
  { fetch, part, signal }: Inspecting,
  article: Article,
  neighbours: Neighbours,
): Promise<InspectionResult> {
  const headers = { "user-agent": USER_AGENT, accept: "text/html,application/xhtml+xml" };
  try {
    const { answer, hops } = await fetchFollowing(
      fetch,
      { url: article.url, headers, signal },
      CONTENT_LIMITS.redirects,
    );
    const seen = hops.map((url, at) => ({ url, status: at === hops.length - 1 ? answer.status : null }));
    const base = { hops: seen, httpStatus: answer.status, page: null, error: null };
    if (answer.status === 404 || answer.status === 410) return { outcome: "gone", ...base };
    if (answer.location !== null) return fault(base, "too_many_redirects", "More than three redirects.");
    if (answer.status >= 400) return fault(base, "http_status", `The page returned status ${answer.status}.`);
    if (!HTML.test(answer.headers["content-type"] ?? "text/html")) {
      return fault(
        base,
        "not_html",
        `The page has the content type ${answer.headers["content-type"] ?? "none"}, not HTML.`,
      );
    }
    const url = hops.at(-1) ?? article.url;
    const page = await judgePage({ fetch, part, signal }, { article, answer, url, neighbours });
    return { ...base, outcome: hops.length > 1 ? "redirected" : "active", page };
  } catch (error) {
    const base = { hops: [{ url: article.url, status: null }], httpStatus: null, page: null };
    if (isTooComplex(error)) return fault(base, "text_too_complex", error.detail);
    if (!(error instanceof OutgoingError) || isOverBudget(error)) throw error;
    const isRefused = error.fault === "refused";
    return {
      ...base,
      outcome: isRefused ? "blocked" : "error",
      error: { code: isRefused ? "refused" : "no_answer", detail: error.message },
    };
  }
}

const fault = (
  base: Omit<InspectionResult, "outcome" | "error">,
  code: string,
  detail: string,
): InspectionResult => ({
  ...base,
  outcome: "error",
  error: { code, detail },
});

interface Fetched {
  readonly article: Article;
  readonly answer: FetchedAnswer;
  readonly url: string;
  readonly neighbours: Neighbours;
}

async function judgePage(
  { fetch, part, signal }: Inspecting,
  { article, answer, url, neighbours }: Fetched,
): Promise<FoundPage> {
  const page = await readForInspection(part, {
    html: answer.text(),
    status: answer.status,
    url,
    locale: article.locale,
    keyphrase: article.focus_keyphrase,
    robotsHeader: answer.headers["x-robots-tag"],
    robotsTxt: await fetchRobots(fetch, url, signal),
  });
  const { judged, facts } = await judgeRead(page.read, neighbours);
  return {
    result: {
      ...judged,
      aeo: null,
      title: page.title.slice(0, 500),
      description: page.description.slice(0, 1_000),
      technical: technicalScore(page.audits),
      audits: [...page.audits],
    },
    hash: page.hash,
    indexable: page.indexable,
    canonical: page.canonical,
    internalOut: facts.links.internal.all,
    targets: page.targets.map(articleId),
    broken: facts.links.broken ?? 0,
  };
}

/** robots.txt of the page's host; null without a response. */
async function fetchRobots(
  fetch: Ports["fetch"],
  pageUrl: string,
  signal: AbortSignal,
): Promise<FetchedPage["robotsTxt"]> {
  const url = new URL("/robots.txt", pageUrl).href;
  try {
    const { answer } = await fetchFollowing(fetch, {
      url,
      headers: { "user-agent": USER_AGENT },
      bytesMax: 512_000,
      timeoutMs: 5_000,
      signal,
    });
    return { url, status: answer.status, text: answer.text() };
  } catch (error) {
    if (!(error instanceof OutgoingError) || isOverBudget(error)) throw error;
    return null;
  }
}
