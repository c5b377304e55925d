import { withoutMarks } from "../../../lib/text/marks.ts";

/** Words between two marks of punctuation: a food never reaches across a comma or a bracket. */
export type Phrase = readonly string[];

/**
 * A text in phrases of plain words: lower case, without diacritics, plural endings and percentages. It costs one pass,
 * whatever the text.
 */
export function toPhrases(text: string): Phrase[] {
  const spelled = text
    // Hyphens that only show at the end of a line, marks of writing direction and of width; signs of footnotes.
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/[¹²³⁰⁴-⁹₀-₉]/g, " ")
    .replaceAll(/n['’]t\b/giu, " not")
    .replaceAll(/(?<=\b(?:with|mit|avec) ?)\/ ?(?:without|ohne|sans)\b/giu, " ")
    .replaceAll("&", " and ")
    .replaceAll("+", " plus ")
    .replaceAll("ı", "i")
    .replaceAll(/[øØ]/g, "o")
    .replaceAll(/[łŁ]/g, "l")
    .replaceAll(/[œŒ]/g, "oe")
    .replaceAll(/[æÆ]/g, "ae")
    .replaceAll(/[ßẞ]/g, "ss");
  return withoutMarks(spelled)
    .toLowerCase()
    .split(/[,;:()[\]{}/|•·\n?!–—]|\.(?=\s|$)|\s-\s/u)
    .map(toWords)
    .filter((words) => words.length > 0);
}

function toWords(part: string): string[] {
  const words: string[] = [];
  for (const [found] of part.matchAll(/[\p{L}\p{N}]+/gu)) {
    const before = words.at(-1);
    // E numbers are written "E 322" and "E322", and in Australia and New Zealand "emulsifier 322" and "emulsifiers (322, 471)".
    if (before === "e" && /^\d{3,4}/.test(found)) words[words.length - 1] = `e${found}`;
    else if (/^ins\d{3,4}/.test(found)) words.push(`e${found.slice(3)}`);
    else if (CLASSES.has(before ?? "") && ADDITIVE.test(found)) words.push(`e${found}`);
    else words.push(toSingular(found));
  }
  const [only = ""] = words;
  return words.length === 1 && ADDITIVE.test(only) ? [`e${only}`] : words;
}

const ADDITIVE = /^\d{3,4}$/;
const CLASSES: ReadonlySet<string> = new Set([
  "preservative",
  "emulsifier",
  "antioxidant",
  "sweetener",
  "ins",
]);

/** Takes an English or French plural ending off, also where it is none: names of the vocabulary are read the same way. */
export function toSingular(word: string): string {
  if (word.length <= 3) return word;
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (/(?:sh|ss|x|z|o)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}
