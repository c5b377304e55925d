import { cutDeep } from "../../../lib/text/depth.ts";

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
  const { load } = await import("cheerio/slim");
  const $ = load(await cutDeep(text, true), { xml: true });
  const locations = (selector: string): string[] =>
    $(selector)
      .toArray()
      .map((node) => $(node).children("loc").first().text().trim())
      .filter((loc) => loc !== "");
  if ($("urlset").length > 0) return { pages: locations("urlset > url"), sitemaps: [] };
  if ($("sitemapindex").length > 0) return { pages: [], sitemaps: locations("sitemapindex > sitemap") };
  return null;
}
