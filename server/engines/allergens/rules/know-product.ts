import type { AllergenFact, KnownAllergens } from "../../../core/known-allergens.ts";
import type { ModeId } from "../data/modes.ts";
import { barringNames, describeName, unresolvedNames } from "./unresolved-names.ts";
import { CLAIMS } from "../schema/declaration.ts";
import type { Claim, Declaration, DietaryClaim } from "../schema/declaration.ts";
import type { Product } from "../schema.ts";
import { findGlutenConflict, whyDoubtful, whyUnfit } from "./check-claims.ts";
import { declaredCode, declaredIn, isWhollyExempt } from "./declare.ts";
import { calorieLabel } from "./nutrition/calorie-label.ts";
import type { Freshness } from "./freshness.ts";
import { byHand, mergeDeclarations } from "./merge-declarations.ts";
import { rollUp, warnedOf } from "./roll-up.ts";
import { walkLines } from "./walk-lines.ts";

/**
 * What is known of a product, for other engines and for judging it. What an ingredient contains counts although it was not
 * declared it yet. `today` is a local date: a certificate holds through its last day.
 */
export function knowProduct(
  product: Product,
  { status, stale_reasons }: Freshness,
  { mode, today }: { readonly mode: ModeId; readonly today: string },
): KnownAllergens {
  const isVerified = status === "verified";
  const claims = product.dietary.filter((claim) => isInForce(claim, today));
  const inForce = claims.map(({ claim }) => claim);
  const unfit = whyEach(CLAIMS, (claim) => whyUnfit(product, claim));
  const doubtful = whyEach(
    inForce.filter((claim) => !unfit.has(claim)),
    (claim) => whyDoubtful(product, claim),
  );
  // It may have been claimed where more gluten is allowed.
  for (const claim of claims) {
    const conflict = findGlutenConflict(product, claim, mode);
    if (conflict !== null) doubtful.set(claim.claim, conflict.detail.replace(/\.$/, ""));
  }
  return {
    title: product.title,
    verified: isVerified,
    complete_in: isVerified && product.verified_mode !== null ? [product.verified_mode] : [],
    mode,
    ...declaredIn(product, mode),
    facts: factsOf(product).map((declaration) => toFact(declaration, mode)),
    diets: inForce.filter((claim) => !unfit.has(claim) && !doubtful.has(claim)),
    unfit_for: [...unfit.keys()],
    kcal: product.nutrition === null ? null : (calorieLabel(product.nutrition, false)?.kcal ?? null),
    reasons: [
      ...stale_reasons.map(({ detail }) => ({ concerns: null, detail })),
      ...barringNames(product).map((name) => ({ concerns: name.code, detail: describeName(name) })),
      ...[...unfit, ...doubtful].map(([concerns, why]) => ({ concerns, detail: `${upperFirst(why)}.` })),
    ],
  };
}

const whyEach = (claims: readonly Claim[], why: (claim: Claim) => string | null): Map<Claim, string> =>
  new Map(
    claims.flatMap((claim) => {
      const found = why(claim);
      return found === null ? [] : [[claim, found] as const];
    }),
  );

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * All that is recorded, each reason by itself: what ingredients contain, what they may contain in addition, what the names of others say
 * that have no code for it, and what was declared by hand. Removing an ingredient removes what it brought, and nothing that has another
 * reason.
 */
function factsOf(product: Product): Declaration[] {
  const { ingredients, declarations } = product;
  const derived = declarations.filter(({ source }) => source === "ingredient");
  const recipe = mergeDeclarations(rollUp(ingredients), derived);
  const contained = new Set(recipe.filter(({ presence }) => presence === "contains").map(({ code }) => code));
  const hand = byHand(declarations);
  const amount = (code: string): number | null =>
    hand.find((declaration) => declaration.code === code)?.concentration_mg_per_kg ?? null;
  return [
    ...recipe.map((each) => ({
      ...each,
      concentration_mg_per_kg: amount(each.code) ?? each.concentration_mg_per_kg,
    })),
    ...warnedOf(ingredients).filter(({ code }) => contained.has(code)),
    ...namedOnly(product),
    ...hand,
  ];
}

/** What names of ingredients say and only others of the product are coded with: butter, where the cheese has the code of milk. */
function namedOnly(product: Product): Declaration[] {
  const names = unresolvedNames(product).filter(({ declared }) => declared);
  if (names.length === 0) return [];
  const lines = [...walkLines(product.ingredients)].map(({ line }) => line);
  return names.flatMap(({ code, name }) =>
    rollUp(
      lines
        .filter((line) => line.name === name)
        .map((line) => ({
          ...line,
          contains: [code],
          may_contain: [],
          exemption: null,
          sub_ingredients: [],
        })),
    ),
  );
}

/** A claim that was neither withdrawn nor rests on a certificate that ran out. */
export const isInForce = ({ status, valid_until: until }: DietaryClaim, today: string): boolean =>
  status !== "withdrawn" && (until === null || today <= until);

const toFact = (declaration: Declaration, mode: ModeId): AllergenFact => ({
  code: declaration.code,
  presence: declaration.presence,
  declared_as: declaredCode(declaration, mode),
  exempt: isWhollyExempt(declaration, mode),
  origins: declaration.derived_from.map(({ line_id: id, ingredient_id, name }) => ({
    id,
    ingredient_id,
    name,
  })),
});
