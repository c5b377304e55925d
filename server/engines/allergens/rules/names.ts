import type { SaleType } from "../schema.ts";
import { codeOf } from "../data/codes.ts";
import { MODES } from "../data/modes.ts";
import type { Language, ModeId } from "../data/modes.ts";

/** A mode and the language in which it is written. */
export interface Wording {
  readonly mode: ModeId;
  readonly locale: Language;
}

/** The name of an allergen as the mode wants it in an ingredients list. */
export const labelName = (code: string, { mode, locale }: Wording): string => {
  const { names, names_in: namesIn } = codeOf(code);
  return (locale === "en" ? namesIn[mode] : undefined) ?? names[locale].label;
};

/** The same in a statement: the plural where people say it so, the prescribed name where one is prescribed. */
export function statementName(code: string, wording: Wording): string {
  const { mode, locale } = wording;
  return PRESCRIBED.has(mode) ? labelName(code, wording) : codeOf(code).names[locale].statement;
}

const PRESCRIBED: ReadonlySet<ModeId> = new Set(["us", "au_nz"]);

/** "Contains" and "May contain" as the mode begins them; B.01.010.3 (ca) wants the title with its colon. */
export function statementTitles({ mode, locale }: Wording): { contains: string; mayContain: string } {
  if (locale === "fr") return { contains: "Contient :", mayContain: "Peut contenir :" };
  const colon = mode === "ca" || mode === "us" ? ":" : "";
  return { contains: `Contains${colon}`, mayContain: `May contain${colon}` };
}

/** Finds where an allergen is named in a text, by the words of its code; each place once, in order. */
export function findNames(
  text: string,
  codes: readonly string[],
): { readonly start: number; readonly end: number; readonly code: string }[] {
  const places = codes.flatMap((code) =>
    [...text.matchAll(patternOf(code))].map(({ index, 0: found }) => ({
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

function patternOf(code: string): RegExp {
  const known = patterns.get(code);
  if (known !== undefined) return known;
  // The longest first, so that "eggs" is not read as "egg" and a rest.
  const words = [...codeOf(code).words].sort((a, b) => b.length - a.length).map(escapePattern);
  const made = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join("|")})(?![\\p{L}\\p{N}])`, "giu");
  patterns.set(code, made);
  return made;
}

const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** True when the mode wants the list to make names stand out. */
export const emphasises = (mode: ModeId): boolean => MODES[mode].emphasis !== "none";

export interface LabelRequest extends Wording {
  readonly sale_type: SaleType;
}
