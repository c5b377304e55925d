/**
 * The normalised form of a URL that identifies a page: lower-case host, default port and fragment dropped,
 * query sorted, `utm_*` dropped. Null for a URL that is not http(s) or contains credentials.
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

/** The last part of the path without extension: the equivalent of a slug for external pages. */
export function lastSegment(url: string): string {
  const segment =
    new URL(url).pathname
      .split("/")
      .filter((part) => part !== "")
      .at(-1) ?? "";
  return segment.replace(/\.[a-z]{2,5}$/i, "");
}
