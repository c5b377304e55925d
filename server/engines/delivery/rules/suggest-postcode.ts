import { parseGbPostcode, toCompact } from "./parse-gb-postcode.ts";

const SWAPS: Readonly<Record<string, string>> = { O: "0", "0": "O", I: "1", "1": "I" };

/**
 * The suggested correction of a mistyped UK postcode: the fewest substitutions of O and 0, I and 1 that give a valid
 * one. Null if the text is valid, if no substitution helps, or if two are equally near.
 * It is only ever suggested: ideal-postcodes/postcode turns "1A1 1AA" into "IA1 1AA", an area that does not exist.
 */
export function suggestPostcode(text: string): string | null {
  const compact = toCompact(text);
  if (compact.length > 7 || parseGbPostcode(compact).ok) return null;
  let nearest: { swaps: number; found: Set<string> } = { swaps: Number.POSITIVE_INFINITY, found: new Set() };
  for (const { text: candidate, swaps } of variants(compact)) {
    if (swaps === 0 || swaps > nearest.swaps) continue;
    const parsed = parseGbPostcode(candidate);
    if (!parsed.ok) continue;
    if (swaps < nearest.swaps) nearest = { swaps, found: new Set() };
    nearest.found.add(parsed.value.postcode);
  }
  const [only] = nearest.found;
  return nearest.found.size === 1 && only !== undefined ? only : null;
}

/** Every combination of substituted ambiguous characters: at most 2^7. */
function variants(compact: string): { text: string; swaps: number }[] {
  let list = [{ text: "", swaps: 0 }];
  for (const char of compact) {
    const other = SWAPS[char];
    list = list.flatMap(({ text, swaps }) => {
      const kept = { text: text + char, swaps };
      return other === undefined ? [kept] : [kept, { text: text + other, swaps: swaps + 1 }];
    });
  }
  return list;
}
