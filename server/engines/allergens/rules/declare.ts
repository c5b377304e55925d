import { codeOf } from "../data/codes.ts";
import { isExempt } from "../data/exemptions.ts";
import { MODES } from "../data/modes.ts";
import type { ModeId } from "../data/modes.ts";
import type { Declaration } from "../schema/declaration.ts";
import type { IngredientLine } from "../schema/ingredient.ts";
import type { Product } from "../schema.ts";
import { mergeDeclarations } from "./merge-declarations.ts";
import { rollUp } from "./roll-up.ts";
import { walkLines } from "./walk-lines.ts";

/** Codes that a product has to declare, and those that it may warn of. */
export interface Declared {
  readonly allergens: string[];
  readonly may_contain: string[];
}

/**
 * Maps a product's declarations to a mode: the codes it regulates, under the names it gives them (spelt is
 * wheat), without what is exempt or below the threshold. In order of first appearance in the ingredients, then by code.
 * What an ingredient contains counts although it was not declared yet: a recipe that was changed a moment ago is included.
 */
export const declaredIn = (product: Subject, mode: ModeId): Declared => codesIn(product, mode, declaredCode);

/**
 * The same with what is recorded and the mode does not regulate, by its own code: pine nuts are nuts for a guest, also where their name
 * need not be on a label.
 */
export const recordedIn = (product: Subject, mode: ModeId): Declared =>
  codesIn(product, mode, (declaration) =>
    isUnregulated(declaration, mode) ? declaration.code : declaredCode(declaration, mode),
  );

/** False for what is only the exempt origin of an ingredient, or below a threshold. */
export const isRecordedIn = (declaration: Declaration, mode: ModeId): boolean =>
  isUnregulated(declaration, mode) || declaredCode(declaration, mode) !== null;

const isUnregulated = ({ code }: Declaration, mode: ModeId): boolean =>
  codeOf(code).declared_as[mode] === null;

type Subject = Pick<Product, "declarations" | "ingredients">;

function codesIn(product: Subject, mode: ModeId, codeFor: typeof declaredCode): Declared {
  const appearance = orderOfAppearance(product.ingredients, mode);
  const all = allDeclarations(product);
  const codes = (presence: Declaration["presence"]): string[] => {
    const found = all
      .filter((declaration) => declaration.presence === presence)
      .map((declaration) => codeFor(declaration, mode))
      .filter((code) => code !== null);
    return [...new Set(found)].sort(
      (a, b) => (appearance.get(a) ?? Infinity) - (appearance.get(b) ?? Infinity) || (a < b ? -1 : 1),
    );
  };
  const allergens = codes("contains");
  return { allergens, may_contain: codes("may_contain").filter((code) => !allergens.includes(code)) };
}

/** What is declared of a product, and what its ingredients call for whether it is declared or not. */
export const allDeclarations = (product: Subject): Declaration[] =>
  mergeDeclarations(rollUp(product.ingredients), product.declarations);

/** The code under which the mode has a declaration declared; null where it need not be. */
export function declaredCode(declaration: Declaration, mode: ModeId): string | null {
  const code = codeOf(declaration.code).declared_as[mode];
  if (code === null || isWhollyExempt(declaration, mode)) return null;
  if (code === "sulphites" && !reachesThreshold(declaration, mode)) return null;
  return code;
}

/** True when every ingredient that it comes from is exempt in the mode: the origin stays visible, the duty goes. */
export const isWhollyExempt = (
  { source, derived_from, code, presence }: Declaration,
  mode: ModeId,
): boolean =>
  source === "ingredient" &&
  presence === "contains" &&
  derived_from.length > 0 &&
  derived_from.every(({ exemption }) => isExempt(exemption, code, mode));

/**
 * Annex II of Regulation (EU) 1169/2011: more than 10 mg/kg of SO2; B.01.010.2 (ca) and Schedule 9 (au_nz): 10 or
 * more. An amount that was not measured is taken to reach it.
 */
function reachesThreshold({ concentration_mg_per_kg: found }: Declaration, mode: ModeId): boolean {
  const rule = MODES[mode].sulphite_rule;
  if (rule === null) return false;
  if (found === null) return true;
  return rule.comparison === "above" ? found > rule.mg_per_kg : found >= rule.mg_per_kg;
}

function orderOfAppearance(lines: readonly IngredientLine[], mode: ModeId): ReadonlyMap<string, number> {
  const order = new Map<string, number>();
  for (const { line } of walkLines(lines)) {
    for (const code of line.contains) {
      const declared = codeOf(code).declared_as[mode];
      if (declared !== null && !order.has(declared)) order.set(declared, order.size);
    }
  }
  return order;
}
