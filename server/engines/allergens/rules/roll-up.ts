import type { Declaration, Origin } from "../schema/declaration.ts";
import type { IngredientLine } from "../schema/ingredient.ts";
import { walkLines } from "./walk-lines.ts";
import type { PlacedLine } from "./walk-lines.ts";

/** Recipes are values that never change, and one request asks for the declarations of the same recipe many times. */
const known = new WeakMap<readonly IngredientLine[], readonly Declaration[]>();

/**
 * The declarations that a recipe calls for: every code that an ingredient contains or may contain, however deep it
 * applies, with the lines it comes from. Contains includes may contain of the same code (invariant 2). An exempt
 * ingredient is an origin like any other; whether it counts is the mode's business. An exemption of an ingredient
 * also holds for its contents: the wheat in a glucose syrup is that of the syrup.
 * Adding an ingredient only ever adds: no line takes away what another brought.
 */
export function rollUp(lines: readonly IngredientLine[]): Declaration[] {
  const declarations = known.get(lines) ?? collect(lines);
  known.set(lines, declarations);
  return [...declarations];
}

function collect(lines: readonly IngredientLine[]): Declaration[] {
  const contains = new Map<string, Origins>();
  for (const { line, inside } of walkLines(lines)) {
    if (line.contains.length === 0) continue;
    const exemption = exemptionOf({ line, inside });
    const origin = { line_id: line.id, ingredient_id: line.ingredient_id, name: line.name, exemption };
    for (const code of line.contains) addTo(contains, code, origin);
  }
  const warned = warnedOf(lines);
  const declared = [...contains].map(([code, found]) => {
    const origins = [...found.values()];
    // Where all that contains it may be exempt, a warning still counts: it becomes an origin that is not.
    const isExempt = origins.every((origin) => origin.exemption !== null);
    const others = isExempt ? (warned.find((each) => each.code === code)?.derived_from ?? []) : [];
    return derived(code, "contains", [...origins, ...others]);
  });
  return [...declared, ...warned.filter(({ code }) => !contains.has(code))];
}

/** What the ingredients of a recipe may contain, also where another contains it. */
export function warnedOf(lines: readonly IngredientLine[]): Declaration[] {
  const warned = new Map<string, Origins>();
  for (const { line } of walkLines(lines)) {
    const origin = { line_id: line.id, ingredient_id: line.ingredient_id, name: line.name, exemption: null };
    for (const code of line.may_contain) addTo(warned, code, origin);
  }
  return [...warned].map(([code, origins]) => derived(code, "may_contain", [...origins.values()]));
}

/** Its own exemption, or that of a line that contains it, the nearest first. */
export const exemptionOf = ({
  line,
  inside,
}: Pick<PlacedLine<IngredientLine>, "line" | "inside">): IngredientLine["exemption"] =>
  line.exemption ?? inside.findLast((outer) => outer.exemption !== null)?.exemption ?? null;

/** Origins of a code by line and exemption: an exempt one never stands for one that is not, whatever ids their lines were given. */
type Origins = Map<string, Origin>;

function addTo(found: Map<string, Origins>, code: string, origin: Origin): void {
  const key = `${origin.exemption} ${origin.line_id}`;
  const origins = found.get(code);
  if (origins === undefined) found.set(code, new Map([[key, origin]]));
  else if (!origins.has(key)) origins.set(key, origin);
}

const derived = (
  code: string,
  presence: "contains" | "may_contain",
  derived_from: Origin[],
): Declaration => ({
  code,
  presence,
  concentration_mg_per_kg: null,
  evidence: null,
  note: null,
  source: "ingredient",
  derived_from,
});
