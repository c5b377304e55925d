import type { Document } from "domhandler";
import { getInnerHTML, getOuterHTML, textContent } from "domutils";

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
  const root = await loadPage(html);
  const attribute = (selector: string, name: string): string | null =>
    select(selector, root)[0]?.attribs[name]?.trim() || null;
  const base = resolve(attribute("base[href]", "href") ?? url, url);
  const canonical = attribute('link[rel~="canonical"][href]', "href");
  const lang = attribute("html[lang]", "lang");
  const title = textContent(select("title:not(svg title)", root)[0] ?? [])
    .replaceAll(/\s+/g, " ")
    .trim();
  const body = select("body", root)[0];
  return {
    title: title === "" ? null : title,
    description: contentOf(root, "description"),
    lang,
    canonical: canonical === null ? null : resolve(canonical, base),
    robots: readRobots([
      contentOf(root, "robots"),
      crawler === undefined ? null : contentOf(root, crawler),
      robotsHeader,
    ]),
    json_ld: select('script[type="application/ld+json"]', root)
      .map((node) => textContent(node).trim())
      .filter((text) => text !== ""),
    properties: propertiesOf(root),
    times: select("time[datetime]", root).map(({ attribs }) => attribs["datetime"]?.trim() ?? ""),
    text: await readText({
      body: body === undefined ? getOuterHTML(root) : getInnerHTML(body),
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
export async function loadPage(html: string): Promise<Document> {
  const { parseDocument } = await import("htmlparser2");
  return parseDocument(await cutDeep(html));
}

function contentOf(root: Document, name: string): string | null {
  const texts = select("meta[name]", root)
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

function propertiesOf(root: Document): Record<string, string> {
  const properties: Record<string, string> = {};
  for (const { attribs } of select("meta[property][content]", root)) {
    const name = attribs["property"]?.toLowerCase() ?? "";
    if (/^(?:og|article|product|twitter):[\w:.-]+$/.test(name)) properties[name] ??= attribs["content"] ?? "";
  }
  return properties;
}
