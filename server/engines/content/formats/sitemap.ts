import { textContent } from "domutils";

import { cutDeep } from "../../../lib/text/depth.ts";
import { select } from "../../../lib/text/select.ts";

/** URLs of a sitemap, or of the sitemaps in an index. */
export interface Sitemap {
  readonly pages: readonly string[];
  readonly sitemaps: readonly string[];
}

/**
 * Parses a sitemap (sitemaps.org 0.9) or a sitemap index; null for anything else. Only XML's predefined entities are
 * resolved.
 */
export async function readSitemap(text: string): Promise<Sitemap | null> {
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
