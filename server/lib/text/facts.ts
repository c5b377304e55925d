import { findAllergens } from "./allergen-words.ts";
import type { Language } from "./model.ts";
import { namesIn } from "./names.ts";
import { normalNumber, NUMBER_WORD, numberOfWord, UNITS } from "./numbers.ts";

export type ClaimKind = "number" | "price" | "date" | "url" | "allergen" | "name";

/** A statement of a text that can be checked against its sources. */
export interface Claim {
  readonly kind: ClaimKind;
  /** As in the text. */
  readonly text: string;
  /** The sources have it and the text should still have it, word for word: a sentence about allergens. */
  readonly missing?: true;
}

/** A claim with the form in which sources are searched for it. */
export interface Fact extends Claim {
  readonly key: string;
}

/**
 * What of `output` is in none of `sources`: figures with their units, prices, dates, addresses, allergens (and whether
 * they are in or not), capitalised names. Each claim once, in the order of the text. Names are not looked for in German,
 * which capitalises every noun, nor in a line in title case.
 */
export function unsupportedClaims(output: string, sources: readonly string[], language: Language): Claim[] {
  const known = new Set(sources.flatMap((source) => factsIn(source, language).flatMap(keysOf)));
  const sourceWords = new Set(
    sources
      .flatMap((source) => language.words(source))
      .flatMap((word) => [word.toLowerCase(), stemOf(word, language)]),
  );
  const missing = new Map<string, Claim>();
  for (const { kind, text, key } of factsIn(output, language)) {
    const isKnown =
      known.has(key) ||
      (kind === "name" && (sourceWords.has(text.toLowerCase()) || sourceWords.has(stemOf(text, language))));
    if (!isKnown && !missing.has(key)) missing.set(key, { kind, text });
  }
  return [...missing.values()];
}

/** Sentences about allergens that `output` no longer has word for word; `locked` are those that must stay. */
export function missingSentences(output: string, locked: readonly string[]): Claim[] {
  const written = flat(output);
  return locked
    .filter((sentence) => !written.includes(flat(sentence)))
    .map((text) => ({ kind: "allergen", text, missing: true }));
}

/** The sentences that speak of allergens: no rewriting may touch them. */
export const allergenSentences = (sentences: readonly string[]): string[] =>
  sentences.filter((sentence) => findAllergens(sentence).length > 0);

/** Everything in a text that the fact guard looks at, in order. */
function factsIn(text: string, language: Language): Fact[] {
  const facts: (Fact & { at: number })[] = [];
  let rest = text;
  // What one pattern has taken is blanked, so that a date is not also three figures.
  const take = (pattern: RegExp, read: (match: RegExpExecArray) => Fact | null): void => {
    const parts: string[] = [];
    let end = 0;
    for (const match of rest.matchAll(pattern)) {
      const fact = read(match);
      if (fact === null) continue;
      facts.push({ ...fact, at: match.index });
      parts.push(rest.slice(end, match.index), " ".repeat(fact.text.length));
      end = match.index + fact.text.length;
    }
    rest = parts.join("") + rest.slice(end);
  };
  take(URLS, ([found]) => {
    const url = withoutEnd(found);
    const key = `url ${url.toLowerCase().replaceAll(/^https?:\/\/(?:www\.)?|^www\.|\/$/g, "")}`;
    return { kind: "url", text: url, key };
  });
  for (const { pattern, key } of DATES) {
    take(pattern, (match) => ({ kind: "date", text: match[0], key: key(match) }));
  }
  for (const pattern of PRICES) take(pattern, priceOf);
  take(FIGURES, (match) => figureFact(match, normalNumber(match[1] ?? "")));
  if (language.code === "en") take(NUMBER_WORDS, (match) => figureFact(match, numberOfWord(match[1] ?? "")));
  for (const { text: found, key, at } of findAllergens(text))
    facts.push({ kind: "allergen", text: found, key, at });
  for (const { text: found, at } of namesIn(rest, language)) {
    facts.push({ kind: "name", text: found, key: `name ${found.toLowerCase()}`, at });
  }
  return facts.sort((a, b) => a.at - b.at).map(({ kind, text: found, key }) => ({ kind, text: found, key }));
}

/** What a fact of a source supports: a figure with its unit also the figure alone, a date also without its year. */
function keysOf({ key, kind }: Fact): string[] {
  if (kind === "number") return [key, key.split(" ", 2).join(" ")];
  if (kind !== "date") return [key];
  const [year = "*"] = key.slice("date ".length).split("-");
  return [key, key.replace(year, "*"), `number ${year}`];
}

