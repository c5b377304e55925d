export type PawcVariant = "paper" | "code";

/**
 * Position-adjusted word count of each source that a text cites as `[n]`, as a share (GEO, KDD 2024).
 *
 * `paper` is equation 3: Σ over the sentences that cite it of words / sources cited there · e^(−position / sentences),
 * divided by all words. `code` is what the authors' program does instead: only tokens of more than two characters,
 * e^(−position / (sentences − 1)), normalised over the sources. Null if no sentence cites anything.
 */
export function pawc(
  sentences: readonly string[],
  variant: PawcVariant = "paper",
): ReadonlyMap<number, number> | null {
  const read = sentences.map((text) => ({ sources: citedIn(text), words: wordsOf(text, variant) }));
  if (read.every(({ sources }) => sources.length === 0)) return null;
  const span = variant === "paper" ? read.length : Math.max(1, read.length - 1);
  const shares = new Map<number, number>();
  for (const [position, { sources, words }] of read.entries()) {
    const share = (words / Math.max(1, sources.length)) * Math.exp(-position / span);
    for (const source of sources) shares.set(source, (shares.get(source) ?? 0) + share);
  }
  const whole =
    variant === "paper"
      ? read.reduce((sum, { words }) => sum + words, 0)
      : [...shares.values()].reduce((sum, share) => sum + share, 0);
  return new Map([...shares].map(([source, share]) => [source, whole === 0 ? 0 : share / whole]));
}

/** The sources that a sentence cites, each once; `[1, 2]` cites two. */
function citedIn(sentence: string): number[] {
  const numbers = Array.from(sentence.matchAll(/\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]/g), ([, list = ""]) =>
    list.split(",").map(Number),
  ).flat();
  return [...new Set(numbers)];
}

/**
 * The paper counts tokens separated by spaces, including markers; the program only tokens longer than two characters.
 */
function wordsOf(sentence: string, variant: PawcVariant): number {
  if (variant === "paper") return sentence.split(/\s+/).filter((word) => word !== "").length;
  const tokens = sentence.match(/[\p{L}\p{N}'’-]+/gu) ?? [];
  return tokens.filter((token) => token.length > 2).length;
}
