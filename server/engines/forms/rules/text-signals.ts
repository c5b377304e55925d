/** Spam signals in the text of a submission. */
export interface TextSignals {
  readonly urls: number;
  readonly url_share: number;
  readonly markup: boolean;
  readonly blocked_term: boolean;
  readonly foreign_script: boolean;
}

const URLS = /\b(?:https?:\/\/|www\.)[^\s<>"']+/gi;
const MARKUP = /<\/?[a-z][^<>]{0,200}>|\[\/?(?:url|img|b|i|link)\b[^[\]]{0,200}\]/i;

/** `text` is the typed text; `locale` the language of the form. */
export function textSignals(
  text: string,
  context: { readonly locale: string; readonly blockedTerms: readonly string[] },
): TextSignals {
  const urls = text.match(URLS) ?? [];
  const length = text.replaceAll(/\s/g, "").length;
  const inUrls = urls.reduce((all, url) => all + url.length, 0);
  const lower = text.toLowerCase();
  return {
    urls: urls.length,
    url_share: length === 0 ? 0 : Math.min(1, inUrls / length),
    markup: MARKUP.test(text),
    blocked_term: context.blockedTerms.some((term) => lower.includes(term.toLowerCase())),
    foreign_script: isForeign(text, context.locale),
  };
}

/** Languages written in non-Latin scripts. */
const OTHER_SCRIPTS = /^(ar|be|bg|el|fa|he|hi|hy|ja|ka|ko|mk|ru|sr|th|uk|ur|zh)\b/;

/** Most characters are of a different script than the language of the form. */
function isForeign(text: string, locale: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (letters < 10) return false;
  return OTHER_SCRIPTS.test(locale) ? false : letters - latin > letters / 2;
}

const SHINGLE = 3;
/** Characters that are compared: each submission is compared with thirty others, and anyone can send them. */
const COMPARED_CHARS = 5_000;

/** Three-word shingles of the beginning of a text, lower case and without punctuation. */
export function shingles(text: string): ReadonlySet<string> {
  const words =
    text
      .slice(0, COMPARED_CHARS)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length < SHINGLE) return new Set(words.length === 0 ? [] : [words.join(" ")]);
  return new Set(words.slice(SHINGLE - 1).map((_, at) => words.slice(at, at + SHINGLE).join(" ")));
}

/** Common shingles divided by all shingles, 0 to 1 (vector A17). Two empty sets have similarity 0. */
export function jaccard(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  let common = 0;
  for (const shingle of left) if (right.has(shingle)) common += 1;
  const all = left.size + right.size - common;
  return all === 0 ? 0 : common / all;
}

export const DUPLICATE_FROM = 0.8;
