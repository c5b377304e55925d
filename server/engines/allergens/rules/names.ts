import type { SaleType } from "../schema.ts";
import type { Settings } from "../schema/settings.ts";
import { codeOf } from "../data/codes.ts";
import { labelWords } from "../data/label-words.ts";
import { MODES } from "../data/modes.ts";
import type { Language, Mode, ModeId } from "../data/modes.ts";
import { widerOf } from "./taxonomy.ts";

/** A mode and the language in which it is written. */
export interface Wording {
  readonly mode: ModeId;
  readonly locale: Language;
}

/** The name of an allergen as the mode wants it in an ingredients list. */
export function labelName(code: string, { mode, locale }: Wording): string {
  const { names, names_in: namesIn } = codeOf(code);
  if (locale === "en") return namesIn[mode] ?? names.en.label;
  return locale === "fr" ? names.fr.label : translatedName(code, locale);
}

/** The name of Annex II in another language; a kind of a listed food has the name of the listed food. */
function translatedName(code: string, locale: Language): string {
  const { names } = labelWords(locale);
  for (const each of [code, codeOf(code).declared_as.eu ?? code, ...widerOf(code)]) {
    const name = names[each];
    if (name !== undefined) return name;
  }
  return code === "shellfish"
    ? ["crustacean", "mollusc"].map((each) => translatedName(each, locale)).join(", ")
    : codeOf(code).names.en.label;
}

/** The same in a statement: the plural where people say it so, the prescribed name where one is prescribed. */
export function statementName(code: string, wording: Wording): string {
  const { mode, locale } = wording;
  if (PRESCRIBED.has(mode) || (locale !== "en" && locale !== "fr")) return labelName(code, wording);
  return codeOf(code).names[locale].statement;
}

const PRESCRIBED: ReadonlySet<ModeId> = new Set(["us", "au_nz"]);

/** "Contains" and "May contain" as the mode begins them; B.01.010.3 (ca) wants the title with its colon. */
export function statementTitles({ mode, locale }: Wording): { contains: string; mayContain: string } {
  const { contains, may_contain: mayContain } = labelWords(locale);
  const colon = locale === "en" && (mode === "ca" || mode === "us") ? ":" : "";
  return { contains: `${contains}${colon}`, mayContain: `${mayContain}${colon}` };
}

/** Finds where an allergen is named in a text, by the words of its code in the language; each place once, in order. */
export function findNames(
  text: string,
  codes: readonly string[],
  locale: Language = "en",
): { readonly start: number; readonly end: number; readonly code: string }[] {
  const places = codes.flatMap((code) =>
    [...text.matchAll(patternOf(code, locale))].map(({ index, 0: found }) => ({
      start: index,
      end: index + found.length,
      code,
    })),
  );
  const kept: { start: number; end: number; code: string }[] = [];
  for (const place of places.sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (place.start >= (kept.at(-1)?.end ?? 0)) kept.push(place);
  }
  return kept;
}

const patterns = new Map<string, RegExp>();

/** Languages that write compounds as one word: "Weizenmehl" names wheat by its beginning. */
const COMPOUNDING: ReadonlySet<Language> = new Set(["da", "de", "et", "fi", "hu", "nl", "sv"]);
/** A shorter beginning may be part of another word. */
const COMPOUND_CHARS = 5;

function patternOf(code: string, locale: Language): RegExp {
  const isOwn = locale === "en" || locale === "fr";
  const key = isOwn ? code : `${code} ${locale}`;
  const known = patterns.get(key);
  if (known !== undefined) return known;
  const names = isOwn ? codeOf(code).words : [translatedName(code, locale)];
  // The longest first, so that "eggs" is not read as "egg" and a rest.
  const words = [...names]
    .sort((a, b) => b.length - a.length)
    .map((word) =>
      COMPOUNDING.has(locale) && word.length >= COMPOUND_CHARS
        ? escapePattern(word)
        : `${escapePattern(word)}(?![\\p{L}\\p{N}])`,
    );
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join("|")})`, "giu");
  patterns.set(key, pattern);
  return pattern;
}

const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The language of a label where none is specified: the store's own, if the mode has it. */
export const languageOf = (mode: Mode, { language = "en" }: Pick<Settings, "language">): Language =>
  mode.languages.includes(language) ? language : (mode.languages[0] ?? "en");

/** True when the mode requires that names are emphasised in the list. */
export const emphasises = (mode: ModeId): boolean => MODES[mode].emphasis !== "none";

export interface LabelRequest extends Wording {
  readonly sale_type: SaleType;
}
