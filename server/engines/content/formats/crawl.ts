import { textContent } from "domutils";

import { loadPage } from "../../../lib/text/page.ts";
import { select } from "../../../lib/text/select.ts";
import type { TechnicalFacts } from "../rules/technical.ts";

export type CrawlFacts = Pick<TechnicalFacts, "uncrawlable" | "hreflang" | "canonicals" | "images" | "links">;

/** What a crawler reads in a whole page besides its text: all links, images and alternates. */
export async function readCrawl(html: string): Promise<CrawlFacts> {
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
