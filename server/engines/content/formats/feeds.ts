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
  const site = settings.site_url === null ? null : new URL(settings.site_url).href;
  if (format === "json") return writeJsonFeed(settings, { site, feedUrl }, entries);
  const { Feed } = await import("feed");
  const feed = new Feed({
    id: site ?? new URL(feedUrl).href,
    // RSS 2.0 requires one of the channel.
    ...(site === null && format !== "rss" ? {} : { link: site ?? feedUrl }),
    title: plain(settings.title),
    description: plain(settings.description),
    language: settings.locale,
    updated: new Date(updatedAt),
    generator: false,
    feedLinks: { [format]: feedUrl },
    // Each entry of Atom needs an author, or the feed has one (RFC 4287 §4.1.2).
    ...(format === "atom" ? { author: { name: plain(settings.title) } } : {}),
  });
  for (const { post, html } of entries) {
    const item = toItem(post, html, site);
    // Both are HTML there (RFC 4287 §3.1.1), and a text with a bracket is none.
    const { title, description } = item;
    const asHtml = { title: escapeHtml(title), description: escapeHtml(description) };
    feed.addItem(format === "atom" ? { ...item, ...asHtml, link: item.link || item.id } : forRss(item));
  }
  if (format === "rss") return feed.rss2();
  // The library takes the ending of the path for the media type, writes no language, and a link also where an entry has none,
  // which may do without since it has its content (RFC 4287 §4.1.1).
  return feed
    .atom1()
    .replaceAll(/\n *<link href="urn:[^"]*"\/>/g, "")
    .replaceAll(/(<link rel="enclosure" [^>]*type="image\/)jpg"/g, '$1jpeg"')
    .replace("<feed ", `<feed xml:lang="${escapeHtml(settings.locale)}" `);
}

/** JSON Feed 1.1 (jsonfeed.org/version/1.1). */
function writeJsonFeed(
  settings: Settings,
  { feedUrl, site }: { readonly site: string | null; readonly feedUrl: string },
  entries: readonly FeedEntry[],
): string {
  const items = entries.map(({ html, post }) => {
    const item = toItem(post, html, site);
    const authors = (item.author ?? []).map(({ link, name }) =>
      link === undefined ? { name } : { name, url: link },
    );
    return {
      id: item.id,
      ...(item.link === "" ? {} : { url: item.link }),
      title: item.title,
      ...(item.description === "" ? {} : { summary: item.description }),
      content_html: item.content,
      ...(item.image === undefined ? {} : { image: item.image }),
      date_published: post.published_at,
      date_modified: post.updated_at,
      ...(authors.length === 0 ? {} : { authors }),
      ...(post.tags.length === 0 ? {} : { tags: post.tags }),
      language: post.locale,
    };
  });
  const feed = {
    version: "https://jsonfeed.org/version/1.1",
    title: settings.title,
    ...(site === null ? {} : { home_page_url: site }),
    feed_url: feedUrl,
    ...(settings.description === "" ? {} : { description: settings.description }),
    language: settings.locale,
    items,
  };
  return JSON.stringify(feed, null, 2);
}

/** RSS 2.0 demands an e-mail address of `author`; a name is a `dc:creator`. `length` 0 is for an unknown one. */
function forRss({ author, image, ...item }: ReturnType<typeof toItem>) {
  const [writer] = author ?? [];
  return {
    ...item,
    title: inCdata(item.title),
    description: inCdata(item.description),
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

function toItem(post: Post, html: string, site: string | null) {
  const link = post.url ?? site ?? "";
  return {
    // The id does not change with the URL, and readers identify the post by it.
    id: `urn:content:${post.id}`,
    guid: `urn:content:${post.id}`,
    title: plain(post.title),
    link,
    date: new Date(post.updated_at),
    published: new Date(post.published_at),
    description: plain(post.excerpt === "" ? (post.seo.description ?? "") : post.excerpt),
    content: inCdata(plain(html)),
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

/** A text with the end of a CDATA section as a reference: the library splits the first one, and the second ends the section. */
const inCdata = (text: string): string => text.replaceAll("]]>", "]]&gt;");

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
