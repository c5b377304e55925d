import type { Stored, Tx } from "../../../core/tx.ts";
import { posts, siteId, sites, slugHolds, slugId } from "../repository.ts";
import { postUrl, slugOfUrl } from "../rules/post-url.ts";
import type { Settings, Site } from "../schema/draft.ts";
import { newResource } from "../../../lib/new-resource.ts";

/** Sites of a store that are looked at; the oldest are left out. */
const SITES_MAX = 50;

type At = Pick<Settings, "site_url" | "post_path">;

/** Records that posts are published under a site. */
export async function recordSite(tx: Tx, { post_path, site_url }: At, nowAt: string): Promise<void> {
  if (site_url === null) return;
  const id = siteId(site_url, post_path);
  if ((await tx.get(sites, id)) !== null) return;
  tx.create(sites, { ...newResource(id, nowAt), site_url, post_path });
}

/** Records that a post left the feeds of a site, none of whose other posts changed by that. */
export async function recordDeparture(tx: Tx, { post_path, site_url }: At, nowAt: string): Promise<void> {
  const site = await readSite(tx, { post_path, site_url });
  if (site !== null) tx.put(sites, site, { ...site.value, updated_at: nowAt });
}

export const readSite = async (tx: Tx, { post_path, site_url }: At): Promise<Stored<Site> | null> =>
  site_url === null ? null : tx.get(sites, siteId(site_url, post_path));

/** `recordSite` for the site that a change of the settings leaves, if there are posts. */
export async function recordLeftSite(tx: Tx, settings: At, nowAt: string): Promise<void> {
  const { items } = await tx.peekPage(posts, { index: "live", limit: 1 });
  if (items.length > 0) await recordSite(tx, settings, nowAt);
}

/**
 * Where the post of an earlier URL is now: on another site, under another path, or with another slug. Null for URLs that were
 * never those of a post, and for its current one.
 */
export async function movedTo(
  tx: Tx,
  settings: Settings,
  { locale, url }: { readonly url: string; readonly locale: string },
): Promise<string | null> {
  const { items } = await tx.peekPage(sites, { limit: SITES_MAX });
  for (const site of [settings, ...items.map(({ value }) => value)]) {
    const slug = site.site_url === null ? null : slugOfUrl(site, url);
    const held = slug === null ? null : await tx.get(slugHolds, slugId(locale, slug));
    const post = held === null ? null : await tx.get(posts, held.value.draft_id);
    if (post === null || (post.value.slug !== slug && held?.value.moved_to === null)) continue;
    const now = postUrl(settings, post.value.slug);
    if (now !== null && pageOf(now) !== pageOf(url)) return now;
  }
  return null;
}

/** A site that ends its URLs with a slash, or follows visitors by a query, would be redirected to the page that redirects there. */
const pageOf = (url: string): string => url.replace(/[?#].*$/s, "").replace(/\/$/, "");
