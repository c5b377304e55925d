import { raw } from "../../../core/reply.ts";
import type { Reply } from "../../../core/reply.ts";
import { readEach } from "../../../core/read-page.ts";
import { sha256Base64Url } from "../../../core/ids.ts";
import type { StoredPage, Tx } from "../../../core/tx.ts";
import { fromInstant } from "../../../lib/instant.ts";
import { giveWay, waitForTurn } from "../../../lib/slices.ts";
import { sitemapEntry, writeSitemap } from "../formats/feeds.ts";
import type { FeedFormat } from "../formats/feeds.ts";
import { postBodies, posts, readSettings } from "../repository.ts";
import { postUrl } from "../rules/post-url.ts";
import { CONTENT_LIMITS } from "../schema.ts";
import { readSite } from "./site-pages.ts";
import { writeFeedText } from "./text-tasks.ts";
import type { StoredEntry } from "./text-tasks.ts";
import type { Post, Settings } from "../schema/draft.ts";

export const FEED_TYPES: Readonly<Record<FeedFormat, string>> = {
  rss: "application/rss+xml",
  atom: "application/atom+xml",
  json: "application/feed+json",
};

/** Where feeds and the sitemap of a store are read without a key. */
export const publicPath = (name: FeedFormat | "sitemap.xml", store = "{store}"): string =>
  `/api/public/stores/${store}/content/${name}`;

/** A post with its URL on the current site, which may have moved since it was published. */
export const onSite = (settings: Settings, post: Post): Post => ({
  ...post,
  url: postUrl(settings, post.slug),
});

/** Characters of texts from which on further posts have their excerpt alone: anybody may request a feed, and all of it is written at once. */
const FEED_CHARS = 500_000;

/** The newest posts as a feed whose address is the one without a key. */
export async function readFeed(tx: Tx, format: FeedFormat, baseUrl: string): Promise<Reply<never>> {
  const settings = await readSettings(tx);
  const page = await tx.peekPage(posts, {
    index: "live",
    value: "kind.post",
    limit: CONTENT_LIMITS.feedPosts,
  });
  const updatedAt = newest(page, [settings.updated_at, await departureAt(tx, settings)]);
  const own = settings.feeds_url;
  const feedUrl =
    own === null ? baseUrl + publicPath(format, tx.part) : `${own.replace(/\/$/, "")}/${format}`;
  const about = { settings, feedUrl, updatedAt };
  const versions = page.items.map(({ id, version }) => [id, version]);
  return writeOnce(tx.part, JSON.stringify([tx.part, format, about, versions]), async () => {
    const entries = await readEntries(tx, settings, page);
    return published(FEED_TYPES[format], await writeFeedText(tx, { format, about, entries }), updatedAt);
  });
}

async function readEntries(tx: Tx, settings: Settings, page: StoredPage<Post>): Promise<StoredEntry[]> {
  const entries: StoredEntry[] = [];
  let chars = 0;
  for (const { id, value } of page.items) {
    await giveWay(tx.part);
    const body = chars < FEED_CHARS ? await tx.get(postBodies, id) : null;
    chars += body?.members.length ?? 0;
    entries.push({ post: onSite(settings, value), body: body?.members ?? null });
  }
  return entries;
}

/** Feeds that are being written, by what they are written of: the commit that changes a body changes its post. */
const writing = new Map<string, Promise<Reply<never>>>();

/** What is being written for another request, or a new one: also where the other failed, as when its client is gone. */
async function writeOnce(
  part: string,
  name: string,
  write: () => Promise<Reply<never>>,
): Promise<Reply<never>> {
  const others = writing.get(name);
  if (others !== undefined) {
    const reply = await others.catch(write);
    // Many can have waited: each goes on in a turn of its own.
    await waitForTurn(part);
    return reply;
  }
  const reply = write().finally(() => writing.delete(name));
  writing.set(name, reply);
  return reply;
}

/** The indexable posts as a sitemap, written in short steps: anybody may request it. */
export async function readSitemap(tx: Tx): Promise<Reply<never>> {
  const settings = await readSettings(tx);
  const entries: string[] = [];
  let updatedAt = 0;
  const page: Tx["peekPage"] = (collection, query) => tx.peekPage(collection, query);
  for await (const { value } of readEach(tx.part, posts, { index: "live" }, page)) {
    entries.push(sitemapEntry(onSite(settings, value)));
    updatedAt = Math.max(updatedAt, fromInstant(value.updated_at));
    if (entries.length === CONTENT_LIMITS.sitemapPosts) break;
  }
  return published(
    "application/xml",
    writeSitemap(entries),
    Math.max(updatedAt, newest({ items: [] }, [settings.updated_at, await departureAt(tx, settings)])),
  );
}

/** When the last post left the site: without it, `Last-Modified` would go back, and caches would keep the post. */
const departureAt = async (tx: Tx, settings: Settings): Promise<string | null> =>
  (await readSite(tx, settings))?.value.updated_at ?? null;

const newest = ({ items }: Pick<StoredPage<Post>, "items">, others: readonly (string | null)[]): number =>
  Math.max(
    ...others.map((at) => (at === null ? 0 : fromInstant(at))),
    ...items.map(({ value }) => fromInstant(value.updated_at)),
  );

const published = (type: string, text: string, updatedAt: number): Reply<never> =>
  raw(`${type}; charset=utf-8`, text, {
    headers: {
      ETag: `"${sha256Base64Url(text).slice(0, 27)}"`,
      "Last-Modified": new Date(updatedAt).toUTCString(),
    },
  });
