import type { Declaration } from "../schema/declaration.ts";
import type { IngredientLine } from "../schema/ingredient.ts";
import type { Refusal } from "../schema.ts";
import { rollUp } from "./roll-up.ts";
import { candidatesFor, isRelated, isUnspecific, warningGroup } from "./taxonomy.ts";
import type { ModeId } from "../data/modes.ts";

/**
 * One declaration for each code out of those that the recipe calls for and those made by hand: contains includes may
 * contain (invariant 2), and a declaration made by hand outlasts the ingredient that called for it too.
 */
export function mergeDeclarations(
  derived: readonly Declaration[],
  given: readonly Declaration[],
): Declaration[] {
  const merged = new Map<string, Declaration>();
  for (const declaration of [...derived, ...given]) {
    const other = merged.get(declaration.code);
    merged.set(declaration.code, other === undefined ? declaration : join(other, declaration));
  }
  return [...merged.values()];
}

/** What was declared by hand stays so, and keeps the origins that the recipe has. */
function join(first: Declaration, second: Declaration): Declaration {
  const isContained = first.presence === "contains" || second.presence === "contains";
  return {
    code: first.code,
    presence: isContained ? "contains" : first.presence,
    concentration_mg_per_kg: second.concentration_mg_per_kg ?? first.concentration_mg_per_kg,
    evidence: second.evidence ?? first.evidence,
    note: second.note ?? first.note,
    source: first.source === "ingredient" ? second.source : first.source,
    derived_from: [...first.derived_from, ...second.derived_from],
  };
}

/** The declarations of a product whose recipe is now `lines`: those made by hand stay. */
export const redeclare = (lines: readonly IngredientLine[], current: readonly Declaration[]): Declaration[] =>
  mergeDeclarations(rollUp(lines), byHand(current));

/**
 * Declarations of a product whose recipe becomes another one: an amount of sulphites that was measured before an ingredient brought more
 * of them says nothing of the food any more, and counts as not measured.
 */
export function withoutOldAmounts(
  declarations: readonly Declaration[],
  before: readonly IngredientLine[],
  after: readonly IngredientLine[],
): Declaration[] {
  const measured = declarations.some(({ concentration_mg_per_kg: found }) => found !== null);
  const old = new Set(measured ? sourcesOfSulphites(before) : []);
  const isOld = measured && sourcesOfSulphites(after).some((source) => !old.has(source));
  return declarations.map((each) =>
    isOld && each.code === "sulphites" ? { ...each, concentration_mg_per_kg: null } : each,
  );
}

const sourcesOfSulphites = (lines: readonly IngredientLine[]): string[] =>
  rollUp(lines)
    .filter(({ code }) => code === "sulphites")
    .flatMap(({ derived_from: origins }) => origins.map(({ ingredient_id: id, name }) => id ?? name));

/** Declarations that a person made, without what a recipe added to them. */
export const byHand = (declarations: readonly Declaration[]): Declaration[] =>
  declarations
    .filter(({ source }) => source !== "ingredient")
    .map((declaration) => ({ ...declaration, derived_from: [] }));

/**
 * A code, or one that covers it, cannot be free from and contained (409 declaration_conflict), nor be combined with a
 * warning of it: FSA guidance of 2023, no precautionary label together with a free-from claim for the same allergen
 * (409 free_from_conflict). Give it all declarations before they are merged.
 */
export function findConflict(declarations: readonly Declaration[]): Refusal | null {
  const free = declarations.filter(({ presence }) => presence === "free_from");
  for (const { code } of free) {
    const against = declarations.filter(
      (other) => other.presence !== "free_from" && isRelated(other.code, code),
    );
    const contained = against.find(({ presence }) => presence === "contains");
    if (contained !== undefined) {
      const detail = `It contains ${contained.code} and cannot be declared free from ${code}.`;
      return { type: "conflict", code: "declaration_conflict", detail, path: ["declarations"] };
    }
    const warned = against[0];
    if (warned !== undefined) {
      const detail = `It may contain ${warned.code} and cannot be declared free from ${code}.`;
      return { type: "conflict", code: "free_from_conflict", detail, path: ["declarations"] };
    }
  }
  return null;
}

/** Wider words where a verified product needs the name itself (invariant 6); free from all nuts is specific enough. */
export function findUnspecific(declarations: readonly Declaration[], mode: ModeId): Refusal | null {
  const index = declarations.findIndex(
    (each) =>
      each.presence !== "free_from" &&
      isUnspecific(each.code, mode) &&
      warningGroup(each, mode) === undefined,
  );
  const found = declarations[index];
  if (found === undefined) return null;
  const candidates = candidatesFor(found.code, mode).join(", ");
  return {
    type: "unprocessable_content",
    code: "allergen_not_specific",
    detail: `${found.code} is not the name of an allergen in ${mode}. Name what is in it: ${candidates}.`,
    path: ["declarations", index, "code"],
  };
}
