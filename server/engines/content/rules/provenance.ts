import { sha256Hex } from "../../../core/ids.ts";

const HASH_CHARS = 16;

/** Paragraphs of a body, separated by empty lines, whatever the format. */
const paragraphsOf = (body: string): string[] =>
  body
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replaceAll(/\s+/g, " ").trim())
    .filter((paragraph) => paragraph !== "");

const hashOf = (paragraph: string): string => sha256Hex(paragraph).slice(0, HASH_CHARS);

/** Hashes of the paragraphs of a text, which later identify unchanged AI paragraphs of a body. */
export const paragraphHashes = (text: string): string[] => [...new Set(paragraphsOf(text).map(hashOf))];

/**
 * Hashes of paragraphs that the previous text did not have: unchanged ones are not attributed to the author of the new
 * text.
 */
export function newParagraphs(before: string, after: string): string[] {
  const own = new Set(paragraphHashes(before));
  return paragraphHashes(after).filter((hash) => !own.has(hash));
}

/** Share of the words of a body, 0 to 1, in paragraphs with these hashes. Edited paragraphs count as human. */
export function aiShare(body: string, hashes: readonly string[]): number {
  const hashSet = new Set(hashes);
  let all = 0;
  let written = 0;
  for (const paragraph of paragraphsOf(body)) {
    const words = paragraph.split(" ").length;
    all += words;
    if (hashSet.has(hashOf(paragraph))) written += words;
  }
  return all === 0 ? 0 : Math.round((1_000 * written) / all) / 1_000;
}
