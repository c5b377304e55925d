import { z } from "zod";

import { fail } from "../../../lib/errors.ts";
import { textErrors } from "../../../core/text-errors.ts";
import { oneValue } from "../../../core/by-value.ts";
import { mapPage } from "../../../core/map-page.ts";
import { ok, values } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { routesOf } from "../../../core/resource.ts";
import { LanguageTag, listFields, ListQuery, withVersion } from "../../../core/schema.ts";
import type { FeedFormat } from "../formats/feeds.ts";
import { filed, postBodies, posts, readSettings, sites, slugHolds, slugId } from "../repository.ts";
import { DraftKind, Post, Site, Slug, SlugHold } from "../schema/draft.ts";
import { CONTENT_LIMITS } from "../schema.ts";
import { FEED_TYPES, onSite, publicPath, readFeed, readSitemap } from "../services/feeds.ts";

const PostView = withVersion(Post);
const ListPosts = z.object({
  ...listFields,
  locale: LanguageTag.optional(),
  kind: DraftKind.optional(),
  tag: z.string().max(60).optional(),
});

const listPosts = routesOf({ id: "content.posts", view: PostView }).list({
  open: "public",
  summary: "List published posts, newest first",
  description: "Public data without the texts. Filter by one of locale, kind and tag.",
  query: ListPosts,
  handle: async ({ query }, { tx }) => {
    const live = { ...query, index: "live", value: valueOf(query) };
    const settings = await readSettings(tx);
    const page = await mapPage(tx, posts, live, ({ value, version }) => ({
      ...onSite(settings, value),
      version,
    }));
    return values(page.items, page);
  },
});

function valueOf({
  locale,
  kind,
  tag,
}: {
  locale?: string | undefined;
  kind?: string | undefined;
  tag?: string | undefined;
}): string {
  const value = oneValue({
    locale: locale && `locale.${locale.toLowerCase()}`,
    kind: kind && `kind.${kind}`,
    tag: tag && `tag.${filed(tag)}`,
  });
  return value ?? "";
}

const PostPage = Post.extend({
  html: z.string().meta({ description: "The sanitised text: safe to embed" }),
  moved_from: Slug.nullable().meta({
    description: "The requested slug if the post has moved: respond with a 301 redirect to `url`",
  }),
});

const getPost = defineRoute({
  id: "content.posts.get",
  method: "GET",
  path: "/posts/:slug",
  open: "public",
  summary: "Show a published post by its slug",
  description: "A previous slug of a post also returns the post, with moved_from.",
  params: z.object({ slug: Slug }),
  query: z.object({
    locale: LanguageTag.optional().meta({ description: "Default: the locale in the settings" }),
  }),
  data: PostPage,
  errors: [{ type: "not_found", when: "No published post with this slug" }],
  example: {
    params: { slug: "sourdough-starter" },
  },
  handle: async ({ params: { slug }, query }, { tx }) => {
    const settings = await readSettings(tx);
    const { locale } = settings;
    const held = await tx.get(slugHolds, slugId(query.locale ?? locale, slug));
    const post = held === null ? null : await tx.get(posts, held.value.draft_id);
    // A draft reserves its slug before it is published, and a staged slug before it is live.
    const isShown = post !== null && (post.value.slug === slug || held?.value.moved_to !== null);
    if (!isShown) throw fail("not_found", "No published post with this slug.");
    const body = await tx.get(postBodies, post.id);
    return ok({
      ...onSite(settings, post.value),
      html: body?.value.html ?? "",
      moved_from: post.value.slug === slug ? null : slug,
    });
  },
});

const Redirect = SlugHold.pick({ id: true, slug: true, locale: true, updated_at: true }).extend({
  to: Slug,
  status: z.literal(301),
});

const listRedirects = routesOf({ id: "content.redirects", view: Redirect }).list({
  open: "public",
  summary: "List previous slugs of posts, latest move first",
  description: "For 301 redirects on your site.",
  query: ListQuery,
  handle: async ({ query }, { tx }) => {
    const page = await tx.peekPage(slugHolds, { ...query, index: "moved" });
    // Where only its language changed, the URL of a post is the same.
    const items = page.items.flatMap(({ value: { id, slug, locale, updated_at, moved_to: to } }) =>
      to === null || to === slug ? [] : [{ id, slug, locale, updated_at, to, status: 301 as const }],
    );
    return { kind: "values", items, limit: page.limit, next: page.next };
  },
});

const SiteView = withVersion(Site).extend({
  current: z.boolean().meta({ description: "Whether posts have their URLs there now" }),
});

const listSites = routesOf({ id: "content.sites", view: SiteView }).list({
  summary: "List the sites under which posts were published",
  description:
    "Redirect requests for posts on an earlier site to " +
    "/api/public/stores/{store}/content/moved?url={requested URL}, which responds with 301 and the current URL, also of " +
    "posts with another slug since. For nginx: return 301 https://…/content/moved?url=$scheme://$host$uri; " +
    "`locale` selects another locale than that of the settings.",
  query: ListQuery,
  handle: async ({ query }, { tx }) => {
    const { post_path: path, site_url: site } = await readSettings(tx);
    const page = await tx.peekPage(sites, query);
    const shown = page.items.map(({ value, version }) => ({
      ...value,
      current: value.site_url === site && value.post_path === path,
      version,
    }));
    return values(shown, page);
  },
});

/** The part of the JSON Feed that clients can rely on; for the rest see its specification. */
const JsonFeed = z.looseObject({ version: z.string(), title: z.string(), items: z.array(z.looseObject({})) });

const feed = (format: FeedFormat) =>
  defineRoute({
    id: `content.feeds.${format}`,
    method: "GET",
    path: `/feeds/${format}`,
    open: "public",
    summary: `The newest posts as ${{ rss: "RSS 2.0", atom: "Atom 1.0", json: "JSON Feed 1.1" }[format]}`,
    description: `The newest fifty posts of kind post, with their texts. Returns an ETag. Without a key: ${publicPath(format)}`,
    data: format === "json" ? JsonFeed : z.string(),
    rawType: FEED_TYPES[format],
    errors: [...textErrors],
    handle: async (_, { tx, baseUrl }) => readFeed(tx, format, baseUrl),
  });

const sitemap = defineRoute({
  id: "content.sitemap.get",
  method: "GET",
  path: "/sitemap",
  open: "public",
  summary: "The published posts as a sitemap",
  description: `The newest ${CONTENT_LIMITS.sitemapPosts} posts with a URL that are indexable. Returns an ETag. Without a key: ${publicPath("sitemap.xml")}`,
  data: z.string(),
  rawType: "application/xml",
  handle: async (_, { tx }) => readSitemap(tx),
});

export const postRoutes = [
  listPosts,
  getPost,
  listRedirects,
  listSites,
  feed("rss"),
  feed("atom"),
  feed("json"),
  sitemap,
];
