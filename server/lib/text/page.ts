import type { CheerioAPI } from "cheerio/slim";

import { cutDeep } from "./depth.ts";
import type { PageFacts } from "./model.ts";
import { resolve } from "./parts.ts";
import { readText } from "./read.ts";
import { select } from "./select.ts";

export interface PageInput {
  readonly html: string;
  /** Where the page was found, after redirects. */
  readonly url: string;
  /** BCP 47, where the page itself specifies no language. */
  readonly locale?: string;
  /** `X-Robots-Tag` of the answer. */
  readonly robotsHeader?: string | undefined;
  /** Crawler whose own rules count in addition to those for all, as in `googlebot`. */
  readonly crawler?: string;
}

/** What a page says of itself, and its main part as text. Whatever the page holds, nothing of it runs. */
export async function readPage({ html, url, locale, robotsHeader, crawler }: PageInput): Promise<PageFacts> {
  const $ = await loadPage(html);
  const root = $.root()[0];
  const attribute = (selector: string, name: string): string | null =>
    select(selector, root)[0]?.attribs[name]?.trim() || null;
  const base = resolve(attribute("base[href]", "href") ?? url, url);
  const canonical = attribute('link[rel~="canonical"][href]', "href");
  const lang = attribute("html[lang]", "lang");
  const title = $(select("title:not(svg title)", root)[0]).text().replaceAll(/\s+/g, " ").trim();
  return {
    title: title === "" ? null : title,
    description: contentOf($, "description"),
    lang,
    canonical: canonical === null ? null : resolve(canonical, base),
    robots: readRobots([
      contentOf($, "robots"),
      crawler === undefined ? null : contentOf($, crawler),
      robotsHeader,
    ]),
    json_ld: select('script[type="application/ld+json"]', root)
      .map((node) => $(node).text().trim())
      .filter((text) => text !== ""),
    properties: propertiesOf($),
    times: select("time[datetime]", root).map(({ attribs }) => attribs["datetime"]?.trim() ?? ""),
    text: await readText({
      body: $(select("body", root)[0]).html() ?? $.html(),
      format: "html",
      locale: lang ?? locale ?? "en",
      base_url: base,
      scope: "main",
    }),
  };
}

/**
 * A stranger's page as a tree. Not by the parser of browsers: it makes up for unclosed elements, and some kilobytes of them
 * become millions of elements.
 */
export async function loadPage(html: string): Promise<CheerioAPI> {
  const { load } = await import("cheerio/slim");
  return load(await cutDeep(html), { xml: false });
}

function contentOf($: CheerioAPI, name: string): string | null {
  const texts = select("meta[name]", $.root()[0])
    .filter(({ attribs }) => attribs["name"]?.toLowerCase() === name.toLowerCase())
    .map(({ attribs }) => attribs["content"]?.trim() ?? "")
    .filter((text) => text !== "");
  // Rules for crawlers add up; of anything else the first one counts.
  return name === "description" ? (texts[0] ?? null) : texts.length === 0 ? null : texts.join(", ");
}

/** The strictest of all that the rules say, as crawlers take them. `none` is noindex and nofollow. */
export function readRobots(rules: readonly (string | null | undefined)[]): PageFacts["robots"] {
  const words = rules
    .flatMap((rule) => (rule ?? "").toLowerCase().split(","))
    // A header may name a crawler first: `googlebot: noindex`.
    .map((word) => word.trim().replace(/^(?!max-|unavailable_after)[\w-]+:\s*/, ""));
  const limits = words
    .map((word) => /^max-snippet\s*:\s*(-?\d+)$/.exec(word)?.[1])
    .flatMap((limit) => (limit === undefined ? [] : [Number(limit)]))
    .filter((limit) => limit >= 0);
  return {
    noindex: words.includes("noindex") || words.includes("none"),
    nofollow: words.includes("nofollow") || words.includes("none"),
    nosnippet: words.includes("nosnippet") || limits.includes(0),
    max_snippet: limits.length === 0 ? null : Math.min(...limits),
  };
}

function propertiesOf($: CheerioAPI): Record<string, string> {
  const properties: Record<string, string> = {};
  for (const { attribs } of select("meta[property][content]", $.root()[0])) {
    const name = attribs["property"]?.toLowerCase() ?? "";
    if (/^(?:og|article|product|twitter):[\w:.-]+$/.test(name)) properties[name] ??= attribs["content"] ?? "";
  }
  return properties;
}
