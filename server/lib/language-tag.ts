/** A language tag as `Intl` writes it, `pt-BR` for pt-br; null for what has the form of one, and is none: "en-GB-GB" (RFC 5646). */
export function canonicalTag(text: string): string | null {
  try {
    return Intl.getCanonicalLocales(text)[0] ?? null;
  } catch {
    return null;
  }
}

export const isLanguageTag = (text: string): boolean => canonicalTag(text) !== null;
