import { readPage, loadPage } from "../../../lib/text/page.ts";
import type { TechnicalAudit } from "../schema/article.ts";
import { lastSegment, normaliseUrl } from "../rules/article-url.ts";
import { readModel } from "./read-submission.ts";
import type { ReadSubmission, Submission } from "./read-submission.ts";
import { badRobotsLines, technicalAudits } from "../rules/technical.ts";
import { textContent } from "domutils";
import { select } from "../../../lib/text/select.ts";
import type { TechnicalFacts } from "../rules/technical.ts";

/** A page as it was fetched. */
export interface FetchedPage {
  readonly html: string;
  readonly status: number;
  /** After redirects. */
  readonly url: string;
  readonly locale: string;
  readonly keyphrase: string | null;
  readonly robotsHeader: string | undefined;
  /** robots.txt with its URL; null without a response. */
  readonly robotsTxt: { readonly url: string; readonly status: number; readonly text: string } | null;
}

/** What an inspection needs of a page. */
export interface InspectedPage {
  readonly read: ReadSubmission;
  readonly title: string;
  readonly description: string;
  readonly audits: readonly TechnicalAudit[];
  readonly text: string;
  readonly indexable: boolean;
  readonly canonical: string | null;
  /** Normalised URLs of other pages of the site. */
  readonly targets: readonly string[];
}

const TARGETS_MAX = 200;

/** Reads a fetched page like a draft, and as a crawler does. */
export async function readInspected(page: FetchedPage): Promise<InspectedPage> {
  const { html, url, locale, robotsHeader } = page;
  const facts = await readPage({ html, url, locale, robotsHeader });
  const submission: Submission = {
    body: html,
    format: "html",
    locale,
    url,
    seoTitle: facts.title ?? "",
    description: facts.description ?? "",
    slug: lastSegment(url),
    kind: "post",
    cornerstone: false,
    keyphrase: page.keyphrase,
    robots: facts.robots,
    canonical: facts.canonical,
  };
  const robots = await judgeRobots(page);
  return {
    read: await readModel(facts.text, submission),
    title: facts.title ?? "",
    description: facts.description ?? "",
    audits: technicalAudits({
      status: page.status,
      title: facts.title,
      description: facts.description,
      noindex: facts.robots.noindex,
      url,
      ...(await readCrawl(html)),
      ...robots,
    }),
    text: facts.text.text,
    indexable: !facts.robots.noindex && robots.robotsAllow !== false,
    canonical: facts.canonical,
    targets: targetsOf(
      facts.text.links.filter(({ kind }) => kind === "internal").map(({ href }) => href),
      url,
    ),
  };
}

/** An unavailable robots.txt forbids nothing, but a server error is reported. */
async function judgeRobots({ robotsTxt, url }: FetchedPage) {
  if (robotsTxt === null) return { robotsAllow: null, robotsTxt: null };
  const { status, text } = robotsTxt;
  if (status !== 200) return { robotsAllow: null, robotsTxt: { status, badLines: 0 } };
  return {
    robotsAllow: await robotsAllow(robotsTxt.url, text, url),
    robotsTxt: { status, badLines: badRobotsLines(text) },
  };
}

function targetsOf(hrefs: readonly string[], own: string): string[] {
  const urls = hrefs.flatMap((href) => {
    const target = normaliseUrl(href);
    return target === null || target === own ? [] : [target];
  });
  return [...new Set(urls)].slice(0, TARGETS_MAX);
}

interface Robots {
  isAllowed(url: string, agent?: string): boolean | undefined;
}

/** Whether a robots.txt allows a crawler; everything that is not mentioned is allowed. */
async function robotsAllow(robotsUrl: string, text: string, url: string): Promise<boolean> {
  // The package's types declare a different module format.
  const loaded: unknown = (await import("robots-parser")).default;
  if (typeof loaded !== "function") throw new TypeError("robots-parser has no default export.");
  const robots: Robots = loaded(robotsUrl, text);
  return robots.isAllowed(url, "Googlebot") ?? true;
}

type CrawlFacts = Pick<TechnicalFacts, "uncrawlable" | "hreflang" | "canonicals" | "images" | "links">;

/** What a crawler reads in a whole page besides its text: all links, images and alternates. */
async function readCrawl(html: string): Promise<CrawlFacts> {
  const page = await loadPage(html);
  const attributes = (selector: string, ...names: readonly string[]) =>
    select(selector, page).map(({ attribs }) => names.map((name) => attribs[name]?.trim()));
  return {
    uncrawlable: select("a", page).filter(({ attribs: { href, id, name, role } }) =>
      isUncrawlable(href, role, name ?? id),
    ).length,
    links: select("a[href]", page).map((node) => ({
      text: textContent(node).replaceAll(/\s+/g, " ").trim(),
      rel: (node.attribs["rel"] ?? "").toLowerCase().split(/\s+/),
    })),
    images: attributes("img", "alt").map(([alt]) => ({ alt: alt ?? null })),
    hreflang: attributes('link[rel~="alternate"][hreflang]', "hreflang", "href").map(([lang, href]) => ({
      lang: lang ?? "",
      href: href ?? "",
    })),
    canonicals: attributes('link[rel~="canonical"]:not(body link)', "href").flatMap(([href]) =>
      href === undefined ? [] : [href],
    ),
  };
}

/** A script link, or one without a target; an anchor or an element that is explicitly not a link is excluded. */
function isUncrawlable(
  href: string | undefined,
  role: string | undefined,
  name: string | undefined,
): boolean {
  if (role !== undefined && role !== "link") return false;
  if (href === undefined) return name === undefined;
  const target = href.trim();
  if (target === "") return true;
  return /^javascript:/i.test(target);
}
