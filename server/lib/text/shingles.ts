const WORDS = 3;

/** The sets of three words in a row, lower case; a text of fewer words is one shingle. */
export function shinglesOf(words: readonly string[]): ReadonlySet<string> {
  const plain = words.map((word) => word.toLowerCase());
  if (plain.length === 0) return new Set();
  const count = Math.max(1, plain.length - WORDS + 1);
  return new Set(Array.from({ length: count }, (_, at) => plain.slice(at, at + WORDS).join(" ")));
}

/** Jaccard similarity, 0 to 1; two empty sets have nothing in common. */
export function jaccard<T>(left: ReadonlySet<T>, right: ReadonlySet<T>): number {
  const common = commonOf(left, right);
  const all = left.size + right.size - common;
  return all === 0 ? 0 : common / all;
}

/** How many members two sets share. */
export function commonOf<T>(left: ReadonlySet<T>, right: ReadonlySet<T>): number {
  const [small, large] = left.size < right.size ? [left, right] : [right, left];
  let common = 0;
  for (const member of small) if (large.has(member)) common += 1;
  return common;
}
