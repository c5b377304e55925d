import { cutDeep } from "../../../lib/text/depth.ts";

/** Addresses of a sitemap, or of the sitemaps that an index names. */
export interface Sitemap {
  readonly pages: readonly string[];
  readonly sitemaps: readonly string[];
}

/** Reads a sitemap (sitemaps.org 0.9) or an index of them; null for what is neither. No entity is resolved but XML's own. */
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
