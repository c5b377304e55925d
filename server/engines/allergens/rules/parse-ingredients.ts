import type { LineInput } from "../schema/ingredient.ts";
import { ALLERGEN_LIMITS } from "../schema/limits.ts";
import { namedIn } from "./read-names.ts";

/**
 * The ingredients of a pack's text: "wheat flour 52%, chocolate (sugar, cocoa butter), salt". Commas and semicolons
 * part them, brackets hold what an ingredient is made of, a number before % is its share. Underscores, asterisks and
 * a heading ("Ingredients:") are dropped. Codes are those that the names speak of. One ingredient more than a product may have is
 * read at most: that is enough to refuse it.
 */
export function parseIngredients(text: string): LineInput[] {
  const clean = text
    .replaceAll(/[_*†‡]/g, "")
    .replace(/^\s*(?:ingr[eé]dients?)\s*:\s*/iu, "")
    // A share in brackets is a share, and no list of contents.
    .replaceAll(/[([{]\s*(\d{1,3}(?:[.,]\d+)?\s*%)\s*[)\]}]/g, " $1 ");
  return toLines(splitTop(clean), 1, { read: 0 });
}

/** The line of an ingredient's name, with the codes that the name speaks of. */
export function namedLine(name: string): LineInput {
  const contains = namedIn(name);
  return contains.length === 0 ? { name } : { name, contains };
}

/** Lines that were read so far, over all levels. */
interface Count {
  read: number;
}

function toLines(parts: readonly string[], level: number, count: Count): LineInput[] {
  const lines: LineInput[] = [];
  for (const part of parts) {
    if (count.read > ALLERGEN_LIMITS.ingredients) break;
    lines.push(...linesOf(part, level, count));
  }
  return lines;
}

function linesOf(part: string, level: number, count: Count): LineInput[] {
  const { head, inside, tail } = openBrackets(part);
  const isDeepest = level >= ALLERGEN_LIMITS.depth;
  const share = /(\d{1,3}(?:[.,]\d+)?)\s*%/;
  const percent = share.exec(`${head} ${tail}`)?.[1];
  // Where no line can be inside, its brackets are part of the name: they may hold an allergen.
  const [name, ...rest] = namesIn(tidyName((isDeepest ? part : `${head} ${tail}`).replace(share, " ")));
  if (name === undefined) return [];
  count.read += 1 + rest.length;
  const lines = inside === null || isDeepest ? [] : toLines(splitTop(inside), level + 1, count);
  return [
    {
      ...namedLine(name),
      ...(percent === undefined ? {} : { percent: Math.min(100, Number(percent.replace(",", "."))) }),
      ...(lines.length === 0 ? {} : { sub_ingredients: lines }),
    },
    ...rest.map(namedLine),
  ];
}

/** A name in pieces that a line can have: of a text that is parted by other characters, each allergen is still read. */
export const namesIn = (text: string): string[] => text.match(/\S(?:.{0,198}\S)?(?!\S)|\S{200}/g) ?? [];

const tidyName = (text: string): string =>
  text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/^[\s.:–-]+|(?<![\s.:–-])[\s.:–-]+$/g, "")
    .trim();

const OPEN = "([{";
const CLOSE = ")]}";

/** Parts between the commas and semicolons outside brackets; a comma between digits is a decimal. */
function splitTop(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let index = 0; index < text.length; index += 1) {
    const char = text.charAt(index);
    if (OPEN.includes(char)) depth += 1;
    else if (CLOSE.includes(char)) depth = Math.max(0, depth - 1);
    else if (depth === 0 && (char === "," || char === ";")) {
      const isDecimal =
        char === "," && /\d/.test(text.charAt(index - 1)) && /\d/.test(text.charAt(index + 1));
      if (isDecimal) continue;
      parts.push(text.slice(from, index));
      from = index + 1;
    }
  }
  return [...parts, text.slice(from)];
}

/** A text around its first bracket; one that is never closed goes to the end. */
function openBrackets(text: string): { head: string; inside: string | null; tail: string } {
  const start = Array.from(OPEN, (char) => text.indexOf(char)).filter((index) => index >= 0);
  if (start.length === 0) return { head: text, inside: null, tail: "" };
  const from = Math.min(...start);
  let depth = 0;
  for (let index = from; index < text.length; index += 1) {
    const char = text.charAt(index);
    if (OPEN.includes(char)) depth += 1;
    else if (CLOSE.includes(char)) depth -= 1;
    if (depth === 0)
      return { head: text.slice(0, from), inside: text.slice(from + 1, index), tail: text.slice(index + 1) };
  }
  return { head: text.slice(0, from), inside: text.slice(from + 1), tail: "" };
}
