import type { AllergenFact, KnownAllergens } from "../../../kernel/ports.ts";
import type { ModeId } from "../data/modes.ts";
import { CLAIMS } from "../schema.ts";
import type { Declaration, DietaryClaim, Product } from "../schema.ts";
import { whyUnfit } from "./check-claims.ts";
import { declaredIn, isWhollyExempt } from "./declare.ts";
import type { Freshness } from "./freshness.ts";
import { mergeDeclarations } from "./merge-declarations.ts";
import { rollUp } from "./roll-up.ts";

/**
 * What is known of a product, for other engines and for judging it. What an ingredient brings counts although nobody
 * declared it yet. `today` is a local date: a certificate holds through its last day.
 */
export function knowProduct(
  product: Product,
  { status }: Freshness,
  { mode, today }: { readonly mode: ModeId; readonly today: string },
): KnownAllergens {
  const isVerified = status === "verified";
  const all = mergeDeclarations(rollUp(product.ingredients), product.declarations);
  const inForce = product.dietary.filter((claim) => isInForce(claim, today)).map(({ claim }) => claim);
  const unfit = CLAIMS.filter((claim) => whyUnfit(product, claim) !== null);
  return {
    title: product.title,
    verified: isVerified,
    complete_in: isVerified && product.verified_mode !== null ? [product.verified_mode] : [],
    ...declaredIn({ ...product, declarations: all }, mode),
    facts: all.map((declaration) => toFact(declaration, mode)),
    diets: inForce.filter((claim) => !unfit.includes(claim)),
    unfit_for: unfit,
  };
}

/** A claim that was neither withdrawn nor rests on a certificate that ran out. */
export const isInForce = ({ status, valid_until: until }: DietaryClaim, today: string): boolean =>
  status !== "withdrawn" && (until === null || today <= until);

const toFact = (declaration: Declaration, mode: ModeId): AllergenFact => ({
  code: declaration.code,
  presence: declaration.presence,
  exempt: isWhollyExempt(declaration, mode),
  origins: declaration.derived_from.map(({ line_id: id, ingredient_id, name }) => ({
    id,
    ingredient_id,
    name,
  })),
});
