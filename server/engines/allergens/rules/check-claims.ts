import { MODES } from "../data/modes.ts";
import type { GlutenRule, ModeId } from "../data/modes.ts";
import type { AnimalOrigin, IngredientLine } from "../schema/ingredient.ts";
import type { Claim, DietaryClaim } from "../schema/declaration.ts";
import type { Product, Refusal } from "../schema.ts";
import { acknowledges } from "./acknowledge.ts";
import { readFoods } from "./read-foods.ts";
import { warnedOf } from "./roll-up.ts";
import { widerOf } from "./taxonomy.ts";
import { walkLines } from "./walk-lines.ts";

type Subject = Pick<Product, "ingredients" | "declarations" | "dietary"> &
  Partial<Pick<Product, "title" | "acknowledgements">>;

/**
 * The first dietary claim that cannot be made (invariants 3 to 5); null when all can. Exempt origins count: exemptions
 * are about labels, not about diets. A warning together with vegan is fine (FSA guidance of 2023), with a claim to be free
 * from the same thing it is not.
 */
export function findClaimConflict(product: Subject, mode: ModeId): Refusal | null {
  const seen = new Set<Claim>();
  for (const [index, claim] of product.dietary.entries()) {
    const path = ["dietary", index] as const;
    if (seen.has(claim.claim)) return refuse("claim_conflict", `${claim.claim} is claimed twice.`, path);
    seen.add(claim.claim);
    if (claim.status === "withdrawn") continue;
    if (claim.status === "certified" && claim.certifier === null)
      return refuse("claim_conflict", "A certified claim names its certifier.", [...path, "certifier"]);
    const found = conflictOf(product, claim, mode);
    if (found !== null) return { ...found, path: [...path, ...found.path] };
  }
  return null;
}

/** Why a product is certainly not fit for a diet, by what is in it; null when nothing speaks against it. */
export function whyUnfit({ ingredients, declarations }: Subject, claim: Claim): string | null {
  const rule = DIETS[claim];
  const breaks = (code: string): boolean => rule.codes.some((forbidden) => widerOf(code).has(forbidden));
  for (const { line } of walkLines(ingredients)) {
    const code = line.contains.find(breaks);
    if (code !== undefined) return `${line.name} contains ${code}`;
    if (isForbidden(line, rule)) return `${line.name} is not ${claim.replaceAll("_", " ")}`;
  }
  const declared = declarations.find(({ code, presence }) => presence === "contains" && breaks(code));
  return declared === undefined ? null : `it contains ${declared.code}`;
}

/**
 * Why the names of ingredients speak against a diet where no code does; null when none does, or a person acknowledged
 * that the name is misleading. An animal origin that was recorded is not read again.
 */
export function whyDoubtful(product: Subject, claim: Claim): string | null {
  const { codes, origins, alcohol } = DIETS[claim];
  for (const { name, of, hasParts, readsOrigin } of namesOf(product)) {
    const isOpen = (reading: string): boolean => !acknowledges(of, reading);
    for (const reading of readFoods(name)) {
      // What a compound usually contains is not asked for where its own ingredients are listed.
      if (!reading.certain && hasParts) continue;
      const code = reading.codes.find(
        (each) => isOpen(each) && codes.some((forbidden) => widerOf(each).has(forbidden)),
      );
      const origin = readsOrigin
        ? reading.origins.find((each) => isOpen(each) && origins.includes(each))
        : undefined;
      const found =
        code ?? origin ?? (alcohol && reading.alcohol && isOpen("alcohol") ? "alcohol" : undefined);
      if (found !== undefined) return `the name "${name}" says ${found}`;
    }
  }
  return null;
}

interface NameToRead {
  readonly name: string;
  /** What has the name. */
  readonly of: Pick<IngredientLine, "acknowledgements">;
  readonly hasParts: boolean;
  readonly readsOrigin: boolean;
}

/** The title of a product, and the names of its ingredients at every level. */
const namesOf = ({ title = "", acknowledgements, ingredients }: Subject): NameToRead[] => [
  { name: title, of: { acknowledgements }, hasParts: ingredients.length > 0, readsOrigin: true },
  ...[...walkLines(ingredients)].map(({ line }) => ({
    name: line.name,
    of: line,
    hasParts: line.sub_ingredients.length > 0,
    readsOrigin: line.animal_origin === "none",
  })),
];

interface DietRule {
  /** Codes that rule the claim out. */
  readonly codes: readonly string[];
  readonly origins: readonly AnimalOrigin[];
  readonly alcohol: boolean;
}

const EVERY_ANIMAL = ["dairy", "egg", "honey", "fish", "meat", "pork", "insect", "other"] as const;
const rule = (
  codes: readonly string[],
  origins: readonly AnimalOrigin[] = [],
  alcohol = false,
): DietRule => ({ codes, origins, alcohol });

/**
 * No statute defines vegan or vegetarian; halal and kosher are for certifiers: what is not ruled out here is claimed by
 * the person who claims it, and never inferred. Cereals do not rule out gluten-free: what was measured decides.
 */
const DIETS: Readonly<Record<Claim, DietRule>> = {
  vegan: rule(["milk", "egg", "fish", "crustacean", "mollusc"], EVERY_ANIMAL),
  vegetarian: rule(["fish", "crustacean", "mollusc"], ["fish", "meat", "pork", "insect"]),
  halal: rule([], ["pork"], true),
  kosher: rule(["crustacean", "mollusc"], ["pork"]),
  gluten_free: rule([]),
  very_low_gluten: rule([]),
  milk_free: rule(["milk"], ["dairy"]),
  egg_free: rule(["egg"], ["egg"]),
  nut_free: rule(["nuts"]),
  peanut_free: rule(["peanut"]),
  soy_free: rule(["soy"]),
  sesame_free: rule(["sesame"]),
  fish_free: rule(["fish"], ["fish"]),
  alcohol_free: rule([], [], true),
};

