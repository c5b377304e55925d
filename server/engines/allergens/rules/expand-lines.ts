import { ALLERGEN_LIMITS } from "../schema/limits.ts";
import type { Ingredient, IngredientLine, LineInput } from "../schema/ingredient.ts";
import type { Refusal } from "../schema.ts";
import { namedIn, walkLines } from "./walk-lines.ts";

/** Library ingredients by id. */
export type Library = ReadonlyMap<string, Ingredient>;

type IdOf = (input: LineInput, index: number) => string;

/**
 * Ingredients as a request writes them → lines with nothing left to look up. What comes from the library is taken as it
 * is now, with its revision. Lines inside a library ingredient are named after the line that contains them, so that removing
 * it again gives the same ids. Check the inputs with `findLineFault` before, and the lines with `findSizeFault`: what is
 * far too much is not expanded to its end.
 */
export const expandLines = (inputs: readonly LineInput[], library: Library, idOf: IdOf): IngredientLine[] =>
  expandLevel(inputs, { library, level: 1, made: { count: 0 } }, idOf);

interface Expansion {
  readonly library: Library;
  readonly level: number;
  /** Lines that were made so far, over all levels. */
  readonly made: { count: number };
}

function expandLevel(inputs: readonly LineInput[], work: Expansion, idOf: IdOf): IngredientLine[] {
  const { library, level, made } = work;
  // One line too many, or one level too deep, is enough to be refused; thirty entries could make a million lines.
  if (level > ALLERGEN_LIMITS.depth + 1) return [];
  const inner = { ...work, level: level + 1 };
  const lines: IngredientLine[] = [];
  for (const [index, input] of inputs.entries()) {
    if (made.count > ALLERGEN_LIMITS.ingredients) break;
    made.count += 1;
    const id = idOf(input, index);
    const own = { id, percent: input.percent ?? null, quantity_g: input.quantity_g ?? null };
    const known = input.ingredient_id === undefined ? undefined : library.get(input.ingredient_id);
    if (known !== undefined) {
      // Counted through all of it, so that no two lines inside have the same id, at any depth.
      let inside = 0;
      lines.push({
        ...own,
        ...factsOf(known),
        ingredient_id: known.id,
        ingredient_revision: known.revision,
        sub_ingredients: expandLevel(known.sub_ingredients, inner, () => `${id}.${(inside += 1)}`),
      });
      continue;
    }
    lines.push({
      ...own,
      ...factsOf(input),
      ingredient_id: null,
      ingredient_revision: null,
      sub_ingredients: expandLevel(input.sub_ingredients ?? [], inner, idOf),
    });
  }
  return lines;
}

type Facts = Omit<
  IngredientLine,
  "id" | "percent" | "quantity_g" | "ingredient_id" | "ingredient_revision" | "sub_ingredients"
>;

/** What is true of an ingredient; what an input leaves out is not known to be the case. */
export const factsOf = (input: LineInput | Ingredient): Facts => ({
  name: input.name ?? "",
  ...(input.names === undefined ? {} : { names: input.names }),
  contains: [...new Set(input.contains ?? [])],
  may_contain: [...new Set(input.may_contain ?? [])],
  exemption: input.exemption ?? null,
  supplier: input.supplier ?? null,
  animal_origin: input.animal_origin ?? "none",
  alcohol: input.alcohol ?? false,
  gluten_mg_per_kg: input.gluten_mg_per_kg ?? null,
  gluten_reduced: input.gluten_reduced ?? false,
  ...(input.acknowledgements === undefined ? {} : { acknowledgements: input.acknowledgements }),
});

/** Members that a line cannot have together with `ingredient_id`, since they come from the library. */
const FROM_LIBRARY = [
  "name",
  "names",
  "contains",
  "may_contain",
  "exemption",
  "supplier",
  "animal_origin",
  "alcohol",
  "gluten_mg_per_kg",
  "gluten_reduced",
  "acknowledgements",
  "sub_ingredients",
] as const;

/** The first line that cannot be expanded; null when all can. `path` leads to the list in the request. */
export function findLineFault(
  inputs: readonly LineInput[],
  library: Library,
  path: readonly (string | number)[],
): Refusal | null {
  const ids = new Set<string>();
  for (const { line, path: place } of walkLines(inputs)) {
    const at = (member: string, detail: string): Refusal => fault([...path, ...place, member], detail);
    if (line.ingredient_id === undefined && line.name === undefined)
      return at("name", "Specify a name, or the ingredient_id of a library ingredient.");
    if (line.ingredient_id !== undefined) {
      const extra = FROM_LIBRARY.find((member) => line[member] !== undefined);
      if (extra !== undefined)
        return at(extra, "Comes from the library: leave it out, or leave ingredient_id out.");
      if (!library.has(line.ingredient_id)) return at("ingredient_id", "No such ingredient.");
    }
    if (line.id !== undefined && ids.has(line.id)) return at("id", "Two lines have this id.");
    if (line.id !== undefined) ids.add(line.id);
  }
  return null;
}

/**
 * The same for what the lines come to: how many they are, how deep, and from how many library ingredients; that each has
 * an id of its own, and that the library still had all that its ingredients contain.
 */
export function findSizeFault(
  lines: readonly IngredientLine[],
  path: readonly (string | number)[],
): Refusal | null {
  const placed = [...walkLines(lines)];
  const { ingredients, depth, libraryUses } = ALLERGEN_LIMITS;
  if (placed.length > ingredients)
    return fault(path, `At most ${ingredients} ingredients, those inside others included.`);
  if (placed.some(({ level }) => level > depth))
    return fault(path, `At most ${depth} levels of ingredients inside each other.`);
  if (namedIn(lines).length > libraryUses)
    return fault(path, `At most ${libraryUses} different library ingredients. Write the others out.`);
  if (new Set(placed.map(({ line }) => line.id)).size < placed.length)
    return fault(path, "Two lines would have the same id. Leave id out, or give ids without a dot.");
  if (placed.some(({ line }) => line.name === ""))
    return fault(path, "A library ingredient is made of one that is no longer there. Change it first.");
  return null;
}

const fault = (path: readonly (string | number)[], detail: string): Refusal => ({
  type: "unprocessable_content",
  code: "ingredients_invalid",
  detail,
  path,
});
