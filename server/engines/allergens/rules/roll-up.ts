import type { Declaration, Origin } from "../schema/declaration.ts";
import type { IngredientLine } from "../schema/ingredient.ts";
import { walkLines } from "./walk-lines.ts";
import type { PlacedLine } from "./walk-lines.ts";

/**
 * The declarations that a recipe calls for: every code that an ingredient contains or may contain, however deep it
 * applies, with the lines it comes from. Contains includes may contain of the same code (invariant 2). An exempt
 * ingredient is an origin like any other; whether it counts is the mode's business. An exemption of an ingredient
 * also holds for its contents: the wheat in a glucose syrup is that of the syrup.
 * Adding an ingredient only ever adds: no line takes away what another brought.
 */
export function rollUp(lines: readonly IngredientLine[]): Declaration[] {
  const contains = new Map<string, Origin[]>();
  const mayContain = new Map<string, Origin[]>();
  for (const { line, inside } of walkLines(lines)) {
    const exemption = exemptionOf({ line, inside });
    const origin = { line_id: line.id, ingredient_id: line.ingredient_id, name: line.name };
    for (const code of line.contains) addTo(contains, code, { ...origin, exemption });
    for (const code of line.may_contain) addTo(mayContain, code, { ...origin, exemption: null });
  }
  const declared = [...contains].map(([code, origins]) => {
    // Where all that contains it may be exempt, a warning still counts: it becomes an origin that is not.
    const isExempt = origins.every((origin) => origin.exemption !== null);
    return derived(code, "contains", isExempt ? [...origins, ...(mayContain.get(code) ?? [])] : origins);
  });
  return [...declared, ...warnedOf(lines).filter(({ code }) => !contains.has(code))];
}

/** What the ingredients of a recipe may contain, also where another contains it. */
export function warnedOf(lines: readonly IngredientLine[]): Declaration[] {
  const warned = new Map<string, Origin[]>();
  for (const { line } of walkLines(lines)) {
    const origin = { line_id: line.id, ingredient_id: line.ingredient_id, name: line.name, exemption: null };
    for (const code of line.may_contain) addTo(warned, code, origin);
  }
  return [...warned].map(([code, origins]) => derived(code, "may_contain", origins));
}

/** Its own exemption, or that of a line that contains it, the nearest first. */
export const exemptionOf = ({
  line,
  inside,
}: Pick<PlacedLine<IngredientLine>, "line" | "inside">): IngredientLine["exemption"] =>
  line.exemption ?? inside.findLast((outer) => outer.exemption !== null)?.exemption ?? null;

function addTo(found: Map<string, Origin[]>, code: string, origin: Origin): void {
  const origins = found.get(code);
  if (origins === undefined) found.set(code, [origin]);
  else if (!origins.some((other) => isSameOrigin(other, origin))) origins.push(origin);
}

/** An exempt origin never stands for one that is not, whatever ids their lines were given. */
const isSameOrigin = (a: Origin, b: Origin): boolean =>
  a.line_id === b.line_id && a.exemption === b.exemption;

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
