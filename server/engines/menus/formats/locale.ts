import type { DraftText } from "./draft.ts";

/** `en-GB` in the notation of Uber Eats: `en_gb`. */
export const toLowerLocale = (locale: string): string => locale.toLowerCase().replaceAll("-", "_");

/** Our language tag (en, en-GB, zh-Hant, es-419) for another system's language; null if invalid. */
export function toLocale(name: string): string | null {
  const [language = "", ...rest] = name.trim().split(/[-_]/);
  if (!/^[A-Za-z]{2,3}$/.test(language)) return null;
  const parts = rest.map((part) =>
    part.length === 4 ? `${part.charAt(0).toUpperCase()}${part.slice(1).toLowerCase()}` : part.toUpperCase(),
  );
  const tag = [language.toLowerCase(), ...parts].join("-");
  return /^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?$/.test(tag) ? tag : null;
}

/**
 * A text and its translations. `text` is in the default language; a translation into that same language does
 * not replace it. `skip` is called for every invalid language.
 */
export function withTranslations(
  text: string,
  translations: Readonly<Record<string, string>> | null | undefined,
  { locale, skip }: { readonly locale: string; readonly skip: (name: string) => void },
): DraftText {
  const all: Record<string, string> = { [locale]: text.trim() };
  for (const [name, value] of Object.entries(translations ?? {})) {
    const tag = toLocale(name);
    if (tag === null) skip(name);
    else if (value.trim() !== "") all[tag] ??= value.trim();
  }
  return all;
}
