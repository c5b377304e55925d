import { byHand, findConflict, redeclare } from "../rules/merge-declarations.ts";
import { rollUp } from "../rules/roll-up.ts";
import type { Declaration } from "../schema/declaration.ts";
import type { IngredientLine } from "../schema/ingredient.ts";
import type { Refusal } from "../schema.ts";
import { refuse } from "./refuse.ts";

/** Declarations of a product: what its recipe calls for, and those made by hand. Throws 409 where the two disagree. */
export function declareFrom(lines: readonly IngredientLine[], given: readonly Declaration[]): Declaration[] {
  refuse(disagreement(lines, given));
  return redeclare(lines, given);
}

/** Why a recipe and declarations made by hand cannot both be right; null when they can. */
export const disagreement = (
  lines: readonly IngredientLine[],
  given: readonly Declaration[],
): Refusal | null => findConflict([...rollUp(lines), ...byHand(given)]);