/** Claims to be free from something: what it is, for a warning of the same. */
const FREE_FROM: Readonly<Partial<Record<Claim, string>>> = {
  gluten_free: "gluten",
  very_low_gluten: "gluten",
  milk_free: "milk",
  egg_free: "egg",
  nut_free: "nuts",
  peanut_free: "peanut",
  soy_free: "soy",
  sesame_free: "sesame",
  fish_free: "fish",
};

const isForbidden = (line: IngredientLine, { origins, alcohol }: DietRule): boolean =>
  origins.includes(line.animal_origin) || (alcohol && line.alcohol);

function conflictOf(product: Subject, claim: DietaryClaim, mode: ModeId): Refusal | null {
  const name = claim.claim.replaceAll("_", " ");
  const unfit = whyUnfit(product, claim.claim) ?? whyDoubtful(product, claim.claim);
  if (unfit !== null) return refuse("claim_conflict", `It cannot be ${name}: ${unfit}.`, ["claim"]);
  const free = FREE_FROM[claim.claim];
  // Also what an ingredient may contain and is not declared yet.
  const warned = [...product.declarations, ...warnedOf(product.ingredients)].find(
    ({ presence, code }) => presence === "may_contain" && free !== undefined && widerOf(code).has(free),
  );
  if (warned !== undefined) {
    const detail = `It may contain ${warned.code} and cannot be claimed ${name}.`;
    return { type: "conflict", code: "free_from_conflict", detail, path: ["claim"] };
  }
  return findGlutenConflict(product, claim, mode);
}

/** Why a claim about gluten cannot be made in a mode; null for other claims, and when it can. */
export function findGlutenConflict(product: Subject, claim: DietaryClaim, mode: ModeId): Refusal | null {
  const name = claim.claim;
  return name === "gluten_free" || name === "very_low_gluten"
    ? glutenConflict(product, claim, MODES[mode][name], mode)
    : null;
}

/**
 * Regulation (EU) 828/2014: at most 20 mg/kg for gluten-free; at most 100 for very low gluten, and only with a cereal
 * that was specially processed; oats must themselves be at most 20. Other modes as their tables say.
 */
function glutenConflict(
  { ingredients }: Subject,
  { claim, gluten_mg_per_kg: found }: DietaryClaim,
  limit: GlutenRule | null,
  mode: ModeId,
): Refusal | null {
  const name = claim.replaceAll("_", " ");
  const at = (detail: string): Refusal => refuse("claim_conflict", detail, ["gluten_mg_per_kg"]);
  if (limit === null) return refuse("claim_conflict", `No rule of ${mode} knows ${name}.`, ["claim"]);
  if (found === null) return at(`${name} needs the measured gluten.`);
  if (limit.comparison === "below" ? found >= limit.mg_per_kg : found > limit.mg_per_kg) {
    const bound = limit.comparison === "below" ? "less than" : "at most";
    return at(`${name} allows ${bound} ${limit.mg_per_kg} mg/kg of gluten (${limit.source}).`);
  }
  const grain = limit.unprocessed_grains === "forbidden" ? findUnprocessedGrain(ingredients) : null;
  if (grain !== null)
    return at(`${name} food contains no ${grain} that was not processed to remove gluten (${limit.source}).`);
  const lines = [...walkLines(ingredients)].map(({ line }) => line);
  if (claim === "very_low_gluten" && !lines.some(({ gluten_reduced }) => gluten_reduced)) {
    return at(`${name} is for food with a cereal that was specially processed to reduce gluten.`);
  }
  const oats = lines.filter(({ contains }) => contains.includes("oats"));
  if (oats.length > 0 && limit.oats === "forbidden") return at(`${name} food holds no oats in ${mode}.`);
  const impure = oats.find(({ gluten_mg_per_kg: own }) => own === null || own > OATS_MG_PER_KG);
  if (impure === undefined) return null;
  return at(
    `${name} needs oats of at most ${OATS_MG_PER_KG} mg/kg, which ${impure.name} is not known to be.`,
  );
}

const OATS_MG_PER_KG = 20;
const GRAINS = ["wheat", "rye", "barley"];

/**
 * The first ingredient that is a grain with gluten, or made from one, by its code or its name, without being processed
 * to remove gluten: barley malt, however little gluten was measured.
 */
function findUnprocessedGrain(ingredients: readonly IngredientLine[]): string | null {
  const isGrain = (code: string): boolean => GRAINS.some((grain) => widerOf(code).has(grain));
  for (const { line, inside } of walkLines(ingredients)) {
    const around = [...inside, line];
    if (around.some(({ gluten_reduced: isReduced }) => isReduced)) continue;
    const read = readFoods(line.name)
      .filter(({ certain }) => certain || line.sub_ingredients.length === 0)
      .flatMap(({ codes }) => codes)
      .filter((code) => !acknowledges(line, code));
    if ([...line.contains, ...read].some((code) => isGrain(code) || code === "gluten")) return line.name;
  }
  return null;
}

const refuse = (code: string, detail: string, path: readonly (string | number)[]): Refusal => ({
  type: "unprocessable_content",
  code,
  detail,
  path,
});
