/**
 * The one form of an address by which a page is told from another: lower-case host, default port and fragment dropped,
 * query sorted, `utm_*` dropped. Null for what is no http address, or has a name and password in it.
 */
export function normaliseUrl(text: string): string | null {
  const trimmed = text.trim();
  if (!URL.canParse(trimmed)) return null;
  const url = new URL(trimmed);
  if ((url.protocol !== "http:" && url.protocol !== "https:") || url.username !== "" || url.password !== "")
    return null;
  url.hash = "";
  const kept = [...url.searchParams].filter(([name]) => !/^utm_/i.test(name));
  kept.sort(([a, left], [b, right]) =>
    a < b || (a === b && left < right) ? -1 : a === b && left === right ? 0 : 1,
  );
  url.search = new URLSearchParams(kept).toString();
  return url.href.length > 1_000 ? null : url.href;
}

/** The last part of the path, without its extension: what stands for a slug at pages that are not ours. */
export function lastSegment(url: string): string {
  const segment =
    new URL(url).pathname
      .split("/")
      .filter((part) => part !== "")
      .at(-1) ?? "";
  return segment.replace(/\.[a-z]{2,5}$/i, "");
}
