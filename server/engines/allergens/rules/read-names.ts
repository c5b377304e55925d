import { CODES } from "../data/codes.ts";
import { findNames } from "./names.ts";

/**
 * Regulated allergens that the name of an ingredient speaks of: a hint for whoever checks it, never a declaration.
 * "Coconut milk" is no milk, "oat milk" is oats, "noix de coco" is no walnut.
 */
export function namedIn(name: string): string[] {
  const text = name.replaceAll(PLANT_MILK, (_, plant: string | undefined) => plant ?? "");
  const found = findNames(text, SPECIFIC).map(({ code }) => code);
  return [...new Set(found)].filter((code) => REGULATED.has(code));
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

const PLANT_MILK =
  /\b(coconut|almond|oat|soya?|rice|hemp|cashew|hazelnut|pea)[ -]milk\b|\blait (?:de |d['’])(?=coco|soja|amande|avoine|riz)/giu;

/** Fish whose name means other things as well. */
const AMBIGUOUS: ReadonlySet<string> = new Set(["bass"]);
const SPECIFIC = CODES.filter(({ code, kind }) => kind === "specific" && !AMBIGUOUS.has(code)).map(
  ({ code }) => code,
);
const REGULATED = new Set(
  CODES.filter(({ declared_as: as }) => Object.values(as).some((name) => name !== null)).map(
    ({ code }) => code,
  ),
);
