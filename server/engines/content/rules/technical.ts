import { isLanguageTag } from "../../../lib/language-tag.ts";
import type { TechnicalAudit } from "../schema/article.ts";

/** What a crawler sees of a page: its response, head and links. */
export interface TechnicalFacts {
  readonly status: number;
  readonly title: string | null;
  readonly description: string | null;
  readonly noindex: boolean;
  /** Whether robots.txt allows any crawler; null without robots.txt. */
  readonly robotsAllow: boolean | null;
  /** Status of robots.txt and number of invalid lines; null without a response. */
  readonly robotsTxt: { readonly status: number; readonly badLines: number } | null;
  readonly links: readonly { readonly text: string; readonly rel: readonly string[] }[];
  /** `<a>` elements that a crawler cannot follow. */
  readonly uncrawlable: number;
  readonly images: readonly { readonly alt: string | null }[];
  readonly hreflang: readonly { readonly lang: string; readonly href: string }[];
  /** Raw values of all canonical links. */
  readonly canonicals: readonly string[];
  readonly url: string;
}

/** Weights of the SEO category of Lighthouse 13.5: indexing counts for about four of the others. */
const WEIGHTS: Readonly<Record<TechnicalAudit["id"], number>> = {
  "is-crawlable": 93 / 23,
  "document-title": 1,
  "meta-description": 1,
  "http-status-code": 1,
  "link-text": 1,
  "crawlable-anchors": 1,
  "robots-txt": 1,
  "image-alt": 1,
  hreflang: 1,
  canonical: 1,
};

/** The ten audits with the ids and weights of that category. */
export const technicalAudits = (facts: TechnicalFacts): TechnicalAudit[] => [
  audit(
    "is-crawlable",
    !facts.noindex && facts.robotsAllow !== false,
    facts.noindex ? "noindex" : "robots.txt disallows the page",
  ),
  audit("document-title", (facts.title ?? "") !== "", "The page has no title."),
  audit("meta-description", (facts.description ?? "") !== "", "The page has no meta description."),
  audit(
    "http-status-code",
    facts.status >= 200 && facts.status < 400,
    `The page returned status ${facts.status}.`,
  ),
  linkText(facts),
  audit(
    "crawlable-anchors",
    facts.uncrawlable === 0,
    `${facts.uncrawlable} links cannot be followed by crawlers.`,
  ),
  robotsTxt(facts),
  imageAlt(facts),
  hreflang(facts),
  canonical(facts),
];

/** `round(100 · Σ weight of passed / Σ weight)` over applicable audits. */
export function technicalScore(audits: readonly TechnicalAudit[]): number {
  const applying = audits.filter(({ passed }) => passed !== null);
  const whole = applying.reduce((sum, { weight }) => sum + weight, 0);
  const reached = applying.reduce((sum, { weight, passed }) => sum + (passed === true ? weight : 0), 0);
  return whole === 0 ? 0 : Math.round((100 * reached) / whole);
}

const audit = (id: TechnicalAudit["id"], passed: boolean | null, detail: string): TechnicalAudit => ({
  id,
  passed,
  weight: Math.round(WEIGHTS[id] * 100) / 100,
  detail: passed === false ? detail : null,
});

/** Link texts that do not describe the target. */
const EMPTY_WORDS = new Set([
  "click here",
  "click this",
  "go",
  "here",
  "information",
  "learn more",
  "more",
  "more info",
  "more information",
  "right here",
  "read more",
  "see more",
  "start",
  "this",
]);

function linkText({ links }: TechnicalFacts): TechnicalAudit {
  const empty = links.filter(
    ({ text, rel }) => !rel.includes("nofollow") && EMPTY_WORDS.has(text.trim().toLowerCase()),
  );
  return audit(
    "link-text",
    empty.length === 0,
    `${empty.length} links have no descriptive text, only “${empty[0]?.text.trim() ?? ""}”.`,
  );
}

/** A missing robots.txt is fine; a server error or an unparsable file is not. */
function robotsTxt({ robotsTxt: robots }: TechnicalFacts): TechnicalAudit {
  if (robots === null || (robots.status >= 400 && robots.status < 500)) return audit("robots-txt", null, "");
  if (robots.status >= 500) return audit("robots-txt", false, `robots.txt returned status ${robots.status}.`);
  return audit("robots-txt", robots.badLines === 0, `robots.txt has ${robots.badLines} invalid lines.`);
}

function imageAlt({ images }: TechnicalFacts): TechnicalAudit {
  const without = images.filter(({ alt }) => alt === null).length;
  return audit(
    "image-alt",
    images.length === 0 ? null : without === 0,
    `${without} images have no alt text.`,
  );
}

function hreflang({ hreflang: links }: TechnicalFacts): TechnicalAudit {
  const bad = links.find(({ lang, href }) => !isLanguage(lang) || !/^https?:\/\//i.test(href));
  return audit(
    "hreflang",
    links.length === 0 ? null : bad === undefined,
    `hreflang ${bad?.lang ?? ""} is not a valid language with an absolute URL.`,
  );
}

const isLanguage = (lang: string): boolean => lang.toLowerCase() === "x-default" || isLanguageTag(lang);

/** Exactly one, absolute, and not the home page instead of another page. */
function canonical({ canonicals, url }: TechnicalFacts): TechnicalAudit {
  const [first, ...others] = [...new Set(canonicals)];
  if (first === undefined) return audit("canonical", null, "");
  if (others.length > 0) return audit("canonical", false, "The page has several canonical URLs.");
  if (!/^https?:\/\//i.test(first) || !URL.canParse(first)) {
    return audit("canonical", false, "The canonical URL is not absolute.");
  }
  const [own, named] = [new URL(url), new URL(first)];
  const isFront = named.pathname === "/" && own.pathname !== "/" && own.host === named.host;
  return audit("canonical", !isFront, "The canonical URL is the home page of the site.");
}

const DIRECTIVES =
  /^(user-agent|disallow|allow|sitemap|crawl-delay|clean-param|host|request-rate|visit-time|noindex|agentmap|content-signal)$/i;

/** Invalid lines of a robots.txt: neither empty, a comment nor a directive with a value. */
export function badRobotsLines(text: string): number {
  return text.split(/\r\n|\r|\n/).filter((raw) => {
    const line = (raw.replace(/^\uFEFF/, "").split("#", 1)[0] ?? "").trim();
    if (line === "") return false;
    const at = line.indexOf(":");
    return at < 0 || !DIRECTIVES.test(line.slice(0, at).trim());
  }).length;
}
