/** Whether `Intl` takes a text as a language tag (RFC 5646): "en-GB-GB" has the form of one, and is none. */
export function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}
