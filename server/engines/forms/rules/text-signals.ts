import { giveWay } from "../../../lib/slices.ts";

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

interface Context {
  /** Language of the form. */
  readonly locale: string;
  readonly blockedTerms: readonly string[];
  /** For whom it is, see `giveWay`: anyone can send a text of 200,000 characters. */
  readonly key: string;
}

/** `text` is the typed text. */
export async function textSignals(
  text: string,
  { blockedTerms, key, locale }: Context,
): Promise<TextSignals> {
  const urls = text.match(URLS) ?? [];
  const length = text.replaceAll(/\s/g, "").length;
  const inUrls = urls.reduce((all, url) => all + url.length, 0);
  const lower = text.toLowerCase();
  return {
    urls: urls.length,
    url_share: length === 0 ? 0 : Math.min(1, inUrls / length),
    markup: MARKUP.test(text),
    blocked_term: await hasTerm(lower, blockedTerms, key),
    foreign_script: await isForeign(text, locale, key),
  };
}

async function hasTerm(lower: string, terms: readonly string[], key: string): Promise<boolean> {
  for (const term of terms) {
    await giveWay(key);
    if (lower.includes(term.toLowerCase())) return true;
  }
  return false;
}

/** Languages written in non-Latin scripts. */
const OTHER_SCRIPTS = /^(ar|be|bg|el|fa|he|hi|hy|ja|ka|ko|mk|ru|sr|th|uk|ur|zh)\b/;

/** Most characters are of a different script than the language of the form. */
async function isForeign(text: string, locale: string, key: string): Promise<boolean> {
  if (OTHER_SCRIPTS.test(locale)) return false;
  let [letters, latin] = [0, 0];
  for (const piece of text.match(PIECES) ?? []) {
    await giveWay(key);
    letters += piece.match(/\p{L}/gu)?.length ?? 0;
    latin += piece.match(/\p{Script=Latin}/gu)?.length ?? 0;
  }
  return letters >= 10 && letters - latin > letters / 2;
}

/** Pieces of a text between characters. */
const PIECES = /[^]{1,4000}/gu;

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
