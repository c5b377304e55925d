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
