import type { Text } from "../schema/parts.ts";

/** Languages that a reader wants, the dearest first, and the one that the store falls back to. */
export interface Reader {
  readonly locales: readonly string[];
  readonly fallback: string;
}

/**
 * The text of a reader's language: the exact tag, else its language, else the store's own, else the first there is.
 * Each wanted language is tried both ways before the next one is.
 */
export function pickText(text: Text, { locales, fallback }: Reader): string {
  for (const locale of [...locales, fallback]) {
    const found = textIn(text, locale);
    if (found !== undefined) return found;
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
    // Somebody who reads cy-GB reads cy-AR more easily than English.
    tags.find((each) => each.split("-")[0]?.toLowerCase() === language);
  return tag === undefined ? undefined : text[tag];
}