/** Without the marks of a sentence. Not by a pattern, which would start again at every mark of a long run of them. */
function withoutEnd(url: string): string {
  let end = url.length;
  while (end > 0 && ".,;:!?)]".includes(url.charAt(end - 1))) end -= 1;
  return url.slice(0, end);
}

const URLS = /(?:https?:\/\/|www\.)[^\s<>"'`]+|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/gi;

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const MONTH = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`;
const monthOf = (name = ""): string =>
  String(MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1).padStart(2, "0");
const dayOf = (day = ""): string => day.padStart(2, "0");

/** Dates by the way they are written; a date without a year is another claim than one with it. */
const DATES: readonly { readonly pattern: RegExp; readonly key: (match: RegExpExecArray) => string }[] = [
  {
    pattern: /\b(\d{4})-(\d{2})-(\d{2})\b/g,
    key: ([, year, month, day]) => `date ${year}-${month}-${day}`,
  },
  {
    pattern: new RegExp(
      `\\b(\\d{1,2})(?:st|nd|rd|th)?\\s+(?:of\\s+)?(${MONTH})\\b\\.?(?:,?\\s+(\\d{4})\\b)?`,
      "gi",
    ),
    key: ([, day, month, year]) => `date ${year ?? "*"}-${monthOf(month)}-${dayOf(day)}`,
  },
  {
    pattern: new RegExp(`\\b(${MONTH})\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?\\b(?:,?\\s+(\\d{4})\\b)?`, "gi"),
    key: ([, month, day, year]) => `date ${year ?? "*"}-${monthOf(month)}-${dayOf(day)}`,
  },
  {
    pattern: /\b(\d{1,2})[/.](\d{1,2})[/.](\d{4})\b/g,
    key: ([, first, second, year]) => `date ${year}-${dayOf(second)}-${dayOf(first)}`,
  },
];

// Bounded, as everything here that repeats: texts come from strangers.
const AMOUNT = String.raw`\d{1,12}(?:[.,]\d{1,6}){0,4}`;
const CURRENCY_WORDS: Readonly<Record<string, string>> = {
  "£": "GBP",
  "€": "EUR",
  $: "USD",
  "¥": "JPY",
  pound: "GBP",
  pounds: "GBP",
  quid: "GBP",
  euro: "EUR",
  euros: "EUR",
  dollar: "USD",
  dollars: "USD",
};
const PRICES: readonly RegExp[] = [
  new RegExp(
    `(?<code>[£€$¥]|\\b(?:GBP|EUR|USD|CHF|JPY|CAD|AUD|SEK|NOK|DKK|PLN)\\b)\\s?(?<amount>${AMOUNT})`,
    "gu",
  ),
  new RegExp(
    `\\b(?<amount>${AMOUNT})\\s?(?<code>[£€$¥]|(?:GBP|EUR|USD|CHF|JPY|CAD|AUD|SEK|NOK|DKK|PLN|pounds?|euros?|dollars?|quid)\\b)`,
    "giu",
  ),
  new RegExp(`\\b(?<amount>${AMOUNT})(?<code>p)\\b`, "gu"),
];

function priceOf({ 0: text, groups }: RegExpExecArray): Fact {
  const code = groups?.code ?? "";
  const amount = normalNumber(groups?.amount ?? "");
  if (code === "p") return { kind: "price", text, key: `price GBP ${Number(amount) / 100}` };
  const currency = CURRENCY_WORDS[code.toLowerCase()] ?? code.toUpperCase();
  return { kind: "price", text, key: `price ${currency} ${amount}` };
}

const UNIT = String.raw`(?:\s?(%|°\s?[CF]\b)|\s?-?([ap]\.m\.|\p{L}{1,14}))?`;
const FIGURES = new RegExp(String.raw`(?<![\p{L}\p{N}.,])(\d+(?:[.,]\d+)*(?::\d{2})?)(?!\p{N})${UNIT}`, "gu");
const NUMBER_WORDS = new RegExp(String.raw`(?<![\p{L}\p{N}-])(${NUMBER_WORD})(?![\p{L}\p{N}])${UNIT}`, "giu");

/** A figure, with its unit where what follows is one. */
function figureFact([all, written = "", sign, word = ""]: RegExpExecArray, value: string): Fact {
  const unit = sign?.replaceAll(/\s/g, "") ?? UNITS.get(word.toLowerCase().replaceAll(".", ""));
  return unit === undefined
    ? { kind: "number", text: written, key: `number ${value}` }
    : { kind: "number", text: all, key: `number ${value} ${unit}` };
}

const stemOf = (word: string, language: Language): string => language.stem(word) ?? word.toLowerCase();
const flat = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
