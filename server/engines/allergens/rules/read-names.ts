import { CODES } from "../data/codes.ts";
import { labelWords } from "../data/label-words.ts";
import { LANGUAGES } from "../data/modes.ts";
import { readFoods } from "./read-foods.ts";

/**
 * Regulated allergens that a name certainly speaks of, by their own codes: what an import codes an ingredient with. What
 * a food only usually holds, and wider words such as nuts, are for a person to code.
 */
export function namedIn(name: string): string[] {
  const codes = readFoods(name).flatMap((reading) => (reading.certain ? reading.codes : []));
  return [...new Set(codes)].filter((code) => CODABLE.has(code));
}

/**
 * True when a word that was found in a name says what is in it. In "coconut milk" milk is the word for something else, and
 * "milk-free" says the contrary: where there is milk in it all the same, a label has to say so in so many words.
 */
export function namesIt(
  name: string,
  { start, end }: { readonly start: number; readonly end: number },
): boolean {
  if (DENIED.test(name.slice(end))) return false;
  return ![...name.matchAll(OTHERWISE)].some(
    ({ index, 0: found }) => index < start && end === index + found.length,
  );
}

const DENIED = /^(?:[ -](?:free|alternative|substitute|replacer)| de (?:coco|muscade))\b/iu;
/** What ends in the name of an allergen and is none of it. */
const OTHERWISE =
  /\b(?:(?:coconut|almond|oat|soya?|rice|hemp|cashew|hazelnut|pea|peanut|cocoa) |non-|no |without |sans )(?:milk|eggs?|fish|lait|œufs?)\b/giu;

/** A statement without what it says may be in the food, or is not. */
export const containedPart = (statement: string): string =>
  statement.replaceAll((notContained ??= patternOfOthers()), "");

let notContained: RegExp | undefined;
function patternOfOthers(): RegExp {
  const warnings = LANGUAGES.map((language) => labelWords(language).may_contain.replace(/[\s:]+$/u, ""));
  const words = [...warnings, ...SPLIT_WARNINGS, ...DENIALS].join("|");
  return new RegExp(`(?<!\\p{L})(?:${words})(?!\\p{L})[^.;\\n]*`, "giu");
}
/** Warnings with a word in between: "kann Milch enthalten". */
const SPLIT_WARNINGS = ["may also contain", "peut aussi contenir", "kann", "kan"];
const DENIALS = ["free (?:from|of)", "without", "not?", "ne contient", "sans", "ohne", "keine?n?"];

const CODABLE = new Set(
  CODES.filter(
    ({ kind, declared_as: as }) => kind === "specific" && Object.values(as).some((name) => name !== null),
  ).map(({ code }) => code),
);
