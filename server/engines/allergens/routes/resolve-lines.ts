import type { NewId } from "../../../core/ids.ts";
import type { Ctx } from "../../../core/route.ts";
import type { Tx } from "../../../core/tx.ts";
import { giveWay, inSlices } from "../../../lib/slices.ts";
import { ingredients } from "../repository.ts";
import { stampAcknowledgements } from "../rules/acknowledge.ts";
import { expandLines, findLineFault, findSizeFault } from "../rules/expand-lines.ts";
import { readFoods } from "../rules/read-foods.ts";
import { namedIn, walkLines } from "../rules/walk-lines.ts";
import { ALLERGEN_LIMITS } from "../schema/limits.ts";
import type { Ingredient, IngredientLine, LineInput } from "../schema/ingredient.ts";
import type { Refusal } from "../schema.ts";

export interface Resolved {
  readonly lines: IngredientLine[];
  readonly refusal: Refusal | null;
}

/**
 * Ingredients of a request with what they take from the library. A line without an id that has the name, or the
 * library ingredient, of one that was there before is that one, so that what points at it still does.
 */
export async function resolveLines(
  work: Pick<Ctx, "tx" | "newId" | "nowAt" | "caller">,
  requested: readonly LineInput[],
  before: readonly IngredientLine[],
  path: readonly (string | number)[] = ["ingredients"],
): Promise<Resolved> {
  const inputs = stampAcknowledgements(requested, before, { by: work.caller, at: work.nowAt });
  const library = await readLibrary(work.tx, inputs);
  const fault = findLineFault(inputs, library, path);
  if (fault !== null) return { lines: [], refusal: fault };
  await giveWay(work.tx.part);
  const lines = expandLines(inputs, library, createLineIds(inputs, before, work.newId));
  await readNames(work.tx.part, lines);
  return { lines, refusal: findSizeFault(lines, path) };
}

/** Reads all names with pauses: from here on each costs a look-up. */
async function readNames(part: string, lines: readonly IngredientLine[]): Promise<void> {
  for await (const { line } of inSlices(walkLines(lines), part)) readFoods(line.name);
}

/**
 * The lines as they would be were they written again now: what the library says has taken its place. That may be too
 * much by now: an ingredient of the library may grow without a look at what is made of it.
 */
export async function refreshLines(
  work: { readonly tx: Tx; readonly newId: NewId },
  lines: readonly IngredientLine[],
): Promise<Resolved & { readonly gone: string[] }> {
  const inputs = lines.map(toInput);
  const library = await readLibrary(work.tx, inputs);
  // What was removed from the library stays as it was taken.
  const gone = new Set<string>();
  const keepGone = (list: readonly IngredientLine[]): LineInput[] =>
    list.map((line) => {
      if (line.ingredient_id === null)
        return { ...toInput(line), sub_ingredients: keepGone(line.sub_ingredients) };
      if (library.has(line.ingredient_id)) return toInput(line);
      gone.add(line.name);
      return toInput({ ...line, ingredient_id: null });
    });
  const kept = keepGone(lines);
  const fresh = expandLines(kept, library, createLineIds(kept, lines, work.newId));
  await readNames(work.tx.part, fresh);
  return { lines: fresh, gone: [...gone], refusal: findSizeFault(fresh, ["ingredients"]) };
}

/** A stored line as a request would write it. */
function toInput(line: IngredientLine): LineInput {
  const {
    id,
    percent,
    quantity_g,
    ingredient_id: source,
    ingredient_revision: _,
    sub_ingredients: subs,
    ...facts
  } = line;
  const own = { id, percent, quantity_g };
  return source === null
    ? { ...own, ...facts, sub_ingredients: subs.map(toInput) }
    : { ...own, ingredient_id: source };
}

/** Library ingredients that the lines of a product come from, at every level. */
export const readUsed = (tx: Tx, lines: readonly IngredientLine[]): Promise<Map<string, Ingredient>> =>
  readAll(tx, namedIn(lines));

/** Parsed with pauses: each can be as large as a document. */
async function readAll(tx: Tx, ids: readonly string[]): Promise<Map<string, Ingredient>> {
  const found = new Map<string, Ingredient>();
  for (const stored of await tx.getAll(ingredients, ids)) {
    await giveWay(tx.part);
    if (stored !== null) found.set(stored.id, stored.value);
  }
  return found;
}

/** Library ingredients that inputs refer to, and those inside them; unknown ids are left out. */
export async function readLibrary(tx: Tx, inputs: readonly LineInput[]): Promise<Map<string, Ingredient>> {
  const library = new Map<string, Ingredient>();
  let wanted = namedIn(inputs);
  for (let level = 0; wanted.length > 0 && level < ALLERGEN_LIMITS.depth; level += 1) {
    // More than a product may use are not looked up: the size is refused anyway.
    const found = await readAll(tx, wanted.slice(0, ALLERGEN_LIMITS.libraryUses + 1));
    for (const [id, value] of found) library.set(id, value);
    const inside = [...found.values()].flatMap(({ sub_ingredients: subs }) => subs);
    wanted = namedIn(inside).filter((id) => !library.has(id));
  }
  return library;
}

function createLineIds(
  inputs: readonly LineInput[],
  before: readonly IngredientLine[],
  newId: NewId,
): (input: LineInput) => string {
  const given = new Set(
    [...walkLines(inputs)].flatMap(({ line }) => (line.id === undefined ? [] : [line.id])),
  );
  const free = new Map<string, string[]>();
  for (const { line, inside } of walkLines(before)) {
    const isFromLibrary = inside.some(({ ingredient_id: source }) => source !== null);
    if (isFromLibrary || given.has(line.id)) continue;
    const key = line.ingredient_id ?? line.name;
    free.set(key, [...(free.get(key) ?? []), line.id]);
  }
  return ({ id, ingredient_id: source, name }) =>
    id ?? free.get(source ?? name ?? "")?.shift() ?? newId("lin");
}
