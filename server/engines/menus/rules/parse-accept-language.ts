/** Maximum of evaluated tags: no real reader sends more. */
const TAGS_MAX = 20;

/**
 * The language tags of an `Accept-Language` header (RFC 9110 §12.5.4) by descending weight, equal weights in order.
 * Invalid tags, `*` and a weight of 0 are skipped.
 */
export function parseAcceptLanguage(header: string | undefined): string[] {
  if (header === undefined) return [];
  return header
    .slice(0, 1_000)
    .split(",")
    .slice(0, TAGS_MAX)
    .flatMap((part, at) => {
      const [, tag, weight] = PART.exec(part.trim()) ?? [];
      if (tag === undefined || tag === "*") return [];
      return [{ tag, at, weight: weight === undefined ? 1 : Number(weight) }];
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || a.at - b.at)
    .map(({ tag }) => tag);
}

const PART = /^(\*|[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*)(?:\s*;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/;
