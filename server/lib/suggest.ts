import { distance } from "fastest-levenshtein";

/** The candidate that `text` was most likely meant to be, or null when none is near. Case does not matter. */
export function closest(text: string, candidates: readonly string[]): string | null {
  const ranked = candidates
    .map((candidate) => ({ candidate, edits: distance(fold(text), fold(candidate)) }))
    .filter(({ candidate, edits }) => edits <= tolerance(fold(candidate)))
    .sort((a, b) => a.edits - b.edits);
  return ranked[0]?.candidate ?? null;
}

/** Two letters swapped are two edits; a longer name may be further off. */
function tolerance(candidate: string): number {
  if (candidate.length < 4) return 1;
  return candidate.length < 10 ? 2 : 3;
}

/** The common prefix of our variables would make any two of them look alike. */
function fold(text: string): string {
  return text.toLowerCase().replace(/^platform_/, "");
}
