import { composed, withoutMarks } from "./marks.ts";
import type { Language } from "./model.ts";
import { wordsOf } from "./segments.ts";
import { SYLLABLES } from "./syllables.ts";
import { splitSentences } from "./sentences.ts";

/**
 * How a language is read. Word lists and stemmers are large, so they are loaded with the first text of a language. A
 * language that we have no lists for keeps all its words, unstemmed.
 */
export function loadLanguage(locale: string): Promise<Language> {
  const canonical = canonicalLocale(locale);
  const known = loaded.get(canonical);
  if (known !== undefined) return known;
  // Locales come with requests: the memory of them is bounded, with that of their words.
  if (loaded.size >= LOCALES_KEPT) loaded.clear();
  const made = makeLanguage(canonical);
  loaded.set(canonical, made);
  return made;
}

const LOCALES_KEPT = 16;
const loaded = new Map<string, Promise<Language>>();

/** The canonical form of a BCP 47 tag; English for what is none. */
function canonicalLocale(locale: string): string {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? "en";
  } catch {
    return "en";
  }
}

async function makeLanguage(locale: string): Promise<Language> {
  const code = new Intl.Locale(locale).language;
  const segmenter = new Intl.Segmenter(locale, { granularity: "word" });
  const words = (text: string): string[] => wordsOf(text, segmenter);
  const stem = remember(await makeStem(code, locale));
  const count = SYLLABLES[code] ?? (await import("syllable")).syllable;
  // Figures have no syllables in the list; every word is spoken in one at least.
  const syllables = remember((word) => Math.max(1, count(word)));
  return {
    locale,
    code,
    words,
    sentences: splitSentences(locale),
    stem,
    stems: (text) =>
      words(text)
        .map(stem)
        .filter((found) => found !== null),
    syllables,
  };
}

/** Words of any language repeat: most of a text is looked up instead of worked out. */
function remember<R>(work: (word: string) => R): (word: string) => R {
  const known = new Map<string, R>();
  return (word) => {
    const before = known.get(word);
    if (before !== undefined) return before;
    if (known.size >= WORDS_KEPT) known.clear();
    const made = work(word);
    // A stranger's "word" can be a megabyte long.
    if (word.length <= 40) known.set(word, made);
    return made;
  };
}

const WORDS_KEPT = 10_000;

/** Stop words by ISO 639-3, as in the package `stopword`, and stemmers by their Snowball name. */
const LISTS: Readonly<Record<string, { readonly words: string; readonly stemmer?: string }>> = {
  en: { words: "eng" },
  ar: { words: "ara", stemmer: "arabic" },
  ca: { words: "cat", stemmer: "catalan" },
  cs: { words: "ces", stemmer: "czech" },
  da: { words: "dan", stemmer: "danish" },
  de: { words: "deu", stemmer: "german" },
  es: { words: "spa", stemmer: "spanish" },
  eu: { words: "eus", stemmer: "basque" },
  fi: { words: "fin", stemmer: "finnish" },
  fr: { words: "fra", stemmer: "french" },
  ga: { words: "gle", stemmer: "irish" },
  hu: { words: "hun", stemmer: "hungarian" },
  hy: { words: "hye", stemmer: "armenian" },
  it: { words: "ita", stemmer: "italian" },
  nb: { words: "nob", stemmer: "norwegian" },
  nl: { words: "nld", stemmer: "dutch" },
  no: { words: "nob", stemmer: "norwegian" },
  pl: { words: "pol" },
  pt: { words: "por", stemmer: "portuguese" },
  ro: { words: "ron", stemmer: "romanian" },
  ru: { words: "rus", stemmer: "russian" },
  sl: { words: "slv", stemmer: "slovene" },
  sv: { words: "swe", stemmer: "swedish" },
  tr: { words: "tur", stemmer: "turkish" },
  uk: { words: "ukr" },
};

async function makeStem(code: string, locale: string): Promise<Language["stem"]> {
  const lists = LISTS[code];
  const stops = lists === undefined ? new Set<string>() : await loadStopWords(lists.words);
  if (code === "en") {
    const { stemmer } = await import("stemmer");
    return (word) => {
      const plain = withoutPossessive(withoutMarks(lower(word, locale)));
      return stops.has(plain) ? null : stemmer(plain);
    };
  }
  const stemmer = lists?.stemmer === undefined ? null : await loadSnowball(lists.stemmer);
  // Elsewhere marks distinguish words and endings, so they go last.
  return (word) => {
    const written = composed(lower(word, locale));
    if (stops.has(written)) return null;
    return withoutMarks(stemmer === null ? written : stemmer(written));
  };
}

const lower = (word: string, locale: string): string => word.toLocaleLowerCase(locale).replaceAll("’", "'");
const withoutPossessive = (word: string): string => word.replace(/'s$|'$/, "");

async function loadStopWords(list: string): Promise<ReadonlySet<string>> {
  const { default: lists } = await import("stopword");
  const words = lists[list];
  return new Set(Array.isArray(words) ? words.map((word) => String(word).normalize("NFC")) : []);
}

async function loadSnowball(algorithm: string): Promise<(word: string) => string> {
  const { default: factory } = await import("snowball-stemmers");
  const stemmer = factory.newStemmer(algorithm);
  return (word) => stemmer.stem(word);
}
