import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { IntlMessageFormat } from "intl-messageformat";
import { z } from "zod";

import type english from "../../templates/locales/en.json";
import { showDate, showInstant, showMoney } from "../lib/show.ts";
import { isLanguageTag } from "../lib/language-tag.ts";
import { findPackageRoot } from "./package-root.ts";

export type MessageKey = keyof typeof english;
export type MessageValues = Readonly<Record<string, string | number>>;

/** Texts, dates and amounts in one language. */
export interface Words {
  /** Language and region, such as de-AT. */
  readonly locale: string;
  /** A message of the catalogue with its values (ICU MessageFormat). */
  readonly say: (key: MessageKey, values?: MessageValues) => string;
  /** Minor units of a currency. */
  readonly money: (amount: number, currency: string) => string;
  /** A calendar date, such as 2026-06-30. */
  readonly date: (date: string, style?: "long" | "full") => string;
  /** A moment, in the time zone given. */
  readonly instant: (instant: string, timeZone: string) => string;
  /** Basis points as a percentage: 1750 is 17.5%. */
  readonly rate: (bps: number) => string;
}

const DEFAULT_LOCALE = "en-GB";

const Catalogue = z.record(z.string(), z.string());
type Catalogue = z.output<typeof Catalogue>;

/** The catalogues by language: each is a file of `templates/locales`. */
function readCatalogues(): ReadonlyMap<string, Catalogue> {
  const folder = join(findPackageRoot(), "templates", "locales");
  return new Map(
    readdirSync(folder).map((file): [string, Catalogue] => [
      file.replace(/\.json$/, ""),
      Catalogue.parse(JSON.parse(readFileSync(join(folder, file), "utf8"))),
    ]),
  );
}

let catalogues: ReadonlyMap<string, Catalogue> | null = null;
const loaded = (): ReadonlyMap<string, Catalogue> => (catalogues ??= readCatalogues());

/** Languages that have a catalogue. */
export const languages = (): readonly string[] => [...loaded().keys()].sort();

const languageOf = (locale: string): string => locale.split("-", 1)[0] ?? "";
const isKnown = (locale: string): boolean => loaded().has(languageOf(locale));

/** Locales come with requests: the memory of them is bounded. */
const LOCALES_KEPT = 64;
const made = new Map<string, Words>();

/** The words of a locale; those of British English for a language without a catalogue, or what is no locale. */
export function wordsIn(locale: string | null): Words {
  const chosen = locale !== null && isKnown(locale) && isLanguageTag(locale) ? locale : DEFAULT_LOCALE;
  const before = made.get(chosen);
  if (before !== undefined) return before;
  if (made.size >= LOCALES_KEPT) made.clear();
  const words = createWords(chosen, loaded().get(languageOf(chosen)) ?? {});
  made.set(chosen, words);
  return words;
}

function createWords(locale: string, catalogue: Catalogue): Words {
  const formats = new Map<string, IntlMessageFormat>();
  const percent = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 2 });
  return {
    locale,
    say(key, values = {}) {
      const text = catalogue[key];
      if (text === undefined) throw new Error(`The catalogue of ${locale} has no message ${key}.`);
      const format = formats.get(key) ?? new IntlMessageFormat(text, locale, {}, { ignoreTag: true });
      formats.set(key, format);
      return String(format.format({ ...values }));
    },
    money: (amount, currency) => showMoney(amount, currency, locale),
    date: (date, style) => showDate(date, style, locale),
    instant: (instant, timeZone) => showInstant(instant, timeZone, locale),
    rate: (bps) => percent.format(bps / 10_000),
  };
}

/**
 * The locale of a page: the first language of `Accept-Language` that has a catalogue, in the region of the store if the
 * store uses that language; else the store's.
 */
export function chooseLocale(accept: string | undefined, own: string | null): string {
  const fallback = own !== null && isKnown(own) ? own : DEFAULT_LOCALE;
  const wanted = (accept ?? "")
    .slice(0, 500)
    .split(",")
    .map((part) => /^\s*([a-z]{2,3})(-[a-z\d]{2,8})*\s*(?:;\s*q=([\d.]+)\s*)?$/i.exec(part))
    .flatMap((match) =>
      match?.[1] === undefined ? [] : [{ tag: match[1].toLowerCase(), q: Number(match[3] ?? 1) }],
    )
    .filter(({ tag, q }) => q > 0 && isKnown(tag))
    .sort((a, b) => b.q - a.q)[0];
  if (wanted === undefined || wanted.tag === languageOf(fallback)) return fallback;
  return wanted.tag === "en" ? DEFAULT_LOCALE : wanted.tag;
}
