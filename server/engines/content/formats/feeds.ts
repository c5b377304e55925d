import { escapeHtml } from "../../../lib/html.ts";
import type { Post, Settings } from "../schema/draft.ts";

/** A post with its text, for feeds. */
export interface FeedEntry {
  readonly post: Post;
  readonly html: string;
}

export type FeedFormat = "rss" | "atom" | "json";

export interface FeedAbout {
  readonly settings: Settings;
  /** URL of the feed itself. */
  readonly feedUrl: string;
  /** Time of the newest change, or of the settings without posts. */
  readonly updatedAt: number;
}

/** Writes a feed of posts, newest first. Characters that XML 1.0 does not allow are removed. */
export async function writeFeed(
  format: FeedFormat,
  { settings, feedUrl, updatedAt }: FeedAbout,
  entries: readonly FeedEntry[],
): Promise<string> {
  const { Feed } = await import("feed");
  const site = settings.site_url ?? feedUrl;
  const feed = new Feed({
    id: site,
    link: site,
    title: plain(settings.title),
    description: plain(settings.description),
    language: settings.locale,
    updated: new Date(updatedAt),
    generator: false,
    feedLinks: { [format]: feedUrl },
  });
  for (const { post, html } of entries) {
    const item = toItem(post, html, site);
    // Both are HTML there (RFC 4287 §3.1.1), and a text with a bracket is none.
    const { title, description } = item;
    const asHtml = { title: escapeHtml(title), description: escapeHtml(description) };
    feed.addItem(format === "atom" ? { ...item, ...asHtml } : format === "rss" ? forRss(item) : item);
  }
  if (format === "json") return feed.json1();
  if (format === "rss") return feed.rss2();
  // The library takes the ending of the path for the media type.
  return feed.atom1().replaceAll(/(<link rel="enclosure" [^>]*type="image\/)jpg"/g, '$1jpeg"');
}

/** RSS 2.0 demands an e-mail address of `author`; a name is a `dc:creator`. `length` 0 is for an unknown one. */
function forRss({ author, image, ...item }: ReturnType<typeof toItem>) {
  const [writer] = author ?? [];
  return {
    ...item,
    ...(image === undefined ? {} : { image: { url: image, type: imageType(image) ?? "", length: 0 } }),
    ...(writer === undefined
      ? {}
      : { extensions: [{ name: "dc:creator", objects: { _text: writer.name } }] }),
  };
}

const IMAGE_TYPES = new Map([
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["png", "image/png"],
  ["webp", "image/webp"],
  ["avif", "image/avif"],
  ["gif", "image/gif"],
]);

/** The media type of an image by the ending of its path; null for any other. */
const imageType = (url: string): string | null =>
  IMAGE_TYPES.get(new URL(url).pathname.split(".").at(-1)?.toLowerCase() ?? "") ?? null;

function toItem(post: Post, html: string, site: string) {
  const link = post.url ?? site;
  return {
    // The id does not change with the URL, and readers identify the post by it.
    id: `urn:content:${post.id}`,
    guid: `urn:content:${post.id}`,
    title: plain(post.title),
    link,
    date: new Date(post.updated_at),
    published: new Date(post.published_at),
    description: plain(post.excerpt === "" ? (post.seo.description ?? "") : post.excerpt),
    content: plain(html),
    category: post.tags.map((tag) => ({ name: plain(tag), term: plain(tag) })),
    ...(post.author === null
      ? {}
      : {
          author: [
            { name: plain(post.author.name), ...(post.author.url === null ? {} : { link: post.author.url }) },
          ],
        }),
    // An enclosure requires a media type, which is derived from the file extension.
    ...(post.cover === null || imageType(post.cover.url) === null ? {} : { image: post.cover.url }),
  };
}

/** XML 1.0 §2.2 does not allow most control characters, escaped or not. */
const plain = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, "");

/** The entry of a post in a sitemap (sitemaps.org 0.9); nothing for one that is not indexable. */
export function sitemapEntry({ url, seo, updated_at }: Post): string {
  if (url === null || seo.robots.noindex) return "";
  // A page with another canonical URL is not listed.
  if (seo.canonical_url !== null && seo.canonical_url !== url) return "";
  const [loc, lastmod] = [escapeHtml(url), updated_at];
  return `\n  <url>\n    <loc>${loc}</loc>\n    <lastmod>${lastmod}</lastmod>\n  </url>`;
}

/** A sitemap of such entries. */
export function writeSitemap(entries: readonly string[]): string {
  const root = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"`;
  const all = entries.join("");
  return `<?xml version="1.0" encoding="UTF-8"?>\n${all === "" ? `${root}/>` : `${root}>${all}\n</urlset>`}`;
}
