import type { Language } from "./model.ts";

/**
 * Capitalised words that are probably names: not the first of a sentence unless another follows, not in a
 * line in title case. German is left out, where every noun is capitalised.
 */
export function namesIn(text: string, language: Language): { text: string; at: number }[] {
  if (language.code === "de") return [];
  const names: { text: string; at: number }[] = [];
  let at = 0;
  for (const line of text.split("\n")) {
    if (!isTitleCase(line))
      names.push(...namesInLine(line, language).map((name) => ({ ...name, at: at + name.at })));
    at += line.length + 1;
  }
  return names;
}

const WORD = /(?<![\p{L}\p{N}])\p{L}[\p{L}\p{M}'’]*(?:-\p{L}[\p{L}\p{M}'’]*)*/gu;
const isCapital = (word: string): boolean => /^\p{Lu}/u.test(word);

function namesInLine(line: string, language: Language): { text: string; at: number }[] {
  const words = [...line.matchAll(WORD)];
  return words.flatMap((match, place) => {
    const word = match[0].replace(/['’]s?$/u, "");
    if (!isCapital(word) || NO_NAMES.has(word.replace("’", "'"))) return [];
    const starts = START.test(before(line, match.index));
    const next = words[place + 1];
    const isFollowed =
      next !== undefined &&
      isCapital(next[0]) &&
      /^\s$/.test(line.slice(match.index + match[0].length, next.index));
    if (starts && (!isFollowed || language.stem(word) === null)) return [];
    return [{ text: word, at: match.index }];
  });
}

/** What may precede the first word of a sentence: marks of all kinds, and the figure of a list. */
const START = /(?:^|[.!?:…])[\s"'“”‘’()[\]*_#>•–—-]*(?:\d{1,3}[.)]\s*)?$/u;

/** The characters before a place; where there are more than a few, the line does not begin there. */
const before = (line: string, at: number): string =>
  at <= 20 ? line.slice(0, at) : `x${line.slice(at - 20, at)}`;

/** English pronouns and addresses that are capitalised everywhere. */
const NO_NAMES = new Set([
  "I",
  "I'm",
  "I've",
  "I'd",
  "I'll",
  "Mr",
  "Mrs",
  "Ms",
  "Mx",
  "Dr",
  "FAQ",
  "Q",
  "A",
  "OK",
]);

/** A line without a full stop whose words, four and more, are capitalised but for short ones: it says nothing of names. */
function isTitleCase(line: string): boolean {
  if (/[.!?…]["”’)\]*_]*\s*$/u.test(line)) return false;
  const words = Array.from(line.matchAll(WORD), ([word]) => word).filter((word) => word.length > 3);
  return words.length >= 4 && words.every(isCapital);
}
