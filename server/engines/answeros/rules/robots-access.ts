/** Parser of robots.txt (`robots-parser`), injected so that it is loaded on first use. */
export type ReadRobots = (
  url: string,
  robotsTxt: string,
) => { isAllowed(url: string, bot?: string): boolean | undefined };

/**
 * Whether a robots.txt allows each crawler to fetch a page. No robots.txt (a 4xx) forbids nothing (RFC 9309 §2.3.1.3):
 * pass an empty one.
 */
export function robotsAccess(
  { url, robotsTxt }: { readonly url: string; readonly robotsTxt: string },
  bots: readonly string[],
  read: ReadRobots,
): Readonly<Record<string, boolean>> {
  const robots = read(new URL("/robots.txt", url).href, robotsTxt);
  return Object.fromEntries(bots.map((bot) => [bot, robots.isAllowed(url, bot) ?? true]));
}
