import type { Text } from "../schema/parts.ts";

/** The reader's languages in order of preference, and the store's fallback. */
export interface Reader {
  readonly locales: readonly string[];
  readonly fallback: string;
}

/**
 * The text in the reader's language: the exact tag, otherwise its language, otherwise the store's own, otherwise the
 * first one.
 * Both are tried for each preferred language before the next one.
 */
export function pickText(text: Text, { locales, fallback }: Reader): string {
  for (const locale of [...locales, fallback]) {
    const match = textIn(text, locale);
    if (match !== undefined) return match;
  }
  return Object.values(text)[0] ?? "";
}

export const pickOptional = (text: Text | null, reader: Reader): string | null =>
  text === null ? null : pickText(text, reader);

function textIn(text: Text, locale: string): string | undefined {
  const language = locale.split("-")[0]?.toLowerCase();
  const tags = Object.keys(text);
  const tag =
    tags.find((each) => each.toLowerCase() === locale.toLowerCase()) ??
    tags.find((each) => each.toLowerCase() === language) ??
    // A reader of cy-GB understands cy-AR better than English.
    tags.find((each) => each.split("-")[0]?.toLowerCase() === language);
  return tag === undefined ? undefined : text[tag];
}
