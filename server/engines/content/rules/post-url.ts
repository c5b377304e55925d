/** URL of a post on the site; null if the store has not configured its site. */
export function postUrl(
  { site_url: site, post_path: path }: { readonly site_url: string | null; readonly post_path: string },
  slug: string,
): string | null {
  return site === null ? null : new URL(path.replace("{slug}", slug), site).href;
}

/** The slug in a URL of the site that matches the pattern; null for any other URL. */
export function slugOfUrl(
  { site_url: site, post_path: path }: { readonly site_url: string | null; readonly post_path: string },
  href: string,
): string | null {
  const base = site ?? "https://site.invalid";
  if (!URL.canParse(href, base)) return null;
  const url = new URL(href, base);
  if (url.host !== new URL(base).host) return null;
  const [before = "", after = ""] = path.split("{slug}");
  const bare = url.pathname.replace(/\/$/, "");
  const tail = after.replace(/\/$/, "");
  if (!bare.startsWith(before) || !bare.endsWith(tail)) return null;
  const slug = bare.slice(before.length, bare.length - tail.length);
  return /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(slug) ? slug : null;
}
