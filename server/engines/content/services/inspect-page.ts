import { fetchFollowing } from "../../../core/fetching.ts";
import { sha256Hex } from "../../../core/ids.ts";
import { OutgoingError } from "../../../core/ports.ts";
import type { FetchedAnswer, Ports } from "../../../core/ports.ts";
import type { TextModel } from "../../../lib/text/model.ts";
import { readPage } from "../../../lib/text/page.ts";
import { readCrawl } from "../formats/crawl.ts";
import { robotsAllow } from "../formats/robots.ts";
import { lastSegment, normaliseUrl } from "../rules/article-url.ts";
import { badRobotsLines, technicalAudits, technicalScore } from "../rules/technical.ts";
import type { TechnicalFacts } from "../rules/technical.ts";
import { articleId } from "../repository.ts";
import type { Article, ArticleStatus, Inspection } from "../schema/article.ts";
import { CONTENT_LIMITS } from "../schema.ts";
import { judgeModel } from "./judge.ts";
import type { Neighbours } from "./judge.ts";

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
 * A failure is a result too: `blocked` by the guard, or `error`.
 */
export async function inspectPage(
  fetch: Ports["fetch"],
  article: Article,
  neighbours: Neighbours,
  signal: AbortSignal,
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
    const page = await judgePage(fetch, { article, answer, url, neighbours, signal });
    return { ...base, outcome: hops.length > 1 ? "redirected" : "active", page };
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    const isRefused = error.fault === "refused";
    return {
      outcome: isRefused ? "blocked" : "error",
      hops: [{ url: article.url, status: null }],
      error: { code: isRefused ? "refused" : "no_answer", detail: error.message },
      httpStatus: null,
      page: null,
    };
  }
}

const fault = (base: Omit<InspectionResult, "outcome">, code: string, detail: string): InspectionResult => ({
  ...base,
  outcome: "error",
  error: { code, detail },
});

interface Fetched {
  readonly article: Article;
  readonly answer: FetchedAnswer;
  readonly url: string;
  readonly neighbours: Neighbours;
  readonly signal: AbortSignal;
}

async function judgePage(
  fetch: Ports["fetch"],
  { article, answer, url, neighbours, signal }: Fetched,
): Promise<FoundPage> {
  const html = answer.text();
  const facts = await readPage({
    html,
    url,
    locale: article.locale,
    robotsHeader: answer.headers["x-robots-tag"],
  });
  const { judged, facts: seo } = await judgeModel(
    facts.text,
    {
      body: html,
      format: "html",
      locale: article.locale,
      url,
      seoTitle: facts.title ?? "",
      description: facts.description ?? "",
      slug: lastSegment(url),
      cornerstone: false,
      keyphrase: article.focus_keyphrase,
      robots: facts.robots,
      canonical: facts.canonical,
    },
    neighbours,
  );
  const technical: TechnicalFacts = {
    status: answer.status,
    title: facts.title,
    description: facts.description,
    noindex: facts.robots.noindex,
    url,
    ...(await readCrawl(html)),
    ...(await readRobots(fetch, url, signal)),
  };
  const audits = technicalAudits(technical);
  return {
    result: {
      ...judged,
      aeo: null,
      title: (facts.title ?? "").slice(0, 500),
      description: (facts.description ?? "").slice(0, 1_000),
      technical: technicalScore(audits),
      audits,
    },
    hash: sha256Hex(facts.text.text),
    indexable: !facts.robots.noindex && technical.robotsAllow !== false,
    canonical: facts.canonical,
    internalOut: seo.links.internal.all,
    targets: targetsOf(facts.text, url),
    broken: seo.links.broken ?? 0,
  };
}

/** Rules of robots.txt for all crawlers. An unavailable file forbids nothing, but a server error is reported. */
async function readRobots(
  fetch: Ports["fetch"],
  url: string,
  signal: AbortSignal,
): Promise<Pick<TechnicalFacts, "robotsAllow" | "robotsTxt">> {
  const robotsUrl = new URL("/robots.txt", url).href;
  try {
    const { answer } = await fetchFollowing(fetch, {
      url: robotsUrl,
      headers: { "user-agent": USER_AGENT },
      bytesMax: 512_000,
      timeoutMs: 5_000,
      signal,
    });
    if (answer.status !== 200)
      return { robotsAllow: null, robotsTxt: { status: answer.status, badLines: 0 } };
    const text = answer.text();
    return {
      robotsAllow: await robotsAllow(robotsUrl, text, url),
      robotsTxt: { status: 200, badLines: badRobotsLines(text) },
    };
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    return { robotsAllow: null, robotsTxt: null };
  }
}

const TARGETS_MAX = 200;

function targetsOf({ links }: TextModel, own: string): string[] {
  const ids = links.flatMap(({ kind, href }) => {
    const url = kind === "internal" ? normaliseUrl(href) : null;
    return url === null || url === own ? [] : [articleId(url)];
  });
  return [...new Set(ids)].slice(0, TARGETS_MAX);
}
