import { CODES, codeOf } from "../data/codes.ts";
import { MODES } from "../data/modes.ts";
import type { Mode, ModeId } from "../data/modes.ts";

/** A code and every wider one that covers it: triticale → triticale, wheat, rye, gluten. */
export const widerOf = (code: string): ReadonlySet<string> => WIDER.get(code) ?? new Set([code]);

/** A code and every narrower one that it covers: gluten → gluten, wheat, spelt, …, triticale. */
export const narrowerOf = (code: string): ReadonlySet<string> => NARROWER.get(code) ?? new Set([code]);

/** Two names of the same food: what FDA calls shrimp is sold as prawns, and Kamut is a brand of Khorasan wheat. */
const SAME: Readonly<Record<string, string>> = {
  prawn: "shrimp",
  shrimp: "prawn",
  kamut: "khorasan",
  khorasan: "kamut",
};

/** What a guest avoids with a code: it, every narrower one, and the same food by another name. */
export const avoidedWith = (code: string): ReadonlySet<string> => AVOIDED.get(code) ?? new Set([code]);

/** True when one of the two covers the other, or they are the same. */
export const isRelated = (a: string, b: string): boolean => widerOf(a).has(b) || widerOf(b).has(a);

/**
 * True when a label of the mode needs a narrower word: nuts and gluten everywhere, fish where the species is named
 * (invariant 6; FALCPA and B.01.010.1 name the kind of fish, crustacean and, in Canada, mollusc).
 */
export const isUnspecific = (code: string, mode: ModeId): boolean =>
  isGroupWord(code, mode) || MODES[mode].species_named.includes(code);

// A fish of an unknown kind is still lawful where labels say no more than "fish".
const isGroupWord = (code: string, mode: ModeId): boolean =>
  codeOf(code).kind === "group" &&
  (code !== "fish_unspecified" || MODES[mode].species_named.includes("fish"));

/** A wider word that a precautionary statement of the mode may name; undefined where it needs the allergen itself. */
export const warningGroup = (
  { code, presence }: { readonly code: string; readonly presence: string },
  mode: ModeId,
): Mode["warning_groups"][number] | undefined =>
  presence === "may_contain" ? MODES[mode].warning_groups.find((group) => group.code === code) : undefined;

/** The codes that may stand for an unspecific one in the mode. */
export function candidatesFor(code: string, mode: ModeId): string[] {
  return [...narrowerOf(code)].filter(
    (candidate) => codeOf(candidate).declared_as[mode] === candidate && !isUnspecific(candidate, mode),
  );
}

/** The codes that the mode has declared by their own name, in the order of the taxonomy, wider words left out. */
export const codesOfMode = (mode: ModeId): string[] =>
  CODES.filter(({ code, declared_as }) => declared_as[mode] === code && !isGroupWord(code, mode)).map(
    ({ code }) => code,
  );

/**
 * What a verified product would have had to declare, were the avoided thing in it: only then does the absence of a
 * declaration say anything. Null for what the mode does not regulate as a whole, as gluten in us, where rye need not
 * be named.
 */
export function isFullyRegulated(code: string, mode: ModeId): boolean {
  const core = CORE[code] ?? [code];
  return core.every((member) => codeOf(member).declared_as[mode] !== null);
}

/** True where a verification in one mode says as much in another: uk and eu regulate the same codes, us no celery. */
export const coversMode = (verified: ModeId | null, mode: ModeId): boolean =>
  verified !== null && codesOfMode(mode).every((code) => codeOf(code).declared_as[verified] !== null);

/** Members that make a wider word what it is; spelt is covered by wheat, pine nuts are nuts in some places only. */
const CORE: Readonly<Record<string, readonly string[]>> = {
  gluten: ["wheat", "rye", "barley", "oats"],
  nuts: ["almond", "brazil_nut", "cashew", "hazelnut", "macadamia", "pecan", "pistachio", "walnut"],
  tree_nuts: ["almond", "brazil_nut", "cashew", "hazelnut", "macadamia", "pecan", "pistachio", "walnut"],
  shellfish: ["crustacean", "mollusc"],
};

/** The widest words that cover a code: the family by which products are filed. */
export const familiesOf = (code: string): string[] =>
  [...widerOf(code)].filter((wider) => codeOf(wider).parents.length === 0);

const WIDER = new Map(CODES.map(({ code }) => [code, collectWider(code)]));
const NARROWER = new Map(
  CODES.map(({ code }) => [
    code,
    new Set(CODES.filter((other) => WIDER.get(other.code)?.has(code)).map((other) => other.code)),
  ]),
);
const AVOIDED = new Map(CODES.map(({ code }) => [code, new Set([...narrowerOf(code), SAME[code] ?? code])]));

function collectWider(code: string): ReadonlySet<string> {
  const found = new Set([code]);
  // A set that grows while it is walked: each parent's parents follow.
  for (const each of found) for (const parent of codeOf(each).parents) found.add(parent);
  return found;
}
