const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "mailto:", "tel:"]);
const HOST = "site.invalid";

/**
 * Whether a browser takes it for a path of the same site, or for an address of an allowed scheme. `URL` is the parser of
 * browsers: it knows which characters they pass over. An address of another site must have its scheme.
 */
export function isHarmlessUrl(url: string): boolean {
  if (URL.canParse(url)) return SCHEMES.has(new URL(url).protocol);
  return URL.canParse(url, `https://${HOST}`) && new URL(url, `https://${HOST}`).host === HOST;
}

/** `srcset` without harmful addresses, and without what is no pair of address and size. */
export const harmlessSources = (srcset: string): string =>
  srcset
    .split(/,(?=\s)|(?<=\s[\d.]{1,9}[wx]),/)
    .map((source) => source.trim().split(/\s+/))
    .filter(
      ([url = "", size = "1x", ...more]) =>
        more.length === 0 && SIZE.test(size) && /^[^,]/.test(url) && isHarmlessUrl(url),
    )
    .map((source) => source.join(" "))
    .join(", ");

const SIZE = /^[\d.]{1,9}[wx]$/;
